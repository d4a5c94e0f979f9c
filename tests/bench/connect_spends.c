/*
 * The transactions of ConnectBlock's rows; see connect.h. Made once by whoever
 * sets a row up; 5,000 signatures take a third of a second.
 */
#include "connect.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/secret.h>
#include <cairn/script/op.h>
#include <cairn/script/sighash.h>

#include <stdlib.h>

/* Room for a transaction: 5 outpoints, 5 outputs and 5 witnesses. */
#define TX_ROOM (64 + SPEND_INS * (41 + 43 + 110))

/* One of the five coins that are handed on. */
struct lock {
	uint8_t secret[32], key[33], script[34];
	struct txout_view out;
	bool schnorr;
};

struct maker {
	struct secret_ctx *ctx;
	struct lock lock[SPEND_INS];
	struct txout_view spent[SPEND_INS];
	uint8_t txid[32]; /* of the transaction before */
};

static void make_lock(struct maker *m, unsigned i, int64_t value, bool schnorr)
{
	struct lock *k = &m->lock[i];
	uint8_t *p = k->script;

	memset(k->secret, 0x11 + (int)i, 32);
	secret_pubkey(m->ctx, k->key, k->secret, true);
	k->schnorr = schnorr;
	*p++ = schnorr ? OP_1 : OP_0;
	*p++ = schnorr ? 32 : 20;
	if (schnorr)
		memcpy(p, k->key + 1, 32);
	else
		hash160(p, k->key, 33);
	k->out.value = value;
	k->out.script = slice_of(k->script, schnorr ? 34 : 22);
	m->spent[i] = k->out;
}

static uint8_t *put_outputs(uint8_t *p, const struct maker *m)
{
	*p++ = SPEND_INS;
	for (unsigned i = 0; i < SPEND_INS; i++) {
		struct slice s = m->lock[i].out.script;

		p = le64_put(p, (uint64_t)m->lock[i].out.value);
		*p++ = (uint8_t)s.n;
		p = bytes_put(p, s.p, s.n);
	}
	return p;
}

static uint8_t *put_inputs(uint8_t *p, const uint8_t txid[32], unsigned n)
{
	*p++ = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		p = bytes_put(p, txid, 32);
		p = le32_put(p, i);
		*p++ = 0;
		p = le32_put(p, 0xffffffff);
	}
	return p;
}

static uint8_t *put_witness(uint8_t *p, const struct signature *s)
{
	*p++ = s->schnorr ? 1 : 2;
	*p++ = (uint8_t)(s->n + 1);
	p = bytes_put(p, s->sig, s->n);
	*p++ = SIGHASH_ALL;
	if (s->schnorr)
		return p;
	*p++ = 33;
	return bytes_put(p, s->key, 33);
}

/* Parse what ends at p; sets the size of b. */
static void finish(struct tx_view *v, struct buf *b, const uint8_t *p)
{
	struct rd r;

	b->n = (size_t)(p - buf_data(b));
	rd_init(&r, buf_payload(b));
	if (!tx_view_parse(v, &r))
		abort();
}

static void sign(struct maker *m, struct signature *s, struct script_input *in)
{
	struct lock *k = &m->lock[in->index];
	struct tap_context tap = {.separator_pos = TAP_NO_SEPARATOR};
	uint8_t code[25] = {OP_DUP, OP_HASH160,
			    20, [23] = OP_EQUALVERIFY, [24] = OP_CHECKSIG};

	memcpy(s->key, k->key, 33);
	s->schnorr = k->schnorr;
	s->n = 64;
	if (s->schnorr) {
		if (!sighash_taproot(s->hash, in, &tap, SIGHASH_ALL) ||
		    !secret_sign_schnorr(m->ctx, s->sig, k->secret, NULL,
					 s->hash, NULL))
			abort();
		return;
	}
	memcpy(code + 3, k->script + 2, 20);
	sighash_v0(s->hash, in, slice_of(code, sizeof code), SIGHASH_ALL);
	s->n = (uint8_t)secret_sign(m->ctx, s->sig, k->secret, s->hash);
	if (s->n == 0)
		abort();
}

/* The next transaction and its signatures. */
static struct buf *next_tx(struct maker *m, struct signature *sigs)
{
	struct buf *b = buf_new(TX_ROOM);
	struct tx_sighash shared;
	struct script_input in;
	struct tx_view v;
	uint8_t *p;

	if (!b)
		abort();
	p = put_inputs(le32_put(buf_data(b), 2), m->txid, SPEND_INS);
	p = le32_put(put_outputs(p, m), 0);
	finish(&v, b, p);
	tx_sighash_init_all(&shared, &v, m->spent);
	script_inputs(&in, &shared);
	for (unsigned i = 0; script_input_next(&in); i++)
		sign(m, &sigs[i], &in);
	p = bytes_put(le32_put(buf_data(b), 2), "\0\1", 2);
	p = put_outputs(put_inputs(p, m->txid, SPEND_INS), m);
	for (unsigned i = 0; i < SPEND_INS; i++)
		p = put_witness(p, &sigs[i]);
	finish(&v, b, le32_put(p, 0));
	tx_txid((struct hash256 *)(void *)m->txid, &v);
	return b;
}

static struct buf *first_tx(struct maker *m, const uint8_t txid[32])
{
	struct buf *b = buf_new(TX_ROOM);
	struct tx_view v;
	uint8_t *p;

	if (!b)
		abort();
	p = put_inputs(le32_put(buf_data(b), 2), txid, 1);
	finish(&v, b, le32_put(put_outputs(p, m), 0));
	tx_txid((struct hash256 *)(void *)m->txid, &v);
	return b;
}

struct spends *spends_new(struct buf **first, const uint8_t txid[32],
			  int64_t value, unsigned schnorr)
{
	struct spends *s = xcalloc(1, sizeof *s);
	struct maker m = {.ctx = secret_ctx_new()};

	for (unsigned i = 0; i < SPEND_INS; i++)
		make_lock(&m, i, value / SPEND_INS, i < schnorr);
	*first = first_tx(&m, txid);
	for (unsigned i = 0; i < SPEND_TXS; i++)
		s->txs[i] = next_tx(&m, &s->sigs[i * SPEND_INS]);
	secret_ctx_free(m.ctx);
	return s;
}

void spends_free(struct spends *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < SPEND_TXS; i++)
		buf_unref(s->txs[i]);
	free(s);
}
