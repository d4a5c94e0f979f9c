/* Compact filters, served and asked for (src/sync/cfilters.c; BIP157). */
#include "suites.h"
#include "world.h"

#include <cairn/wire/cfilter.h>

#define WITH_FILTERS (ALL_SERVICES | NODE_COMPACT_FILTERS)

static struct peer *peer_on(size_t height)
{
	tip_set(grow(W.tip, height, 1));
	W.filters = true;
	return peer_in(CONN_INBOUND, ALL_SERVICES);
}

static void ask(struct peer *p, enum msg_type t, uint8_t type, uint32_t start,
		const struct hash256 *stop)
{
	uint8_t body[GETCF_SIZE];

	getcf_put(body, type, start, stop);
	recv_msg(p, t, body, sizeof body);
}

START_TEST(filters_come_one_by_one_in_order)
{
	struct peer *a = peer_on(200);
	struct cfilter_view v;
	struct sent *s;
	uint32_t h = 11;

	ask(a, MSG_GETCFILTERS, FILTER_BASIC, h, &chain_at(NULL, 150)->hash);
	ck_assert_int_eq(a->paused, 1);
	world_run(3); /* 140 filters in batches of 64 */
	ck_assert_int_eq(a->paused, 0);
	for (; (s = next_sent(a, MSG_CFILTER)); h++) {
		ck_assert(cfilter_view_parse(&v, slice_of(s->body, s->n)));
		ck_assert_uint_eq(le32_get(v.filter.p), h);
	}
	ck_assert_uint_eq(h, 151);
}
END_TEST

START_TEST(filter_headers_carry_the_one_before)
{
	struct peer *a = peer_on(20);
	struct cfheaders_view v;
	struct sent *s;

	ask(a, MSG_GETCFHEADERS, FILTER_BASIC, 5, &W.tip->hash);
	s = next_sent(a, MSG_CFHEADERS);
	ck_assert_ptr_nonnull(s);
	ck_assert(cfheaders_view_parse(&v, slice_of(s->body, s->n)));
	ck_assert_uint_eq(v.n, 16);
	ck_assert_uint_eq(le32_get(v.prev_header->b), 4);
	ck_assert_uint_eq(le32_get(v.hashes), 5);
}
END_TEST

START_TEST(what_may_not_be_asked_ends_the_connection)
{
	struct peer *a = peer_on(2100);
	struct hash256 none = {{3}};
	const struct {
		enum msg_type t;
		uint8_t type;
		uint32_t start;
		const struct hash256 *stop;
	} bad[] = {
	    {MSG_GETCFILTERS, 1, 0, &W.tip->hash},
	    {MSG_GETCFILTERS, 0, 2101, &W.tip->hash},
	    {MSG_GETCFILTERS, 0, 1100, &W.tip->hash}, /* 1,001 of them */
	    {MSG_GETCFHEADERS, 0, 100, &W.tip->hash}, /* 2,001 of them */
	    {MSG_GETCFHEADERS, 0, 0, &none},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		a->disconnected = NULL;
		ask(a, bad[i].t, bad[i].type, bad[i].start, bad[i].stop);
		ck_assert_msg(a->disconnected != NULL, "case %zu", i);
	}
	a->disconnected = NULL;
	W.filters = false;
	ask(a, MSG_GETCFHEADERS, 0, 1, &chain_at(NULL, 2)->hash);
	ck_assert_ptr_nonnull(a->disconnected);
}
END_TEST

START_TEST(checkpoints_are_answered_for_each_thousand)
{
	struct peer *a = peer_on(2100);
	uint8_t body[GETCFCHECKPT_SIZE];
	struct cfcheckpt_view v;
	struct sent *s;

	getcfcheckpt_put(body, FILTER_BASIC, &W.tip->hash);
	recv_msg(a, MSG_GETCFCHECKPT, body, sizeof body);
	s = next_sent(a, MSG_CFCHECKPT);
	ck_assert_ptr_nonnull(s);
	ck_assert(cfcheckpt_view_parse(&v, slice_of(s->body, s->n)));
	ck_assert_uint_eq(v.n, 2);
	ck_assert_uint_eq(le32_get(cfcheckpt_at(&v, 1)->b), 2000);
}
END_TEST

static void claim(struct peer *p, const struct hash256 *stop, uint32_t n)
{
	uint8_t body[512] = {0};
	uint8_t *end = cfcheckpt_head_put(body, FILTER_BASIC, stop, n);

	recv_msg(p, MSG_CFCHECKPT, body, (size_t)(end - body) + 32 * n);
}

START_TEST(checkpoints_are_asked_once_an_interval_of_peers_that_offer_them)
{
	struct peer *a, *b;
	int64_t now = clock_now(&W.clock);

	tip_set(grow(W.tip, 2100, 1));
	a = peer_in(CONN_OUTBOUND, WITH_FILTERS);
	b = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	recv_inv(a, MSG_INV, INV_BLOCK, &W.tip->hash, 1);
	recv_inv(b, MSG_INV, INV_BLOCK, &W.tip->hash, 1);
	tick_at(now + 1);
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETCFCHECKPT));
	ck_assert_ptr_null(next_sent(b, MSG_GETCFCHECKPT));
	tick_at(now + 2);
	ck_assert_ptr_null(next_sent(a, MSG_GETCFCHECKPT));
	claim(a, &W.tip->hash, 2);
	ck_assert_uint_eq(W.cf_noted, 2);
	ck_assert_ptr_null(a->misbehaved);
	claim(a, &W.tip->hash, 1);
	ck_assert_ptr_nonnull(a->misbehaved);
	/* What was not asked is not looked at. */
	claim(b, &W.tip->hash, 2);
	ck_assert_uint_eq(W.cf_noted, 2);
}
END_TEST

START_TEST(a_claim_that_our_own_chain_contradicts_is_a_lie)
{
	struct peer *a;
	struct hnode *base;

	tip_set(grow(W.tip, 1100, 1));
	a = peer_in(CONN_OUTBOUND, WITH_FILTERS);
	recv_inv(a, MSG_INV, INV_BLOCK, &W.tip->hash, 1);
	tick_at(clock_now(&W.clock) + 1);
	W.cf_differs = 1000;
	claim(a, &W.tip->hash, 1);
	ck_assert_str_eq(a->misbehaved, "false filter checkpoint");
	/* The same when we find out later. */
	a->misbehaved = NULL;
	base = W.tip;
	tip_set(grow(base, 1, 1));
	sync_on_chain_event(W.sync, &(struct chain_event){.type = CHAIN_EV_TIP,
							  .node = W.tip,
							  .fork = base});
	ck_assert_str_eq(a->misbehaved, "false filter checkpoint");
}
END_TEST

Suite *cfilters_suite(void)
{
	Suite *s = suite_create("cfilters");
	TCase *c = tcase_create("cfilters");

	tcase_add_checked_fixture(c, world_start, world_stop);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, filters_come_one_by_one_in_order);
	tcase_add_test(c, filter_headers_carry_the_one_before);
	tcase_add_test(c, what_may_not_be_asked_ends_the_connection);
	tcase_add_test(c, checkpoints_are_answered_for_each_thousand);
	tcase_add_test(
	    c, checkpoints_are_asked_once_an_interval_of_peers_that_offer_them);
	tcase_add_test(c, a_claim_that_our_own_chain_contradicts_is_a_lie);
	suite_add_tcase(s, c);
	return s;
}
