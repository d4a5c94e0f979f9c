/*
 * Block templates and the search for a nonce. Templates are made on the chain
 * thread, which has tip and coins; the search runs wherever the caller can
 * spare the time. Does not choose transactions and does not submit.
 */
#include <cairn/chain/mining.h>

#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/hmap.h>
#include <cairn/base/mem.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>
#include <cairn/consensus/versionbits.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>

#include <stdlib.h>

#define COINBASE_VERSION  2
#define COINBASE_SEQUENCE 0xfffffffeu /* so that its lock time counts */
#define COMMITMENT_SCRIPT 38u
#define SCRIPT_SIG_ROOM   12u
#define TXS_MAX           100000u
#define NONCE_AT          76

struct template
{
	struct chain *c;
	const struct hnode *prev;
	struct tx_view *tx;           /* n of them; the coinbase is apart */
	struct hash256 *txid, *wtxid; /* n + 1, coinbase first */
	size_t n;
	struct hmap own; /* txid to tx, of those that were read */
	size_t tx_bytes;
	int64_t fees;
	bool segwit; /* the nonce of the commitment goes into the witness */
	struct hash256 commitment;
	struct slice script;
	uint8_t *coinbase; /* with its witness */
	size_t coinbase_n;
};

/* The value of an output of an earlier transaction of the template. */
static bool own_output(const struct template *t, const uint8_t *outpoint,
		       int64_t *value)
{
	const struct tx_view *tx = hmap_get(&t->own, outpoint_txid(outpoint));
	uint32_t want = outpoint_index(outpoint), o;
	struct txout_view out;
	struct tx_iter it;

	if (!tx)
		return false;
	txouts(&it, tx);
	for (o = 0; txout_next(&it, &out); o++) {
		*value = out.value;
		if (o == want)
			return true;
	}
	return false;
}

/* Values come from whoever wrote the transactions: sums stop at what can be
 * money. */
static int add_fee(struct template *t, size_t i)
{
	int64_t in_sum = 0, out_sum = 0, value;
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it;
	struct coin coin;
	int rc;

	txins(&it, &t->tx[i]);
	while (txin_next(&it, &in)) {
		if (own_output(t, in.prevout, &value)) {
			in_sum += amount_ok(value) ? value : 0;
			continue;
		}
		rc = chain_coin_get(t->c, &coin, in.prevout);
		if (rc && rc != E_NOTFOUND)
			return rc;
		in_sum += rc ? 0 : coin.value;
	}
	txouts(&it, &t->tx[i]);
	while (txout_next(&it, &out))
		out_sum += amount_ok(out.value) ? out.value : MAX_MONEY;
	if (in_sum > out_sum && amount_ok(t->fees + in_sum - out_sum))
		t->fees += in_sum - out_sum;
	return 0;
}

static int read_txs(struct template *t, struct buf *const *txs)
{
	struct rd r;
	size_t i;
	int rc;

	for (i = 0; i < t->n; i++) {
		rd_init(&r, buf_payload(txs[i]));
		if (!tx_view_parse(&t->tx[i], &r) || rd_left(&r))
			return E_PARSE;
		t->tx_bytes += t->tx[i].size;
		if (t->tx_bytes > MAX_BLOCK_WEIGHT)
			return E_LIMIT;
	}
	txs_hash(t->txid + 1, t->wtxid + 1, t->tx, (uint32_t)t->n);
	for (i = 0; i < t->n; i++) {
		rc = add_fee(t, i);
		if (rc)
			return rc;
		hmap_put(&t->own, &t->txid[i + 1], &t->tx[i]);
	}
	return 0;
}

/* Root over n + 1 hashes. */
static void root_of(struct hash256 *root, const struct template *t,
		    const struct hash256 *leaves)
{
	size_t n = t->n + 1;
	struct hash256 *scratch = xmalloc((n + 1) / 2 * sizeof *scratch);

	merkle_root(root, NULL, leaves, (uint32_t)n, scratch);
	free(scratch);
}

static void make_commitment(struct template *t)
{
	static const uint8_t nonce[32];
	struct hash256 root;

	memset(&t->wtxid[0], 0, sizeof t->wtxid[0]);
	root_of(&root, t, t->wtxid);
	witness_commitment(&t->commitment, &root, nonce);
}

static uint8_t *put_script_sig(uint8_t *p, int32_t height)
{
	uint8_t script[SCRIPT_SIG_ROOM];
	uint8_t *end = script_put_num(script, height);

	/* A coinbase script has two bytes at least. */
	if (end - script < 2)
		*end++ = 0;
	p = compact_put(p, (uint64_t)(end - script));
	return bytes_put(p, script, (size_t)(end - script));
}

static uint8_t *put_outputs(uint8_t *p, const struct template *t,
			    int32_t height)
{
	static const uint8_t head[] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
	int64_t value = block_subsidy(height, t->c->cfg.params) + t->fees;

	p = compact_put(p, 2);
	p = le64_put(p, (uint64_t)value);
	p = compact_put(p, t->script.n);
	p = bytes_put(p, t->script.p, t->script.n);
	p = le64_put(p, 0);
	p = compact_put(p, COMMITMENT_SCRIPT);
	p = bytes_put(p, head, sizeof head);
	return bytes_put(p, t->commitment.b, 32);
}

static uint8_t *put_witness(uint8_t *p)
{
	p = compact_put(p, 1);
	p = compact_put(p, 32);
	memset(p, 0, 32);
	return p + 32;
}

