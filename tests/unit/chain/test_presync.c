/*
 * Pre-sync with a served chain: an honest one comes out whole and in order, one
 * below the work comes out not at all, one that changes between the readings is
 * caught early, and memory stays flat however long a chain is.
 */
#include "../testdata.h"
#include "miner.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/chain/presync.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/locator.h>

#include <stdlib.h>

#define CHAIN_LEN 700
#define NOW_S     2000000000

/* A peer that serves one chain, batch headers a message. */
struct server {
	const struct mined *m;
	const struct hnode *start;
	uint32_t batch;
};

struct fixture {
	struct params p;
	struct htree *mine; /* the miner's tree: the node knows only genesis */
	struct hnode *start;
	struct mined m;
	struct presync *s;
	/* What was handed out. */
	uint8_t (*got)[80];
	size_t n_got;
};

static void fixture_init(struct fixture *f)
{
	f->p = miner_params();
	f->mine = htree_new(&f->p);
	f->start = htree_genesis(f->mine);
	mine_chain(&f->m, f->mine, f->start, CHAIN_LEN, MINER_SPACING, 1);
	f->got = xcalloc(2 * CHAIN_LEN, sizeof *f->got);
	f->n_got = 0;
	f->s = NULL;
}

static void fixture_fini(struct fixture *f)
{
	presync_free(f->s);
	mined_fini(&f->m);
	htree_free(f->mine);
	free(f->got);
}

static struct u256 work_at(const struct fixture *f, const struct mined *m,
			   size_t i)
{
	return htree_find(f->mine, &m->hashes[i])->work;
}

static void begin(struct fixture *f, const struct u256 *min_work)
{
	presync_free(f->s);
	f->s = presync_new(&f->p, f->start, min_work, NOW_S);
	f->n_got = 0;
}

static void keep_out(struct fixture *f, const struct presync_out *out)
{
	ck_assert_uint_le(f->n_got + out->n, 2 * CHAIN_LEN);
	if (out->n)
		memcpy(f->got + f->n_got, out->headers, out->n * 80);
	f->n_got += out->n;
}

/* Where the locator's first hash lies on the chain: the next index. */
static size_t wanted(const struct presync *s, const struct mined *m,
		     const struct hnode *start)
{
	struct hash256 loc[LOCATOR_MAX];
	uint32_t n = presync_locator(s, loc);
	size_t i;

	ck_assert_uint_ge(n, 2);
	ck_assert(hash256_eq(&loc[n - 1], &start->hash));
	for (i = m->n; i > 0; i--)
		if (hash256_eq(&m->hashes[i - 1], &loc[0]))
			return i;
	ck_assert(hash256_eq(&loc[0], &start->hash));
	return 0;
}

static enum presync_rc serve(struct fixture *f, const struct server *v)
{
	size_t at = wanted(f->s, v->m, v->start), left = v->m->n - at;
	uint32_t n = left < v->batch ? (uint32_t)left : v->batch;
	struct presync_out out;
	enum presync_rc rc;

	if (n == 0)
		return PRESYNC_GIVE_UP;
	rc = presync_feed(f->s, &out, v->m->headers[at], 80, &v->m->hashes[at],
			  n, n == v->batch);
	keep_out(f, &out);
	return rc;
}

static enum presync_rc serve_all(struct fixture *f, const struct server *v)
{
	enum presync_rc rc = PRESYNC_MORE;
	int messages;

	for (messages = 0; rc == PRESYNC_MORE; messages++) {
		ck_assert_int_lt(messages, 3 * CHAIN_LEN);
		rc = serve(f, v);
	}
	return rc;
}

