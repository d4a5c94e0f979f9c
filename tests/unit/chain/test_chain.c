/* The pipeline as a whole, on real chains and on blocks mined here. */
#include "../testdata.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/chain/undo.h>

#include <stdlib.h>
#include <unistd.h>

/* A real chain, and where it ends. */
static const struct real {
	enum chain_id id;
	const char *file, *tip;
	int32_t height;
} reals[] = {
    {CHAIN_MAIN, "chains/mainnet-0-2100.blk",
     "00000000d5092034c3a92473d42f28e3fd279f0652e2d5b0049c7d40fcbc990b", 2100},
    {CHAIN_TEST, "chains/testnet3-0-2100.blk",
     "000000004f1cf82dedcee0f46fcdd6c27eeb6a234cc39d1516e8b64a7e77ad52", 2100},
    {CHAIN_SIGNET, "chains/signet-0-60.blk",
     "0000027c0a9ed0e6eb0d1e222d6194c949ba53ea182ac6169c87a78dda43da39", 60},
    {CHAIN_REGTEST, "chains/regtest-kernel-0-206.blk",
     "3de082158b117acd088306c395d09771bb7cbf0b7355796c1b1e0bd748ef9bed", 206},
};
#define REALS (int)(sizeof reals / sizeof *reals)

static void assert_tip(struct rig *r, const char *hash, int32_t height)
{
	char got[HASH256_STR];

	ck_assert_int_eq(chain_tip(r->c)->height, height);
	ck_assert_str_eq(hash256_fmt(got, &chain_tip(r->c)->hash), hash);
}

START_TEST(chain_connects_every_block_of_a_real_chain)
{
	const struct real *real = &reals[_i];
	struct blockfile_data d;
	struct block_result *res;
	struct rig r;
	size_t i;

	if (td_missing())
		return;
	blocks_read(&d, real->file);
	rig_init(&r, real->id, NULL);
	rig_start(&r);
	res = xcalloc(d.n, sizeof *res);
	for (i = 0; i < d.n; i++)
		rig_send(&r, d.blocks[i], &res[i]);
	rig_settle(&r);
	ck_assert_int_eq(res[0].outcome, BLOCK_KNOWN);
	for (i = 1; i < d.n; i++)
		ck_assert_msg(res[i].outcome == BLOCK_CONNECTED,
			      "%s block %zu: outcome %d %s", real->file, i,
			      res[i].outcome, res[i].verdict.reject);
	assert_tip(&r, real->tip, real->height);
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_CONNECTED), d.n - 1);
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_TIP), d.n - 1);
	free(res);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

static void send_all(struct rig *r, const struct blockfile_data *d)
{
	size_t i;

	for (i = 1; i < d->n; i++)
		rig_header(r, d->blocks[i]);
	for (i = 1; i < d->n; i++)
		rig_send(r, d->blocks[i], NULL);
	rig_settle(r);
}

START_TEST(chain_restarts_where_it_stopped_with_the_same_coins)
{
	const struct real *real = &reals[_i];
	struct blockfile_data d;
	struct hash256 before, after;
	size_t n_before, n_after;
	struct rig r;

	if (td_missing())
		return;
	blocks_read(&d, real->file);
	rig_init(&r, real->id, NULL);
	rig_start(&r);
	send_all(&r, &d);
	before = rig_coins(&r, &n_before);
	rig_restart(&r);
	assert_tip(&r, real->tip, real->height);
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_CONNECTED), 0);
	after = rig_coins(&r, &n_after);
	ck_assert_uint_eq(n_before, n_after);
	ck_assert_mem_eq(before.b, after.b, 32);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

