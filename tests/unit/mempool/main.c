/* Runs every suite of mempool; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    accept_again_suite,
    accept_family_suite,
    accept_package_suite,
    accept_replace_suite,
    accept_suite,
    accept_truc_suite,
    fee_suite,
    linearize_suite,
    policy_inputs_suite,
    policy_suite,
    policy_witness_suite,
    pool_suite,
    reorg_suite,
    room_suite,
    select_suite,
    table_suite,
    try_suite,
};

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
