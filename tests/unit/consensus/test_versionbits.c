/*
 * Version bits against the definition of BIP9, evaluated block by block on
 * random trees; the steps of the state machine one by one; what our own blocks
 * signal, and signals that mean no rule of ours.
 */
#include "model.h"
#include "suites.h"

#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/consensus/versionbits.h>

#include <stdlib.h>

#define START  1000000u
#define SIGNAL 0x20000004
#define SILENT 0x20000000
#define PERIOD 10

static const struct vb_rule rule = {.bit = 2,
				    .start_s = START,
				    .timeout_s = VB_NO_TIMEOUT,
				    .period = PERIOD,
				    .threshold = 8};

static struct vb_status after(const struct vb_rule *d, const struct mnode *m)
{
	return vb_status_after(d, &model_reader, m, NULL);
}

static void assert_status(struct vb_status s, enum vb_state state,
			  int32_t since)
{
	ck_assert_str_eq(vb_state_name(s.state), vb_state_name(state));
	ck_assert_int_eq(s.since, since);
}

/* A chain from genesis on, a second a block, that signals from height first to
 * height last. */
static void signalling_chain(struct mnode *m, size_t n, size_t first,
			     size_t last)
{
	size_t i;

	model_chain(m, n, 0, START, 1, 0);
	for (i = first; i <= last; i++)
		m[i].version = SIGNAL;
}

START_TEST(a_deployment_goes_through_its_states_period_by_period)
{
	struct mnode m[50];

	signalling_chain(m, 50, 12, 19);
	assert_status(after(&rule, NULL), VB_DEFINED, 0);
	assert_status(after(&rule, &m[0]), VB_DEFINED, 0);
	assert_status(after(&rule, &m[8]), VB_DEFINED, 0);
	assert_status(after(&rule, &m[9]), VB_STARTED, 10);
	assert_status(after(&rule, &m[18]), VB_STARTED, 10);
	assert_status(after(&rule, &m[19]), VB_LOCKED_IN, 20);
	assert_status(after(&rule, &m[28]), VB_LOCKED_IN, 20);
	assert_status(after(&rule, &m[29]), VB_ACTIVE, 30);
	assert_status(after(&rule, &m[49]), VB_ACTIVE, 30);
}
END_TEST

START_TEST(signals_count_within_one_period_only)
{
	struct mnode m[50];

	/* Eight in a row, but four in each of two periods. */
	signalling_chain(m, 50, 16, 23);
	assert_status(after(&rule, &m[49]), VB_STARTED, 10);
	/* Seven are one too few. */
	signalling_chain(m, 50, 13, 19);
	assert_status(after(&rule, &m[49]), VB_STARTED, 10);
	/* Those before it started do not count. */
	signalling_chain(m, 50, 0, 9);
	assert_status(after(&rule, &m[49]), VB_STARTED, 10);
}
END_TEST

START_TEST(the_median_time_before_a_period_starts_and_ends_it)
{
	struct vb_rule d = rule;
	struct mnode m[40];

	/* Blocks 0 to 19; the median of the last eleven is that of block 14. */
	signalling_chain(m, 40, 0, 0);
	d.start_s = START + 14;
	assert_status(after(&d, &m[19]), VB_STARTED, 20);
	d.start_s = START + 15;
	assert_status(after(&d, &m[19]), VB_DEFINED, 0);
	assert_status(after(&d, &m[29]), VB_STARTED, 30);
	d = rule;
	d.timeout_s = START + 15;
	assert_status(after(&d, &m[19]), VB_STARTED, 10);
	d.timeout_s = START + 14;
	assert_status(after(&d, &m[19]), VB_FAILED, 20);
	assert_status(after(&d, &m[39]), VB_FAILED, 20);
	/* It starts even when its time is over, and the threshold goes before
	 * the timeout. */
	d.timeout_s = START;
	assert_status(after(&d, &m[9]), VB_STARTED, 10);
	signalling_chain(m, 40, 10, 19);
	assert_status(after(&d, &m[19]), VB_LOCKED_IN, 20);
}
END_TEST

START_TEST(activation_waits_for_the_least_height)
{
	struct vb_rule d = rule;
	struct mnode m[80];

	signalling_chain(m, 80, 10, 19);
	d.min_activation_height = 40;
	assert_status(after(&d, &m[38]), VB_LOCKED_IN, 20);
	assert_status(after(&d, &m[39]), VB_ACTIVE, 40);
	d.min_activation_height = 41;
	assert_status(after(&d, &m[48]), VB_LOCKED_IN, 20);
	assert_status(after(&d, &m[49]), VB_ACTIVE, 50);
}
END_TEST

