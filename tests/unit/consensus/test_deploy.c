/* Heights at which buried rules begin, and the version of our own blocks. */
#include "suites.h"

#include <cairn/consensus/deploy.h>

START_TEST(deploy_active_holds_for_the_block_at_its_height)
{
	const struct params *p = params_get(CHAIN_MAIN);

	ck_assert(!deploy_active(p, DEPLOY_SEGWIT, 481823));
	ck_assert(deploy_active(p, DEPLOY_SEGWIT, 481824));
	ck_assert(!deploy_active(p, DEPLOY_BIP34, 227930));
	ck_assert(deploy_active(p, DEPLOY_BIP34, 227931));
	p = params_get(CHAIN_REGTEST);
	ck_assert(deploy_active(p, DEPLOY_SEGWIT, 0));
	ck_assert(!deploy_active(p, DEPLOY_CSV, 0));
	ck_assert(deploy_active(p, DEPLOY_CSV, 1));
}
END_TEST

START_TEST(block_version_passes_the_version_rules)
{
	const struct params *p = params_get((enum chain_id)_i);

	ck_assert_int_eq(block_version_for(p, 1), 0x20000000);
	ck_assert_int_eq(block_version_for(p, 1000000), 0x20000000);
}
END_TEST

Suite *deploy_suite(void)
{
	Suite *s = suite_create("deploy");
	TCase *t = tcase_create("deployments");

	tcase_add_test(t, deploy_active_holds_for_the_block_at_its_height);
	tcase_add_loop_test(t, block_version_passes_the_version_rules, 0,
			    CHAIN_COUNT);
	suite_add_tcase(s, t);
	return s;
}
