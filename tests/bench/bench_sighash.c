/*
 * Rows of signature hashes: every input of one transaction, by each scheme and
 * kind of types. Figures are per input, so that work which grows with the
 * square of their number shows between 1,000 and 4,000.
 */
#include "bench.h"

#include <cairn/script/op.h>
#include <cairn/script/sighash.h>

#include <stdlib.h>

enum scheme { LEGACY, SEGWIT, TAPROOT };

/* A row's arg. With outs there is an output for each input, else one. */
#define ARG(scheme, type, outs)                                                \
	((unsigned)(scheme) << 16 | (unsigned)(outs) << 8 | (type))
#define ARG_TYPE(arg)   ((uint8_t)(arg))
#define ARG_OUTS(arg)   ((arg) >> 8 & 1)
#define ARG_SCHEME(arg) ((enum scheme)((arg) >> 16))

struct many {
	struct tx_view tx;
	struct tx_sighash shared;
	struct txout_view *spent;
	uint8_t code[25];
	uint8_t raw[];
};

static uint8_t *put_ins(uint8_t *p, uint32_t n)
{
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++, p += 41)
		bench_fill(p, 36, i);
	return p;
}

static uint8_t *put_outs(uint8_t *p, uint32_t n)
{
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++) {
		p = le64_put(p, 1);
		*p++ = 0;
	}
	return p;
}

static bool setup(struct bench *b)
{
	uint32_t n = b->row->per;
	uint32_t outs = ARG_OUTS(b->row->arg) ? n : 1;
	struct many *m = calloc(1, sizeof *m + n * (size_t)50 + 64);
	struct rd r;
	uint8_t *p;

	if (!m || !(m->spent = calloc(n, sizeof *m->spent))) {
		free(m);
		b->why = "out of memory";
		return false;
	}
	p = put_outs(put_ins(le32_put(m->raw, 1), n), outs);
	p = le32_put(p, 0);
	bench_fill(m->code, sizeof m->code, 5);
	m->code[0] = OP_DUP;
	m->code[1] = OP_HASH160;
	m->code[2] = 20;
	m->code[23] = OP_EQUALVERIFY;
	m->code[24] = OP_CHECKSIG;
	rd_init(&r, slice_of(m->raw, (size_t)(p - m->raw)));
	if (!tx_view_parse(&m->tx, &r))
		abort();
	b->data = m;
	b->bytes = m->tx.size;
	return true;
}

static void fini(struct bench *b)
{
	struct many *m = b->data;

	free(m->spent);
	free(m);
}

static void hash(uint8_t h[32], struct script_input *in, struct slice code,
		 uint32_t arg)
{
	struct tap_context tap = {.separator_pos = TAP_NO_SEPARATOR};
	uint8_t type = ARG_TYPE(arg);

	switch (ARG_SCHEME(arg)) {
	case LEGACY:
		sighash_legacy(h, in, code, type);
		break;
	case SEGWIT:
		sighash_v0(h, in, code, type);
		break;
	case TAPROOT:
		if (!sighash_taproot(h, in, &tap, type))
			abort();
	}
}

static uint64_t run(struct bench *b, uint64_t n)
{
	struct many *m = b->data;
	struct slice code = slice_of(m->code, sizeof m->code);
	struct script_input in;
	uint64_t sum = 0;
	uint8_t h[32];

	for (; n > 0; n--) {
		tx_sighash_init_all(&m->shared, &m->tx, m->spent);
		script_inputs(&in, &m->shared);
		while (script_input_next(&in)) {
			hash(h, &in, code, b->row->arg);
			sum += h[0];
		}
	}
	return sum;
}

#define ROW(n, scheme, type, outs, inputs)                                     \
	{                                                                      \
		.name = n, .setup = setup, .run = run, .fini = fini,           \
		.arg = ARG(scheme, type, outs), .per = inputs, .unit = "input" \
	}
#define ANYONE SIGHASH_ANYONECANPAY

static const struct bench_row rows[] = {
    ROW("SighashLegacy/89", LEGACY, SIGHASH_ALL, 0, 89),
    ROW("SighashLegacy/1000", LEGACY, SIGHASH_ALL, 0, 1000),
    ROW("SighashLegacyNone/1000", LEGACY, SIGHASH_NONE, 0, 1000),
    ROW("SighashLegacySingle/1000", LEGACY, SIGHASH_SINGLE, 1, 1000),
    ROW("SighashLegacyAnyone/1000", LEGACY, SIGHASH_ALL | ANYONE, 0, 1000),
    ROW("SighashLegacyAnyone/4000", LEGACY, SIGHASH_ALL | ANYONE, 0, 4000),
    ROW("SighashLegacyNoneAnyone/1000", LEGACY, SIGHASH_NONE | ANYONE, 1, 1000),
    ROW("SighashLegacyNoneAnyone/4000", LEGACY, SIGHASH_NONE | ANYONE, 1, 4000),
    ROW("SighashLegacySingleAnyone/1000", LEGACY, SIGHASH_SINGLE | ANYONE, 1,
	1000),
    ROW("SighashSegwit/89", SEGWIT, SIGHASH_ALL, 0, 89),
    ROW("SighashSegwit/1000", SEGWIT, SIGHASH_ALL, 0, 1000),
    ROW("SighashSegwit/4000", SEGWIT, SIGHASH_ALL, 0, 4000),
    ROW("SighashTaproot/1000", TAPROOT, SIGHASH_ALL, 0, 1000),
    ROW("SighashTaproot/4000", TAPROOT, SIGHASH_ALL, 0, 4000),
};
BENCH_ROWS(rows);
