/*
 * Orders of clusters against all sets that could be mined first: of n
 * transactions every subset that holds its parents is tried.
 */
#include "suites.h"

#include "../../../src/mempool/linearize.h"

#include <cairn/base/rand.h>

__extension__ typedef __int128 wide;

enum shape { ANY, ONE_PARENT, ONE_CHILD };

struct made {
	struct lin_tx tx[LIN_MAX];
	uint32_t n;
	struct rand rand;
};

static uint64_t all_of(uint32_t n)
{
	return n == 64 ? UINT64_MAX : lin_bit(n) - 1;
}

/* Parents have lower or, for one that is turned, higher indices: the order in
 * which transactions are given says nothing. */
static void make(struct made *m, uint32_t n, enum shape shape, uint64_t dense)
{
	bool turned = rand_below(&m->rand, 2);
	uint64_t taken = 0;

	m->n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct lin_tx *t = &m->tx[i];

		t->fee = (int64_t)rand_below(&m->rand, 12) - 1;
		t->size = 1 + (int64_t)rand_below(&m->rand, 6);
		t->parents = 0;
		t->tie = i;
	}
	for (uint32_t i = 1; i < n; i++) {
		uint64_t p = 0;

		for (uint32_t k = 0; k < i; k++) {
			if (rand_below(&m->rand, 100) < dense)
				p |= lin_bit(k);
		}
		if (shape == ONE_PARENT)
			p &= ~(p - 1);
		if (shape == ONE_CHILD)
			p &= ~taken;
		taken |= p;
		for (; p; p &= p - 1) {
			uint32_t k = lin_first(p);

			if (turned)
				m->tx[n - 1 - i].parents |= lin_bit(n - 1 - k);
			else
				m->tx[i].parents |= lin_bit(k);
		}
	}
}

static bool holds_parents(const struct made *m, uint64_t set)
{
	for (uint64_t s = set; s; s &= s - 1) {
		if (m->tx[lin_first(s)].parents & ~set)
			return false;
	}
	return true;
}

static void sum(const struct made *m, uint64_t set, int64_t *fee, int64_t *size)
{
	*fee = *size = 0;
	for (; set; set &= set - 1) {
		*fee += m->tx[lin_first(set)].fee;
		*size += m->tx[lin_first(set)].size;
	}
}

/* Whether (size, fee) lies above the diagram. */
static bool above(const struct lin_chunk *c, uint32_t n, int64_t fee,
		  int64_t size)
{
	for (uint32_t i = 0; i < n && size >= c[i].size; i++) {
		fee -= c[i].fee;
		size -= c[i].size;
		if (i + 1 < n && size < c[i + 1].size)
			return (wide)fee * c[i + 1].size >
			       (wide)size * c[i + 1].fee;
		if (i + 1 == n)
			return fee > 0;
	}
	return (wide)fee * c[0].size > (wide)size * c[0].fee;
}

/* No set that could be mined first pays more for its size. */
static bool is_best(const struct made *m, const struct lin_chunk *c, uint32_t n)
{
	for (uint64_t set = 1; set < lin_bit(m->n); set++) {
		int64_t fee, size;

		sum(m, set, &fee, &size);
		if (holds_parents(m, set) && above(c, n, fee, size))
			return false;
	}
	return true;
}

/* An order in which parents come first, of chunks that are what they say. */
static void check_order(const struct made *m, const uint8_t *order,
			const struct lin_chunk *c, uint32_t n)
{
	uint64_t seen = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t before = seen;
		int64_t fee, size;

		for (uint32_t k = 0; k < c[i].n; k++, at++) {
			ck_assert_uint_lt(order[at], m->n);
			ck_assert(!(seen & lin_bit(order[at])));
			seen |= lin_bit(order[at]);
			ck_assert(!(m->tx[order[at]].parents & ~seen));
		}
		sum(m, seen & ~before, &fee, &size);
		ck_assert_int_eq(fee, c[i].fee);
		ck_assert_int_eq(size, c[i].size);
		if (i > 0)
			ck_assert_int_ge(lin_rate_cmp(c[i - 1].fee,
						      c[i - 1].size, fee, size),
					 0);
	}
	ck_assert_uint_eq(seen, all_of(m->n));
}

