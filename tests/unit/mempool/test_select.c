/* What is chosen for a block. */
#include "lab.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

static const struct mempool_want everything = {
    .weight = UINT32_MAX, .sigops = UINT32_MAX, .min_rate = INT64_MIN};

/* A pool of related and single ones, some of them costly in sigops. */
static void grow(struct lab *lab, uint64_t seed, int n)
{
	struct rand rand;

	rand_seed(&rand, seed);
	lab_init(lab, 1 << 26);
	for (int i = 0; i < n; i++) {
		const struct heap *h = &lab->m->ix->by_age;
		struct lab_out in = {.index = 0};
		bool child = h->n && rand_below(&rand, 2);
		struct mempool_tx t;

		if (child)
			in = lab_out(h->v[rand_below(&rand, h->n)],
				     (uint32_t)rand_below(&rand, 4));
		if (child && (mempool_spender(lab->m, (const uint8_t *)&in) ||
			      pool_find(lab->m, &in.txid)->cluster->n > 60))
			child = false;
		t = lab_tx(lab, &in, child, 4,
			   (uint32_t)rand_below(&rand, 1000),
			   (int64_t)rand_below(&rand, 5000));
		t.sigops = (uint32_t)rand_below(&rand, 80);
		t.vsize = weight_vsize(
		    policy_weight(tx_weight(&t.view), t.sigops, 20));
		ck_assert_ptr_nonnull(pool_insert(lab->m, &t));
		buf_unref(t.buf);
	}
}

START_TEST(everything_is_chosen_in_the_order_of_the_walk)
{
	const struct mempool_tx **tx;
	struct lab lab;
	size_t n, i = 0;

	grow(&lab, 1, 500);
	n = mempool_select(lab.m, &tx, &everything);
	ck_assert_uint_eq(n, 500);
	while (i < n) {
		const struct mempool_tx *at = tx[i];

		ck_assert_ptr_eq(mempool_next(lab.m, &i), at);
	}
	free(tx);
	lab_fini(&lab);
}
END_TEST

/* The same by looking at every cluster for every chunk. */
struct naive {
	uint32_t chunk[1000], slot[1000]; /* by cluster; chunk n_chunks: none */
	uint64_t weight, sigops;
	size_t n;
};

static size_t naive_best(const struct naive *v, const struct heap *h)
{
	size_t best = h->n;

	for (size_t i = 0; i < h->n; i++) {
		const struct cluster *c = h->v[i], *b;

		if (v->chunk[i] == c->n_chunks)
			continue;
		if (best == h->n) {
			best = i;
			continue;
		}
		b = h->v[best];
		if (chunk_cmp(&c->chunks[v->chunk[i]],
			      &b->chunks[v->chunk[best]]) > 0)
			best = i;
	}
	return best;
}

static void naive_select(struct naive *v, const struct heap *h,
			 const struct mempool_want *want)
{
	size_t i;

	memset(v, 0, sizeof *v);
	while ((i = naive_best(v, h)) < h->n) {
		const struct cluster *c = h->v[i];
		const struct lin_chunk *k = &c->chunks[v->chunk[i]];
		uint64_t sigops = 0, weight = 0;

		if (rate_of(k->fee, weight_vsize(k->size)) < want->min_rate)
			return;
		for (uint32_t s = 0; s < k->n; s++) {
			sigops += c->tx[v->slot[i] + s]->tx.sigops;
			weight += tx_weight(&c->tx[v->slot[i] + s]->tx.view);
		}
		if (v->weight + (uint64_t)k->size >= want->weight ||
		    v->sigops + sigops >= want->sigops) {
			v->chunk[i] = c->n_chunks;
			continue;
		}
		v->weight += weight;
		v->sigops += sigops;
		v->n += k->n;
		v->slot[i] += k->n;
		v->chunk[i]++;
	}
}

START_TEST(a_block_gets_what_a_plain_search_finds)
{
	const struct mempool_tx **tx;
	struct naive *v = malloc(sizeof *v);
	struct lab lab;

	grow(&lab, 2, 600);
	for (uint32_t i = 1; i < 40; i++) {
		struct mempool_want want = {.weight = i * 20000,
					    .sigops = i % 4 ? 80000 : i * 400,
					    .min_rate = i % 5 ? 0 : i * 200};
		uint64_t weight = 0, sigops = 0;
		size_t n = mempool_select(lab.m, &tx, &want);

		naive_select(v, &lab.m->ix->best, &want);
		for (size_t k = 0; k < n; k++) {
			weight += tx_weight(&tx[k]->view);
			sigops += tx[k]->sigops;
		}
		ck_assert_uint_eq(n, v->n);
		ck_assert_uint_eq(weight, v->weight);
		ck_assert_uint_eq(sigops, v->sigops);
		ck_assert_uint_lt(weight, want.weight);
		ck_assert_uint_lt(sigops, want.sigops);
		free(tx);
	}
	free(v);
	lab_fini(&lab);
}
END_TEST

START_TEST(parents_stand_before_children)
{
	const struct mempool_tx **tx, *out[MEMPOOL_CLUSTER_MAX];
	struct mempool_want want = everything;
	struct lab lab;
	size_t n;

	grow(&lab, 3, 600);
	want.weight = 400000;
	n = mempool_select(lab.m, &tx, &want);
	ck_assert_uint_gt(n, 100);
	ck_assert_uint_lt(n, 600);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = lab_related(tx[i], LAB_PARENTS, out); k > 0;
		     k--)
			ck_assert_int_eq(out[k - 1]->height, -7);
		pool_find(lab.m, &tx[i]->txid)->tx.height = -7;
	}
	free(tx);
	lab_fini(&lab);
}
END_TEST

START_TEST(what_is_locked_waits)
{
	const struct mempool_tx **tx;
	struct mempool_tx t;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	lab_put(&lab, NULL, 0, 1, 0, 900);
	t = lab_tx(&lab, NULL, 0, 1, 0, 1000);
	lab_lock(&t, 102); /* the next block is 101 */
	e = pool_insert(lab.m, &t);
	buf_unref(t.buf);
	ck_assert_uint_eq(mempool_select(lab.m, &tx, &everything), 1);
	ck_assert_ptr_ne(tx[0], &e->tx);
	free(tx);
	lab.m->tip.height = 102;
	ck_assert_uint_eq(mempool_select(lab.m, &tx, &everything), 2);
	free(tx);
	lab_fini(&lab);
}
END_TEST

START_TEST(of_an_empty_pool_nothing_is_chosen)
{
	const struct mempool_tx **tx;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	ck_assert_uint_eq(mempool_select(lab.m, &tx, &everything), 0);
	free(tx);
	lab_fini(&lab);
}
END_TEST

Suite *select_suite(void)
{
	Suite *s = suite_create("select");
	TCase *tc = tcase_create("select");

	tcase_add_test(tc, everything_is_chosen_in_the_order_of_the_walk);
	tcase_add_test(tc, a_block_gets_what_a_plain_search_finds);
	tcase_add_test(tc, parents_stand_before_children);
	tcase_add_test(tc, what_is_locked_waits);
	tcase_add_test(tc, of_an_empty_pool_nothing_is_chosen);
	suite_add_tcase(s, tc);
	return s;
}