START_TEST(special_start_times_settle_it_for_good)
{
	struct vb_rule d = rule;
	struct mnode m[30];

	signalling_chain(m, 30, 0, 29);
	d.start_s = VB_ALWAYS_ACTIVE;
	assert_status(after(&d, NULL), VB_ACTIVE, 0);
	assert_status(after(&d, &m[29]), VB_ACTIVE, 0);
	d.start_s = VB_NEVER_ACTIVE;
	assert_status(after(&d, NULL), VB_FAILED, 0);
	assert_status(after(&d, &m[29]), VB_FAILED, 0);
}
END_TEST

START_TEST(only_versions_with_the_top_bits_signal)
{
	static const int32_t no[] = {4,
				     SILENT,
				     0x60000004,
				     0x00000004,
				     (int32_t)0xa0000004u,
				     0x2000000b,
				     (int32_t)0xffffffffu};
	static const int32_t yes[] = {SIGNAL, 0x3fffffff, 0x20000007};
	struct mnode m;
	size_t i;

	model_chain(&m, 1, 0, START, 1, 0);
	for (i = 0; i < sizeof no / sizeof *no; i++) {
		m.version = no[i];
		ck_assert_int_eq(vb_tally(NULL, &rule, &model_reader, &m).count,
				 0);
	}
	for (i = 0; i < sizeof yes / sizeof *yes; i++) {
		m.version = yes[i];
		ck_assert_int_eq(vb_tally(NULL, &rule, &model_reader, &m).count,
				 1);
	}
}
END_TEST

START_TEST(tally_marks_the_blocks_of_the_period)
{
	char marks[VB_PERIOD_MAX + 1];
	struct mnode m[20];
	struct vb_tally t;

	signalling_chain(m, 20, 11, 12);
	t = vb_tally(marks, &rule, &model_reader, &m[9]);
	ck_assert_str_eq(marks, "----------");
	ck_assert_int_eq(t.elapsed, 10);
	ck_assert(!t.possible);
	t = vb_tally(marks, &rule, &model_reader, &m[10]);
	ck_assert_str_eq(marks, "-");
	ck_assert_int_eq(t.elapsed, 1);
	ck_assert_int_eq(t.count, 0);
	ck_assert(t.possible);
	/* Two blocks of ten may keep silent, the third decides. */
	t = vb_tally(marks, &rule, &model_reader, &m[13]);
	ck_assert_str_eq(marks, "-##-");
	ck_assert_int_eq(t.count, 2);
	ck_assert(t.possible);
	t = vb_tally(marks, &rule, &model_reader, &m[14]);
	ck_assert_str_eq(marks, "-##--");
	ck_assert(!t.possible);
}
END_TEST

/* A random tree and what BIP9's own words say of each of its blocks. */
#define NODES 3000

struct tree {
	struct mnode m[NODES];
	struct vb_status child[NODES]; /* of the child of each */
	struct vb_rule d;
};

