/* Blocks that come and blocks that are taken off. */
#include "lab.h"
#include "suites.h"

#include <cairn/base/buf.h>

#include <stdlib.h>
#include <string.h>

START_TEST(a_block_takes_its_own_and_what_it_contradicts)
{
	struct mempool_tx block[2];
	struct entry *a, *b;
	struct lab_out in;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	a = lab_put(&lab, NULL, 0, 2, 0, 500);
	b = lab_child(&lab, a, 0, 1, 400);
	lab_child(&lab, b, 0, 1, 300);
	lab_child(&lab, a, 1, 1, 300);
	/* a, and another child of it in the place of b. */
	in = lab_out(a, 0);
	block[0] = a->tx;
	buf_ref(block[0].buf);
	block[1] = lab_tx(&lab, &in, 1, 1, 5, 0);
	lab_mine(&lab, block, 2, 0);
	ck_assert_uint_eq(lab.removed[MEMPOOL_BLOCK], 1);
	ck_assert_uint_eq(lab.removed[MEMPOOL_CONFLICT], 2);
	ck_assert_uint_eq(lab.m->ix->by_age.n, 1);
	lab_check(&lab);
	buf_unref(block[0].buf);
	buf_unref(block[1].buf);
	lab_fini(&lab);
}
END_TEST

START_TEST(what_is_forgotten_takes_its_children)
{
	struct mempool_tx t;
	struct entry *a;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	a = lab_put(&lab, NULL, 0, 3, 0, 500);
	t = a->tx;
	buf_ref(t.buf);
	lab_child(&lab, lab_child(&lab, a, 2, 1, 400), 0, 1, 300);
	lab_child(&lab, a, 0, 1, 300);
	lab_mine(&lab, &t, 1, 0);
	ck_assert_uint_eq(lab.m->ix->by_age.n, 3);
	mempool_forget(lab.m, &t.view, &t.txid);
	ck_assert_uint_eq(lab.removed[MEMPOOL_REORG], 3);
	ck_assert_int_eq(pool_usage(lab.m), lab.empty);
	buf_unref(t.buf);
	lab_fini(&lab);
}
END_TEST

/* A transaction comes back whose outputs are spent by n clusters of m. */
static struct lab come_back(uint32_t n, uint32_t m, bool *came)
{
	struct mempool_tx t;
	struct lab lab;

	lab_init(&lab, 1 << 26);
	t = lab_tx(&lab, NULL, 0, n, 0, 100);
	for (uint32_t i = 0; i < n; i++) {
		struct lab_out in = {t.txid, i};
		struct entry *e = lab_put(&lab, &in, 1, 1, 0, 1000 + i);

		for (uint32_t k = 1; k < m; k++)
			e = lab_child(&lab, e, 0, 1, 1000 + i - k);
	}
	t.sequence = 0;
	*came = pool_insert(lab.m, &t) != NULL;
	buf_unref(t.buf);
	lab_check(&lab);
	return lab;
}

START_TEST(what_comes_back_joins_its_children)
{
	bool came;
	struct lab lab = come_back(7, 9, &came);

	ck_assert(came);
	ck_assert_uint_eq(lab.m->ix->by_age.n, 64);
	ck_assert_uint_eq(lab.m->ix->worst.n, 1);
	lab_fini(&lab);
	/* The worst of a cluster that is too long leaves. */
	lab = come_back(1, 64, &came);
	ck_assert(came);
	ck_assert_uint_eq(lab.removed[MEMPOOL_SIZELIMIT], 1);
	ck_assert_uint_eq(lab.m->ix->worst.n, 1);
	lab_fini(&lab);
	/* Of two that are too large together the better one stays. */
	lab = come_back(2, 40, &came);
	ck_assert(came);
	ck_assert_uint_eq(lab.removed[MEMPOOL_SIZELIMIT], 80 - 63);
	lab_fini(&lab);
	lab = come_back(200, 1, &came);
	ck_assert(came);
	ck_assert_uint_eq(lab.removed[MEMPOOL_SIZELIMIT], 200 - 63);
	lab_fini(&lab);
}
END_TEST

START_TEST(what_does_not_fit_with_its_parents_does_not_come)
{
	struct lab_out in;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	e = lab_put(&lab, NULL, 0, 1, 0, 500);
	for (int i = 1; i < 64; i++)
		e = lab_child(&lab, e, 0, 1, 500);
	in = lab_out(e, 0);
	ck_assert_ptr_null(lab_put(&lab, &in, 1, 1, 0, 500));
	ck_assert_uint_eq(lab.m->ix->by_age.n, 64);
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

START_TEST(what_the_new_tip_locks_leaves)
{
	struct mempool_tip tip = {.height = 90, .mtp = 900000};
	struct mempool_tx t;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	lab_put(&lab, NULL, 0, 1, 0, 500);
	t = lab_tx(&lab, NULL, 0, 1, 0, 500);
	lab_lock(&t, 95);
	e = pool_insert(lab.m, &t);
	buf_unref(t.buf);
	lab_child(&lab, e, 0, 1, 500);
	mempool_reorg_end(lab.m, 5000);
	ck_assert_uint_eq(lab.removed[MEMPOOL_REORG], 0);
	mempool_set_tip(lab.m, &tip);
	mempool_reorg_end(lab.m, 5000);
	ck_assert_uint_eq(lab.removed[MEMPOOL_REORG], 2);
	ck_assert_uint_eq(lab.m->ix->by_age.n, 1);
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

Suite *reorg_suite(void)
{
	Suite *s = suite_create("reorg");
	TCase *tc = tcase_create("reorg");

	tcase_add_test(tc, a_block_takes_its_own_and_what_it_contradicts);
	tcase_add_test(tc, what_is_forgotten_takes_its_children);
	tcase_add_test(tc, what_comes_back_joins_its_children);
	tcase_add_test(tc, what_does_not_fit_with_its_parents_does_not_come);
	tcase_add_test(tc, what_the_new_tip_locks_leaves);
	suite_add_tcase(s, tc);
	return s;
}
