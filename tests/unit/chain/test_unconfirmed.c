/*
 * The pool follows the published chain: what blocks take, what comes back in a
 * reorganisation, what the loop hears of it.
 */
#include "rig.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>

#include <string.h>

static struct hash256 id_of(const struct buf *tx)
{
	struct hash256 id;
	struct tx_view v;
	struct rd r;

	rd_init(&r, buf_payload(tx));
	ck_assert(tx_view_parse(&v, &r));
	tx_txid(&id, &v);
	return id;
}

/* One output less a fee, spending output 0 of from, which anyone may. */
static struct buf *child_of(const struct buf *from, int64_t fee)
{
	static const uint8_t lock[] = {4, 'k', 'i', 'd', '.', 0x75, 0x51};
	struct hash256 id = id_of(from);
	struct buf *b = buf_new(128);
	struct txout_view out;
	struct tx_view v;
	struct tx_iter it;
	struct rd r;
	uint8_t *p;

	rd_init(&r, buf_payload(from));
	ck_assert(tx_view_parse(&v, &r));
	txouts(&it, &v);
	ck_assert(txout_next(&it, &out));
	p = le32_put(buf_data(b), 2);
	*p++ = 1;
	p = bytes_put(p, id.b, 32);
	p = le32_put(p, 0);
	*p++ = 0;
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	p = le64_put(p, (uint64_t)(out.value - fee));
	*p++ = sizeof lock;
	p = bytes_put(p, lock, sizeof lock);
	p = le32_put(p, 0);
	b->n = (size_t)(p - buf_data(b));
	return b;
}

struct offering {
	struct mempool_result r;
	bool done;
};

static void on_answer(void *arg, const struct mempool_result *r)
{
	struct offering *o = arg;

	o->r = *r;
	o->r.replaced = NULL;
	o->done = true;
}

static void submit(struct rig *r, struct buf *tx, struct offering *o)
{
	struct tx_job job = {.buf = buf_ref(tx), .done = on_answer, .arg = o};

	memset(o, 0, sizeof *o);
	chain_submit_tx(r->c, &job);
	ck_assert_ptr_null(job.buf);
	ck_assert(!o->done);
}

static enum tx_outcome offer(struct rig *r, struct buf *tx)
{
	struct offering o;

	submit(r, tx, &o);
	rig_until(r, &o.done);
	return o.r.outcome;
}

struct asking {
	struct rig *r;
	struct hash256 id;
	bool there;
	size_t n;
};

static void ask(void *arg)
{
	struct asking *k = arg;
	struct mempool *m = chain_mempool(k->r->c);
	struct mempool_stats s;

	mempool_stats(m, &s, 0);
	k->n = s.n;
	k->there = mempool_find(m, &k->id) != NULL;
}

static bool has(struct rig *r, const struct buf *tx)
{
	struct asking k = {.r = r, .id = id_of(tx)};

	rig_run(r, ask, &k);
	return k.there;
}

static size_t kept(struct rig *r)
{
	struct asking k = {.r = r};

	rig_run(r, ask, &k);
	return k.n;
}

static void start(struct rig *r)
{
	rig_init(r, CHAIN_REGTEST, NULL);
	rig_start(r);
	rig_mine(r, 1, 105);
}

/* A block with these transactions, which has to connect. */
static struct hnode *mine_with(struct rig *r, unsigned salt,
			       struct buf *const *txs, size_t n)
{
	struct buf *b = rig_make(r, salt, txs, n);
	struct block_result res = rig_block(r, buf_payload(b));

	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	buf_unref(b);
	return res.node;
}

