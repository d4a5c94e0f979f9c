/*
 * Offers to a pool: first what its policy is, then records of a byte of flags
 * and a transaction behind its length. Some coins are there to be spent; a
 * txid of 31 zeros and a number stands for one of those, or for a transaction
 * that was accepted before. What is judged twice is told the same; what is
 * refused changes nothing; what is accepted pays what it says and spends what
 * nobody else in the pool does. Blocks may be taken off.
 */
#include "fuzz.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/consensus/check.h>
#include <cairn/mempool/mempool.h>
#include <cairn/params/params.h>
#include <cairn/script/flags.h>

#define HEIGHT  1000
#define LEAST   (HEIGHT - 70) /* that the tip is taken down to */
#define MTP     1600000000
#define NOW     1700000000
#define OFFERS  40
#define ANSWERS 128 /* numbers from here on are accepted ones */

struct table {
	struct mempool *m;
	struct hash256 accepted[OFFERS];
	size_t n_accepted, added, removed;
	int32_t height;
};

/* OP_1, an anchor, hashes of OP_1 in both ways, to nobody, two of a key that
 * signs nothing. */
static const struct {
	uint8_t n, script[35];
} scripts[] = {
    {1, {0x51}},
    {4, {0x51, 0x02, 0x4e, 0x73}},
    {34,
     {0x00, 0x20, 0x4a, 0xe8, 0x15, 0x72, 0xf0, 0x6e, 0x1b, 0x88, 0xfd, 0x5c,
      0xed, 0x7a, 0x1a, 0x00, 0x09, 0x45, 0x43, 0x2e, 0x83, 0xe1, 0x55, 0x1e,
      0x6f, 0x72, 0x1e, 0xe9, 0xc0, 0x0b, 0x8c, 0xc3, 0x32, 0x60}},
    {23,
     {0xa9, 0x14, 0xda, 0x17, 0x45, 0xe9, 0xb5, 0x49, 0xbd, 0x0b, 0xfa, 0x1a,
      0x56, 0x99, 0x71, 0xc7, 0x7e, 0xba, 0x30, 0xcd, 0x5a, 0x4b, 0x87}},
    {22, {0x00, 0x14, 0x75, 0x1e, 0x76, 0xe8, 0x19, 0x91, 0x96, 0xd4, 0x54,
	  0x94, 0x1c, 0x45, 0xd1, 0xb3, 0xa3, 0x23, 0xf1, 0x43, 0x3b, 0xd6}},
    {2, {0x6a, 0x00}},
};
#define SCRIPTS (sizeof scripts / sizeof *scripts)

/* Coin number k (byte 31): its script, its age, what it is worth. */
static bool coin_at(struct coin *c, const uint8_t *outpoint)
{
	uint32_t k = outpoint[31];

	for (int i = 0; i < 31; i++)
		if (outpoint[i])
			return false;
	if (k == 0 || k >= ANSWERS || outpoint_index(outpoint) > 1)
		return false;
	*c = (struct coin){.value = 1000 * (int64_t)k * k,
			   .height = LEAST - 2 * (int32_t)k,
			   .coinbase = k % 7 == 0,
			   .script = slice_of(scripts[k % SCRIPTS].script,
					      scripts[k % SCRIPTS].n)};
	return true;
}

static int get_coin(void *arg, struct coin *out, const uint8_t *outpoint)
{
	(void)arg;
	return coin_at(out, outpoint) ? 0 : E_NOTFOUND;
}

static int64_t get_mtp(void *arg, int32_t height)
{
	struct table *t = arg;

	fuzz_check(height >= 0 && height <= t->height);
	return MTP - 600 * (HEIGHT - height);
}

static void on_added(void *arg, const struct mempool_tx *tx)
{
	struct table *t = arg;

	fuzz_check(mempool_find(t->m, &tx->txid) == tx);
	t->added++;
}

static void on_removed(void *arg, const struct mempool_tx *tx,
		       enum mempool_reason why)
{
	struct table *t = arg;

	(void)tx;
	(void)why;
	t->removed++;
}

static void set_tip(struct table *t, int32_t height)
{
	struct mempool_tip tip = {.height = height,
				  .mtp = MTP - 600 * (HEIGHT - height),
				  .script_flags = SCRIPT_VERIFY_P2SH |
						  SCRIPT_VERIFY_WITNESS |
						  SCRIPT_VERIFY_TAPROOT};

	t->height = height;
	mempool_set_tip(t->m, &tip);
}

