/* Runs every suite of consensus; fails when one test does. */
#include "suites.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    block_check_suite, check_suite,        deploy_suite,       fullblocks_suite,
    headers_suite,     headers_real_suite, signet_suite,       work_suite,
    flags_suite,       tx_vectors_suite,   scripts_real_suite,
};

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	size_t i;
	int failed;

	if (crypto_init() != 0)
		return EXIT_FAILURE;
	for (i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
