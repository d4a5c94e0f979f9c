/* A block put together from its compact form, the pool and what is asked for
 * (src/sync/rebuild.c, compact.c, download.c, bandwidth.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>
#include <cairn/consensus/work.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/header.h>

#include <stdlib.h>

#define N_TX 5

static struct buf *Tx[N_TX]; /* the first is the coinbase */
static struct buf *Block;
static struct hash256 Block_hash; /* Block's */

/* A block on the tip of all in Tx. */
static struct buf *block_make(void)
{
	struct header h = {.version = 0x20000000,
			   .prev = W.tip->hash,
			   .time = W.tip->time + 600,
			   .bits = W.tip->bits};
	struct hash256 ids[N_TX], scratch[N_TX], hash;
	struct buf *b = buf_new(4096);
	uint8_t *p = buf_data(b) + HEADER_SIZE;

	*p++ = N_TX;
	for (int i = 0; i < N_TX; i++) {
		ids[i] = tx_id(Tx[i]);
		p = bytes_put(p, buf_data(Tx[i]), Tx[i]->n);
	}
	merkle_root(&h.merkle, NULL, ids, N_TX, scratch);
	do {
		header_put(buf_data(b), &h);
		sha256d(&hash, buf_data(b), HEADER_SIZE);
		h.nonce++;
	} while (!pow_ok(&hash, h.bits, &W.params));
	b->n = (size_t)(p - buf_data(b));
	return b;
}

static void start(void)
{
	struct hash256 none = {{0}};

	world_start();
	W.ibd = false;
	tip_set(grow(W.tip, 3, 1));
	clock_set_mock(&W.clock, W.tip->time + 700);
	for (uint32_t i = 0; i < N_TX; i++)
		Tx[i] = i ? tx_make(NULL, 0, i, false)
			  : tx_make(&none, 1, 0xffffffff, false);
	/* An input of no transaction and no place: a coinbase. */
	memset(buf_data(Tx[0]) + 5, 0, 32);
	le32_put(buf_data(Tx[0]) + 37, 0xffffffff);
	Block = block_make();
	sha256d(&Block_hash, buf_data(Block), HEADER_SIZE);
}

static void stop(void)
{
	for (int i = 0; i < N_TX; i++)
		buf_unref(Tx[i]);
	buf_unref(Block);
	world_stop();
}

static struct peer *speaker(enum peer_conn conn)
{
	struct peer *p = peer_in(conn, ALL_SERVICES);

	p->cmpct = true;
	p->read = p->n_sent;
	return p;
}

/* One that is to announce blocks by cmpctblock: it has brought one. */
static struct peer *fast(enum peer_conn conn)
{
	struct peer *p = speaker(conn);
	struct hnode *n = grow(W.tip, 1, (uint32_t)p->id + 50);

	recv_inv(p, MSG_INV, INV_BLOCK, &n->hash, 1);
	recv_block(p, n);
	ck_assert_uint_eq(W.n_jobs, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
	p->read = p->n_sent;
	buf_unref(W.jobs[0].buf);
	W.n_jobs = 0;
	return p;
}

/* flip changes the coinbase, which comes last. */
static void recv_compact_with(struct peer *p, uint64_t nonce, uint8_t flip)
{
	struct block_view v;
	uint8_t *body, *end;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(Block)),
			 0);
	block_hash_txs(&v);
	body = xmalloc(cmpctblock_of_size(&v));
	end = cmpctblock_of_put(body, &v, nonce);
	end[-1] ^= flip;
	recv_msg(p, MSG_CMPCTBLOCK, body, (size_t)(end - body));
	free(body);
	block_view_fini(&v);
}

static void recv_compact(struct peer *p, uint64_t nonce)
{
	recv_compact_with(p, nonce, 0);
}

static void pool_has(int first)
{
	for (int i = first; i < N_TX; i++)
		tx_added(Tx[i], 1000, false);
}

/* The index that p was asked for by getblocktxn, of one; -1: none. */
static int wanted(struct peer *p)
{
	struct sent *m = next_sent(p, MSG_GETBLOCKTXN);
	struct getblocktxn_view v;
	struct index_iter it;
	uint32_t i;

	if (!m)
		return -1;
	ck_assert(getblocktxn_view_parse(&v, slice_of(m->body, m->n)));
	ck_assert(hash256_eq(v.block, &Block_hash));
	ck_assert_uint_eq(v.n, 1);
	getblocktxn_indexes(&it, &v);
	ck_assert(getblocktxn_next(&it, &i));
	return (int)i;
}