/* No part of a chunk could go first without loss. */
static void check_smallest(const struct made *m, const uint8_t *order,
			   const struct lin_chunk *c, uint32_t n)
{
	uint64_t before = 0, chunk;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		chunk = 0;
		for (uint32_t k = 0; k < c[i].n; k++)
			chunk |= lin_bit(order[at++]);
		for (uint64_t s = (chunk - 1) & chunk; s; s = (s - 1) & chunk) {
			int64_t fee, size;

			sum(m, s, &fee, &size);
			if (holds_parents(m, s | before))
				ck_assert_int_lt(lin_rate_cmp(fee, size,
							      c[i].fee,
							      c[i].size),
						 0);
		}
		before |= chunk;
	}
}

START_TEST(the_order_is_the_best_of_all)
{
	struct lin_chunk c[LIN_MAX];
	uint8_t order[LIN_MAX];
	struct made m;

	rand_seed(&m.rand, 11);
	for (int i = 0; i < 4000; i++) {
		struct lin_info info;

		make(&m, 1 + (uint32_t)rand_below(&m.rand, 8), ANY,
		     5 + rand_below(&m.rand, 60));
		info = linearize(order, c, m.tx, m.n);
		ck_assert(info.optimal);
		check_order(&m, order, c, info.n_chunks);
		check_smallest(&m, order, c, info.n_chunks);
		ck_assert_msg(is_best(&m, c, info.n_chunks), "case %d", i);
	}
}
END_TEST

START_TEST(the_fast_order_is_the_best_for_trees)
{
	struct lin_chunk c[LIN_MAX];
	uint8_t order[LIN_MAX];
	struct made m;

	rand_seed(&m.rand, 12);
	for (int i = 0; i < 4000; i++) {
		uint32_t n;

		make(&m, 1 + (uint32_t)rand_below(&m.rand, 8),
		     i % 2 ? ONE_PARENT : ONE_CHILD, 40);
		n = lin_fast(order, c, m.tx, m.n);
		check_order(&m, order, c, n);
		ck_assert_msg(is_best(&m, c, n), "case %d", i);
	}
}
END_TEST

/* Everything that i needs, with itself. */
static uint64_t needs(const struct made *m, uint32_t i)
{
	uint64_t set = lin_bit(i), old = 0;

	while (set != old) {
		old = set;
		for (uint64_t s = old; s; s &= s - 1)
			set |= m->tx[lin_first(s)].parents;
	}
	return set;
}

/* The plain order by ancestor sets, each a chunk that joins those before while
 * it pays more. */
static uint32_t plain(const struct made *m, struct lin_chunk *c)
{
	uint64_t left = all_of(m->n);
	uint32_t n = 0;

	while (left) {
		struct lin_chunk best = {.n = 0};
		uint64_t set = 0;

		for (uint64_t s = left; s; s &= s - 1) {
			uint64_t need = needs(m, lin_first(s)) & left;
			int64_t fee, size;

			sum(m, need, &fee, &size);
			if (set &&
			    lin_rate_cmp(fee, size, best.fee, best.size) <= 0)
				continue;
			best = (struct lin_chunk){fee, size, 0};
			set = need;
		}
		left &= ~set;
		c[n++] = best;
		for (; n > 1 && lin_rate_cmp(c[n - 1].fee, c[n - 1].size,
					     c[n - 2].fee, c[n - 2].size) > 0;
		     n--) {
			c[n - 2].fee += c[n - 1].fee;
			c[n - 2].size += c[n - 1].size;
		}
	}
	return n;
}

START_TEST(the_fast_order_is_no_worse_than_ancestor_sets)
{
	struct lin_chunk c[LIN_MAX], p[LIN_MAX];
	uint8_t order[LIN_MAX];
	struct made m;

	rand_seed(&m.rand, 13);
	for (int i = 0; i < 1000; i++) {
		uint32_t n, n_p;

		make(&m, 1 + (uint32_t)rand_below(&m.rand, 64), ANY,
		     1 + rand_below(&m.rand, 20));
		n = lin_fast(order, c, m.tx, m.n);
		check_order(&m, order, c, n);
		n_p = plain(&m, p);
		ck_assert(!lin_diagram_better(p, n_p, c, n));
		n_p = linearize(order, p, m.tx, m.n).n_chunks;
		check_order(&m, order, p, n_p);
		ck_assert(!lin_diagram_better(c, n, p, n_p));
	}
}
END_TEST