static void make_coinbase(struct template *t)
{
	int32_t height = t->prev->height + 1;
	uint8_t *p = xmalloc(t->script.n + 256);
	struct tx_view view;
	struct rd r;

	t->coinbase = p;
	p = le32_put(p, COINBASE_VERSION);
	if (t->segwit)
		p = le16_put(p, 0x0100); /* marker and flag */
	p = compact_put(p, 1);
	memset(p, 0, 32);
	p = le32_put(p + 32, 0xffffffffu);
	p = put_script_sig(p, height);
	p = le32_put(p, COINBASE_SEQUENCE);
	p = put_outputs(p, t, height);
	if (t->segwit)
		p = put_witness(p);
	p = le32_put(p, (uint32_t)(height - 1));
	t->coinbase_n = (size_t)(p - t->coinbase);
	rd_init(&r, slice_of(t->coinbase, t->coinbase_n));
	if (tx_view_parse(&view, &r))
		tx_txid(&t->txid[0], &view);
}

static void make_header(uint8_t *p, const struct template *t)
{
	const struct params *params = t->c->cfg.params;
	int64_t now = clock_now(t->c->cfg.clock);
	int64_t least = least_time(&hnode_reader, t->prev, params);
	struct header h = {.prev = t->prev->hash};

	h.version =
	    block_version_for(params, &hnode_reader, t->prev, &t->c->vb);
	root_of(&h.merkle, t, t->txid);
	h.time = (uint32_t)(now > least ? now : least);
	h.bits = next_bits(&hnode_reader, t->prev, h.time, params);
	header_put(p, &h);
}

static int put_block(struct buf **give, const struct template *t)
{
	size_t n =
	    HEADER_SIZE + compact_size(t->n + 1) + t->coinbase_n + t->tx_bytes;
	struct buf *b = n <= MAX_BLOCK_WEIGHT ? buf_new(n) : NULL;
	uint8_t *p;
	size_t i;

	if (!b)
		return n <= MAX_BLOCK_WEIGHT ? E_NOMEM : E_LIMIT;
	p = buf_data(b);
	make_header(p, t);
	p = compact_put(p + HEADER_SIZE, t->n + 1);
	p = bytes_put(p, t->coinbase, t->coinbase_n);
	for (i = 0; i < t->n; i++)
		p = bytes_put(p, t->tx[i].p, t->tx[i].size);
	b->n = (size_t)(p - buf_data(b));
	chain_stamp_record(b, t->c->cfg.params);
	*give = b;
	return 0;
}

int chain_make_block(struct chain *c, struct buf **give,
		     struct slice coinbase_script, struct buf *const *txs,
		     size_t n)
{
	struct template t = {.c = c, .prev = c->here, .n = n};
	int rc = c->fatal_rc;

	if (rc)
		return rc;
	if (n > TXS_MAX || coinbase_script.n > MAX_BLOCK_WEIGHT / WITNESS_SCALE)
		return E_LIMIT;
	t.script = coinbase_script;
	t.segwit =
	    deploy_active(c->cfg.params, DEPLOY_SEGWIT, c->here->height + 1);
	t.tx = xcalloc(n + 1, sizeof *t.tx);
	t.txid = xcalloc(n + 1, sizeof *t.txid);
	t.wtxid = xcalloc(n + 1, sizeof *t.wtxid);
	hmap_init(&t.own);
	rc = read_txs(&t, txs);
	if (rc == 0) {
		make_commitment(&t);
		make_coinbase(&t);
		rc = put_block(give, &t);
	}
	hmap_fini(&t.own);
	free(t.coinbase);
	free(t.wtxid);
	free(t.txid);
	free(t.tx);
	return rc;
}

bool mine_block(struct buf *b, const struct params *p, uint64_t max_tries)
{
	uint8_t *header = buf_data(b);
	uint32_t bits = le32_get(header + 72);
	uint32_t nonce = le32_get(header + NONCE_AT);
	struct hash256 hash;

	for (; max_tries > 0; max_tries--) {
		sha256d(&hash, header, HEADER_SIZE);
		if (pow_ok(&hash, bits, p))
			return true;
		le32_put(header + NONCE_AT, ++nonce);
		/* Then the block has to change elsewhere. */
		if (nonce == 0)
			return false;
	}
	return false;
}

/* The block with marker, flag and a zero nonce added to its coinbase. */
static struct buf *with_nonce(const struct block_view *v,
			      const struct params *p)
{
	const struct tx_view *cb = &v->tx[0];
	struct buf *b = buf_new(v->size + 2 + 34);
	uint32_t tail = cb->base_size - 4;
	uint8_t *q;

	if (!b)
		return NULL;
	q = buf_data(b);
	/* Header, count, version; then the coinbase without lock time. */
	q = bytes_put(q, v->raw.p, (size_t)(cb->p - v->raw.p) + 4);
	q = le16_put(q, 0x0100);
	q = bytes_put(q, cb->p + 4, tail - 4);
	q = put_witness(q);
	q = bytes_put(q, cb->p + tail,
		      v->size - (size_t)(cb->p - v->raw.p) - tail);
	b->n = (size_t)(q - buf_data(b));
	chain_stamp_record(b, p);
	return b;
}

int block_add_witness_nonce(struct buf **give, struct buf *b, int32_t height,
			    const struct params *p)
{
	struct block_view v;
	struct buf *out = NULL;
	size_t trailing;
	int rc = block_view_parse(&v, &trailing, buf_payload(b));

	if (rc)
		return rc;
	if (deploy_active(p, DEPLOY_SEGWIT, height) && v.n_tx &&
	    !tx_has_witness(&v.tx[0]) && witness_commitment_index(&v) >= 0) {
		out = with_nonce(&v, p);
		rc = out ? 0 : E_NOMEM;
	} else {
		out = buf_ref(b);
	}
	block_view_fini(&v);
	if (rc == 0)
		*give = out;
	return rc;
}