/* Those of Tx from first on, n of them. */
static void recv_txs(struct peer *p, int first, int n)
{
	uint8_t body[2048];
	uint8_t *end = blocktxn_head_put(body, &Block_hash, (uint32_t)n);

	for (int i = first; i < first + n; i++)
		end = bytes_put(end, buf_data(Tx[i]), Tx[i]->n);
	recv_msg(p, MSG_BLOCKTXN, body, (size_t)(end - body));
}

static void whole_is_here(const struct peer *p)
{
	ck_assert_uint_eq(W.n_jobs, 1);
	ck_assert_uint_eq(W.jobs[0].peer, PEER_NONE);
	ck_assert_uint_eq(W.jobs[0].buf->n, Block->n);
	ck_assert_mem_eq(buf_data(W.jobs[0].buf), buf_data(Block), Block->n);
	ck_assert_int_eq(p->held, 1);
}

START_TEST(the_pool_fills_what_the_sender_left_out)
{
	struct peer *q = fast(CONN_INBOUND), *p = fast(CONN_OUTBOUND);
	struct buf *other = tx_make(NULL, 0, 99, true);

	tx_added(other, 1000, false);
	pool_has(1);
	recv_compact(p, 7);
	whole_is_here(p);
	ck_assert_uint_eq(asked(p, NULL, 0), 0);
	/* From another while it is judged: nothing more. */
	recv_compact(q, 8);
	ck_assert_uint_eq(W.n_jobs, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
	ck_assert_int_eq(p->held, 0);
	buf_unref(other);
}
END_TEST

START_TEST(of_who_was_not_to_send_one_only_the_header_is_taken)
{
	struct peer *p = speaker(CONN_OUTBOUND);
	struct hash256 want;

	pool_has(1);
	recv_compact(p, 7);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, &want, 1), 1);
	ck_assert(hash256_eq(&want, &Block_hash));
	/* Now that it was asked for the block it may. */
	recv_compact(p, 7);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(what_lacks_is_asked_for_and_put_in_its_place)
{
	struct peer *p = fast(CONN_OUTBOUND);

	pool_has(2);
	recv_compact(p, 7);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_int_eq(wanted(p), 1);
	ck_assert_uint_eq(asked(p, NULL, 0), 0);
	/* The same once more, and what another was not asked for. */
	recv_compact(p, 8);
	recv_txs(fast(CONN_OUTBOUND), 1, 1);
	ck_assert_int_eq(wanted(p), -1);
	ck_assert_uint_eq(W.n_jobs, 0);
	recv_txs(p, 1, 1);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
	ck_assert_int_eq(p->held, 0);
	/* It has come: nothing is open. */
	recv_txs(p, 1, 1);
	ck_assert_ptr_null(p->misbehaved);
	ck_assert_uint_eq(W.n_jobs, 1);
}
END_TEST

START_TEST(a_transaction_that_left_the_pool_is_kept_until_it_is_used)
{
	struct peer *p = fast(CONN_OUTBOUND);

	pool_has(2);
	recv_compact(p, 7);
	for (int i = 2; i < N_TX; i++)
		tx_removed(Tx[i], MEMPOOL_EXPIRY);
	recv_txs(p, 1, 1);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(too_few_or_too_many_transactions_are_misbehaviour)
{
	struct peer *p = fast(CONN_OUTBOUND);

	pool_has(2);
	recv_compact(p, 7);
	recv_txs(p, 1, _i);
	ck_assert_ptr_nonnull(p->misbehaved);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, NULL, 0), 0);
	/* It is free for others. */
	p = fast(CONN_OUTBOUND);
	recv_compact(p, 7);
	ck_assert_int_eq(wanted(p), 1);
}
END_TEST