static void hostile(struct made *m, uint32_t kind)
{
	make(m, 64, ANY, 0);
	for (uint32_t i = 0; i < 64; i++) {
		struct lin_tx *t = &m->tx[i];

		t->size = 300 + (int64_t)rand_below(&m->rand, 5000);
		t->fee = (int64_t)rand_below(&m->rand, 1000000);
		switch (kind) {
		case 0: /* a chain */
			t->parents = i ? lin_bit(i - 1) : 0;
			break;
		case 1: /* all spend the first */
			t->parents = i ? 1 : 0;
			break;
		case 2: /* the last spends all */
			t->parents = i == 63 ? all_of(63) : 0;
			break;
		case 3: /* half spend the other half */
			t->parents = i < 32 ? 0 : all_of(32);
			break;
		case 4: /* so, but each only some */
			t->parents =
			    i < 32 ? 0 : rand_u64(&m->rand) & all_of(32);
			break;
		case 5: /* parents pay nothing */
			t->parents = i < 32
					 ? 0
					 : rand_u64(&m->rand) &
					       rand_u64(&m->rand) & all_of(32);
			t->fee = i < 32 ? 0 : t->fee;
			break;
		case 6: /* layers of eight */
			t->parents = i < 8 ? 0
					   : (rand_u64(&m->rand) & 0xff)
						 << (i / 8 - 1) * 8;
			break;
		default: /* everybody spends many before */
			t->parents = rand_u64(&m->rand) & all_of(i);
			break;
		}
	}
}

START_TEST(hostile_clusters_take_bounded_work)
{
	struct lin_chunk c[LIN_MAX];
	uint8_t order[LIN_MAX];
	uint32_t most = 0;
	struct made m;

	rand_seed(&m.rand, 14);
	for (uint32_t i = 0; i < 8 * 50; i++) {
		struct lin_info info;

		hostile(&m, i % 8);
		info = linearize(order, c, m.tx, m.n);
		check_order(&m, order, c, info.n_chunks);
		ck_assert_uint_le(info.steps, LIN_STEPS);
		most = info.steps > most ? info.steps : most;
	}
	/* None of these comes near the limit. */
	ck_assert_uint_lt(most, LIN_STEPS / 2);
}
END_TEST

/* f, and a with its child b, which pay for each other; c pays for all three. By
 * itself f pays more than a does, but less than a and b. */
START_TEST(within_a_chunk_what_pays_best_comes_early)
{
	static const uint8_t expect[] = {1, 2, 0, 3};
	static const struct lin_tx tx[] = {
	    {.fee = 15, .size = 4},
	    {.fee = 45, .size = 124},
	    {.fee = 794, .size = 4, .parents = 1 << 1},
	    {.fee = 2000, .size = 100, .parents = 1 << 0 | 1 << 2},
	};
	struct lin_chunk c[LIN_MAX];
	uint8_t order[LIN_MAX];

	ck_assert_uint_eq(linearize(order, c, tx, 4).n_chunks, 1);
	ck_assert_mem_eq(order, expect, sizeof expect);
}
END_TEST

/* Three parents of one that pays for all, alike but for size and tie. */
START_TEST(ties_are_broken_by_size_and_by_the_tie)
{
	static const uint8_t expect[] = {2, 1, 0, 3};
	static const struct lin_tx tx[] = {
	    {.fee = 20, .size = 20, .tie = 1},
	    {.fee = 10, .size = 10, .tie = 7},
	    {.fee = 10, .size = 10, .tie = 5},
	    {.fee = 900, .size = 10, .parents = 7, .tie = 0},
	};
	struct lin_chunk c[LIN_MAX];
	uint8_t order[LIN_MAX];

	ck_assert_uint_eq(linearize(order, c, tx, 4).n_chunks, 1);
	ck_assert_mem_eq(order, expect, sizeof expect);
}
END_TEST