START_TEST(a_block_takes_what_it_holds_and_what_it_contradicts)
{
	struct buf *mined, *other, *kid;
	struct rig r;

	start(&r);
	mined = rig_spend(&r, 1, 1, 2);
	other = rig_spend(&r, 1, 2, 2);
	kid = child_of(other, 1000);
	ck_assert_int_eq(offer(&r, other), TX_ACCEPTED);
	ck_assert_int_eq(offer(&r, kid), TX_ACCEPTED);
	mine_with(&r, 2, &mined, 1);
	ck_assert_uint_eq(kept(&r), 0);
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_TX_ADDED), 2);
	ck_assert_uint_eq(rig_count(&r, CHAIN_EV_TX_REMOVED), 2);
	buf_unref(mined);
	buf_unref(other);
	buf_unref(kid);
	rig_fini(&r);
}
END_TEST

START_TEST(transactions_of_blocks_taken_off_come_back_in_order)
{
	struct buf *first, *second;
	struct hnode *low;
	struct rig r;

	start(&r);
	first = rig_spend(&r, 1, 1, 2);
	second = child_of(first, 1000);
	low = mine_with(&r, 2, &first, 1);
	mine_with(&r, 3, &second, 1);
	ck_assert_uint_eq(kept(&r), 0);
	ck_assert_int_eq(rig_invalidate(&r, low).kind, V_VALID);
	ck_assert(has(&r, first));
	ck_assert(has(&r, second));
	/* The other way: the branch is back, and takes them again. */
	ck_assert_int_eq(rig_reconsider(&r, low).kind, V_VALID);
	ck_assert_uint_eq(kept(&r), 0);
	buf_unref(first);
	buf_unref(second);
	rig_fini(&r);
}
END_TEST

START_TEST(only_ten_invalidated_blocks_give_their_transactions_back)
{
	struct buf *tx[12];
	struct hnode *low = NULL;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	rig_mine(&r, 1, 120);
	for (int i = 0; i < 12; i++) {
		struct hnode *n;

		tx[i] = rig_spend(&r, i + 1, 1, 2);
		n = mine_with(&r, (unsigned)i + 2, &tx[i], 1);
		low = i == 0 ? n : low;
	}
	ck_assert_int_eq(rig_invalidate(&r, low).kind, V_VALID);
	ck_assert_uint_eq(kept(&r), 10);
	for (int i = 0; i < 12; i++) {
		ck_assert_msg(has(&r, tx[i]) == (i >= 2), "%d", i);
		buf_unref(tx[i]);
	}
	rig_fini(&r);
}
END_TEST

START_TEST(a_better_branch_gives_back_only_what_it_does_not_hold)
{
	struct buf *both, *left, *branch[2];
	struct hnode *tip;
	struct rig r;

	start(&r);
	both = rig_spend(&r, 1, 1, 2);
	left = rig_spend(&r, 2, 1, 2);
	tip = mine_with(&r, 2, (struct buf *[]){both, left}, 2);
	/* The branch is made where the block is not. */
	ck_assert_int_eq(rig_invalidate(&r, tip).kind, V_VALID);
	branch[0] = rig_make(&r, 3, &both, 1);
	rig_block(&r, buf_payload(branch[0]));
	branch[1] = rig_make(&r, 4, NULL, 0);
	ck_assert_int_eq(rig_reconsider(&r, tip).kind, V_VALID);
	ck_assert_int_eq(rig_precious(&r, tip).kind, V_VALID);
	ck_assert_ptr_eq(chain_tip(r.c), tip);
	ck_assert_uint_eq(kept(&r), 0);
	ck_assert_int_eq(rig_block(&r, buf_payload(branch[1])).outcome,
			 BLOCK_CONNECTED);
	ck_assert(!has(&r, both));
	ck_assert(has(&r, left));
	buf_unref(branch[0]);
	buf_unref(branch[1]);
	buf_unref(both);
	buf_unref(left);
	rig_fini(&r);
}
END_TEST

