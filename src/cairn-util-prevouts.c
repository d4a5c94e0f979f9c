/*
 * Coins that a block spends, from a file beside it (form PVO1): read, and held
 * against the block where it makes coins itself. One thread. Judges no rule but
 * that a coin is there and is spent once.
 *
 * PVO1, little-endian: those four letters; the block's hash; u32 count; then
 * for each input behind the coinbase's, in order: i64 value, u32 height of the
 * block that made it (ffffffff: not known), u8 whether a coinbase did (ff: not
 * known), CompactSize and script.
 */
#include "cairn-util.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/hmap.h>
#include <cairn/script/template.h>

#include <stdio.h>
#include <stdlib.h>

#define COIN_MIN (8u + 4u + 1u + 1u)
#define UNKNOWN  0xffu
/* A block of the largest weight, each input with a script of 1,000 bytes. */
#define FILE_MAX ((size_t)128 << 20)

static bool read_coin(struct util_prevout *out, struct rd *r)
{
	uint32_t height;
	uint8_t coinbase;

	out->coin.value = (int64_t)rd_u64(r);
	height = rd_u32(r);
	coinbase = rd_u8(r);
	out->coin.script = rd_varbytes(r);
	out->known = height <= INT32_MAX && coinbase <= 1;
	/* What is not known is taken to break no rule. */
	out->coin.height = out->known ? (int32_t)height : 0;
	out->coin.coinbase = out->known && coinbase == 1;
	return rd_ok(r) && (height <= INT32_MAX || height == UINT32_MAX) &&
	       (coinbase <= 1 || coinbase == UNKNOWN);
}

const char *util_prevouts_parse(struct util_prevouts *pv, struct buf *take,
				const struct hash256 *block)
{
	const uint8_t *head, *hash;
	struct rd r;

	pv->file = take;
	rd_init(&r, buf_payload(take));
	head = rd_take(&r, 4);
	hash = rd_take(&r, 32);
	pv->n = rd_u32(&r);
	if (!rd_ok(&r) || memcmp(head, "PVO1", 4) != 0)
		return "not of the form PVO1";
	if (!hash256_eq(hash256_at(hash), block))
		return "of another block";
	if (pv->n > rd_left(&r) / COIN_MIN)
		return "shorter than its count says";
	pv->mem = buf_new(pv->n * sizeof *pv->at);
	if (!pv->mem)
		return err_str(E_NOMEM);
	pv->at = (struct util_prevout *)(void *)buf_data(pv->mem);
	for (uint32_t i = 0; i < pv->n; i++)
		if (!read_coin(&pv->at[i], &r))
			return "a malformed coin";
	return rd_left(&r) ? "bytes behind the last coin" : NULL;
}

const char *util_prevouts_read(struct util_prevouts *pv, const char *path,
			       const struct hash256 *block)
{
	struct buf *file;
	int rc = file_read(&file, path, FILE_MAX);

	return rc ? err_str(rc) : util_prevouts_parse(pv, file, block);
}

void util_prevouts_fini(struct util_prevouts *pv)
{
	buf_unref(pv->mem);
	buf_unref(pv->file);
}

/* An input: the outpoint that it spends, its transaction, its number among all
 * inputs. */
struct spend {
	const uint8_t *outpoint;
	uint32_t tx, input;
};

/* By transaction spent, output, place in the block. */
static int spend_cmp(const void *a, const void *b)
{
	const struct spend *x = a, *y = b;
	uint32_t i = outpoint_index(x->outpoint);
	uint32_t k = outpoint_index(y->outpoint);
	int c = memcmp(x->outpoint, y->outpoint, 32);

	if (c != 0)
		return c;
	if (i != k)
		return i < k ? -1 : 1;
	return x->input < y->input ? -1 : x->input > y->input;
}