static void open_table(struct table *t, uint8_t bits)
{
	struct mempool_cfg cfg = {.params = params_get(CHAIN_REGTEST),
				  .policy = policy_default,
				  .max_bytes = bits & 2 ? 12000 : 1000000,
				  .expiry_s = 1000};
	struct mempool_ops ops = {.coin = get_coin,
				  .mtp = get_mtp,
				  .added = on_added,
				  .removed = on_removed};

	cfg.policy.require_standard = !(bits & 1);
	if (bits & 4)
		cfg.policy.cluster_count = 3;
	*t = (struct table){.n_accepted = 0};
	t->m = mempool_new(&cfg, &ops, t);
	set_tip(t, HEIGHT);
}

/* Put in the txids that numbers stand for. */
static void name_parents(const struct table *t, struct buf *b,
			 const struct tx_view *tx)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		static const uint8_t zeros[31];
		size_t at = (size_t)(in.prevout - tx->p), k = in.prevout[31];

		if (memcmp(in.prevout, zeros, 31) == 0 && k >= ANSWERS &&
		    k - ANSWERS < t->n_accepted)
			memcpy(buf_data(b) + at, t->accepted[k - ANSWERS].b,
			       32);
	}
}

static struct buf *take_tx(const struct table *t, struct tx_view *tx,
			   struct slice s)
{
	struct buf *b = buf_new(s.n);
	struct rd r;

	fuzz_check(b);
	if (s.n)
		memcpy(buf_data(b), s.p, s.n);
	b->n = s.n;
	rd_init(&r, buf_payload(b));
	if (tx_view_parse(tx, &r) && rd_left(&r) == 0) {
		name_parents(t, b, tx);
		return b;
	}
	buf_unref(b);
	return NULL;
}

/* What it pays, by its coins and the outputs of the pool; -1: it cannot. */
static int64_t fee_model(const struct table *t, const struct tx_view *tx)
{
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it, outs;
	uint64_t sum = 0; /* of what may be anything */

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		const struct mempool_tx *p =
		    mempool_find(t->m, outpoint_txid(in.prevout));
		uint32_t n = outpoint_index(in.prevout);
		struct coin c = {0};

		if (p) {
			if (n >= p->view.n_out)
				return -1;
			txouts(&outs, &p->view);
			while (txout_next(&outs, &out) && n > 0)
				n--;
			c.value = out.value;
		} else if (!coin_at(&c, in.prevout)) {
			return -1;
		}
		sum += (uint64_t)c.value;
	}
	txouts(&it, tx);
	while (txout_next(&it, &out))
		sum -= (uint64_t)out.value;
	return (int64_t)sum;
}

static void accepted(struct table *t, const struct tx_view *tx,
		     const struct mempool_result *r, int64_t fee)
{
	const struct mempool_tx *e = mempool_find_wtxid(t->m, &r->wtxid);
	const struct mempool_tx *kin[MEMPOOL_CLUSTER_MAX];
	struct txin_view in;
	struct tx_iter it;

	fuzz_check(e && mempool_find(t->m, &r->txid) == e);
	fuzz_check(verdict_ok(&r->verdict));
	fuzz_check(e->fee == fee && r->fee == fee && e->vsize == r->vsize);
	fuzz_check(r->vsize * 4 >= (int64_t)tx_weight(tx));
	txins(&it, tx);
	while (txin_next(&it, &in))
		fuzz_check(mempool_spender(t->m, in.prevout) == e);
	fuzz_check(mempool_cluster(t->m, e, kin) <= MEMPOOL_CLUSTER_MAX);
	for (size_t i = 0; i < r->n_replaced; i++)
		fuzz_check(!mempool_find(t->m, &r->replaced[i]));
	if (t->n_accepted < OFFERS)
		t->accepted[t->n_accepted++] = r->txid;
}

static void same(const struct mempool_result *a, const struct mempool_result *b)
{
	fuzz_check(a->outcome == b->outcome);
	fuzz_check(strcmp(a->verdict.reject, b->verdict.reject) == 0);
	fuzz_check(strcmp(a->verdict.detail, b->verdict.detail) == 0);
	fuzz_check(a->fee == b->fee && a->vsize == b->vsize);
}

