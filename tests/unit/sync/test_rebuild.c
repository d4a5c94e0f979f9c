/* A block put together from its compact form and the pool
 * (src/sync/rebuild.c, bandwidth.c). */
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

START_TEST(the_pool_fills_what_the_sender_left_out)
{
	struct peer *p = speaker(CONN_OUTBOUND);
	struct buf *other = tx_make(NULL, 0, 99, true);

	tx_added(other, 1000, false);
	pool_has(1);
	recv_compact(p, 7);
	ck_assert_uint_eq(W.n_jobs, 1);
	ck_assert_uint_eq(W.jobs[0].buf->n, Block->n);
	ck_assert_mem_eq(buf_data(W.jobs[0].buf), buf_data(Block), Block->n);
	ck_assert_uint_eq(asked(p, NULL, 0), 0);
	ck_assert_int_eq(p->held, 1);
	/* From another while it is judged: nothing more. */
	recv_compact(speaker(CONN_INBOUND), 8);
	ck_assert_uint_eq(W.n_jobs, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
	ck_assert_int_eq(p->held, 0);
	buf_unref(other);
}
END_TEST

START_TEST(where_one_lacks_the_block_is_asked_for_whole)
{
	struct peer *p = speaker(CONN_OUTBOUND);
	struct hash256 want;

	pool_has(2);
	recv_compact(p, 7);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, &want, 1), 1);
}
END_TEST

/* Each try walks the whole pool. */
START_TEST(a_peer_may_try_once_for_each_block)
{
	struct peer *p = speaker(CONN_OUTBOUND);

	pool_has(2);
	recv_compact(p, 7);
	pool_has(1);
	recv_compact(p, 8);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	/* Others may, too. */
	recv_compact(speaker(CONN_INBOUND), 9);
	ck_assert_uint_eq(W.n_jobs, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(inbound_peers_share_three_tries_for_a_block)
{
	for (int i = 0; i < 3; i++)
		recv_compact(speaker(CONN_INBOUND), 7);
	pool_has(1);
	recv_compact(speaker(CONN_INBOUND), 7);
	ck_assert_uint_eq(W.n_jobs, 0);
	recv_compact(speaker(CONN_OUTBOUND), 7);
	ck_assert_uint_eq(W.n_jobs, 1);
	job_answer(0, BLOCK_CONNECTED, verdict_valid());
}
END_TEST

START_TEST(what_the_header_does_not_commit_to_is_no_block)
{
	struct peer *p = speaker(CONN_OUTBOUND);

	pool_has(1);
	recv_compact_with(p, 7, 1);
	ck_assert_uint_eq(W.n_jobs, 0);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	ck_assert_ptr_null(p->misbehaved);
}
END_TEST

START_TEST(an_invalid_one_is_not_held_against_who_passed_it_on)
{
	struct peer *p = speaker(CONN_OUTBOUND);

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
	struct peer *p = speaker(CONN_OUTBOUND);

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
	tcase_add_test(c, where_one_lacks_the_block_is_asked_for_whole);
	tcase_add_test(c, a_peer_may_try_once_for_each_block);
	tcase_add_test(c, inbound_peers_share_three_tries_for_a_block);
	tcase_add_test(c, what_the_header_does_not_commit_to_is_no_block);
	tcase_add_test(c, an_invalid_one_is_not_held_against_who_passed_it_on);
	tcase_add_test(c, a_peer_may_leave_while_its_block_is_judged);
	tcase_add_test(c, the_last_three_that_brought_blocks_announce_them_so);
	suite_add_tcase(s, c);
	return s;
}
