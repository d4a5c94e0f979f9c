/* Runs every suite of script; fails when one test does. */
#include "suites.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    op_suite,
    iter_suite,
    template_suite,
    asm_suite,
    script_vectors_suite,
    sighash_suite,
    taproot_vectors_suite,
};

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	int failed;

	if (crypto_init() != 0)
		return EXIT_FAILURE;
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