START_TEST(without_steps_there_is_no_best_order)
{
	struct lin_chunk c[LIN_MAX];
	uint8_t order[LIN_MAX];
	uint32_t n, steps = 3;
	struct made m;

	rand_seed(&m.rand, 15);
	hostile(&m, 7);
	ck_assert(!lin_optimal(order, c, &n, m.tx, m.n, &steps));
	ck_assert_uint_eq(steps, 0);
}
END_TEST

START_TEST(rates_are_compared_exactly)
{
	const int64_t big = INT64_C(1) << 62;

	ck_assert_int_gt(lin_rate_cmp(big, 3, big - 1, 3), 0);
	ck_assert_int_lt(lin_rate_cmp(big - 1, big, big, big - 1), 0);
	ck_assert_int_eq(lin_rate_cmp(2, 4, big / 2, big), 0);
	ck_assert_int_lt(lin_rate_cmp(-big, 1, -big, 2), 0);
	ck_assert_int_lt(lin_rate_cmp(-1, big, 0, 1), 0);
}
END_TEST

struct compared {
	struct lin_chunk a[3];
	uint32_t n_a;
	struct lin_chunk b[3];
	uint32_t n_b;
	bool better;
};

START_TEST(diagrams_are_compared_at_every_corner)
{
	static const struct compared cases[] = {
	    /* Nothing against nothing, and more for as much. */
	    {{{0}}, 0, {{0}}, 0, false},
	    {{{.fee = 1, .size = 10}}, 1, {{0}}, 0, true},
	    {{{0}}, 0, {{.fee = 1, .size = 10}}, 1, false},
	    {{{2, 10, 1}}, 1, {{1, 10, 1}}, 1, true},
	    {{{1, 10, 1}}, 1, {{1, 10, 1}}, 1, false},
	    /* As much for less. */
	    {{{5, 9, 1}}, 1, {{5, 10, 1}}, 1, true},
	    {{{5, 10, 1}}, 1, {{5, 9, 1}}, 1, false},
	    /* Higher first, lower in the end. */
	    {{{6, 5, 1}}, 1, {{10, 10, 1}}, 1, false},
	    {{{10, 10, 1}}, 1, {{6, 5, 1}}, 1, false},
	    /* A corner that only one has. */
	    {{{6, 5, 1}, {4, 5, 1}}, 2, {{10, 10, 1}}, 1, true},
	    {{{10, 10, 1}}, 1, {{6, 5, 1}, {4, 5, 1}}, 2, false},
	    {{{5, 5, 1}, {5, 5, 1}}, 2, {{10, 10, 1}}, 1, false},
	    /* Behind the end it is level; below zero it falls. */
	    {{{9, 5, 1}, {-1, 5, 1}}, 2, {{9, 5, 1}}, 1, false},
	    {{{9, 5, 1}}, 1, {{9, 5, 1}, {-1, 5, 1}}, 2, true},
	    {{{9, 5, 1}, {0, 5, 1}}, 2, {{9, 5, 1}}, 1, false},
	    {{{10, 10, 1}, {1, 100, 1}}, 2, {{9, 10, 1}, {1, 3, 1}}, 2, true},
	    {{{10, 10, 1}, {1, 100, 1}}, 2, {{9, 10, 1}, {2, 3, 1}}, 2, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(lin_diagram_better(cases[i].a, cases[i].n_a,
						 cases[i].b, cases[i].n_b) ==
				  cases[i].better,
			      "case %zu", i);
}
END_TEST

Suite *linearize_suite(void)
{
	Suite *s = suite_create("linearize");
	TCase *tc = tcase_create("linearize");

	tcase_add_test(tc, the_order_is_the_best_of_all);
	tcase_add_test(tc, the_fast_order_is_the_best_for_trees);
	tcase_add_test(tc, the_fast_order_is_no_worse_than_ancestor_sets);
	tcase_add_test(tc, hostile_clusters_take_bounded_work);
	tcase_add_test(tc, within_a_chunk_what_pays_best_comes_early);
	tcase_add_test(tc, ties_are_broken_by_size_and_by_the_tie);
	tcase_add_test(tc, without_steps_there_is_no_best_order);
	tcase_add_test(tc, rates_are_compared_exactly);
	tcase_add_test(tc, diagrams_are_compared_at_every_corner);
	suite_add_tcase(s, tc);
	return s;
}