static void list_spends(struct spend *s, const struct block_view *b)
{
	struct tx_iter it;
	struct txin_view in;
	uint32_t input = 0;

	for (uint32_t i = 1; i < b->n_tx; i++) {
		txins(&it, &b->tx[i]);
		while (txin_next(&it, &in)) {
			s[input] = (struct spend){in.prevout, i, input};
			input++;
		}
	}
}

/* A walk over the spends in their order, and over the outputs of the
 * transaction of this block that they spend. */
struct walk {
	const struct block_view *b;
	struct util_prevouts *pv;
	struct hmap made; /* txid: its transaction in b */
	int32_t height;
	const struct tx_view *tx; /* NULL: not of this block */
	struct tx_iter outs;
	struct txout_view out; /* the one in front of next */
	uint32_t next;
};

static void missing(struct walk *w, const struct spend *s)
{
	if (s->tx < w->pv->missing)
		w->pv->missing = s->tx;
}

/* Stand behind the output of index i; false when there is none. */
static bool go_to(struct walk *w, uint32_t i)
{
	while (w->next <= i) {
		if (!txout_next(&w->outs, &w->out))
			return false;
		w->next++;
	}
	return true;
}

/* Whether the file says of the coin what the block does. What it does not know
 * is known now. */
static bool same_coin(struct walk *w, struct util_prevout *p)
{
	bool coinbase = w->tx == w->b->tx;

	if (p->coin.value != w->out.value ||
	    !slice_eq(p->coin.script, w->out.script) ||
	    (p->known &&
	     (p->coin.height != w->height || p->coin.coinbase != coinbase)))
		return false;
	p->coin.height = w->height;
	p->coin.coinbase = coinbase;
	p->known = true;
	return true;
}

/* The first spend of an output. */
static bool judge_spend(struct walk *w, const struct spend *s)
{
	uint32_t made;

	if (!w->tx)
		return true;
	made = (uint32_t)(w->tx - w->b->tx);
	if (s->tx <= made || !go_to(w, outpoint_index(s->outpoint)) ||
	    script_is_unspendable(w->out.script)) {
		missing(w, s);
		return true;
	}
	return same_coin(w, &w->pv->at[s->input]);
}

static void enter_tx(struct walk *w, const struct spend *s)
{
	w->tx = hmap_get(&w->made, outpoint_txid(s->outpoint));
	w->next = 0;
	if (w->tx)
		txouts(&w->outs, w->tx);
}

static const char *walk_spends(struct walk *w, const struct spend *s)
{
	for (uint32_t i = 0; i < w->pv->n; i++) {
		if (i == 0 || memcmp(s[i].outpoint, s[i - 1].outpoint, 32) != 0)
			enter_tx(w, &s[i]);
		else if (memcmp(s[i].outpoint, s[i - 1].outpoint,
				OUTPOINT_SIZE) == 0) {
			missing(w, &s[i]);
			continue;
		}
		if (!judge_spend(w, &s[i]))
			return "not the coins that the block makes itself";
	}
	return NULL;
}

static uint32_t count_inputs(const struct block_view *b)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < b->n_tx; i++)
		n += b->tx[i].n_in;
	return n;
}

const char *util_prevouts_match(struct util_prevouts *pv,
				const struct block_view *b, int32_t height)
{
	struct walk w = {.b = b, .pv = pv, .height = height};
	struct spend *spends;
	struct buf *mem;
	const char *why;

	pv->missing = UINT32_MAX;
	if (pv->n != count_inputs(b))
		return "not as many coins as the block has inputs";
	mem = buf_new(pv->n * sizeof *spends);
	if (!mem)
		return err_str(E_NOMEM);
	spends = (struct spend *)(void *)buf_data(mem);
	list_spends(spends, b);
	qsort(spends, pv->n, sizeof *spends, spend_cmp);
	hmap_init(&w.made);
	for (uint32_t i = 0; i < b->n_tx; i++)
		hmap_put(&w.made, &b->txid[i], &b->tx[i]);
	why = walk_spends(&w, spends);
	hmap_fini(&w.made);
	buf_unref(mem);
	return why;
}
