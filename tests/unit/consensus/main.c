/* Runs every suite of consensus; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    block_check_suite, check_suite,        deploy_suite,       fullblocks_suite,
    headers_suite,     headers_real_suite, signet_suite,       work_suite,
    flags_suite,       tx_vectors_suite,   scripts_real_suite, sigops_suite,
    spend_suite,       verdict_suite,      versionbits_suite,
};

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