static int time_cmp(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int64_t plain_mtp(const struct mnode *m)
{
	uint32_t t[11];
	size_t n = 0;

	for (; m && n < 11; m = m->prev)
		t[n++] = m->time;
	qsort(t, n, sizeof *t, time_cmp);
	return t[n / 2];
}

static int32_t plain_count(const struct tree *t, const struct mnode *m)
{
	int32_t i, n = 0;

	for (i = 0; i < t->d.period; i++, m = m->prev)
		n += ((uint32_t)m->version >> 29 == 1 &&
		      (uint32_t)m->version >> t->d.bit & 1);
	return n;
}

static enum vb_state plain_step(const struct tree *t, const struct mnode *m,
				enum vb_state s)
{
	if (s == VB_DEFINED && plain_mtp(m) >= t->d.start_s)
		return VB_STARTED;
	if (s == VB_STARTED && plain_count(t, m) >= t->d.threshold)
		return VB_LOCKED_IN;
	if (s == VB_STARTED && plain_mtp(m) >= t->d.timeout_s)
		return VB_FAILED;
	if (s == VB_LOCKED_IN && m->height + 1 >= t->d.min_activation_height)
		return VB_ACTIVE;
	return s;
}

static void grow(struct tree *t, struct rand *r, size_t i)
{
	/* Mostly on the last block, now and then on an earlier one. */
	size_t up = i == 0                    ? 0
		    : rand_below(r, 100) == 0 ? rand_below(r, i)
					      : i - 1;
	struct mnode *m = &t->m[i];
	struct vb_status s = {VB_DEFINED, 0};

	memset(m, 0, sizeof *m);
	if (i > 0) {
		m->prev = &t->m[up];
		m->height = t->m[up].height + 1;
		s = t->child[up];
	}
	m->time =
	    START + (uint32_t)m->height * 10 + (uint32_t)rand_below(r, 200);
	m->version = rand_below(r, 4) == 0 ? (int32_t)rand_u64(r) : SIGNAL;
	if ((m->height + 1) % t->d.period == 0) {
		enum vb_state was = s.state;

		s.state = plain_step(t, m, was);
		if (s.state != was)
			s.since = m->height + 1;
	}
	t->child[i] = s;
}

static void plant(struct tree *t, struct rand *r)
{
	size_t i;

	t->d.bit = 2;
	t->d.period = 2 + (int32_t)rand_below(r, 20);
	t->d.threshold = t->d.period - (int32_t)rand_below(r, 3) - 1;
	t->d.start_s = START + (int64_t)rand_below(r, 3000);
	t->d.timeout_s = t->d.start_s + (int64_t)rand_below(r, 3000);
	t->d.min_activation_height = (int32_t)rand_below(r, 600);
	for (i = 0; i < NODES; i++)
		grow(t, r, i);
}

START_TEST(statuses_are_those_of_the_definition_on_random_trees)
{
	struct tree *t = xcalloc(1, sizeof *t);
	struct vb_cache *cache = xcalloc(1, sizeof *cache);
	unsigned seen[VB_FAILED + 1] = {0};
	struct rand r;
	size_t i, k;

	rand_seed(&r, (uint64_t)_i);
	plant(t, &r);
	for (i = 0; i < 2 * NODES; i++) {
		struct vb_status s;

		k = rand_below(&r, NODES);
		s = vb_status_after(&t->d, &model_reader, &t->m[k],
				    i % 16 ? cache : NULL);
		ck_assert_msg(s.state == t->child[k].state &&
				  s.since == t->child[k].since,
			      "height %d: %s since %d, not %s since %d",
			      (int)t->m[k].height + 1, vb_state_name(s.state),
			      (int)s.since, vb_state_name(t->child[k].state),
			      (int)t->child[k].since);
		seen[s.state]++;
	}
	ck_assert_uint_gt(seen[VB_DEFINED] + seen[VB_STARTED], 0);
	free(cache);
	free(t);
}
END_TEST

/* A reader that counts how often versions are looked at. */
static unsigned looked;

static int32_t counted_version(const void *node)
{
	looked++;
	return model_reader.version(node);
}

START_TEST(a_cached_period_is_not_counted_again)
{
	struct chain_reader r = model_reader;
	struct vb_cache cache = {0};
	struct mnode m[1000];

	r.version = counted_version;
	signalling_chain(m, 1000, 0, 0);
	looked = 0;
	vb_status_after(&rule, &r, &m[988], &cache);
	ck_assert_uint_eq(looked, 97 * PERIOD);
	vb_status_after(&rule, &r, &m[987], &cache);
	ck_assert_uint_eq(looked, 97 * PERIOD);
	vb_status_after(&rule, &r, &m[999], &cache);
	ck_assert_uint_eq(looked, 99 * PERIOD);
}
END_TEST

START_TEST(our_blocks_signal_what_is_started_or_locked_in)
{
	struct params p = *params_get(CHAIN_REGTEST);
	struct mnode m[60];

	p.vb[VB_TESTDUMMY] = rule;
	signalling_chain(m, 60, 10, 19);
	ck_assert_int_eq(block_version_for(&p, &model_reader, &m[8], NULL),
			 SILENT);
	ck_assert_int_eq(block_version_for(&p, &model_reader, &m[9], NULL),
			 SIGNAL);
	ck_assert_int_eq(block_version_for(&p, &model_reader, &m[19], NULL),
			 SIGNAL);
	ck_assert_int_eq(block_version_for(&p, &model_reader, &m[29], NULL),
			 SILENT);
}
END_TEST

START_TEST(the_dummy_is_signalled_on_regtest_alone)
{
	struct mnode *m = xcalloc(4032, sizeof *m);
	struct vb_caches caches = {0};
	int32_t want = _i == CHAIN_REGTEST ? 0x30000000 : 0x20000000;

	model_chain(m, 4032, 0, 1700000000, 600, 0);
	ck_assert_int_eq(block_version_for(params_get((enum chain_id)_i),
					   &model_reader, &m[4031], &caches),
			 want);
	free(m);
}
END_TEST

/* A chain of periods; the second has n blocks that signal bit 3. */
static struct mnode *unknown_chain(int32_t period, int32_t n, int32_t first)
{
	size_t all = (size_t)period * 4, i;
	struct mnode *m = xcalloc(all, sizeof *m);

	model_chain(m, all, 0, START, 600, 0);
	for (i = 0; i < all; i++)
		m[i].height += first;
	for (i = (size_t)period; n > 0; i++, n--)
		m[i].version = 0x20000008;
	return m;
}

static enum vb_state unknown(const struct params *p, const struct mnode *m)
{
	struct vb_caches c = {0};

	return vb_unknown_after(3, p, &model_reader, m, &c);
}

START_TEST(bits_without_a_rule_are_noticed)
{
	static const struct {
		enum chain_id chain;
		int32_t period, enough;
	} t[] = {{CHAIN_REGTEST, 144, 108},
		 {CHAIN_TESTNET4, 2016, 1512},
		 {CHAIN_SIGNET, 2016, 1512}};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const struct params *p = params_get(t[i].chain);
		size_t end = (size_t)t[i].period;
		struct mnode *m = unknown_chain(t[i].period, t[i].enough, 0);

		ck_assert_int_eq(unknown(p, &m[2 * end - 2]), VB_STARTED);
		ck_assert_int_eq(unknown(p, &m[2 * end - 1]), VB_LOCKED_IN);
		ck_assert_int_eq(unknown(p, &m[3 * end - 1]), VB_ACTIVE);
		free(m);
		m = unknown_chain(t[i].period, t[i].enough - 1, 0);
		ck_assert_int_eq(unknown(p, &m[3 * end - 1]), VB_STARTED);
		free(m);
	}
}
END_TEST

