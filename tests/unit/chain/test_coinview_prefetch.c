/* Coins read ahead of their use: taken in when they are still true. */
#include "coinbed.h"
#include "coinmodel.h"
#include "suites.h"

static struct coin_prefetch *want(int k)
{
	struct coin_prefetch *p = coin_prefetch_new(bed.v);
	uint8_t op[36];

	model_outpoint(op, k);
	coin_prefetch_add(p, op);
	return p;
}

START_TEST(prefetch_brings_coins_into_the_cache)
{
	uint8_t op[MODEL_OUTPOINTS][36];
	const uint8_t *ops[MODEL_OUTPOINTS];
	int k;

	for (k = 0; k < MODEL_OUTPOINTS; k++) {
		model_outpoint(op[k], k);
		ops[k] = op[k];
		if (k % 2)
			bed_add(k, (uint32_t)k, true);
	}
	bed_flush(0);
	bed_reopen(NULL);
	ck_assert_int_eq(coinview_prefetch(bed.v, ops, MODEL_OUTPOINTS), 0);
	/* Misses are not kept. */
	ck_assert_uint_eq(bed_stats().coins, MODEL_OUTPOINTS / 2);
	for (k = 0; k < MODEL_OUTPOINTS; k++)
		bed_expect(k, k % 2 ? (uint32_t)k : 0);
	ck_assert_int_eq(coinview_prefetch(bed.v, ops, 0), 0);
}
END_TEST

START_TEST(prefetch_lists_only_what_the_cache_does_not_hold)
{
	struct coin_prefetch *p;

	bed_add(1, 11, true);
	bed_add(2, 22, true);
	bed_flush(0);
	bed_reopen(NULL);
	bed_expect(1, 11);
	bed_spend(2, 22);
	p = want(1);
	ck_assert_uint_eq(coin_prefetch_len(p), 0);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	p = want(2);
	ck_assert_uint_eq(coin_prefetch_len(p), 0);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	p = want(3);
	ck_assert_uint_eq(coin_prefetch_len(p), 1);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
}
END_TEST

START_TEST(prefetch_never_overwrites_what_changed_meanwhile)
{
	struct coin_prefetch *p;

	bed_add(1, 11, true);
	bed_flush(0);
	bed_reopen(NULL);
	p = want(1);
	coin_prefetch_read(p);
	bed_spend(1, 11);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	bed_expect(1, 0);
}
END_TEST

/* The read saw the coin; then the coin was spent, the spend written and the
 * generation that knew of it dropped. */
START_TEST(prefetch_delayed_across_the_flush_that_deletes_its_coin_is_dropped)
{
	struct coin_prefetch *p;
	int h;

	bed_add(1, 11, true);
	bed_flush(0);
	bed_reopen(NULL);
	p = want(1);
	coin_prefetch_read(p);
	bed_spend(1, 11);
	bed_flush(1);
	/* Boundaries move frozen on until it is gone. */
	for (h = 2; h < 6; h++)
		bed_boundary(h);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	bed_expect(1, 0);
	bed_spend(1, 0);
}
END_TEST

static TCase *prefetching(void)
{
	TCase *t = tcase_create("prefetch");

	tcase_add_checked_fixture(t, bed_setup, bed_teardown);
	tcase_add_test(t, prefetch_brings_coins_into_the_cache);
	tcase_add_test(t, prefetch_lists_only_what_the_cache_does_not_hold);
	tcase_add_test(t, prefetch_never_overwrites_what_changed_meanwhile);
	tcase_add_test(
	    t,
	    prefetch_delayed_across_the_flush_that_deletes_its_coin_is_dropped);
	return t;
}

Suite *coinview_prefetch_suite(void)
{
	Suite *s = suite_create("coinview_prefetch");

	suite_add_tcase(s, prefetching());
	return s;
}
