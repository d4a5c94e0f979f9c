/* Runs every suite of mempool; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    fee_suite,           pool_suite,           policy_suite,
    policy_inputs_suite, policy_witness_suite,
};

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