START_TEST(main_wants_ninety_percent_and_passes_over_what_was_buried)
{
	struct params p = *params_get(CHAIN_MAIN);
	struct mnode *m = unknown_chain(2016, 1815, 0);

	ck_assert_int_eq(p.vb_unknown_height, 711648);
	ck_assert_int_eq(params_get(CHAIN_TEST)->vb_unknown_height, 2013984);
	ck_assert_int_eq(unknown(&p, &m[4031]), VB_STARTED);
	p.vb_unknown_height = 2016;
	ck_assert_int_eq(unknown(&p, &m[4031]), VB_LOCKED_IN);
	/* One block of them is too early, and one signals less. */
	p.vb_unknown_height = 2017;
	ck_assert_int_eq(unknown(&p, &m[4031]), VB_STARTED);
	free(m);
}
END_TEST

START_TEST(bits_of_our_own_rules_are_not_unknown)
{
	struct params p = *params_get(CHAIN_REGTEST);
	struct mnode *m = unknown_chain(144, 144, 0);

	p.vb[VB_TESTDUMMY].bit = 3;
	p.vb[VB_TESTDUMMY].start_s = 0;
	ck_assert_int_eq(unknown(&p, &m[287]), VB_STARTED);
	/* Over, so whoever signals means something else. */
	p.vb[VB_TESTDUMMY].start_s = VB_NEVER_ACTIVE;
	ck_assert_int_eq(unknown(&p, &m[287]), VB_LOCKED_IN);
	free(m);
}
END_TEST

Suite *versionbits_suite(void)
{
	Suite *s = suite_create("versionbits");
	TCase *t = tcase_create("states"), *u = tcase_create("signals");

	tcase_add_test(t,
		       a_deployment_goes_through_its_states_period_by_period);
	tcase_add_test(t, signals_count_within_one_period_only);
	tcase_add_test(t, the_median_time_before_a_period_starts_and_ends_it);
	tcase_add_test(t, activation_waits_for_the_least_height);
	tcase_add_test(t, special_start_times_settle_it_for_good);
	tcase_add_test(t, only_versions_with_the_top_bits_signal);
	tcase_add_test(t, tally_marks_the_blocks_of_the_period);
	tcase_add_loop_test(
	    t, statuses_are_those_of_the_definition_on_random_trees, 0, 20);
	tcase_add_test(t, a_cached_period_is_not_counted_again);
	suite_add_tcase(s, t);
	tcase_add_test(u, our_blocks_signal_what_is_started_or_locked_in);
	tcase_add_loop_test(u, the_dummy_is_signalled_on_regtest_alone, 0,
			    CHAIN_COUNT);
	tcase_add_test(u, bits_without_a_rule_are_noticed);
	tcase_add_test(
	    u, main_wants_ninety_percent_and_passes_over_what_was_buried);
	tcase_add_test(u, bits_of_our_own_rules_are_not_unknown);
	suite_add_tcase(s, u);
	return s;
}
