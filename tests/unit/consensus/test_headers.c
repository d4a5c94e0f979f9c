/*
 * Rules of a header in its place, one by one on made-up chains: difficulty of
 * each network, times, versions, and which rule speaks first. Real headers are
 * in test_headers_real.c.
 */
#include "model.h"
#include "suites.h"

#include <cairn/base/rand.h>
#include <cairn/consensus/work.h>
#include <cairn/params/params.h>

#include <stdio.h>
#include <stdlib.h>

#define LIMIT_BITS 0x1d00ffffu
#define REAL_BITS  0x1c05a3f4u
#define START      1700000000u

static uint32_t bits_after(const struct mnode *m, uint32_t later,
			   enum chain_id id)
{
	return next_bits(&model_reader, m, m->time + later, params_get(id));
}

START_TEST(next_bits_keeps_the_difficulty_within_a_period)
{
	struct mnode m[8];

	model_chain(m, 8, 4032, START, 600, REAL_BITS);
	m[3].bits = LIMIT_BITS;
	ck_assert_uint_eq(bits_after(&m[7], 600, CHAIN_MAIN), REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[7], 86400, CHAIN_MAIN), REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[3], 600, CHAIN_SIGNET), LIMIT_BITS);
}
END_TEST

START_TEST(next_bits_allows_least_difficulty_only_over_twenty_minutes)
{
	struct mnode m[2];

	model_chain(m, 2, 4032, START, 600, REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1200, CHAIN_TEST), REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1201, CHAIN_TEST), LIMIT_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1200, CHAIN_TESTNET4), REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1201, CHAIN_TESTNET4), LIMIT_BITS);
}
END_TEST

START_TEST(next_bits_walks_back_over_exceptions)
{
	struct mnode m[6];

	model_chain(m, 6, 4034, START, 600, LIMIT_BITS);
	m[1].bits = REAL_BITS;
	ck_assert_uint_eq(bits_after(&m[5], 600, CHAIN_TEST), REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 600, CHAIN_TEST), REAL_BITS);
}
END_TEST

START_TEST(next_bits_walks_back_no_further_than_the_period_or_genesis)
{
	struct mnode m[6];

	model_chain(m, 6, 4031, START, 600, LIMIT_BITS);
	m[0].bits = REAL_BITS;
	ck_assert_uint_eq(bits_after(&m[5], 600, CHAIN_TEST), LIMIT_BITS);
	model_chain(m, 6, 0, START, 600, LIMIT_BITS);
	ck_assert_uint_eq(bits_after(&m[5], 600, CHAIN_TEST), LIMIT_BITS);
	ck_assert_uint_eq(bits_after(&m[0], 600, CHAIN_TEST), LIMIT_BITS);
}
END_TEST

/* A period of two headers stands for one of 2016: only its ends are read. */
static void period(struct mnode m[2], uint32_t timespan, uint32_t first_bits,
		   uint32_t last_bits)
{
	m[0] = (struct mnode){NULL, 2016, START, first_bits, 0};
	m[1] = (struct mnode){&m[0], 4031, START + timespan, last_bits, 0};
}

START_TEST(next_bits_bounds_the_step_by_four)
{
	static const uint32_t day = 86400;
	struct mnode m[2];

	period(m, 14 * day, REAL_BITS, REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), REAL_BITS);
	period(m, 14 * day / 4, REAL_BITS, REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), 0x1c0168fd);
	period(m, day, REAL_BITS, REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), 0x1c0168fd);
	period(m, 14 * day * 4, REAL_BITS, REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), 0x1c168fd0);
	period(m, 14 * day * 9, REAL_BITS, REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), 0x1c168fd0);
	/* A period that ends before it starts counts as the shortest. */
	period(m, 0u - day, REAL_BITS, REAL_BITS);
	m[1].time = START - day;
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), 0x1c0168fd);
}
END_TEST

START_TEST(next_bits_is_at_most_the_limit)
{
	struct mnode m[2];

	period(m, 86400 * 20, LIMIT_BITS, LIMIT_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_MAIN), LIMIT_BITS);
	period(m, 86400 * 20, 0x1e0377ae, 0x1e0377ae);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_SIGNET), 0x1e0377ae);
}
END_TEST

START_TEST(next_bits_goes_by_the_first_block_where_bip94_holds)
{
	struct mnode m[2];

	period(m, 14 * 86400, REAL_BITS, LIMIT_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_TESTNET4), REAL_BITS);
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_TEST), LIMIT_BITS);
	/* At a retarget the 20-minute exception does not hold. */
	ck_assert_uint_eq(bits_after(&m[1], 5000, CHAIN_TESTNET4), REAL_BITS);
}
END_TEST

