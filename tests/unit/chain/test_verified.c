/*
 * What was verified is not verified again where that pays, and only there
 * (src/chain/verified.c): a test's verifier counts the signatures that are
 * asked about, whatever became of the blocks they are in.
 */
#include "miner.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/secret.h>
#include <cairn/crypto/sig.h>
#include <cairn/script/interp.h>
#include <cairn/script/op.h>
#include <cairn/script/sighash.h>
#include <cairn/wire/block.h>

#include <stdlib.h>

#define INS_MAX 100u

static bool count_ecdsa(void *arg, struct slice der, struct slice key,
			const uint8_t hash[32])
{
	__atomic_fetch_add((size_t *)arg, 1, __ATOMIC_RELAXED);
	return ecdsa_verify(der, key, hash);
}

static bool no_schnorr(void *arg, const struct script_input *in,
		       const uint8_t sig[64], const uint8_t key[32],
		       const uint8_t hash[32])
{
	(void)arg;
	(void)in;
	(void)sig;
	(void)key;
	(void)hash;
	return false;
}

static bool no_tweak(void *arg, const struct script_input *in,
		     const uint8_t output[32], bool odd,
		     const uint8_t internal[32], const uint8_t tweak[32])
{
	(void)arg;
	(void)in;
	(void)output;
	(void)odd;
	(void)internal;
	(void)tweak;
	return false;
}

/* A chain whose blocks' signatures are counted. */
struct counted {
	struct rig r;
	struct sig_verifier v;
	size_t asked; /* atomic */
};

static void start(struct counted *k, unsigned workers, int64_t cache)
{
	rig_init(&k->r, CHAIN_REGTEST, NULL);
	k->v = (struct sig_verifier){.ecdsa = count_ecdsa,
				     .schnorr = no_schnorr,
				     .tweak = no_tweak,
				     .arg = &k->asked};
	k->asked = 0;
	k->r.cfg.workers = workers;
	k->r.cfg.sig_cache = cache;
	k->r.cfg.verifier = &k->v;
	clock_set_mock(&k->r.clock, 1700000000);
	rig_start(&k->r);
	rig_mine(&k->r, 1, 102);
}

/* Signatures asked about since the last call. */
static size_t asked(struct counted *k)
{
	return __atomic_exchange_n(&k->asked, 0, __ATOMIC_RELAXED);
}

/* The key of the secret 7, and its OP_CHECKSIG. */
struct signer {
	struct secret_ctx *ctx;
	uint8_t secret[32], lock[35];
};

static void signer_init(struct signer *s)
{
	*s = (struct signer){.ctx = secret_ctx_new(), .secret = {[31] = 7}};
	s->lock[0] = 33;
	secret_pubkey(s->ctx, s->lock + 1, s->secret, true);
	s->lock[34] = OP_CHECKSIG;
}

static struct buf *room(unsigned n)
{
	struct buf *b = buf_new(64 + n * (size_t)128);

	ck_assert_ptr_nonnull(b);
	return b;
}

static void finish(struct buf *b, const uint8_t *p, struct tx_view *v)
{
	struct rd r;

	b->n = (size_t)(p - buf_data(b));
	rd_init(&r, buf_payload(b));
	ck_assert(tx_view_parse(v, &r));
}

/* Output 0 of a transaction that anyone may spend, into n that are signed
 * for. */
static struct buf *lock_up(const struct signer *s, struct buf *from, unsigned n)
{
	struct buf *b = room(n);
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
	tx_txid((struct hash256 *)(void *)p, &v);
	p = le32_put(p + 32, 0);
	*p++ = 0;
	p = le32_put(p, 0xffffffff);
	*p++ = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		p = le64_put(p, (uint64_t)out.value / n);
		*p++ = sizeof s->lock;
		p = bytes_put(p, s->lock, sizeof s->lock);
	}
	finish(b, le32_put(p, 0), &v);
	return b;
}

/* A spend of all outputs of from, with the signatures that there are. */
static void put_spend(struct buf *b, struct tx_view *v,
		      const struct tx_view *from,
		      uint8_t sig[][SIG_DER_MAX + 1], const uint8_t *sig_n)
{
	uint8_t *p = le32_put(buf_data(b), 2);

	*p++ = (uint8_t)from->n_out;
	for (uint32_t i = 0; i < from->n_out; i++) {
		tx_txid((struct hash256 *)(void *)p, from);
		p = le32_put(p + 32, i);
		*p++ = sig_n[i] ? (uint8_t)(sig_n[i] + 1) : 0;
		if (sig_n[i])
			*p++ = sig_n[i];
		p = bytes_put(p, sig[i], sig_n[i]);
		p = le32_put(p, 0xffffffff);
	}
	*p++ = 1;
	p = le64_put(p, 1000);
	*p++ = 1;
	*p++ = OP_1;
	finish(b, le32_put(p, 0), v);
}