START_TEST(an_honest_chain_is_handed_out_whole_and_in_order)
{
	struct fixture f;
	struct rand r;
	int round;

	fixture_init(&f);
	rand_seed(&r, 41);
	for (round = 0; round < 60; round++) {
		size_t reach = (size_t)rand_below(&r, CHAIN_LEN);
		struct u256 need = work_at(&f, &f.m, reach);
		struct server v = {&f.m, f.start,
				   1 + (uint32_t)rand_below(&r, 120)};
		size_t last = (reach / v.batch + 1) * v.batch;

		begin(&f, &need);
		ck_assert(!presync_in_redownload(f.s));
		ck_assert_int_eq(serve_all(&f, &v), PRESYNC_DONE);
		/* All of the message that reached the work. */
		if (last > CHAIN_LEN)
			last = CHAIN_LEN;
		ck_assert_uint_eq(f.n_got, last);
		ck_assert_mem_eq(f.got, f.m.headers, f.n_got * 80);
		ck_assert(presync_in_redownload(f.s));
		ck_assert_int_eq(presync_height(f.s), (int32_t)last);
	}
	fixture_fini(&f);
}
END_TEST

START_TEST(headers_wait_until_the_buffer_is_full)
{
	struct fixture f;
	struct u256 need;
	struct server v;

	fixture_init(&f);
	need = work_at(&f, &f.m, CHAIN_LEN - 1);
	v = (struct server){&f.m, f.start, 30};
	begin(&f, &need);
	while (!presync_in_redownload(f.s))
		ck_assert_int_eq(serve(&f, &v), PRESYNC_MORE);
	ck_assert_uint_eq(f.n_got, 0);
	ck_assert_int_eq(serve(&f, &v), PRESYNC_MORE);
	ck_assert_uint_eq(f.n_got, 0); /* 30 of 40 */
	ck_assert_int_eq(serve(&f, &v), PRESYNC_MORE);
	ck_assert_uint_eq(f.n_got, 20);
	ck_assert_int_eq(serve(&f, &v), PRESYNC_MORE);
	ck_assert_uint_eq(f.n_got, 50);
	fixture_fini(&f);
}
END_TEST

START_TEST(a_chain_below_the_work_gives_nothing)
{
	struct fixture f;
	struct u256 need, one = {{1}};
	struct server v;
	uint32_t batch;

	fixture_init(&f);
	need = work_at(&f, &f.m, CHAIN_LEN - 1);
	need = u256_add(&need, &one);
	for (batch = 3; batch < 200; batch += 16) {
		v = (struct server){&f.m, f.start, batch};
		begin(&f, &need);
		ck_assert_int_eq(serve_all(&f, &v), PRESYNC_GIVE_UP);
		ck_assert_uint_eq(f.n_got, 0);
	}
	fixture_fini(&f);
}
END_TEST

/* The attack that pre-sync is for: show a chain with work, then serve another
 * one. Eight commitments lie in the buffer, so that a stranger's header comes
 * through with chance 2^-8; over 40 trials a few may, all of them never. */
START_TEST(another_chain_in_the_second_reading_is_caught)
{
	struct fixture f;
	struct mined other;
	struct u256 need;
	struct server good, bad;
	size_t came = 0;
	int round;

	fixture_init(&f);
	mine_chain(&other, f.mine, f.start, CHAIN_LEN, MINER_SPACING + 1, 2);
	need = work_at(&f, &f.m, CHAIN_LEN - 1);
	good = (struct server){&f.m, f.start, 10};
	bad = (struct server){&other, f.start, 10};
	for (round = 0; round < 40; round++) {
		begin(&f, &need);
		while (!presync_in_redownload(f.s))
			ck_assert_int_eq(serve(&f, &good), PRESYNC_MORE);
		ck_assert_int_eq(serve_all(&f, &bad), PRESYNC_GIVE_UP);
		came += f.n_got;
	}
	ck_assert_uint_lt(came, 200);
	mined_fini(&other);
	fixture_fini(&f);
}
END_TEST

START_TEST(a_chain_that_ends_early_the_second_time_is_given_up)
{
	struct fixture f;
	struct mined part;
	struct u256 need;
	struct server whole, half;

	fixture_init(&f);
	part = f.m;
	part.n = 100;
	need = work_at(&f, &f.m, 300);
	whole = (struct server){&f.m, f.start, 45};
	half = (struct server){&part, f.start, 45};
	begin(&f, &need);
	while (!presync_in_redownload(f.s))
		ck_assert_int_eq(serve(&f, &whole), PRESYNC_MORE);
	ck_assert_int_eq(serve_all(&f, &half), PRESYNC_GIVE_UP);
	/* What had its commitments above it was good. */
	ck_assert_uint_eq(f.n_got, 60);
	ck_assert_mem_eq(f.got, f.m.headers, f.n_got * 80);
	fixture_fini(&f);
}
END_TEST

