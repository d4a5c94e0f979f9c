/* Runs the suites of the codec; exits non-zero when a check fails. */
#include "runner.h"
#include "wiretest.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    compact_suite,     frame_suite,      command_suite, messages_suite,
    header_suite,      inv_suite,        locator_suite, cfilter_suite,
    addr_suite,        version_suite,    tx_suite,      txvectors_suite,
    txparts_suite,     block_suite,      merkle_suite,  bloom_suite,
    merkleblock_suite, cmpctblock_suite, feature_suite, obsolete_suite,
    fault_suite,       every_suite,
};

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
