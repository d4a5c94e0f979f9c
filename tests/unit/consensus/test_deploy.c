/* Heights at which buried rules begin. */
#include "suites.h"

#include <cairn/base/text.h>
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

static bool holds(const struct params *p, int32_t height, const char *hash,
		  const struct hash256 *bip34)
{
	struct hash256 h = {{0}};

	if (hash)
		ck_assert(hash256_parse(&h, hash));
	return bip30_holds(p, height, &h, bip34);
}

#define REPEAT_1                                                               \
	"00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec"
#define REPEAT_2                                                               \
	"00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721"

START_TEST(two_blocks_may_repeat_their_coinbase)
{
	const struct params *p = params_get(CHAIN_MAIN);
	struct hash256 h;

	ck_assert(!holds(p, 91842, REPEAT_1, NULL));
	ck_assert(!holds(p, 91880, REPEAT_2, NULL));
	/* Each at its own height, and nothing else there. */
	ck_assert(holds(p, 91880, REPEAT_1, NULL));
	ck_assert(holds(p, 91842, REPEAT_2, NULL));
	ck_assert(holds(p, 91842, NULL, NULL));
	ck_assert(holds(p, 91841, REPEAT_1, NULL));
	ck_assert(hash256_parse(&h, REPEAT_1));
	ck_assert(bip30_is_repeat(91842, &h));
	h.b[0] ^= 1;
	ck_assert(!bip30_is_repeat(91842, &h));
}
END_TEST

START_TEST(repeats_are_looked_for_before_bip34_and_after_its_limit)
{
	const struct params *p = params_get(CHAIN_MAIN);
	struct hash256 other = p->bip34_hash;

	ck_assert(holds(p, 0, NULL, NULL));
	ck_assert(holds(p, 227931, NULL, NULL));
	ck_assert(!holds(p, 227932, NULL, &p->bip34_hash));
	ck_assert(!holds(p, 1983701, NULL, &p->bip34_hash));
	ck_assert(holds(p, 1983702, NULL, &p->bip34_hash));
	ck_assert(holds(p, INT32_MAX, NULL, &p->bip34_hash));
	/* On another chain an early coinbase may name any height. */
	other.b[31] ^= 1;
	ck_assert(holds(p, 227932, NULL, &other));
}
END_TEST

START_TEST(repeats_are_always_looked_for_without_a_known_bip34_block)
{
	const struct params *p = params_get((enum chain_id)_i);
	struct hash256 some = {{1}};

	ck_assert(hash256_is_zero(&p->bip34_hash));
	ck_assert(holds(p, 1000, NULL, &some));
}
END_TEST

Suite *deploy_suite(void)
{
	Suite *s = suite_create("deploy");
	TCase *t = tcase_create("deployments");

	tcase_add_test(t, deploy_active_holds_for_the_block_at_its_height);
	tcase_add_test(t, two_blocks_may_repeat_their_coinbase);
	tcase_add_test(t,
		       repeats_are_looked_for_before_bip34_and_after_its_limit);
	tcase_add_loop_test(
	    t, repeats_are_always_looked_for_without_a_known_bip34_block,
	    CHAIN_TESTNET4, CHAIN_COUNT);
	suite_add_tcase(s, t);
	return s;
}