START_TEST(a_message_that_does_not_continue_is_given_up)
{
	struct fixture f;
	struct presync_out out;
	struct u256 need;

	fixture_init(&f);
	need = work_at(&f, &f.m, 300);
	begin(&f, &need);
	ck_assert_int_eq(presync_feed(f.s, &out, f.m.headers[1], 80,
				      &f.m.hashes[1], 5, true),
			 PRESYNC_GIVE_UP);
	ck_assert_uint_eq(out.n, 0);
	fixture_fini(&f);
}
END_TEST

START_TEST(a_gap_within_a_message_is_misbehaviour)
{
	struct fixture f;
	struct presync_out out;
	struct u256 need;
	uint8_t h[4][80];
	struct hash256 hashes[4];
	int i;

	fixture_init(&f);
	need = work_at(&f, &f.m, 300);
	begin(&f, &need);
	for (i = 0; i < 4; i++) {
		int k = i == 3 ? 4 : i;

		memcpy(h[i], f.m.headers[k], 80);
		hashes[i] = f.m.hashes[k];
	}
	ck_assert_int_eq(presync_feed(f.s, &out, h[0], 80, hashes, 4, true),
			 PRESYNC_BAD);
	fixture_fini(&f);
}
END_TEST

/* One header in place of the first, with a field changed. */
static enum presync_rc feed_changed(struct fixture *f, uint32_t bits,
				    bool with_work)
{
	struct presync_out out;
	struct header h;
	struct hash256 hash;
	struct u256 need = work_at(f, &f->m, 300);
	uint8_t raw[80];

	begin(f, &need);
	header_get(&h, f->m.headers[0]);
	h.bits = bits;
	for (h.nonce = 0;; h.nonce++) {
		header_put(raw, &h);
		sha256d(&hash, raw, 80);
		if (pow_ok(&hash, bits, &f->p) == with_work)
			break;
	}
	return presync_feed(f->s, &out, raw, 80, &hash, 1, true);
}

START_TEST(missing_work_and_impossible_difficulty_are_misbehaviour)
{
	struct fixture f;

	fixture_init(&f);
	ck_assert_int_eq(feed_changed(&f, 0x1f7fffff, true), PRESYNC_MORE);
	ck_assert_int_eq(feed_changed(&f, 0x1f7fffff, false), PRESYNC_BAD);
	ck_assert_int_eq(feed_changed(&f, 0x1f7ffffe, true), PRESYNC_BAD);
	ck_assert_int_eq(feed_changed(&f, 0x1fffffff, false), PRESYNC_BAD);
	fixture_fini(&f);
}
END_TEST

START_TEST(a_chain_longer_than_its_time_allows_is_given_up)
{
	struct fixture f;
	struct u256 need;
	struct server v;
	int64_t now;

	fixture_init(&f);
	need = work_at(&f, &f.m, CHAIN_LEN - 1);
	v = (struct server){&f.m, f.start, 50};
	/* Six headers a second: room for 600, one commitment more for luck. */
	now = (int64_t)f.start->mtp - 7200 + 100;
	f.s = presync_new(&f.p, f.start, &need, now);
	ck_assert_int_eq(serve_all(&f, &v), PRESYNC_GIVE_UP);
	ck_assert_uint_eq(f.n_got, 0);
	ck_assert_int_ge(presync_height(f.s), 600);
	ck_assert_int_le(presync_height(f.s), 605);
	presync_free(f.s);
	f.s = presync_new(&f.p, f.start, &need, now + 100);
	ck_assert_int_eq(serve_all(&f, &v), PRESYNC_DONE);
	fixture_fini(&f);
}
END_TEST

