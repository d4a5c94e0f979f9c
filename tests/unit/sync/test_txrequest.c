/* Whom to ask for a transaction (src/sync/txrequest.c). */
#include "../../../src/sync/txrequest.h"

#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

#define N_PEERS 8

static struct txrequest R;
static struct txr_peer P[N_PEERS];

static void start(void)
{
	txrequest_init(&R);
	memset(P, 0, sizeof P);
	for (uint64_t i = 0; i < N_PEERS; i++)
		P[i].id = i;
}

static void stop(void)
{
	for (int i = 0; i < N_PEERS; i++)
		txrequest_peer_gone(&R, &P[i]);
	txrequest_fini(&R);
}

static struct hash256 nth(uint32_t i)
{
	struct hash256 h = {{7}};

	le32_put(h.b + 8, i);
	return h;
}

static void announce(int p, uint32_t i, bool preferred, int64_t at)
{
	struct hash256 h = nth(i);

	txrequest_announced(&R, &P[p], &h, true, preferred, at);
}

/* Whether p may be asked for i at a time. */
static bool due(int p, uint32_t i, int64_t now)
{
	struct hash256 h = nth(i);
	struct txr_want *w;
	bool found = false;
	size_t n;

	txrequest_advance(&R, now);
	n = txrequest_due(&P[p], &w);
	for (size_t k = 0; k < n; k++)
		found = found || hash256_eq(&w[k].hash, &h);
	free(w);
	return found;
}

static void ask(int p, uint32_t i, int64_t expiry)
{
	struct hash256 h = nth(i);

	txrequest_asked(&R, &P[p], &h, expiry);
}

static void answer(int p, uint32_t i)
{
	struct hash256 h = nth(i);

	txrequest_answered(&R, &P[p], &h);
}

START_TEST(nobody_is_asked_before_its_time)
{
	announce(0, 1, true, 100);
	ck_assert(!due(0, 1, 99));
	ck_assert(due(0, 1, 100));
}
END_TEST

START_TEST(one_peer_at_a_time_is_asked_and_the_next_when_time_is_up)
{
	announce(0, 1, true, 0);
	announce(1, 1, true, 0);
	ck_assert_int_eq(due(0, 1, 1) + due(1, 1, 1), 1);
	int first = due(0, 1, 1) ? 0 : 1;
	ask(first, 1, 60);
	ck_assert_uint_eq(P[first].in_flight, 1);
	ck_assert(!due(1 - first, 1, 59));
	ck_assert(due(1 - first, 1, 60));
	ck_assert_uint_eq(P[first].in_flight, 0);
	/* Nobody else is left: it is forgotten. */
	ask(1 - first, 1, 120);
	ck_assert(!due(0, 1, 120) && !due(1, 1, 120));
	ck_assert_uint_eq(R.txs.n, 0);
	ck_assert_uint_eq(P[0].total + P[1].total, 0);
}
END_TEST

START_TEST(a_preferred_peer_is_asked_before_one_that_was_earlier)
{
	for (uint32_t i = 0; i < 20; i++) {
		announce(0, i, false, 0);
		ck_assert(due(0, i, 0));
		announce(1, i, true, 0);
		ck_assert(due(1, i, 0));
		ck_assert(!due(0, i, 0));
	}
}
END_TEST

START_TEST(chance_decides_among_equals)
{
	int n = 0;

	for (uint32_t i = 0; i < 200; i++) {
		announce(0, i, true, 0);
		announce(1, i, true, 0);
		n += due(0, i, 1);
	}
	ck_assert_int_gt(n, 50);
	ck_assert_int_lt(n, 150);
}
END_TEST

START_TEST(who_has_not_got_it_is_not_asked_again)
{
	announce(0, 1, true, 0);
	announce(1, 1, false, 0);
	ck_assert(due(0, 1, 0));
	ask(0, 1, 60);
	answer(0, 1);
	ck_assert(due(1, 1, 1));
	announce(0, 1, true, 0);
	ck_assert(!due(0, 1, 2) && due(1, 1, 2));
}
END_TEST

START_TEST(a_peer_that_leaves_makes_room_for_the_next)
{
	announce(0, 1, true, 0);
	announce(1, 1, false, 0);
	ck_assert(due(0, 1, 0));
	ask(0, 1, 60);
	txrequest_peer_gone(&R, &P[0]);
	ck_assert_uint_eq(P[0].total, 0);
	ck_assert(due(1, 1, 1));
}
END_TEST