static struct buf *sign_all(const struct signer *s, struct buf *from)
{
	static uint8_t sig[INS_MAX][SIG_DER_MAX + 1];
	uint8_t sig_n[INS_MAX] = {0}, hash[32];
	struct txout_view spent[INS_MAX];
	struct tx_sighash shared;
	struct script_input in;
	struct tx_view f, v;
	struct tx_iter it;
	struct buf *b;
	struct rd r;

	rd_init(&r, buf_payload(from));
	ck_assert(tx_view_parse(&f, &r));
	ck_assert_uint_le(f.n_out, INS_MAX);
	b = room(f.n_out);
	put_spend(b, &v, &f, sig, sig_n);
	txouts(&it, &f);
	for (uint32_t i = 0; txout_next(&it, &spent[i]); i++)
		;
	tx_sighash_init(&shared, &v, spent);
	script_inputs(&in, &shared);
	while (script_input_next(&in)) {
		size_t n;

		sighash_legacy(hash, &in, slice_of(s->lock, sizeof s->lock),
			       SIGHASH_ALL);
		n = secret_sign(s->ctx, sig[in.index], s->secret, hash);
		ck_assert_uint_gt(n, 0);
		sig[in.index][n] = SIGHASH_ALL;
		sig_n[in.index] = (uint8_t)(n + 1);
	}
	put_spend(b, &v, &f, sig, sig_n);
	return b;
}

/* A block on the tip with n signatures in one transaction. */
static struct buf *signed_block(struct counted *k, unsigned n)
{
	struct signer s;
	struct buf *tx[3], *b;

	signer_init(&s);
	tx[0] = rig_spend(&k->r, 1, 1, 1);
	tx[1] = lock_up(&s, tx[0], n);
	tx[2] = sign_all(&s, tx[1]);
	b = rig_make(&k->r, 2, tx, 3);
	for (int i = 0; i < 3; i++)
		buf_unref(tx[i]);
	secret_ctx_free(s.ctx);
	return b;
}

static struct hnode *connect(struct counted *k, struct buf *b)
{
	struct block_result res = rig_block(&k->r, buf_payload(b));

	ck_assert_msg(res.outcome == BLOCK_CONNECTED, "%s", res.verdict.reject);
	return res.node;
}

/* What is in it is offered to the pool. */
static void leave(struct counted *k, struct hnode *n)
{
	struct verdict v = rig_invalidate(&k->r, n);

	ck_assert(verdict_ok(&v));
	ck_assert_ptr_eq(chain_tip(k->r.c), n->prev);
}

static void come_back(struct counted *k, struct hnode *n)
{
	struct verdict v = rig_reconsider(&k->r, n);

	ck_assert(verdict_ok(&v));
	ck_assert_ptr_eq(chain_tip(k->r.c), n);
}

/* Few inputs are verified as one, many in parts. */
static const unsigned counts[] = {5, 100};

START_TEST(a_block_that_comes_back_is_not_verified_again)
{
	unsigned n = counts[_i / 2];
	struct counted k;
	struct hnode *node;
	struct buf *b;

	start(&k, (unsigned)_i % 2 + 1, 1 << 20);
	b = signed_block(&k, n);
	node = connect(&k, b);
	ck_assert_uint_eq(asked(&k), n);
	for (unsigned i = 0; i < 3; i++) {
		leave(&k, node);
		/* The pool asks more of a script, once: but for the few that
		 * found their lines of the cache full. */
		if (i == 0)
			ck_assert_uint_eq(asked(&k), n);
		else
			ck_assert_uint_le(asked(&k), n / 10);
		come_back(&k, node);
		ck_assert_uint_eq(asked(&k), 0);
	}
	buf_unref(b);
	rig_fini(&k.r);
}
END_TEST

struct trial {
	struct chain *c;
	struct buf *b;
	struct verdict v;
};

static void try_block(void *arg)
{
	struct trial *t = arg;

	t->v = chain_test_block(t->c, t->b);
}

START_TEST(a_block_that_was_tried_is_connected_without_its_signatures)
{
	unsigned n = counts[_i / 2];
	struct trial t;
	struct counted k;

	start(&k, (unsigned)_i % 2 + 1, 1 << 20);
	t.c = k.r.c;
	t.b = signed_block(&k, n);
	rig_run(&k.r, try_block, &t);
	ck_assert(verdict_ok(&t.v));
	ck_assert_uint_eq(asked(&k), n);
	rig_run(&k.r, try_block, &t);
	ck_assert(verdict_ok(&t.v));
	connect(&k, t.b);
	ck_assert_uint_eq(asked(&k), 0);
	buf_unref(t.b);
	rig_fini(&k.r);
}
END_TEST

struct answer {
	enum tx_outcome outcome;
	bool done;
};

static void on_answer(void *arg, const struct mempool_result *r)
{
	*(struct answer *)arg = (struct answer){r->outcome, true};
}

