/* The pool's entries, relatives and totals under changes of every kind. */
#include "lab.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

START_TEST(what_was_put_in_is_found)
{
	struct lab_out o;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	e = lab_put(&lab, NULL, 0, 3, 7, 500);
	o = lab_out(e, 2);
	ck_assert_ptr_eq(mempool_find(lab.m, &e->tx.txid), &e->tx);
	ck_assert_ptr_eq(mempool_find_wtxid(lab.m, &e->tx.wtxid), &e->tx);
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
	ck_assert_uint_eq(lab_related(&d->tx, LAB_PARENTS, out), 2);
	ck_assert_ptr_eq(out[0], &b->tx);
	ck_assert_ptr_eq(out[1], &c->tx);
	ck_assert_uint_eq(lab_related(&d->tx, LAB_ANCESTORS, out), 3);
	ck_assert_ptr_eq(out[0], &a->tx);
	ck_assert_uint_eq(lab_related(&a->tx, LAB_CHILDREN, out), 2);
	ck_assert_uint_eq(lab_related(&a->tx, LAB_DESCENDANTS, out), 3);
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

/* A pool under random changes; what was mined comes back at times. */
struct life {
	struct lab lab;
	struct rand rand;
	struct mempool_tx mined[64];
	size_t n_mined;
};

static struct entry *any(struct life *l)
{
	const struct heap *h = &l->lab.m->ix->by_age;

	return h->n ? h->v[rand_below(&l->rand, h->n)] : NULL;
}

static void life_put(struct life *l)
{
	struct lab_out in[4];
	struct pool_comer comer;
	struct mempool_tx t;
	size_t n = 0;

	for (uint64_t i = rand_below(&l->rand, 5); i > 0; i--) {
		struct entry *e = any(l);

		if (!e)
			break;
		in[n] = lab_out(
		    e, (uint32_t)rand_below(&l->rand, e->tx.view.n_out));
		if (mempool_spender(l->lab.m, (const uint8_t *)&in[n]))
			continue;
		for (size_t k = 0; k < n; k++) {
			if (memcmp(&in[k], &in[n], sizeof *in) == 0)
				goto next;
		}
		n++;
	next:;
	}
	t = lab_tx(&l->lab, in, n, 1 + (uint32_t)rand_below(&l->rand, 4),
		   (uint32_t)rand_below(&l->rand, 3) * 1000,
		   (int64_t)rand_below(&l->rand, 5) * 4000);
	t.time_s = (int64_t)rand_below(&l->rand, 1000);
	t.unbroadcast = rand_below(&l->rand, 8) == 0;
	comer = (struct pool_comer){&t.view, &t.txid, t.fee, t.weight};
	if (pool_try(l->lab.m, &(struct pool_change){.in = &comer,
						     .n_in = 1}) == POOL_FITS)
		ck_assert_ptr_nonnull(pool_insert(l->lab.m, &t));
	buf_unref(t.buf);
}

static void keep_mined(struct life *l, const struct mempool_tx *tx)
{
	if (l->n_mined == 64)
		buf_unref(l->mined[--l->n_mined].buf);
	buf_ref(tx->buf);
	l->mined[l->n_mined++] = *tx;
}

/* A block of some transactions with all that they need. */
static void life_mine(struct life *l)
{
	struct mempool_tx block[MEMPOOL_CLUSTER_MAX + 2];
	const struct mempool_tx *out[MEMPOOL_CLUSTER_MAX];
	struct entry *e = any(l), *other = any(l);
	size_t n, i;

	if (!e)
		return;
	n = lab_related(&e->tx, LAB_ANCESTORS, out);
	out[n++] = &e->tx;
	for (i = 0; i < n; i++) {
		block[i] = *out[i];
		keep_mined(l, out[i]);
	}
	/* And one that spends what another here does. */
	if (other->cluster != e->cluster) {
		struct lab_out in;

		memcpy(&in, other->tx.view.p + other->tx.view.in_off,
		       sizeof in);
		block[n++] = lab_tx(&l->lab, &in, 1, 1, 9, 0);
	}
	lab_mine(&l->lab, block, n, 0);
	ck_assert_ptr_null(pool_find(l->lab.m, &block[0].txid));
	if (n > i)
		buf_unref(block[i].buf);
}

/* Blocks are taken off: the oldest first they come back. */
static void life_unmine(struct life *l)
{
	size_t from = l->n_mined > 8 ? l->n_mined - 8 : 0;

	for (size_t i = from; i < l->n_mined; i++) {
		struct mempool_tx *t = &l->mined[i];
		bool conflict = pool_find(l->lab.m, &t->txid) != NULL;
		struct txin_view in;
		struct tx_iter it;

		txins(&it, &t->view);
		while (txin_next(&it, &in))
			conflict |= pool_spender(l->lab.m, in.prevout) != NULL;
		t->sequence = 0;
		if (conflict || !pool_insert(l->lab.m, t))
			mempool_forget(l->lab.m, &t->view, &t->txid);
		buf_unref(t->buf);
	}
	l->n_mined = from;
}

static void life_step(struct life *l)
{
	struct entry *e = any(l);

	switch (rand_below(&l->rand, 24)) {
	case 0:
		if (e)
			pool_remove(l->lab.m, e, MEMPOOL_REPLACED);
		break;
	case 1:
		life_mine(l);
		break;
	case 2:
		life_unmine(l);
		break;
	case 3:
		if (e)
			mempool_prioritise(
			    l->lab.m, &e->tx.txid,
			    (int64_t)rand_below(&l->rand, 40000) - 20000);
		break;
	case 4:
		if (e)
			mempool_unbroadcast(l->lab.m, &e->tx.txid);
		break;
	case 5:
		mempool_expire(l->lab.m,
			       1000 + (int64_t)rand_below(&l->rand, 20));
		break;
	case 6:
		pool_make_room(l->lab.m, 0);
		ck_assert_int_le(pool_usage(l->lab.m), l->lab.m->cfg.max_bytes);
		break;
	default:
		life_put(l);
		break;
	}
}

static void check_rebuilt(const struct life *l)
{
	const struct mempool_tx *x, *y;
	struct lin_chunk *a, *b;
	uint32_t n_a, n_b;
	size_t i = 0, k = 0;
	struct lab copy;

	lab_rebuild(&copy, &l->lab);
	lab_check(&copy);
	ck_assert_uint_eq(copy.m->ix->held, l->lab.m->ix->held);
	a = lab_chunks(&l->lab, &n_a);
	b = lab_chunks(&copy, &n_b);
	ck_assert_uint_eq(n_a, n_b);
	for (uint32_t c = 0; c < n_a; c++) {
		ck_assert_int_eq(a[c].fee, b[c].fee);
		ck_assert_int_eq(a[c].size, b[c].size);
	}
	free(a);
	free(b);
	/* To the place of each. */
	while ((x = mempool_next(l->lab.m, &i))) {
		y = mempool_next(copy.m, &k);
		if (!hash256_eq(&x->txid, &y->txid))
			ck_abort_msg("place %zu", i);
	}
	lab_fini(&copy);
}

static void life_end(struct life *l)
{
	struct hash256 txid;
	int64_t delta;
	size_t i = 0;

	while (l->lab.m->ix->by_age.n)
		pool_remove(l->lab.m, any(l), MEMPOOL_EXPIRY);
	while (mempool_delta_next(l->lab.m, &i, &txid, &delta)) {
		mempool_prioritise(l->lab.m, &txid, -delta);
		i = 0;
	}
	ck_assert_int_eq(pool_usage(l->lab.m), l->lab.empty);
	ck_assert_uint_eq(l->lab.m->ix->unbroadcast, 0);
	while (l->n_mined)
		buf_unref(l->mined[--l->n_mined].buf);
	lab_fini(&l->lab);
}

START_TEST(any_history_gives_what_a_rebuild_does)
{
	struct life l = {.n_mined = 0};

	rand_seed(&l.rand, 100 + (uint64_t)_i);
	lab_init(&l.lab, _i % 2 ? 1 << 24 : 200000);
	l.lab.m->cfg.policy.cluster_count = _i < 3 ? 64 : 9;
	for (int i = 0; i < 4000; i++) {
		life_step(&l);
		if (i % 16 == 0)
			lab_check(&l.lab);
		if (i % 256 == 0)
			check_rebuilt(&l);
	}
	for (int why = 0; why <= MEMPOOL_REPLACED; why++)
		ck_assert(l.lab.removed[why] > 0 || why == MEMPOOL_SIZELIMIT ||
			  why == MEMPOOL_REORG);
	life_end(&l);
}
END_TEST

START_TEST(every_change_takes_a_number)
{
	struct mempool_stats s;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	mempool_stats(lab.m, &s, 0);
	ck_assert_uint_eq(s.sequence, 1);
	e = lab_put(&lab, NULL, 0, 1, 0, 5);
	ck_assert_uint_eq(e->tx.sequence, 1);
	lab_child(&lab, e, 0, 1, 5);
	ck_assert_uint_eq(pool_sequence(lab.m), 3);
	pool_remove(lab.m, e, MEMPOOL_CONFLICT);
	ck_assert_uint_eq(pool_sequence(lab.m), 5);
	lab_fini(&lab);
}
END_TEST

START_TEST(what_is_added_to_a_fee_stays_when_the_transaction_leaves)
{
	int64_t fee, vsize, weight;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	e = lab_put(&lab, NULL, 0, 1, 0, 500);
	mempool_prioritise(lab.m, &e->tx.txid, INT64_MAX);
	mempool_prioritise(lab.m, &e->tx.txid, INT64_MAX);
	ck_assert_int_eq(e->tx.delta, INT64_MAX);
	mempool_prioritise(lab.m, &e->tx.txid, -INT64_MAX + 70);
	mempool_chunk(lab.m, &e->tx, &fee, &vsize, &weight);
	ck_assert_int_eq(fee, 570);
	ck_assert_int_eq(weight, e->tx.weight);
	ck_assert_int_eq(vsize, e->tx.vsize);
	lab_check(&lab);
	{
		struct mempool_tx t = e->tx;

		buf_ref(t.buf);
		pool_remove(lab.m, e, MEMPOOL_EXPIRY);
		ck_assert_int_eq(pool_delta(lab.m, &t.txid), 70);
		e = pool_insert(lab.m, &t);
		ck_assert_int_eq(e->tx.delta, 70);
		lab_mine(&lab, &t, 1, 0);
		ck_assert_int_eq(pool_delta(lab.m, &t.txid), 0);
		buf_unref(t.buf);
	}
	ck_assert_int_eq(pool_usage(lab.m), lab.empty);
	lab_fini(&lab);
}
END_TEST

/* A cluster of which each is said to pay all there is, or to cost it. */
START_TEST(fees_that_are_added_to_without_end_are_ordered)
{
	struct pool_comer comer;
	struct entry *a, *b, *c;
	struct mempool_tx t;
	struct lab_out in;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	a = lab_put(&lab, NULL, 0, 3, 0, MAX_MONEY);
	b = lab_child(&lab, a, 0, 1, 400);
	c = lab_child(&lab, a, 1, 1, 400);
	mempool_prioritise(lab.m, &a->tx.txid, INT64_MAX);
	mempool_prioritise(lab.m, &b->tx.txid, INT64_MIN);
	mempool_prioritise(lab.m, &c->tx.txid, INT64_MAX);
	lab_check(&lab);
	ck_assert_uint_lt(a->slot, c->slot);
	ck_assert_uint_lt(c->slot, b->slot);
	in = lab_out(a, 2);
	t = lab_tx(&lab, &in, 1, 1, 0, 0);
	comer = (struct pool_comer){&t.view, &t.txid, INT64_MAX, t.weight};
	ck_assert_int_eq(pool_try(lab.m, &(struct pool_change){.out = &b,
							       .n_out = 1,
							       .in = &comer,
							       .n_in = 1}),
			 POOL_FITS);
	comer.fee = INT64_MIN;
	ck_assert_int_eq(pool_try(lab.m, &(struct pool_change){.out = &c,
							       .n_out = 1,
							       .in = &comer,
							       .n_in = 1}),
			 POOL_NOT_BETTER);
	buf_unref(t.buf);
	lab_fini(&lab);
}
END_TEST

START_TEST(the_walk_gives_parents_and_high_rates_first)
{
	const struct mempool_tx *tx;
	struct life l = {.n_mined = 0};
	struct lin_chunk last = {0};
	uint64_t n = 0;
	size_t i = 0;

	rand_seed(&l.rand, 7);
	lab_init(&l.lab, 1 << 24);
	for (int k = 0; k < 500; k++)
		life_put(&l);
	while ((tx = mempool_next(l.lab.m, &i))) {
		const struct mempool_tx *out[MEMPOOL_CLUSTER_MAX];
		struct lin_chunk c = {0};
		int64_t vsize;

		mempool_chunk(l.lab.m, tx, &c.fee, &vsize, &c.size);
		ck_assert(n == 0 || chunk_cmp(&last, &c) >= 0);
		last = c;
		/* Parents came: they are marked by their height here. */
		for (size_t k = lab_related(tx, LAB_PARENTS, out); k > 0; k--)
			ck_assert_int_eq(out[k - 1]->height, -7);
		pool_find(l.lab.m, &tx->txid)->tx.height = -7;
		n++;
	}
	ck_assert_uint_eq(n, l.lab.m->ix->by_age.n);
	ck_assert_uint_gt(n, 300);
	life_end(&l);
}
END_TEST

START_TEST(the_walk_follows_every_change)
{
	struct entry *a, *b, *c;
	struct lab lab;
	size_t i = 0;

	lab_init(&lab, 1 << 24);
	a = lab_put(&lab, NULL, 0, 1, 0, 500);
	b = lab_put(&lab, NULL, 0, 1, 0, 400);
	ck_assert_ptr_eq(mempool_next(lab.m, &i), &a->tx);
	mempool_prioritise(lab.m, &b->tx.txid, 200);
	i = 0;
	ck_assert_ptr_eq(mempool_next(lab.m, &i), &b->tx);
	c = lab_put(&lab, NULL, 0, 1, 0, 700);
	i = 0;
	ck_assert_ptr_eq(mempool_next(lab.m, &i), &c->tx);
	pool_remove(lab.m, c, MEMPOOL_CONFLICT);
	i = 0;
	ck_assert_ptr_eq(mempool_next(lab.m, &i), &b->tx);
	ck_assert_ptr_eq(mempool_next(lab.m, &i), &a->tx);
	ck_assert_ptr_null(mempool_next(lab.m, &i));
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
	tcase_add_test(tc, every_change_takes_a_number);
	tcase_add_test(
	    tc, what_is_added_to_a_fee_stays_when_the_transaction_leaves);
	tcase_add_test(tc, fees_that_are_added_to_without_end_are_ordered);
	tcase_add_test(tc, the_walk_gives_parents_and_high_rates_first);
	tcase_add_test(tc, the_walk_follows_every_change);
	tcase_add_loop_test(tc, any_history_gives_what_a_rebuild_does, 0, 6);
	suite_add_tcase(s, tc);
	return s;
}