START_TEST(what_is_due_comes_in_the_order_announced)
{
	struct txr_want *w;

	for (uint32_t i = 0; i < 50; i++)
		announce(0, 50 - i, true, 0);
	txrequest_advance(&R, 0);
	ck_assert_uint_eq(txrequest_due(&P[0], &w), 50);
	for (uint32_t i = 0; i < 50; i++) {
		struct hash256 h = nth(50 - i);
		ck_assert(hash256_eq(&w[i].hash, &h));
	}
	free(w);
}
END_TEST

START_TEST(the_same_from_the_same_peer_counts_once)
{
	for (int i = 0; i < 10; i++)
		announce(0, 1, true, 0);
	ck_assert_uint_eq(P[0].total, 1);
}
END_TEST

START_TEST(candidates_are_those_that_have_not_answered)
{
	struct hash256 h = nth(1);
	uint64_t ids[4];

	for (int p = 0; p < 3; p++)
		announce(p, 1, p == 0, 0);
	ck_assert(due(0, 1, 0));
	ask(0, 1, 60);
	answer(0, 1);
	ck_assert_uint_eq(txrequest_candidates(&R, &h, ids, 4), 2);
	ck_assert_uint_eq(txrequest_candidates(&R, &h, ids, 1), 1);
	ck_assert_uint_ne(ids[0], 0);
}
END_TEST

/* Counts of a peer, and at most one choice for a hash, from the outside. */
static void check_all(int64_t now)
{
	size_t total = 0, chosen[16] = {0};

	for (int p = 0; p < N_PEERS; p++)
		total += P[p].total;
	for (uint32_t i = 0; i < 16; i++)
		for (int p = 0; p < N_PEERS; p++)
			chosen[i] += due(p, i, now);
	for (uint32_t i = 0; i < 16; i++)
		ck_assert_uint_le(chosen[i], 1);
	ck_assert_uint_ge(total, R.txs.n);
	ck_assert_uint_ge(total, R.n_heap);
}

START_TEST(any_order_of_events_leaves_at_most_one_choice)
{
	struct rand rnd;
	int64_t now = 0;

	rand_seed(&rnd, 2026);
	for (int step = 0; step < 20000; step++) {
		int p = (int)rand_below(&rnd, N_PEERS);
		uint32_t i = (uint32_t)rand_below(&rnd, 16);
		struct hash256 h = nth(i);
		switch (rand_below(&rnd, 7)) {
		case 0:
		case 1:
			announce(p, i, rand_below(&rnd, 2),
				 now + (int64_t)rand_below(&rnd, 20));
			break;
		case 2:
			if (due(p, i, now))
				ask(p, i, now + 30);
			break;
		case 3:
			answer(p, i);
			break;
		case 4:
			if (rand_below(&rnd, 4) == 0)
				txrequest_forget(&R, &h);
			break;
		case 5:
			if (rand_below(&rnd, 8) == 0)
				txrequest_peer_gone(&R, &P[p]);
			break;
		default:
			now += (int64_t)rand_below(&rnd, 10);
		}
		if (step % 50 == 0)
			check_all(now);
	}
	/* All who were never asked or did not answer are asked in the end. */
	for (uint32_t i = 0; i < 16; i++) {
		struct hash256 h = nth(i);
		txrequest_forget(&R, &h);
	}
	ck_assert_uint_eq(R.n_heap + R.txs.n, 0);
	for (int p = 0; p < N_PEERS; p++)
		ck_assert_uint_eq(P[p].total + P[p].in_flight, 0);
}
END_TEST

Suite *txrequest_suite(void)
{
	Suite *s = suite_create("txrequest");
	TCase *c = tcase_create("txrequest");

	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, nobody_is_asked_before_its_time);
	tcase_add_test(
	    c, one_peer_at_a_time_is_asked_and_the_next_when_time_is_up);
	tcase_add_test(c,
		       a_preferred_peer_is_asked_before_one_that_was_earlier);
	tcase_add_test(c, chance_decides_among_equals);
	tcase_add_test(c, who_has_not_got_it_is_not_asked_again);
	tcase_add_test(c, a_peer_that_leaves_makes_room_for_the_next);
	tcase_add_test(c, what_is_due_comes_in_the_order_announced);
	tcase_add_test(c, the_same_from_the_same_peer_counts_once);
	tcase_add_test(c, candidates_are_those_that_have_not_answered);
	tcase_add_test(c, any_order_of_events_leaves_at_most_one_choice);
	suite_add_tcase(s, c);
	return s;
}
