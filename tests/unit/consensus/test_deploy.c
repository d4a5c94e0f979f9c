/* Heights at which buried rules begin. */
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

Suite *deploy_suite(void)
{
	Suite *s = suite_create("deploy");
	TCase *t = tcase_create("deployments");

	tcase_add_test(t, deploy_active_holds_for_the_block_at_its_height);
	suite_add_tcase(s, t);
	return s;
}