static void offer(struct counted *k, struct buf *tx)
{
	struct answer a = {TX_NOT_JUDGED, false};
	struct tx_job job = {.buf = buf_ref(tx), .done = on_answer, .arg = &a};

	chain_submit_tx(k->r.c, &job);
	rig_until(&k->r, &a.done);
	ck_assert_int_eq(a.outcome, TX_ACCEPTED);
}

/* Each signature was looked at once, by the rules of relay and of blocks. */
START_TEST(a_block_of_what_the_pool_holds_is_connected_without_its_signatures)
{
	unsigned n = counts[_i / 2];
	struct buf *tx[3], *b;
	struct counted k;
	struct signer s;

	start(&k, (unsigned)_i % 2 + 1, 1 << 20);
	signer_init(&s);
	tx[0] = rig_spend(&k.r, 1, 1, 1);
	tx[1] = lock_up(&s, tx[0], n);
	tx[2] = sign_all(&s, tx[1]);
	b = rig_make(&k.r, 2, tx, 2);
	connect(&k, b);
	buf_unref(b);
	asked(&k);
	offer(&k, tx[2]);
	ck_assert_uint_ge(asked(&k), n);
	b = rig_make(&k.r, 3, &tx[2], 1);
	connect(&k, b);
	ck_assert_uint_eq(asked(&k), 0);
	buf_unref(b);
	for (int i = 0; i < 3; i++)
		buf_unref(tx[i]);
	secret_ctx_free(s.ctx);
	rig_fini(&k.r);
}
END_TEST

/* One signature spoilt, behind what is right of the same transaction. */
START_TEST(nothing_is_kept_of_a_transaction_that_fails)
{
	struct trial t;
	struct counted k;
	struct block_view v;
	struct txin_view in;
	struct tx_iter it;
	size_t trailing;
	uint8_t *sig;

	start(&k, 1, 1 << 20);
	t.c = k.r.c;
	t.b = signed_block(&k, 5);
	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(t.b)), 0);
	txins(&it, &v.tx[3]);
	for (int i = 0; i < 4; i++)
		ck_assert(txin_next(&it, &in));
	sig = buf_data(t.b) + (in.script.p - buf_data(t.b)) + 20;
	*sig ^= 1;
	for (int i = 0; i < 3; i++) {
		rig_run(&k.r, try_block, &t);
		ck_assert(!verdict_ok(&t.v));
	}
	*sig ^= 1;
	asked(&k);
	connect(&k, t.b);
	ck_assert_uint_eq(asked(&k), 5);
	block_view_fini(&v);
	buf_unref(t.b);
	rig_fini(&k.r);
}
END_TEST

START_TEST(without_room_everything_is_verified_each_time)
{
	struct counted k;
	struct hnode *node;
	struct buf *b;

	start(&k, 2, 0);
	b = signed_block(&k, 5);
	node = connect(&k, b);
	ck_assert_uint_eq(asked(&k), 5);
	leave(&k, node);
	/* By the pool's rules, and by those of blocks. */
	ck_assert_uint_eq(asked(&k), 10);
	come_back(&k, node);
	ck_assert_uint_eq(asked(&k), 5);
	buf_unref(b);
	rig_fini(&k.r);
}
END_TEST

static void headers_above(struct rig *r, struct buf *b, unsigned n)
{
	struct hnode *node = rig_header(r, buf_payload(b));
	struct hash256 hash;
	struct verdict v;
	uint8_t h[80];

	while (n-- > 0) {
		mine_child(h, &hash, node, 1, 0, &r->params);
		v = rig_try_header(r, &node, slice_of(h, sizeof h));
		ck_assert_msg(verdict_ok(&v), "%s", v.reject);
	}
}

START_TEST(far_below_the_best_header_nothing_is_kept)
{
	struct counted k;
	struct hnode *node;
	struct buf *b;

	start(&k, 2, 1 << 20);
	b = signed_block(&k, 5);
	headers_above(&k.r, b, 100);
	node = connect(&k, b);
	ck_assert_uint_eq(asked(&k), 5);
	leave(&k, node);
	asked(&k);
	come_back(&k, node);
	ck_assert_uint_eq(asked(&k), 5);
	buf_unref(b);
	rig_fini(&k.r);
}
END_TEST

Suite *verified_suite(void)
{
	Suite *s = suite_create("verified");
	TCase *t = tcase_create("verified");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_block_that_comes_back_is_not_verified_again, 0,
			    4);
	tcase_add_loop_test(
	    t, a_block_that_was_tried_is_connected_without_its_signatures, 0,
	    4);
	tcase_add_loop_test(
	    t,
	    a_block_of_what_the_pool_holds_is_connected_without_its_signatures,
	    0, 4);
	tcase_add_test(t, nothing_is_kept_of_a_transaction_that_fails);
	tcase_add_test(t, without_room_everything_is_verified_each_time);
	tcase_add_test(t, far_below_the_best_header_nothing_is_kept);
	suite_add_tcase(s, t);
	return s;
}
