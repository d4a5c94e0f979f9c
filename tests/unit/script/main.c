/* Runs every suite of script; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    op_suite,
    iter_suite,
    template_suite,
    asm_suite,
    flags_suite,
    limits_suite,
    multisig_suite,
    verify_suite,
    script_vectors_suite,
    sighash_suite,
    taproot_vectors_suite,
    taptree_suite,
    batch_suite,
    tagset_suite,
    cache_suite,
};

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
