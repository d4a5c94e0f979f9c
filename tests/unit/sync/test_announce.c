/* How peers hear of a new tip (src/sync/announce.c). */
#include "suites.h"
#include "world.h"

#include <cairn/wire/header.h>

static void new_tip(struct hnode *to, const struct hnode *fork)
{
	struct chain_event e = {.type = CHAIN_EV_TIP, .node = to, .fork = fork};

	tip_set(to);
	sync_on_chain_event(W.sync, &e);
}

/* A peer that has the tip's headers already. */
static struct peer *peer_with(const struct hnode *n, bool send_headers)
{
	struct peer *p = peer_in(CONN_INBOUND, ALL_SERVICES);

	p->send_headers = send_headers;
	recv_inv(p, MSG_INV, INV_BLOCK, &n->hash, 1);
	return p;
}

START_TEST(headers_go_to_those_that_asked_for_them)
{
	struct hnode *base = grow(W.tip, 3, 1);
	struct peer *a, *b;
	struct headers_view v;
	struct sent *s;
	bool over;

	tip_set(base);
	W.ibd = false;
	a = peer_with(base, true);
	b = peer_with(base, false);
	new_tip(grow(base, 2, 1), base);
	s = next_sent(a, MSG_HEADERS);
	ck_assert_ptr_nonnull(s);
	ck_assert(headers_view_parse(&v, &over, slice_of(s->body, s->n)));
	ck_assert_uint_eq(v.n, 2);
	ck_assert_ptr_null(next_sent(a, MSG_INV));
	ck_assert_ptr_nonnull(next_sent(b, MSG_INV));
	ck_assert_ptr_null(next_sent(b, MSG_HEADERS));
}
END_TEST

START_TEST(nothing_is_announced_in_initial_download)
{
	struct hnode *base = W.tip;
	struct peer *a = peer_with(base, true);

	new_tip(grow(base, 1, 1), base);
	ck_assert_ptr_null(next_sent(a, MSG_HEADERS));
	ck_assert_ptr_null(next_sent(a, MSG_INV));
}
END_TEST

START_TEST(a_peer_that_has_the_block_hears_nothing)
{
	struct hnode *base = grow(W.tip, 2, 1), *next;
	struct peer *a;

	tip_set(base);
	W.ibd = false;
	next = grow(base, 1, 1);
	a = peer_with(next, false);
	new_tip(next, base);
	ck_assert_ptr_null(next_sent(a, MSG_INV));
}
END_TEST

START_TEST(headers_that_would_not_connect_become_an_inv)
{
	struct hnode *base = grow(W.tip, 4, 1);
	struct peer *a;

	tip_set(base);
	W.ibd = false;
	a = peer_in(CONN_INBOUND, ALL_SERVICES); /* we know nothing of it */
	a->send_headers = true;
	new_tip(grow(base, 1, 1), base);
	ck_assert_ptr_null(next_sent(a, MSG_HEADERS));
	ck_assert_ptr_nonnull(next_sent(a, MSG_INV));
}
END_TEST

START_TEST(a_long_reorganisation_is_announced_by_its_tip_alone)
{
	struct hnode *base = grow(W.tip, 2, 1);
	struct peer *a;
	struct inv_view v;
	struct sent *s;

	tip_set(base);
	W.ibd = false;
	a = peer_with(base, true);
	new_tip(grow(base, 9, 1), base);
	ck_assert_ptr_null(next_sent(a, MSG_HEADERS));
	s = next_sent(a, MSG_INV);
	ck_assert_ptr_nonnull(s);
	ck_assert(inv_view_parse(&v, slice_of(s->body, s->n)));
	ck_assert(v.n == 1 && hash256_eq(inv_hash(&v, 0), &W.tip->hash));
}
END_TEST

Suite *announce_suite(void)
{
	Suite *s = suite_create("announce");
	TCase *c = tcase_create("announce");

	tcase_add_checked_fixture(c, world_start, world_stop);
	tcase_add_test(c, headers_go_to_those_that_asked_for_them);
	tcase_add_test(c, nothing_is_announced_in_initial_download);
	tcase_add_test(c, a_peer_that_has_the_block_hears_nothing);
	tcase_add_test(c, headers_that_would_not_connect_become_an_inv);
	tcase_add_test(c, a_long_reorganisation_is_announced_by_its_tip_alone);
	suite_add_tcase(s, c);
	return s;
}
