/*
 * What is foretold of a change against the change itself: made in a second pool
 * with the same entries, where limits are looked at afterwards.
 */
#include "lab.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

#define COUNT 12u /* limit of a cluster */

struct change {
	struct mempool_tx in[4];
	size_t n_in;
	struct entry *out[3];
	size_t n_out;
};

static struct entry *any(struct lab *lab, struct rand *rand)
{
	const struct heap *h = &lab->m->ix->by_age;

	return h->v[rand_below(rand, h->n)];
}

/* Whether e leaves. */
static bool is_out(const struct change *ch, const struct entry *e)
{
	for (size_t i = 0; i < ch->n_out; i++) {
		const struct entry *o = ch->out[i];

		if (o == e ||
		    (o->cluster == e->cluster &&
		     o->cluster->descendants[o->slot] & slot_bit(e->slot)))
			return true;
	}
	return false;
}

/* A comer that spends what is free, of the pool and of earlier comers. */
static void add_comer(struct change *ch, struct lab *lab, struct rand *rand)
{
	struct lab_out in[4];
	size_t n = 0;

	for (uint64_t k = rand_below(rand, 4); k > 0; k--) {
		struct entry *e = any(lab, rand);

		/* Output k of each is spent once at most. */
		in[n] = lab_out(e, (uint32_t)ch->n_in);
		if (is_out(ch, e) ||
		    mempool_spender(lab->m, (const uint8_t *)&in[n]) ||
		    (n && hash256_eq(&in[n].txid, &in[n - 1].txid)) ||
		    (n > 1 && hash256_eq(&in[n].txid, &in[n - 2].txid)))
			continue;
		n++;
	}
	if (ch->n_in && rand_below(rand, 2))
		in[n++] = (struct lab_out){ch->in[ch->n_in - 1].txid, 0};
	ch->in[ch->n_in++] =
	    lab_tx(lab, in, n, 4, (uint32_t)rand_below(rand, 400),
		   (int64_t)rand_below(rand, 6000));
}

static void make_change(struct change *ch, struct lab *lab, struct rand *rand)
{
	*ch = (struct change){.n_in = 0};
	for (uint64_t k = rand_below(rand, 4); k > 0; k--)
		ch->out[ch->n_out++] = any(lab, rand);
	for (uint64_t k = 1 + rand_below(rand, 3); k > 0; k--)
		add_comer(ch, lab, rand);
}

/* The chunks of all clusters that hold one that was related to what leaves or
 * to a parent of what comes. By txids: in either pool. */
static uint32_t touched(struct lin_chunk *c, const struct lab *in,
			const struct hash256 *ids, size_t n)
{
	struct cluster *seen[512];
	uint32_t n_seen = 0, n_c = 0;

	for (size_t i = 0; i < n; i++) {
		struct entry *e = pool_find(in->m, &ids[i]);
		uint32_t k = 0;

		while (e && k < n_seen && seen[k] != e->cluster)
			k++;
		if (!e || k < n_seen)
			continue;
		seen[n_seen++] = e->cluster;
		for (k = 0; k < e->cluster->n_chunks; k++)
			c[n_c++] = e->cluster->chunks[k];
	}
	qsort(c, n_c, sizeof *c, lab_chunk_order);
	return n_c;
}

static size_t add_related(struct hash256 *ids, size_t n, const struct entry *e)
{
	for (uint32_t i = 0; i < e->cluster->n; i++)
		ids[n++] = e->cluster->tx[i]->tx.txid;
	return n;
}

static size_t related(struct hash256 *ids, const struct lab *lab,
		      const struct change *ch)
{
	size_t n = 0;

	for (size_t i = 0; i < ch->n_out; i++)
		n = add_related(ids, n, ch->out[i]);
	for (size_t i = 0; i < ch->n_in; i++) {
		struct txin_view in;
		struct tx_iter it;

		txins(&it, &ch->in[i].view);
		while (txin_next(&it, &in)) {
			struct entry *e =
			    pool_find(lab->m, outpoint_txid(in.prevout));

			if (e)
				n = add_related(ids, n, e);
		}
		ids[n++] = ch->in[i].txid;
	}
	return n;
}

/* What a copy of the pool is like after the change. */
static enum pool_fit do_it(const struct lab *lab, const struct change *ch)
{
	struct lin_chunk before[512], after[512];
	enum pool_fit fit = POOL_FITS;
	uint32_t n_before, n_after;
	struct hash256 ids[512];
	struct lab copy;
	size_t n;