START_TEST(what_spends_a_coinbase_that_is_gone_leaves)
{
	struct hnode *made;
	struct buf *tx, *kid;
	struct rig r;

	start(&r);
	made = rig_mine(&r, 2, 1);
	rig_mine(&r, 3, 99);
	tx = rig_spend(&r, made->height, 1, 2);
	kid = child_of(tx, 1000);
	ck_assert_int_eq(offer(&r, tx), TX_ACCEPTED);
	ck_assert_int_eq(offer(&r, kid), TX_ACCEPTED);
	/* One block less, and it is too young. */
	ck_assert_int_eq(rig_invalidate(&r, chain_tip(r.c)).kind, V_VALID);
	ck_assert_uint_eq(kept(&r), 0);
	ck_assert_int_eq(offer(&r, tx), TX_PREMATURE);
	buf_unref(tx);
	buf_unref(kid);
	rig_fini(&r);
}
END_TEST

START_TEST(a_branch_that_breaks_leaves_the_pool_as_it_should_be)
{
	struct buf *mine, *theirs, *branch[2];
	struct hnode *tip, *last;
	struct rig r;

	start(&r);
	mine = rig_spend(&r, 1, 1, 2);
	theirs = rig_spend(&r, 2, 1, 2);
	tip = mine_with(&r, 2, &mine, 1);
	ck_assert_int_eq(rig_invalidate(&r, tip).kind, V_VALID);
	branch[0] = rig_make(&r, 3, &theirs, 1);
	rig_block(&r, buf_payload(branch[0]));
	branch[1] = rig_make(&r, 4, NULL, 0);
	ck_assert_int_eq(rig_reconsider(&r, tip).kind, V_VALID);
	ck_assert_int_eq(rig_precious(&r, tip).kind, V_VALID);
	last = rig_header(&r, buf_payload(branch[1]));
	r.script_fails = last->hash;
	ck_assert_int_eq(rig_block(&r, buf_payload(branch[1])).outcome,
			 BLOCK_FAILED);
	ck_assert_ptr_eq(chain_tip(r.c), tip);
	/* The branch's own came off with it. */
	ck_assert(has(&r, theirs));
	ck_assert_uint_eq(kept(&r), 1);
	buf_unref(branch[0]);
	buf_unref(branch[1]);
	buf_unref(mine);
	buf_unref(theirs);
	rig_fini(&r);
}
END_TEST

START_TEST(offers_are_answered_when_the_chain_has_stopped)
{
	struct offering late;
	struct buf *tx;
	struct rig r;
	size_t n, bytes;

	start(&r);
	tx = rig_spend(&r, 1, 1, 2);
	chain_stop(r.c);
	submit(&r, tx, &late);
	chain_tx_backlog(r.c, &n, &bytes);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(bytes, tx->n);
	rig_until(&r, &late.done);
	ck_assert_int_eq(late.r.outcome, TX_FAILED);
	ck_assert_int_eq(late.r.verdict.rc, E_STOPPING);
	chain_tx_backlog(r.c, &n, &bytes);
	ck_assert_uint_eq(n + bytes, 0);
	rig_until(&r, &r.stopped);
	chain_free(r.c);
	r.c = NULL;
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

Suite *unconfirmed_suite(void)
{
	Suite *s = suite_create("unconfirmed");
	TCase *tc = tcase_create("pool and chain");

	tcase_add_test(tc, a_block_takes_what_it_holds_and_what_it_contradicts);
	tcase_add_test(tc, transactions_of_blocks_taken_off_come_back_in_order);
	tcase_add_test(
	    tc, only_ten_invalidated_blocks_give_their_transactions_back);
	tcase_add_test(tc,
		       a_better_branch_gives_back_only_what_it_does_not_hold);
	tcase_add_test(tc, what_spends_a_coinbase_that_is_gone_leaves);
	tcase_add_test(tc,
		       a_branch_that_breaks_leaves_the_pool_as_it_should_be);
	tcase_add_test(tc, offers_are_answered_when_the_chain_has_stopped);
	suite_add_tcase(s, tc);
	return s;
}