START_TEST(next_bits_never_retargets_on_regtest)
{
	struct mnode m[2];

	m[0] = (struct mnode){NULL, 144, START, 0x207fffff, 0};
	m[1] = (struct mnode){&m[0], 287, START + 1, 0x207ffffe, 0};
	ck_assert_uint_eq(bits_after(&m[1], 1, CHAIN_REGTEST), 0x207ffffe);
	ck_assert_uint_eq(bits_after(&m[1], 5000, CHAIN_REGTEST), 0x207ffffe);
}
END_TEST

static int time_cmp(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

START_TEST(median_time_past_is_the_middle_of_up_to_eleven)
{
	struct mnode m[40];
	struct rand r;
	uint32_t sorted[11];
	int round, i, n, k;

	rand_seed(&r, 11);
	for (round = 0; round < 200; round++) {
		model_chain(m, 40, 0, START, 0, LIMIT_BITS);
		for (i = 0; i < 40; i++)
			m[i].time += (uint32_t)rand_below(&r, 50);
		for (i = 0; i < 40; i++) {
			n = i < 10 ? i + 1 : 11;
			for (k = 0; k < n; k++)
				sorted[k] = m[i - k].time;
			qsort(sorted, (size_t)n, sizeof *sorted, time_cmp);
			ck_assert_int_eq(median_time_past(&model_reader, &m[i]),
					 sorted[n / 2]);
		}
	}
}
END_TEST

/* A header above m that is valid on network id at now = its time. */
static struct header good_header(const struct mnode *m, enum chain_id id)
{
	struct header h = {.version = 0x20000000, .time = m->time + 600};

	h.bits = next_bits(&model_reader, m, h.time, params_get(id));
	return h;
}

static struct verdict check(const struct header *h, const struct mnode *m,
			    int64_t now_s, enum chain_id id)
{
	return header_check_context(h, &model_reader, m, now_s, params_get(id));
}

START_TEST(header_check_context_refuses_wrong_bits)
{
	struct mnode m[12];
	struct header h;
	struct verdict v;

	model_chain(m, 12, 500000, START, 600, REAL_BITS);
	h = good_header(&m[11], CHAIN_MAIN);
	v = check(&h, &m[11], h.time, CHAIN_MAIN);
	assert_valid(&v, "good header");
	h.bits++;
	v = check(&h, &m[11], h.time, CHAIN_MAIN);
	assert_refused(&v, INV_HEADER, "bad-diffbits", "bits + 1");
	ck_assert_str_eq(v.detail, "incorrect proof of work");
}
END_TEST

START_TEST(header_check_context_refuses_the_median_itself)
{
	struct mnode m[12];
	struct header h;
	struct verdict v;

	model_chain(m, 12, 500000, START, 600, REAL_BITS);
	h = good_header(&m[11], CHAIN_MAIN);
	h.time = m[6].time; /* the middle of 1..11 */
	v = check(&h, &m[11], START + 9000, CHAIN_MAIN);
	assert_refused(&v, INV_HEADER, "time-too-old", "median");
	h.time++;
	v = check(&h, &m[11], START + 9000, CHAIN_MAIN);
	assert_valid(&v, "median + 1");
}
END_TEST

START_TEST(header_check_context_allows_two_hours_ahead)
{
	struct mnode m[12];
	struct header h;
	struct verdict v;

	model_chain(m, 12, 500000, START, 600, REAL_BITS);
	h = good_header(&m[11], CHAIN_MAIN);
	v = check(&h, &m[11], (int64_t)h.time - 7200, CHAIN_MAIN);
	assert_valid(&v, "two hours");
	v = check(&h, &m[11], (int64_t)h.time - 7201, CHAIN_MAIN);
	assert_refused(&v, INV_TIME_FUTURE, "time-too-new", "a second more");
}
END_TEST

START_TEST(header_check_context_bounds_the_warp_on_testnet4_only)
{
	struct mnode m[12];
	struct header h;
	struct verdict v;

	model_chain(m, 12, 4031 - 11, START, 600, REAL_BITS);
	m[0].height = 2016; /* the first of the period, 11 headers away */
	h = good_header(&m[11], CHAIN_TESTNET4);
	h.time = m[11].time - 600;
	v = check(&h, &m[11], h.time, CHAIN_TESTNET4);
	assert_valid(&v, "ten minutes back");
	h.time--;
	v = check(&h, &m[11], h.time, CHAIN_TESTNET4);
	assert_refused(&v, INV_HEADER, "time-timewarp-attack", "a second more");
	h.bits =
	    next_bits(&model_reader, &m[11], h.time, params_get(CHAIN_MAIN));
	v = check(&h, &m[11], h.time, CHAIN_MAIN);
	assert_valid(&v, "mainnet has no such rule");
	/* Nor has testnet4 within a period. */
	model_chain(m, 12, 4040, START, 600, REAL_BITS);
	h = good_header(&m[11], CHAIN_TESTNET4);
	h.time = m[11].time - 601;
	v = check(&h, &m[11], h.time, CHAIN_TESTNET4);
	assert_valid(&v, "within a period");
}
END_TEST

START_TEST(least_time_is_behind_the_median_and_within_the_warp)
{
	const struct params *p = params_get(CHAIN_MAIN);
	struct mnode m[12];

	/* Within a period; the median of eleven is the sixth from the end. */
	model_chain(m, 12, 4040, START, 600, REAL_BITS);
	ck_assert_int_eq(least_time(&model_reader, &m[11], p),
			 (int64_t)m[6].time + 1);
	/* The first block of a period, on any network. */
	model_chain(m, 12, 4031 - 11, START, 600, REAL_BITS);
	ck_assert_int_eq(least_time(&model_reader, &m[11], p),
			 (int64_t)m[11].time - 600);
	model_chain(m, 12, 4031 - 11, START, 60, REAL_BITS);
	ck_assert_int_eq(least_time(&model_reader, &m[11], p),
			 (int64_t)m[6].time + 1);
}
END_TEST

static const struct {
	int32_t height, version;
	const char *reject; /* NULL: valid */
} versions[] = {
    {227930, 1, NULL},
    {227931, 2, NULL},
    {227931, 1, "bad-version(0x00000001)"},
    {227931, 0, "bad-version(0x00000000)"},
    {227931, -1, "bad-version(0xffffffff)"},
    {363724, 2, NULL},
    {363725, 2, "bad-version(0x00000002)"},
    {363725, 3, NULL},
    {388380, 3, NULL},
    {388381, 3, "bad-version(0x00000003)"},
    {388381, 4, NULL},
    {388381, INT32_MIN, "bad-version(0x80000000)"},
    {388381, INT32_MAX, NULL},
};

START_TEST(header_check_context_refuses_outdated_versions)
{
	struct mnode m[12];
	struct header h;
	struct verdict v;
	char what[40];

	model_chain(m, 12, versions[_i].height - 12, START, 600, REAL_BITS);
	h = good_header(&m[11], CHAIN_MAIN);
	h.version = versions[_i].version;
	v = check(&h, &m[11], h.time, CHAIN_MAIN);
	snprintf(what, sizeof what, "version %d at %d", h.version,
		 versions[_i].height);
	if (versions[_i].reject)
		assert_refused(&v, INV_HEADER, versions[_i].reject, what);
	else
		assert_valid(&v, what);
}
END_TEST

START_TEST(header_check_context_asks_its_rules_in_order)
{
	struct mnode m[12];
	struct header h;
	struct verdict v;

	/* Wrong in every way at once, then less and less so. */
	model_chain(m, 12, 4031 - 11, START, 600, REAL_BITS);
	m[0].height = 2016;
	h = good_header(&m[11], CHAIN_TESTNET4);
	h.version = 1;
	h.bits ^= 1;
	h.time = m[6].time - 7;
	v = check(&h, &m[11], 0, CHAIN_TESTNET4);
	assert_refused(&v, INV_HEADER, "bad-diffbits", "first");
	h.bits ^= 1;
	v = check(&h, &m[11], 0, CHAIN_TESTNET4);
	assert_refused(&v, INV_HEADER, "time-too-old", "second");
	h.time = m[6].time + 1;
	v = check(&h, &m[11], 0, CHAIN_TESTNET4);
	assert_refused(&v, INV_HEADER, "time-timewarp-attack", "third");
	h.time = m[11].time;
	v = check(&h, &m[11], 0, CHAIN_TESTNET4);
	assert_refused(&v, INV_TIME_FUTURE, "time-too-new", "fourth");
	v = check(&h, &m[11], h.time, CHAIN_TESTNET4);
	assert_refused(&v, INV_HEADER, "bad-version(0x00000001)", "fifth");
	h.version = 4;
	v = check(&h, &m[11], h.time, CHAIN_TESTNET4);
	assert_valid(&v, "last");
}
END_TEST

static int64_t far_median(const void *node)
{
	const struct mnode *m = node;

	return (int64_t)m->time + 600;
}

START_TEST(header_check_context_asks_the_reader_for_a_kept_median)
{
	struct chain_reader kept = model_reader;
	struct mnode m[12];
	struct header h;
	struct verdict v;

	model_chain(m, 12, 500000, START, 600, REAL_BITS);
	h = good_header(&m[11], CHAIN_MAIN);
	kept.mtp = far_median;
	v = header_check_context(&h, &kept, &m[11], h.time,
				 params_get(CHAIN_MAIN));
	assert_refused(&v, INV_HEADER, "time-too-old", "kept median");
	h.time++;
	v = header_check_context(&h, &kept, &m[11], h.time,
				 params_get(CHAIN_MAIN));
	assert_valid(&v, "above it");
}
END_TEST

START_TEST(bits_transition_ok_is_exact_within_a_period)
{
	const struct params *p = params_get(CHAIN_MAIN);

	ck_assert(bits_transition_ok(p, 4033, REAL_BITS, REAL_BITS));
	ck_assert(!bits_transition_ok(p, 4033, REAL_BITS, REAL_BITS + 1));
	ck_assert(!bits_transition_ok(p, 4033, REAL_BITS, REAL_BITS - 1));
	/* Networks with the 20-minute rule permit anything. */
	p = params_get(CHAIN_TEST);
	ck_assert(bits_transition_ok(p, 4033, REAL_BITS, LIMIT_BITS));
	p = params_get(CHAIN_REGTEST);
	ck_assert(bits_transition_ok(p, 1, 0x207fffff, 0x1d00ffff));
}
END_TEST

START_TEST(bits_transition_ok_has_the_bounds_of_a_retarget)
{
	const struct params *p = params_get(CHAIN_MAIN);

	ck_assert(bits_transition_ok(p, 4032, REAL_BITS, 0x1c0168fd));
	ck_assert(!bits_transition_ok(p, 4032, REAL_BITS, 0x1c0168fc));
	ck_assert(bits_transition_ok(p, 4032, REAL_BITS, 0x1c168fd0));
	ck_assert(!bits_transition_ok(p, 4032, REAL_BITS, 0x1c168fd1));
	ck_assert(bits_transition_ok(p, 4032, LIMIT_BITS, LIMIT_BITS));
	ck_assert(!bits_transition_ok(p, 4032, LIMIT_BITS, 0x1d010000));
	/* A negative target reads as its size, as in bitcoind. */
	ck_assert(!bits_transition_ok(p, 4032, REAL_BITS, 0));
}
END_TEST

START_TEST(bits_transition_ok_permits_every_retarget)
{
	struct mnode m[2];
	struct rand r;
	int i;

	rand_seed(&r, 12);
	for (i = 0; i < 3000; i++) {
		uint32_t exponent = 0x17 + (uint32_t)rand_below(&r, 6);
		uint32_t mantissa = 0x8000 + (uint32_t)rand_below(&r, 0x7f8000);
		uint32_t bits = exponent << 24 | mantissa, next;

		period(m, (uint32_t)rand_below(&r, 60 * 86400), bits, bits);
		next = bits_after(&m[1], 1, CHAIN_MAIN);
		ck_assert_msg(bits_transition_ok(params_get(CHAIN_MAIN), 4032,
						 bits, next),
			      "%08x to %08x", bits, next);
	}
}
END_TEST

Suite *headers_suite(void)
{
	Suite *s = suite_create("headers");
	TCase *b = tcase_create("next_bits"), *c = tcase_create("context"),
	      *t = tcase_create("transitions");

	tcase_add_test(b, next_bits_keeps_the_difficulty_within_a_period);
	tcase_add_test(
	    b, next_bits_allows_least_difficulty_only_over_twenty_minutes);
	tcase_add_test(b, next_bits_walks_back_over_exceptions);
	tcase_add_test(
	    b, next_bits_walks_back_no_further_than_the_period_or_genesis);
	tcase_add_test(b, next_bits_bounds_the_step_by_four);
	tcase_add_test(b, next_bits_is_at_most_the_limit);
	tcase_add_test(b, next_bits_goes_by_the_first_block_where_bip94_holds);
	tcase_add_test(b, next_bits_never_retargets_on_regtest);
	suite_add_tcase(s, b);
	tcase_add_test(c, median_time_past_is_the_middle_of_up_to_eleven);
	tcase_add_test(c, header_check_context_refuses_wrong_bits);
	tcase_add_test(c, header_check_context_refuses_the_median_itself);
	tcase_add_test(c, header_check_context_allows_two_hours_ahead);
	tcase_add_test(c,
		       header_check_context_bounds_the_warp_on_testnet4_only);
	tcase_add_test(c, least_time_is_behind_the_median_and_within_the_warp);
	tcase_add_loop_test(c, header_check_context_refuses_outdated_versions,
			    0, sizeof versions / sizeof *versions);
	tcase_add_test(c, header_check_context_asks_its_rules_in_order);
	tcase_add_test(c,
		       header_check_context_asks_the_reader_for_a_kept_median);
	suite_add_tcase(s, c);
	tcase_add_test(t, bits_transition_ok_is_exact_within_a_period);
	tcase_add_test(t, bits_transition_ok_has_the_bounds_of_a_retarget);
	tcase_add_test(t, bits_transition_ok_permits_every_retarget);
	suite_add_tcase(s, t);
	return s;
}
