/* What becomes of a block that arrives (src/sync/blocks.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

/* A peer that was asked for the n blocks on the tip. */
static struct peer *asked_peer(struct hnode **last, size_t n)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, n, 1);

	recv_headers(a, h, n);
	*last = htree_best(W.tree);
	free(h);
	return a;
}

START_TEST(an_asked_block_is_handed_over_and_holds_the_peer)
{
	struct hnode *n;
	struct peer *a = asked_peer(&n, 1);

	recv_block(a, n);
	ck_assert_uint_eq(W.n_jobs, 1);
	ck_assert_ptr_eq(W.jobs[0].node, n);
	ck_assert(W.jobs[0].requested && W.jobs[0].check_checksum);
	ck_assert_uint_eq(W.jobs[0].peer, a->id);
	ck_assert_int_eq(a->held, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
	ck_assert_int_eq(a->held, 0);
	ck_assert_ptr_null(a->misbehaved);
}
END_TEST

START_TEST(a_second_copy_of_an_asked_block_is_dropped)
{
	struct hnode *n;
	struct peer *a = asked_peer(&n, 1);

	recv_block(a, n);
	recv_block(a, n);
	ck_assert_uint_eq(W.n_jobs, 1);
}
END_TEST

START_TEST(an_answer_after_the_peer_is_gone_is_harmless)
{
	struct hnode *n;
	struct peer *a = asked_peer(&n, 1);

	recv_block(a, n);
	peer_gone(a);
	job_answer(0, BLOCK_FAILED,
		   verdict_invalid(INV_CONSENSUS, "bad-cb-amount", NULL));
	ck_assert_ptr_null(a->misbehaved);
}
END_TEST

START_TEST(the_sender_of_an_invalid_block_is_punished)
{
	static const struct {
		enum invalid_reason reason;
		bool punished;
	} t[] = {
	    {INV_CONSENSUS, true},    {INV_MUTATED, true},
	    {INV_HEADER, true},       {INV_PREV, true},
	    {INV_MISSING_PREV, true}, {INV_TIME_FUTURE, false},
	    {INV_LOW_WORK, false},    {INV_NONE, false},
	    {INV_CACHED, true}, /* outbound only */
	};
	struct hnode *n;
	struct peer *a = asked_peer(&n, 1);

	recv_block(a, n);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		a->misbehaved = NULL;
		job_answer(0, BLOCK_REFUSED,
			   verdict_invalid(t[i].reason, "some-rule", NULL));
		ck_assert_msg((a->misbehaved != NULL) == t[i].punished,
			      "reason %d", (int)t[i].reason);
	}
	a->conn = CONN_INBOUND;
	a->misbehaved = NULL;
	job_answer(0, BLOCK_REFUSED,
		   verdict_invalid(INV_CACHED, "duplicate-invalid", NULL));
	ck_assert_ptr_null(a->misbehaved);
}
END_TEST

START_TEST(a_peer_that_keeps_sending_broken_blocks_is_let_go)
{
	struct hnode *n;
	struct peer *a = asked_peer(&n, 1);
	struct verdict v = verdict_invalid(INV_NONE, "bad-checksum", NULL);
	struct hash256 got[4];

	ck_assert_uint_eq(asked(a, got, 4), 1);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_ptr_null(a->disconnected);
		recv_block(a, n);
		job_answer(i, BLOCK_REFUSED, v);
		/* It is still asked for it, and not asked again. */
		ck_assert_uint_eq(asked(a, got, 4), 0);
	}
	ck_assert_ptr_nonnull(a->disconnected);
	ck_assert_ptr_null(a->misbehaved);
}
END_TEST

START_TEST(an_unasked_block_on_the_tip_is_taken)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	uint8_t h[80];

	header_make(h, W.tip, 1);
	W.params.id = CHAIN_REGTEST;
	recv_block_raw(a, h, 0);
	/* The made-up body does not match its header: mutated. */
	ck_assert_str_eq(a->misbehaved, "mutated block");
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(htree_count(W.tree), 1);
}
END_TEST

START_TEST(an_unasked_block_with_a_wrong_checksum_or_no_parent_is_told_apart)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	struct hnode orphan = *W.tip;
	uint8_t h[80];

	header_make(h, W.tip, 1);
	recv_block_raw(a, h, 1);
	ck_assert_ptr_null(a->misbehaved);
	orphan.hash.b[0] ^= 1;
	header_make(h, &orphan, 1);
	recv_block_raw(a, h, 0);
	ck_assert_ptr_nonnull(a->misbehaved);
	ck_assert_uint_eq(W.n_jobs, 0);
}
END_TEST

START_TEST(a_block_shorter_than_a_header_is_dropped)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);

	recv_msg(a, MSG_BLOCK, "", 0);
	recv_msg(a, MSG_BLOCK, W.params.genesis_block.p, 80);
	ck_assert_ptr_null(a->misbehaved);
	ck_assert_ptr_null(a->disconnected);
}
END_TEST

START_TEST(a_late_failure_finds_its_sender)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	struct hnode *n = grow(W.tip, 1, 1);
	struct chain_event e = {
	    .type = CHAIN_EV_INVALID,
	    .node = n,
	    .peer = a->id,
	    .verdict = verdict_invalid(INV_CONSENSUS, "bad-cb-amount", NULL)};

	n->status |= HN_FAILED;
	sync_on_chain_event(W.sync, &e);
	ck_assert_str_eq(a->misbehaved, "bad-cb-amount");
	ck_assert_int_eq(htree_best(W.tree)->height, 0);
}
END_TEST

Suite *blocks_suite(void)
{
	Suite *s = suite_create("blocks");
	TCase *c = tcase_create("blocks");

	tcase_add_checked_fixture(c, world_start, world_stop);
	tcase_add_test(c, an_asked_block_is_handed_over_and_holds_the_peer);
	tcase_add_test(c, a_second_copy_of_an_asked_block_is_dropped);
	tcase_add_test(c, an_answer_after_the_peer_is_gone_is_harmless);
	tcase_add_test(c, the_sender_of_an_invalid_block_is_punished);
	tcase_add_test(c, a_peer_that_keeps_sending_broken_blocks_is_let_go);
	tcase_add_test(c, an_unasked_block_on_the_tip_is_taken);
	tcase_add_test(
	    c,
	    an_unasked_block_with_a_wrong_checksum_or_no_parent_is_told_apart);
	tcase_add_test(c, a_block_shorter_than_a_header_is_dropped);
	tcase_add_test(c, a_late_failure_finds_its_sender);
	suite_add_tcase(s, c);
	return s;
}
