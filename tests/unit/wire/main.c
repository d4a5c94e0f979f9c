/* Runs the suites of the codec; exits non-zero when a check fails. */
#include "wiretest.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

int main(void)
{
	SRunner *sr = srunner_create(compact_suite());
	int failed;

	if (crypto_init() != 0)
		return EXIT_FAILURE;
	srunner_add_suite(sr, frame_suite());
	srunner_add_suite(sr, command_suite());
	srunner_add_suite(sr, messages_suite());
	srunner_add_suite(sr, header_suite());
	srunner_add_suite(sr, inv_suite());
	srunner_add_suite(sr, locator_suite());
	srunner_add_suite(sr, cfilter_suite());
	srunner_add_suite(sr, addr_suite());
	srunner_add_suite(sr, version_suite());
	srunner_add_suite(sr, tx_suite());
	srunner_add_suite(sr, txvectors_suite());
	srunner_add_suite(sr, txparts_suite());
	srunner_add_suite(sr, block_suite());
	srunner_add_suite(sr, merkle_suite());
	srunner_add_suite(sr, bloom_suite());
	srunner_add_suite(sr, merkleblock_suite());
	srunner_add_suite(sr, cmpctblock_suite());
	srunner_add_suite(sr, feature_suite());
	srunner_add_suite(sr, obsolete_suite());
	srunner_add_suite(sr, fault_suite());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