static void offer(struct table *t, struct buf *b, const struct tx_view *tx,
		  unsigned flags)
{
	size_t added = t->added, removed = t->removed;
	int64_t fee = fee_model(t, tx);
	struct mempool_result test, r;
	bool full;

	mempool_accept(t->m, &test, b, flags | MEMPOOL_TEST, NOW);
	fuzz_check(t->added == added && t->removed == removed);
	mempool_accept(t->m, &r, b, flags, NOW);
	full = strcmp(r.verdict.reject, "mempool full") == 0;
	/* One from a block may not fit with its children. */
	if (!full && !(flags & MEMPOOL_TAKEN_OFF))
		same(&test, &r);
	if (r.outcome == TX_ACCEPTED)
		accepted(t, tx, &r, fee);
	else if (!full && !(flags & MEMPOOL_TAKEN_OFF))
		fuzz_check(t->added == added && t->removed == removed);
	fuzz_check(r.outcome != TX_ACCEPTED || fee >= 0);
	mempool_result_fini(&test);
	mempool_result_fini(&r);
}

static void package(struct table *t, struct buf **txs, size_t n, unsigned flags)
{
	struct mempool_result r[3];
	struct verdict v =
	    mempool_accept_package(t->m, r, txs, n, 0, flags, NOW);

	for (size_t i = 0; i < n; i++) {
		bool in =
		    r[i].outcome == TX_ACCEPTED || r[i].outcome == TX_KEPT;

		fuzz_check(!verdict_ok(&v) || in ||
			   r[i].outcome == TX_CONFLICT);
		fuzz_check(!in || (flags & MEMPOOL_TEST) ||
			   mempool_find_wtxid(t->m, &r[i].wtxid));
		mempool_result_fini(&r[i]);
	}
}

/* Nothing in the pool spends the same, and every parent is somewhere. */
static void check_pool(const struct table *t)
{
	const struct mempool_tx *e;
	struct mempool_stats s;
	struct txin_view in;
	struct tx_iter it;
	size_t i = 0, n = 0;

	while ((e = mempool_next(t->m, &i))) {
		n++;
		txins(&it, &e->view);
		while (txin_next(&it, &in))
			fuzz_check(mempool_spender(t->m, in.prevout) == e);
		fuzz_check(fee_model(t, &e->view) == e->fee);
	}
	mempool_stats(t->m, &s, NOW);
	fuzz_check(s.n == n && t->added - t->removed == n);
}

/* 1: from a block; 2: kept for a package, 4: as a test; 8: a block comes or is
 * taken off; 16: pay more or less. */
static void record(struct table *t, struct buf **held, size_t *n_held,
		   uint8_t bits, struct slice s)
{
	struct tx_view tx;
	struct buf *b = take_tx(t, &tx, s);

	if (bits & 8) {
		set_tip(t, HEIGHT - (bits >> 5) * 10);
		mempool_reorg_end(t->m, NOW);
	}
	if (b && bits & 16) {
		struct hash256 txid;

		tx_txid(&txid, &tx);
		mempool_prioritise(t->m, &txid, ((bits >> 5) - 3) * 500);
	}
	if (b && !(bits & 2))
		offer(t, b, &tx, bits & 1 ? MEMPOOL_TAKEN_OFF : 0);
	else if (b)
		held[(*n_held)++] = buf_ref(b);
	buf_unref(b);
	if (*n_held == 3 || (*n_held && !(bits & 2))) {
		package(t, held, *n_held, bits & 4 ? MEMPOOL_TEST : 0);
		while (*n_held)
			buf_unref(held[--*n_held]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf *held[3];
	size_t n_held = 0;
	struct table t;
	struct rd r;

	rd_init(&r, slice_of(data, size));
	open_table(&t, rd_u8(&r));
	for (int i = 0; i < OFFERS && rd_ok(&r) && rd_left(&r); i++) {
		uint8_t bits = rd_u8(&r);
		struct slice s = rd_bytes(&r, rd_u16(&r));

		if (!rd_ok(&r))
			break;
		record(&t, held, &n_held, bits, s);
		check_pool(&t);
	}
	while (n_held)
		buf_unref(held[--n_held]);
	mempool_free(t.m);
	return 0;
}