	lab_rebuild(&copy, lab);
	copy.m->cfg.policy.cluster_count = 64;
	n = related(ids, lab, ch);
	n_before = touched(before, lab, ids, n);
	for (size_t i = 0; i < ch->n_out; i++) {
		struct entry *e = pool_find(copy.m, &ch->out[i]->tx.txid);

		if (e)
			pool_remove(copy.m, e, MEMPOOL_REPLACED);
	}
	for (size_t i = 0; i < ch->n_in; i++)
		ck_assert_ptr_nonnull(pool_insert(copy.m, &ch->in[i]));
	n_after = touched(after, &copy, ids, n);
	for (size_t i = 0; i < ch->n_in; i++) {
		if (pool_find(copy.m, &ch->in[i].txid)->cluster->n > COUNT)
			fit = POOL_TOO_LARGE;
	}
	if (fit == POOL_FITS && ch->n_out &&
	    !lin_diagram_better(after, n_after, before, n_before))
		fit = POOL_NOT_BETTER;
	lab_fini(&copy);
	return fit;
}

static enum pool_fit foretell(const struct lab *lab, const struct change *ch)
{
	struct pool_comer in[4];
	struct pool_change c = {
	    .out = ch->out, .n_out = ch->n_out, .in = in, .n_in = ch->n_in};

	for (size_t i = 0; i < ch->n_in; i++)
		in[i] = (struct pool_comer){&ch->in[i].view, &ch->in[i].txid,
					    ch->in[i].fee, ch->in[i].weight};
	return pool_try(lab->m, &c);
}

static void grow(struct lab *lab, struct rand *rand)
{
	lab_init(lab, 1 << 24);
	lab->m->cfg.policy.cluster_count = COUNT;
	for (int i = 0; i < 60; i++) {
		struct lab_out in = {.index = 0};
		size_t n = 0;

		if (i && rand_below(rand, 3)) {
			in = lab_out(any(lab, rand), 3);
			n = !mempool_spender(lab->m, (const uint8_t *)&in) &&
			    pool_find(lab->m, &in.txid)->cluster->n < COUNT;
		}
		lab_put(lab, &in, n, 4, (uint32_t)rand_below(rand, 400),
			(int64_t)rand_below(rand, 6000));
	}
}

START_TEST(what_is_foretold_comes_true)
{
	size_t seen[3] = {0};
	struct rand rand;
	struct lab lab;

	rand_seed(&rand, 77);
	for (int i = 0; i < 1500; i++) {
		enum pool_fit fit;
		struct change ch;

		if (i % 50 == 0)
			grow(&lab, &rand);
		make_change(&ch, &lab, &rand);
		fit = foretell(&lab, &ch);
		ck_assert_int_eq(fit, do_it(&lab, &ch));
		seen[fit]++;
		while (ch.n_in)
			buf_unref(ch.in[--ch.n_in].buf);
		if (i % 50 == 49) {
			lab_check(&lab);
			lab_fini(&lab);
		}
	}
	for (int i = 0; i < 3; i++)
		ck_assert_uint_gt(seen[i], 20);
}
END_TEST

/* More parents than a cluster has room for, none of which is related. */
START_TEST(a_transaction_of_many_parents_is_refused_early)
{
	struct lab_out in[300];
	struct pool_comer comer;
	struct mempool_tx t;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	for (int i = 0; i < 300; i++)
		in[i] = lab_out(lab_put(&lab, NULL, 0, 1, 0, 500), 0);
	for (size_t n = 63; n <= 300; n += n == 63 ? 1 : 59) {
		t = lab_tx(&lab, in, n, 1, 0, 90000);
		comer = (struct pool_comer){&t.view, &t.txid, t.fee, t.weight};
		ck_assert_int_eq(
		    pool_try(lab.m,
			     &(struct pool_change){.in = &comer, .n_in = 1}),
		    n == 63 ? POOL_FITS : POOL_TOO_LARGE);
		buf_unref(t.buf);
	}
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

START_TEST(a_cluster_is_bounded_in_bytes)
{
	struct pool_comer comer;
	struct mempool_tx t;
	struct lab_out in;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	in = lab_out(lab_put(&lab, NULL, 0, 1, 60000, 500), 0);
	for (uint32_t pad = 40850; pad <= 40900; pad++) {
		int64_t sum;

		t = lab_tx(&lab, &in, 1, 1, pad, 90000);
		comer = (struct pool_comer){&t.view, &t.txid, t.fee, t.weight};
		sum = t.weight + pool_find(lab.m, &in.txid)->tx.weight;
		ck_assert_int_eq(
		    pool_try(lab.m,
			     &(struct pool_change){.in = &comer, .n_in = 1}),
		    sum <= 404000 ? POOL_FITS : POOL_TOO_LARGE);
		buf_unref(t.buf);
	}
	lab_fini(&lab);
}
END_TEST

Suite *try_suite(void)
{
	Suite *s = suite_create("try");
	TCase *tc = tcase_create("try");

	tcase_add_test(tc, what_is_foretold_comes_true);
	tcase_add_test(tc, a_transaction_of_many_parents_is_refused_early);
	tcase_add_test(tc, a_cluster_is_bounded_in_bytes);
	suite_add_tcase(s, tc);
	return s;
}