START_TEST(a_malformed_blocktxn_is_passed_over)
{
	struct peer *p = fast(CONN_OUTBOUND);
	uint8_t body[64];
	uint8_t *end = blocktxn_head_put(body, &Block_hash, 1);

	pool_has(2);
	recv_compact(p, 7);
	recv_msg(p, MSG_BLOCKTXN, body, (size_t)(end - body));
	ck_assert_ptr_null(p->misbehaved);
	recv_txs(p, 1, 1);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(with_a_false_transaction_the_block_is_asked_for_whole_once)
{
	struct peer *p = fast(CONN_OUTBOUND), *q = fast(CONN_OUTBOUND);

	pool_has(2);
	recv_compact(p, 7);
	ck_assert_int_eq(wanted(p), 1);
	recv_compact(q, 7);
	ck_assert_int_eq(wanted(q), 1);
	/* The second has had its try, the first is still waited for. */
	recv_txs(q, 2, 1);
	ck_assert_uint_eq(asked(q, NULL, 0), 0);
	ck_assert_ptr_null(q->misbehaved);
	recv_txs(p, 2, 1);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	ck_assert_ptr_null(p->misbehaved);
	/* Neither another compact one nor more transactions help. */
	recv_compact(p, 9);
	ck_assert_int_eq(wanted(p), -1);
	recv_txs(p, 1, _i);
	ck_assert_ptr_nonnull(p->misbehaved);
	ck_assert_uint_eq(W.n_jobs, 0);
}
END_TEST

START_TEST(three_are_asked_at_once_and_no_more)
{
	struct peer *p[4];

	pool_has(2);
	for (int i = 0; i < 4; i++) {
		p[i] = fast(CONN_OUTBOUND);
		recv_compact(p[i], 7);
		ck_assert_int_eq(wanted(p[i]), i < 3 ? 1 : -1);
		ck_assert_uint_eq(asked(p[i], NULL, 0), 0);
	}
	/* Who leaves makes room, and what it had led to is gone. */
	peer_gone(p[0]);
	recv_compact(p[3], 7);
	ck_assert_int_eq(wanted(p[3]), 1);
	recv_txs(p[2], 1, 1);
	whole_is_here(p[2]);
	recv_txs(p[1], 1, 1);
	ck_assert_uint_eq(W.n_jobs, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(the_fourth_may_still_have_all_that_lacks)
{
	struct peer *p;

	pool_has(2);
	for (int i = 0; i < 3; i++)
		recv_compact(fast(CONN_OUTBOUND), 7);
	p = fast(CONN_OUTBOUND);
	tx_added(Tx[1], 1000, false);
	recv_compact(p, 7);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(the_last_place_is_for_one_that_we_dialled)
{
	struct peer *p;

	pool_has(2);
	for (int i = 0; i < 3; i++) {
		p = fast(CONN_INBOUND);
		recv_compact(p, 7);
		ck_assert_int_eq(wanted(p), i < 2 ? 1 : -1);
	}
	p = fast(CONN_OUTBOUND);
	recv_compact(p, 7);
	ck_assert_int_eq(wanted(p), 1);
}
END_TEST

START_TEST(an_inbound_one_has_it_once_an_outbound_one_is_asked)
{
	struct peer *p = NULL;

	pool_has(2);
	for (int i = 0; i < 3; i++) {
		p = fast(i ? CONN_INBOUND : CONN_OUTBOUND);
		recv_compact(p, 7);
	}
	ck_assert_int_eq(wanted(p), 1);
}
END_TEST

START_TEST(a_false_block_ends_nobody_elses_download)
{
	struct peer *p = fast(CONN_OUTBOUND), *q = fast(CONN_INBOUND);

	pool_has(2);
	recv_compact(p, 7);
	recv_block_raw(q, buf_data(Block), 0);
	ck_assert_ptr_nonnull(q->misbehaved);
	ck_assert_uint_eq(W.n_jobs, 0);
	recv_txs(p, 1, 1);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(who_does_not_give_what_lacks_is_left_in_time)
{
	struct peer *p = fast(CONN_OUTBOUND);
	int64_t now = clock_now(&W.clock);

	pool_has(2);
	recv_compact(p, 7);
	tick_at(now + 600);
	ck_assert_ptr_null(p->disconnected);
	tick_at(now + 602);
	ck_assert_ptr_nonnull(p->disconnected);
}
END_TEST

/* A transaction of half a megabyte. */
static struct buf *big_tx(uint32_t salt)
{
	const uint32_t script = 500000;
	struct buf *b = buf_new(script + 100);
	uint8_t *p = buf_data(b);

	p = le32_put(p, 2);
	*p++ = 1;
	memset(p, 7, 36);
	le32_put(p, salt);
	p += 36;
	*p++ = 0;
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	p = le64_put(p, 1000);
	p = compact_put(p, script);
	memset(p, 0x51, script);
	p = le32_put(p + script, 0);
	b->n = (size_t)(p - buf_data(b));
	return b;
}

START_TEST(no_more_is_kept_than_a_block_can_hold)
{
	struct peer *p = fast(CONN_OUTBOUND);
	uint8_t body[1024], *end;
	uint64_t key[2];

	/* The last one of _i lacks. */
	cmpct_key(key, buf_data(Block), 7);
	end = cmpctblock_head_put(body, buf_data(Block), 7, (uint32_t)_i);
	for (int i = 0; i < _i; i++) {
		struct buf *tx = big_tx((uint32_t)i);
		struct hash256 id = tx_wid(tx);
		end = cmpct_short_id_put(end, cmpct_short_id_of(key, &id));
		if (i < _i - 1)
			tx_added(tx, 1000000, false);
		buf_unref(tx);
	}
	end = compact_put(end, 1);
	end = prefilled_put(end, 0, buf_payload(Tx[0]));
	recv_msg(p, MSG_CMPCTBLOCK, body, (size_t)(end - body));
	/* 7 of them are less than 4,000,000 bytes, 8 are more. */
	ck_assert_ptr_nonnull(
	    next_sent(p, _i < 9 ? MSG_GETBLOCKTXN : MSG_GETDATA));
}
END_TEST

START_TEST(a_peer_may_walk_the_pool_16_times_for_one_tip)
{
	struct peer *p;

	pool_has(2);
	for (int i = 0; i < 3; i++)
		recv_compact(fast(CONN_OUTBOUND), 7);
	p = fast(CONN_OUTBOUND);
	for (int i = 0; i < 16; i++)
		recv_compact(p, 8);
	tx_added(Tx[1], 1000, false);
	recv_compact(p, 7);
	ck_assert_uint_eq(W.n_jobs, 0);
	tip_set(grow(chain_at(NULL, W.tip->height - 1), 1, 90));
	recv_compact(p, 7);
	whole_is_here(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

/* Asked for the block by getdata, it gives a compact one. */
static struct peer *asked_one(void)
{
	struct peer *p = speaker(CONN_INBOUND);

	recv_headers(p, buf_data(Block), 1);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	recv_compact(p, 7);
	return p;
}

START_TEST(inbound_peers_share_three_tries_for_a_block)
{
	struct peer *p;

	pool_has(2);
	for (int i = 0; i < 3; i++) {
		p = asked_one();
		ck_assert_int_eq(wanted(p), 1);
		recv_inv(p, MSG_NOTFOUND, INV_BLOCK, &Block_hash, 1);
	}
	p = asked_one();
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	recv_compact(fast(CONN_OUTBOUND), 7);
	ck_assert_uint_eq(W.n_jobs, 0);
}
END_TEST

START_TEST(an_inbound_peer_walks_once_for_a_header_with_more_work)
{
	struct peer *p = asked_one();

	ck_assert_ptr_nonnull(next_sent(p, MSG_GETBLOCKTXN));
	recv_inv(p, MSG_NOTFOUND, INV_BLOCK, &Block_hash, 1);
	recv_headers(p, buf_data(Block), 1);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	recv_compact(p, 7);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
}
END_TEST

START_TEST(what_the_header_does_not_commit_to_is_no_block)
{
	struct peer *p = fast(CONN_OUTBOUND);

	pool_has(1);
	recv_compact_with(p, 7, 1);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	ck_assert_ptr_null(p->misbehaved);
}
END_TEST

START_TEST(two_places_with_one_short_id_make_the_block_be_asked_for)
{
	struct peer *p = fast(CONN_OUTBOUND);
	uint8_t body[512];
	uint8_t *end = cmpctblock_head_put(body, buf_data(Block), 7, 2);

	end = cmpct_short_id_put(end, 5);
	end = cmpct_short_id_put(end, 5);
	end = compact_put(end, 1);
	end = prefilled_put(end, 0, buf_payload(Tx[0]));
	recv_msg(p, MSG_CMPCTBLOCK, body, (size_t)(end - body));
	ck_assert_uint_eq(p->n_sent, p->read + 1);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	ck_assert_ptr_null(p->misbehaved);
}
END_TEST

START_TEST(the_only_block_on_its_way_to_the_tip_is_asked_for_compact)
{
	struct peer *p = speaker(CONN_OUTBOUND);
	struct sent *m;

	p->cmpct = _i;
	recv_headers(p, buf_data(Block), 1);
	m = next_sent(p, MSG_GETDATA);
	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(le32_get(m->body + 1),
			  _i ? INV_CMPCT_BLOCK : INV_WITNESS_BLOCK);
	if (!_i)
		return;
	pool_has(2);
	recv_compact(p, 7);
	ck_assert_int_eq(wanted(p), 1);
}
END_TEST

START_TEST(an_invalid_one_is_not_held_against_who_passed_it_on)
{
	struct peer *p = fast(CONN_OUTBOUND);

	pool_has(1);
	recv_compact(p, 7);
	ck_assert_uint_eq(W.jobs[0].peer, PEER_NONE);
	job_answer(0, BLOCK_FAILED,
		   verdict_invalid(INV_CONSENSUS, "bad", NULL));
	ck_assert_ptr_null(p->misbehaved);
	ck_assert_ptr_null(p->disconnected);
}
END_TEST

START_TEST(a_peer_may_leave_while_its_block_is_judged)
{
	struct peer *p = fast(CONN_OUTBOUND);

	pool_has(1);
	recv_compact(p, 7);
	peer_gone(p);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

/* Whether the last sendcmpct asked for blocks at once; -1: none. */
static int wants_fast(struct peer *p)
{
	struct sent *s;
	int last = -1;

	while ((s = next_sent(p, MSG_SENDCMPCT)))
		last = s->body[0];
	return last;
}

START_TEST(the_last_three_that_brought_blocks_announce_them_so)
{
	struct peer *p[4];

	for (int i = 0; i < 4; i++)
		p[i] = speaker(CONN_OUTBOUND);
	for (int i = 0; i < 4; i++) {
		struct hnode *n = grow(W.tip, 1, (uint32_t)i + 50);
		recv_inv(p[i], MSG_INV, INV_BLOCK, &n->hash, 1);
		ck_assert_uint_eq(asked(p[i], NULL, 0), 1);
		p[i]->read = p[i]->n_sent;
		recv_block(p[i], n);
		job_answer(W.n_jobs - 1, BLOCK_CONNECTED, verdict_valid());
		ck_assert_int_eq(wants_fast(p[i]), 1);
	}
	ck_assert_int_eq(wants_fast(p[0]), 0);
	ck_assert_int_eq(wants_fast(p[1]), -1);
	peer_gone(p[1]);
}
END_TEST

Suite *rebuild_suite(void)
{
	Suite *s = suite_create("rebuild");
	TCase *c = tcase_create("rebuild");

	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, the_pool_fills_what_the_sender_left_out);
	tcase_add_test(c, of_who_was_not_to_send_one_only_the_header_is_taken);
	tcase_add_test(c, what_lacks_is_asked_for_and_put_in_its_place);
	tcase_add_test(
	    c, a_transaction_that_left_the_pool_is_kept_until_it_is_used);
	tcase_add_loop_test(
	    c, too_few_or_too_many_transactions_are_misbehaviour, 0, 1);
	tcase_add_loop_test(
	    c, too_few_or_too_many_transactions_are_misbehaviour, 2, 4);
	tcase_add_test(c, a_malformed_blocktxn_is_passed_over);
	tcase_add_loop_test(
	    c, with_a_false_transaction_the_block_is_asked_for_whole_once, 0,
	    2);
	tcase_add_test(c, three_are_asked_at_once_and_no_more);
	tcase_add_test(c, the_fourth_may_still_have_all_that_lacks);
	tcase_add_test(c, the_last_place_is_for_one_that_we_dialled);
	tcase_add_test(c, an_inbound_one_has_it_once_an_outbound_one_is_asked);
	tcase_add_test(c, a_false_block_ends_nobody_elses_download);
	tcase_add_test(c, who_does_not_give_what_lacks_is_left_in_time);
	tcase_add_loop_test(c, no_more_is_kept_than_a_block_can_hold, 8, 10);
	tcase_add_test(c, a_peer_may_walk_the_pool_16_times_for_one_tip);
	tcase_add_test(c, inbound_peers_share_three_tries_for_a_block);
	tcase_add_test(c,
		       an_inbound_peer_walks_once_for_a_header_with_more_work);
	tcase_add_test(c, what_the_header_does_not_commit_to_is_no_block);
	tcase_add_test(
	    c, two_places_with_one_short_id_make_the_block_be_asked_for);
	tcase_add_loop_test(
	    c, the_only_block_on_its_way_to_the_tip_is_asked_for_compact, 0, 2);
	tcase_add_test(c, an_invalid_one_is_not_held_against_who_passed_it_on);
	tcase_add_test(c, a_peer_may_leave_while_its_block_is_judged);
	tcase_add_test(c, the_last_three_that_brought_blocks_announce_them_so);
	suite_add_tcase(s, c);
	return s;
}
