/* The pool's entries, relatives and totals under changes of every kind. */
#include "lab.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

START_TEST(what_was_put_in_is_found)
{
	struct txout_view out;
	struct lab_out o;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	e = lab_put(&lab, NULL, 0, 3, 7, 500);
	o = lab_out(e, 2);
	ck_assert_ptr_eq(mempool_find(lab.m, &e->tx.txid), &e->tx);
	ck_assert_ptr_eq(mempool_find_wtxid(lab.m, &e->tx.wtxid), &e->tx);
	ck_assert(pool_output(lab.m, &out, (const uint8_t *)&o));
	ck_assert_int_eq(out.value, 1002);
	o.index = 0;
	ck_assert(pool_output(lab.m, &out, (const uint8_t *)&o));
	ck_assert_uint_eq(out.script.n, 7);
	o.index = 3;
	ck_assert(!pool_output(lab.m, &out, (const uint8_t *)&o));
	ck_assert_ptr_null(mempool_spender(lab.m, (const uint8_t *)&o));
	ck_assert_ptr_null(mempool_find(lab.m, &(struct hash256){{1}}));
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

/* a <- b, c; b, c <- d */
START_TEST(relatives_are_known)
{
	const struct mempool_tx *out[MEMPOOL_CLUSTER_MAX];
	struct entry *a, *b, *c, *d;
	struct lab_out in[2];
	struct lab lab;

	lab_init(&lab, 1 << 24);
	a = lab_put(&lab, NULL, 0, 2, 0, 500);
	b = lab_child(&lab, a, 0, 1, 400);
	c = lab_child(&lab, a, 1, 1, 300);
	in[0] = lab_out(b, 0);
	in[1] = lab_out(c, 0);
	d = lab_put(&lab, in, 2, 1, 0, 200);
	ck_assert_uint_eq(mempool_parents(lab.m, &d->tx, out), 2);
	ck_assert_ptr_eq(out[0], &b->tx);
	ck_assert_ptr_eq(out[1], &c->tx);
	ck_assert_uint_eq(mempool_ancestors(lab.m, &d->tx, out), 3);
	ck_assert_ptr_eq(out[0], &a->tx);
	ck_assert_uint_eq(mempool_children(lab.m, &a->tx, out), 2);
	ck_assert_uint_eq(mempool_descendants(lab.m, &a->tx, out), 3);
	ck_assert_ptr_eq(out[2], &d->tx);
	ck_assert_uint_eq(mempool_cluster(lab.m, &b->tx, out), 4);
	ck_assert_ptr_eq(mempool_spender(lab.m, (const uint8_t *)&in[0]),
			 &d->tx);
	lab_check(&lab);
	pool_remove(lab.m, b, MEMPOOL_CONFLICT);
	ck_assert_uint_eq(lab.removed[MEMPOOL_CONFLICT], 2);
	ck_assert_uint_eq(mempool_cluster(lab.m, &a->tx, out), 2);
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

START_TEST(an_emptied_pool_uses_what_it_did)
{
	struct mempool_stats s;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	for (int i = 0; i < 5000; i++)
		lab_put(&lab, NULL, 0, 2, 0, i);
	mempool_stats(lab.m, &s, 0);
	ck_assert_uint_eq(s.n, 5000);
	ck_assert_int_gt(s.usage, 5000 * 500);
	while (lab.m->ix->by_age.n)
		pool_remove(lab.m, lab.m->ix->by_age.v[0], MEMPOOL_EXPIRY);
	ck_assert_int_eq(pool_usage(lab.m), lab.empty);
	ck_assert_uint_eq(lab.removed[MEMPOOL_EXPIRY], 5000);
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

Suite *pool_suite(void)
{
	Suite *s = suite_create("pool");
	TCase *tc = tcase_create("pool");

	tcase_add_test(tc, what_was_put_in_is_found);
	tcase_add_test(tc, relatives_are_known);
	tcase_add_test(tc, an_emptied_pool_uses_what_it_did);
	suite_add_tcase(s, tc);
	return s;
}