START_TEST(memory_is_one_bit_a_period_and_then_one_buffer)
{
	struct fixture f;
	struct u256 need;
	struct server v;
	size_t first = 0, second = 0, m;

	fixture_init(&f);
	need = work_at(&f, &f.m, CHAIN_LEN - 1);
	v = (struct server){&f.m, f.start, 20};
	begin(&f, &need);
	while (serve(&f, &v) == PRESYNC_MORE) {
		m = presync_memory(f.s);
		if (!presync_in_redownload(f.s) && m > first)
			first = m;
		if (m > second)
			second = m;
	}
	ck_assert_uint_lt(first, 1200); /* 140 bits and what is fixed */
	ck_assert_uint_le(second,
			  first + 80 * (40 + 2 * (size_t)HEADERS_MAX) + 64);
	fixture_fini(&f);
}
END_TEST

/* mainnet-0-10236 in whole messages: with mainnet's own numbers all of it waits
 * for the work; with a short buffer it moves through, and up, again and again.
 */
START_TEST(real_headers_come_through)
{
	struct params own = *params_get(CHAIN_MAIN);
	const struct params *p = &own;
	struct hash256 hashes[HEADERS_MAX], loc[LOCATOR_MAX];
	struct htree *t;
	struct presync *s;
	struct presync_out out;
	enum presync_rc rc = PRESYNC_MORE;
	struct u256 need = {{0x20002000200}}; /* 512 blocks of difficulty 1 */
	struct buf *b;
	size_t at = 0, handed = 0, n;

	if (td_missing())
		return;
	if (_i == 1) {
		own.presync_commitment_period = 11;
		own.presync_redownload_buffer = 100;
	}
	need = u256_mul(&need, 19); /* 9728 */
	t = htree_new(p);
	b = td_read("headers/mainnet-0-10236.bin");
	s = presync_new(p, htree_genesis(t), &need, NOW_S);
	while (rc == PRESYNC_MORE) {
		const uint8_t *h;

		presync_locator(s, loc);
		if (presync_in_redownload(s) &&
		    hash256_eq(&loc[0], &p->genesis_hash))
			at = 0;
		h = buf_data(b) + (1 + at) * 80;
		n = 10236 - at < HEADERS_MAX ? 10236 - at : HEADERS_MAX;
		sha256d80(hashes, h, 80, n);
		rc = presync_feed(s, &out, h, 80, hashes, (uint32_t)n,
				  n == HEADERS_MAX);
		at += n;
		if (out.n)
			ck_assert_mem_eq(out.headers,
					 buf_data(b) + (1 + handed) * 80,
					 out.n * 80);
		handed += out.n;
		if (presync_in_redownload(s) && at > 2000 && at < 9000)
			ck_assert_uint_eq(handed, _i == 1 ? at - 100 : 0);
	}
	ck_assert_int_eq(rc, PRESYNC_DONE);
	ck_assert_uint_eq(handed, 10000);
	presync_free(s);
	buf_unref(b);
	htree_free(t);
}
END_TEST

Suite *presync_suite(void)
{
	Suite *s = suite_create("presync");
	TCase *t = tcase_create("readings"), *b = tcase_create("refusals");

	tcase_set_timeout(t, 60);
	tcase_set_timeout(b, 60);
	tcase_add_test(t, an_honest_chain_is_handed_out_whole_and_in_order);
	tcase_add_test(t, headers_wait_until_the_buffer_is_full);
	tcase_add_test(t, memory_is_one_bit_a_period_and_then_one_buffer);
	tcase_add_loop_test(t, real_headers_come_through, 0, 2);
	suite_add_tcase(s, t);
	tcase_add_test(b, a_chain_below_the_work_gives_nothing);
	tcase_add_test(b, another_chain_in_the_second_reading_is_caught);
	tcase_add_test(b, a_chain_that_ends_early_the_second_time_is_given_up);
	tcase_add_test(b, a_message_that_does_not_continue_is_given_up);
	tcase_add_test(b, a_gap_within_a_message_is_misbehaviour);
	tcase_add_test(b,
		       missing_work_and_impossible_difficulty_are_misbehaviour);
	tcase_add_test(b, a_chain_longer_than_its_time_allows_is_given_up);
	suite_add_tcase(s, b);
	return s;
}