START_TEST(chain_connects_blocks_that_come_last_first)
{
	struct block_result res[207];
	struct blockfile_data d;
	struct rig r;
	size_t i;

	if (td_missing())
		return;
	blocks_read(&d, reals[3].file);
	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	for (i = 1; i < d.n; i++)
		rig_header(&r, d.blocks[i]);
	for (i = d.n - 1; i > 0; i--)
		rig_send(&r, d.blocks[i], &res[i]);
	rig_settle(&r);
	assert_tip(&r, reals[3].tip, 206);
	ck_assert_int_eq(res[1].outcome, BLOCK_CONNECTED);
	for (i = 2; i < d.n; i++)
		ck_assert_int_eq(res[i].outcome, BLOCK_STORED);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

START_TEST(chain_leaves_one_block_out_and_waits_for_it)
{
	struct blockfile_data d;
	struct block_result res;
	struct rig r;
	size_t i;

	if (td_missing())
		return;
	blocks_read(&d, reals[3].file);
	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	for (i = 1; i < d.n; i++)
		rig_header(&r, d.blocks[i]);
	for (i = 1; i < d.n; i++)
		if (i != 100)
			rig_send(&r, d.blocks[i], NULL);
	rig_settle(&r);
	ck_assert_int_eq(chain_tip(r.c)->height, 99);
	/* What waits is found again after a restart. */
	rig_restart(&r);
	ck_assert_int_eq(chain_tip(r.c)->height, 99);
	res = rig_block(&r, d.blocks[100]);
	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	assert_tip(&r, reals[3].tip, 206);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

START_TEST(chain_refuses_an_immature_spend_and_all_behind_it)
{
	struct blockfile_data d;
	struct block_result res;
	struct hnode *n;
	struct verdict v;
	struct rig r;

	if (td_missing())
		return;
	blocks_read(&d, "chains/reorg-0-4-then-3A-5A.blk");
	rig_init(&r, CHAIN_MAIN, NULL);
	rig_start(&r);
	res = rig_block(&r, d.blocks[1]);
	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	res = rig_block_from(&r, d.blocks[2], 7, true);
	ck_assert_int_eq(res.outcome, BLOCK_FAILED);
	ck_assert_str_eq(res.verdict.reject,
			 "bad-txns-premature-spend-of-coinbase");
	v = rig_try_header(&r, &n, d.blocks[3]);
	ck_assert_str_eq(v.reject, "bad-prevblk");
	ck_assert_int_eq(chain_tip(r.c)->height, 1);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

START_TEST(chain_moves_to_the_branch_with_more_work)
{
	struct hash256 at_5, back;
	struct buf *branch[3];
	struct hnode *fork, *old;
	struct block_result res;
	struct rig a, b;
	int i;

	rig_init(&a, CHAIN_REGTEST, NULL);
	rig_init(&b, CHAIN_REGTEST, NULL);
	rig_start(&a);
	rig_start(&b);
	for (i = 0; i < 3; i++) {
		struct buf *blk = rig_make(&a, 1, NULL, 0);

		rig_block(&a, buf_payload(blk));
		rig_block(&b, buf_payload(blk));
		buf_unref(blk);
	}
	fork = chain_tip(a.c);
	old = rig_mine(&a, 2, 2);
	at_5 = rig_coins(&a, NULL);
	for (i = 0; i < 3; i++) {
		branch[i] = rig_make(&b, 3, NULL, 0);
		rig_block(&b, buf_payload(branch[i]));
	}
	res = rig_block(&a, buf_payload(branch[0]));
	ck_assert_int_eq(res.outcome, BLOCK_STORED);
	/* As much work as the tip: who came first stays. */
	res = rig_block(&a, buf_payload(branch[1]));
	ck_assert_int_eq(res.outcome, BLOCK_STORED);
	ck_assert_ptr_eq(chain_tip(a.c), old);
	a.n_events = 0;
	res = rig_block(&a, buf_payload(branch[2]));
	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	ck_assert_int_eq(chain_tip(a.c)->height, 6);
	ck_assert_uint_eq(rig_count(&a, CHAIN_EV_DISCONNECTED), 2);
	ck_assert_uint_eq(rig_count(&a, CHAIN_EV_CONNECTED), 3);
	ck_assert_int_eq(a.events[a.n_events - 1].type, CHAIN_EV_TIP);
	ck_assert_ptr_eq(a.events[a.n_events - 1].fork, fork);
	back = rig_coins(&b, NULL);
	ck_assert_mem_eq(rig_coins(&a, NULL).b, back.b, 32);
	/* And back, where the invalid branch is left. */
	rig_invalidate(&a, chain_at(a.c, 4));
	ck_assert_ptr_eq(chain_tip(a.c), old);
	back = rig_coins(&a, NULL);
	ck_assert_mem_eq(back.b, at_5.b, 32);
	for (i = 0; i < 3; i++)
		buf_unref(branch[i]);
	rig_fini(&a);
	rig_fini(&b);
}
END_TEST

START_TEST(script_verdict_disconnects_marks_and_names_the_sender)
{
	struct buf *good, *bad[3];
	struct block_result res;
	struct hnode *old;
	struct rig a, b;
	size_t i;

	rig_init(&a, CHAIN_REGTEST, NULL);
	rig_init(&b, CHAIN_REGTEST, NULL);
	rig_start(&a);
	rig_start(&b);
	good = rig_make(&a, 1, NULL, 0);
	rig_block(&a, buf_payload(good));
	rig_block(&b, buf_payload(good));
	old = rig_mine(&a, 2, 1);
	for (i = 0; i < 3; i++) {
		bad[i] = rig_make(&b, 3, NULL, 0);
		rig_block(&b, buf_payload(bad[i]));
	}
	block_hash(&a.script_fails, buf_payload(bad[1]));
	rig_block_from(&a, buf_payload(bad[0]), 11, true);
	a.n_events = 0;
	res = rig_block_from(&a, buf_payload(bad[1]), 12, true);
	ck_assert_int_eq(res.outcome, BLOCK_FAILED);
	ck_assert_str_eq(res.verdict.reject, "block-script-verify-flag-failed");
	ck_assert_ptr_eq(chain_tip(a.c), old);
	for (i = 0; a.events[i].type != CHAIN_EV_INVALID; i++)
		ck_assert_uint_lt(i + 1, a.n_events);
	ck_assert_ptr_eq(a.events[i].node, res.node);
	ck_assert_uint_eq(a.events[i].peer, 12);
	ck_assert(hnode_status(res.node) & HN_FAILED);
	/* The tip was visible all the time. */
	ck_assert_uint_eq(rig_count(&a, CHAIN_EV_TIP), 0);
	/* Forgiven and without the hook it wins. */
	memset(&a.script_fails, 0, 32);
	rig_reconsider(&a, res.node);
	ck_assert_ptr_eq(chain_tip(a.c), res.node);
	for (i = 0; i < 3; i++)
		buf_unref(bad[i]);
	buf_unref(good);
	rig_fini(&a);
	rig_fini(&b);
}
END_TEST

/* Change one byte of a copy. */
static struct buf *spoiled(const struct buf *b, size_t at)
{
	struct buf *copy = buf_new(b->n);

	copy->n = b->n;
	memcpy(buf_data(copy), buf_payload(b).p, b->n);
	buf_data(copy)[at] ^= 1;
	return copy;
}

START_TEST(bad_copy_does_not_keep_the_good_one_out)
{
	struct block_result first, second, third;
	struct buf *good, *bad;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	good = rig_make(&r, 1, NULL, 0);
	/* In the coinbase's value: the merkle root does not agree. */
	bad = spoiled(good, 80 + 1 + 4 + 2 + 1 + 36 + 1 + 2 + 4 + 1);
	rig_send(&r, buf_payload(bad), &first);
	rig_send(&r, buf_payload(good), &second);
	rig_send(&r, buf_payload(good), &third);
	rig_settle(&r);
	ck_assert_int_eq(first.outcome, BLOCK_REFUSED);
	ck_assert_int_eq(first.verdict.reason, INV_MUTATED);
	ck_assert_int_eq(second.outcome, BLOCK_CONNECTED);
	ck_assert_int_eq(third.outcome, BLOCK_KNOWN);
	ck_assert(!(hnode_status(second.node) & HN_FAILED_ANY));
	buf_unref(good);
	buf_unref(bad);
	rig_fini(&r);
}
END_TEST

START_TEST(wrong_checksum_is_dropped_without_a_reason)
{
	struct block_job job = {.check_checksum = true, .requested = true};
	struct buf *good;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	good = rig_make(&r, 1, NULL, 0);
	job.node = rig_header(&r, buf_payload(good));
	job.buf = buf_ref(good);
	job.checksum = 0x12345678;
	chain_submit_block(r.c, &job);
	ck_assert_int_eq(rig_block(&r, buf_payload(good)).outcome,
			 BLOCK_CONNECTED);
	buf_unref(good);
	rig_fini(&r);
}
END_TEST

START_TEST(unrequested_block_is_taken_only_near_the_tip)
{
	struct buf *far[300], *b1, *b2;
	struct block_result res;
	struct rig a, b;
	size_t i;

	/* A longer chain, to have blocks far ahead. */
	rig_init(&b, CHAIN_REGTEST, NULL);
	rig_start(&b);
	rig_init(&a, CHAIN_REGTEST, NULL);
	rig_start(&a);
	for (i = 0; i < 300; i++) {
		far[i] = rig_make(&b, 1, NULL, 0);
		rig_block(&b, buf_payload(far[i]));
		rig_header(&a, buf_payload(far[i]));
	}
	res = rig_block_from(&a, buf_payload(far[288]), 5, false);
	ck_assert_int_eq(res.outcome, BLOCK_IGNORED);
	res = rig_block_from(&a, buf_payload(far[287]), 5, false);
	ck_assert_int_eq(res.outcome, BLOCK_STORED);
	res = rig_block_from(&a, buf_payload(far[0]), 5, false);
	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	res = rig_block_from(&a, buf_payload(far[288]), 5, false);
	ck_assert_int_eq(res.outcome, BLOCK_STORED);
	/* Asked for, any block is. */
	res = rig_block_from(&a, buf_payload(far[299]), 5, true);
	ck_assert_int_eq(res.outcome, BLOCK_STORED);
	/* Less work than the tip. */
	b1 = rig_make(&a, 9, NULL, 0);
	rig_block(&a, buf_payload(far[1]));
	rig_block(&a, buf_payload(far[2]));
	res = rig_block_from(&a, buf_payload(b1), 5, false);
	ck_assert_int_eq(res.outcome, BLOCK_IGNORED);
	b2 = spoiled(b1, b1->n - 1);
	res = rig_block_from(&a, buf_payload(b2), 5, false);
	ck_assert_int_eq(res.outcome, BLOCK_REFUSED);
	ck_assert_int_eq(res.verdict.reason, INV_MUTATED);
	buf_unref(b1);
	buf_unref(b2);
	for (i = 0; i < 300; i++)
		buf_unref(far[i]);
	rig_fini(&a);
	rig_fini(&b);
}
END_TEST

START_TEST(precious_block_wins_a_tie)
{
	struct buf *x, *y;
	struct hnode *nx, *ny;
	struct hash256 hash;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	x = rig_make(&r, 1, NULL, 0);
	y = rig_make(&r, 2, NULL, 0);
	nx = rig_block(&r, buf_payload(x)).node;
	ny = rig_block(&r, buf_payload(y)).node;
	ck_assert_ptr_eq(chain_tip(r.c), nx);
	rig_precious(&r, ny);
	ck_assert_ptr_eq(chain_tip(r.c), ny);
	rig_precious(&r, nx);
	ck_assert_ptr_eq(chain_tip(r.c), nx);
	hash = nx->hash;
	rig_restart(&r);
	ck_assert_mem_eq(chain_tip(r.c)->hash.b, hash.b, 32);
	buf_unref(x);
	buf_unref(y);
	rig_fini(&r);
}
END_TEST

START_TEST(invalidated_and_reconsidered_survive_a_restart)
{
	struct hnode *n, *tip;
	struct hash256 h;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	tip = rig_mine(&r, 1, 10);
	h = tip->hash;
	n = chain_at(r.c, 5);
	rig_invalidate(&r, n);
	ck_assert_int_eq(chain_tip(r.c)->height, 4);
	ck_assert(hnode_status(tip) & HN_FAILED_PARENT);
	rig_restart(&r);
	ck_assert_int_eq(chain_tip(r.c)->height, 4);
	tip = htree_find(chain_tree(r.c), &h);
	ck_assert_ptr_nonnull(tip);
	ck_assert(hnode_status(tip) & HN_FAILED_PARENT);
	rig_reconsider(&r, tip);
	ck_assert_ptr_eq(chain_tip(r.c), tip);
	rig_restart(&r);
	ck_assert_int_eq(chain_tip(r.c)->height, 10);
	rig_fini(&r);
}
END_TEST

START_TEST(stop_answers_every_job)
{
	struct blockfile_data d;
	struct block_result *res;
	struct rig r;
	size_t i, stored = 0;

	if (td_missing())
		return;
	blocks_read(&d, reals[1].file);
	rig_init(&r, CHAIN_TEST, NULL);
	rig_start(&r);
	res = xcalloc(d.n, sizeof *res);
	for (i = 1; i < d.n; i++)
		rig_header(&r, d.blocks[i]);
	for (i = 1; i < d.n; i++)
		rig_send(&r, d.blocks[i], &res[i]);
	rig_stop(&r);
	for (i = 1; i < d.n; i++) {
		if (res[i].outcome == BLOCK_REFUSED)
			ck_assert_int_eq(res[i].verdict.rc, E_STOPPING);
		else
			stored++;
	}
	rig_start(&r);
	ck_assert_int_ge(chain_tip(r.c)->height, 0);
	send_all(&r, &d);
	assert_tip(&r, reals[1].tip, 2100);
	ck_assert_uint_le(stored, d.n);
	free(res);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

START_TEST(full_disk_is_told_in_one_sentence)
{
	char *path;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	ck_assert_int_eq(dir_make(r.blocks_dir), 0);
	path = path_join(r.blocks_dir, "blk00000.dat");
	ck_assert_int_eq(symlink("/dev/full", path), 0);
	rig_start(&r);
	ck_assert(r.fatal && !r.loaded);
	ck_assert_ptr_nonnull(strstr(r.fatal_text, "disk is full"));
	rig_stop(&r);
	/* There is room again. */
	ck_assert_int_eq(unlink(path), 0);
	free(path);
	rig_start(&r);
	ck_assert(r.loaded);
	rig_mine(&r, 1, 3);
	rig_fini(&r);
}
END_TEST

START_TEST(full_disk_under_undo_data_stops_before_the_block_counts)
{
	struct block_result res;
	struct buf *tx, *b;
	char *path;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	ck_assert_int_eq(dir_make(r.blocks_dir), 0);
	path = path_join(r.blocks_dir, "rev00000.dat");
	ck_assert_int_eq(symlink("/dev/full", path), 0);
	rig_start(&r);
	/* Nothing is spent: no undo data are written. */
	rig_mine(&r, 1, 101);
	tx = rig_spend(&r, 1, 1, 2);
	b = rig_make(&r, 1, &tx, 1);
	res = rig_block(&r, buf_payload(b));
	ck_assert_int_ne(res.outcome, BLOCK_CONNECTED);
	rig_until(&r, &r.fatal);
	ck_assert_ptr_nonnull(strstr(r.fatal_text, "disk is full"));
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_FATAL), 1);
	/* From now on blocks are refused, and nobody is blamed. */
	buf_unref(b);
	ck_assert_int_eq(chain_tip(r.c)->height, 101);
	rig_stop(&r);
	ck_assert_int_eq(unlink(path), 0);
	free(path);
	rig_start(&r);
	ck_assert(r.loaded);
	while (chain_tip(r.c)->height < 102)
		rig_poll(&r);
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_INVALID), 0);
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

/* More bodies than are kept in memory: the rest is read back from disk. */
START_TEST(large_blocks_that_come_last_first_are_connected)
{
	struct buf *blk[80];
	struct rig a, b;
	int i;

	rig_init(&a, CHAIN_REGTEST, NULL);
	rig_init(&b, CHAIN_REGTEST, NULL);
	rig_start(&a);
	rig_start(&b);
	for (i = 0; i < 80; i++) {
		blk[i] = rig_make_large(&b, 1, 990000);
		ck_assert_int_eq(rig_block(&b, buf_payload(blk[i])).outcome,
				 BLOCK_CONNECTED);
		rig_header(&a, buf_payload(blk[i]));
	}
	for (i = 79; i >= 0; i--) {
		rig_send(&a, buf_payload(blk[i]), NULL);
		buf_unref(blk[i]);
	}
	rig_settle(&a);
	ck_assert_int_eq(chain_tip(a.c)->height, 80);
	rig_fini(&a);
	rig_fini(&b);
}
END_TEST

struct noted {
	struct rig *r;
	int n, at[3];
};

static void note_first(void *arg)
{
	struct noted *k = arg;

	k->at[0] = ++k->n;
}

static void note_second(void *arg)
{
	struct noted *k = arg;

	k->at[1] = ++k->n;
}

START_TEST(tasks_run_in_order_and_not_after_the_stop)
{
	struct noted k = {.n = 0};
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	ck_assert(chain_run(r.c, (struct task){note_first, &k}));
	rig_run(&r, note_second, &k);
	ck_assert_int_eq(k.at[0], 1);
	ck_assert_int_eq(k.at[1], 2);
	chain_stop(r.c);
	ck_assert(!chain_run(r.c, (struct task){note_first, &k}));
	rig_until(&r, &r.stopped);
	ck_assert_int_eq(k.n, 2);
	chain_free(r.c);
	r.c = NULL;
	rig_fini(&r);
}
END_TEST

START_TEST(undo_record_of_a_block_holds_the_coins_it_spent)
{
	struct undo_reader undo;
	struct buf *tx, *b, *rec;
	struct block_result res;
	struct coin coin;
	struct rig r;
	bool bad;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	rig_mine(&r, 1, 101);
	tx = rig_spend(&r, 1, 1, 2);
	b = rig_make(&r, 1, &tx, 1);
	res = rig_block(&r, buf_payload(b));
	ck_assert_int_eq(chain_read_undo(r.c, &rec, res.node), 0);
	ck_assert(undo_reader_init(&undo, buf_payload(rec)));
	ck_assert_uint_eq(undo.left, 1);
	ck_assert(undo_next(&undo, &coin, &bad));
	ck_assert_int_eq(coin.value, 5000000000);
	ck_assert_int_eq(coin.height, 1);
	ck_assert(coin.coinbase);
	buf_unref(rec);
	/* Nothing spent: an empty record, though nothing is on disk. */
	ck_assert_int_eq(chain_read_undo(r.c, &rec, chain_at(r.c, 5)), 0);
	ck_assert(undo_reader_init(&undo, buf_payload(rec)));
	ck_assert_uint_eq(undo.left, 0);
	buf_unref(rec);
	buf_unref(tx);
	buf_unref(b);
	rig_fini(&r);
}
END_TEST

START_TEST(ibd_ends_with_a_recent_tip_and_stays_ended)
{
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	ck_assert(chain_in_ibd(r.c));
	rig_mine(&r, 1, 1);
	ck_assert(!chain_in_ibd(r.c));
	ck_assert(chain_progress(r.c, chain_tip(r.c)) > 0.99);
	clock_set_mock(&r.clock, clock_now(&r.clock) + 1000000);
	ck_assert(!chain_in_ibd(r.c));
	rig_fini(&r);
}
END_TEST

START_TEST(stop_at_height_is_told_and_nothing_more_connected)
{
	struct buf *blk[5];
	struct rig a, b;
	int i;

	rig_init(&a, CHAIN_REGTEST, NULL);
	rig_init(&b, CHAIN_REGTEST, NULL);
	b.cfg.stop_at_height = 3;
	rig_start(&a);
	rig_start(&b);
	for (i = 0; i < 5; i++) {
		blk[i] = rig_make(&a, 1, NULL, 0);
		rig_block(&a, buf_payload(blk[i]));
		rig_block(&b, buf_payload(blk[i]));
	}
	ck_assert_int_eq(chain_tip(b.c)->height, 3);
	ck_assert_uint_eq(rig_count(&b, CHAIN_EV_FATAL), 1);
	for (i = 0; i < 5; i++)
		buf_unref(blk[i]);
	rig_fini(&a);
	rig_fini(&b);
}
END_TEST

Suite *chain_suite(void)
{
	Suite *s = suite_create("chain");
	TCase *tc = tcase_create("real chains");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, chain_connects_every_block_of_a_real_chain, 0,
			    REALS);
	tcase_add_loop_test(
	    tc, chain_restarts_where_it_stopped_with_the_same_coins, 0, REALS);
	tcase_add_test(tc, chain_connects_blocks_that_come_last_first);
	tcase_add_test(tc, chain_leaves_one_block_out_and_waits_for_it);
	tcase_add_test(tc, chain_refuses_an_immature_spend_and_all_behind_it);
	tcase_add_test(tc, stop_answers_every_job);
	suite_add_tcase(s, tc);
	tc = tcase_create("mined here");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, chain_moves_to_the_branch_with_more_work);
	tcase_add_test(tc,
		       script_verdict_disconnects_marks_and_names_the_sender);
	tcase_add_test(tc, bad_copy_does_not_keep_the_good_one_out);
	tcase_add_test(tc, wrong_checksum_is_dropped_without_a_reason);
	tcase_add_test(tc, unrequested_block_is_taken_only_near_the_tip);
	tcase_add_test(tc, precious_block_wins_a_tie);
	tcase_add_test(tc, invalidated_and_reconsidered_survive_a_restart);
	tcase_add_test(tc, full_disk_is_told_in_one_sentence);
	tcase_add_test(tc,
		       full_disk_under_undo_data_stops_before_the_block_counts);
	tcase_add_test(tc, large_blocks_that_come_last_first_are_connected);
	tcase_add_test(tc, tasks_run_in_order_and_not_after_the_stop);
	tcase_add_test(tc, undo_record_of_a_block_holds_the_coins_it_spent);
	tcase_add_test(tc, ibd_ends_with_a_recent_tip_and_stays_ended);
	tcase_add_test(tc, stop_at_height_is_told_and_nothing_more_connected);
	suite_add_tcase(s, tc);
	return s;
}
