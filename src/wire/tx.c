/*
 * Transactions: one validating pass that notes where the parts are, iterators
 * that trust it, and the two hashes. Any thread. Values, scripts and locks are
 * judged in consensus.
 */
#include <cairn/wire/tx.h>

#include <cairn/crypto/sha256.h>

#define TXIN_MIN  41u /* outpoint, empty script, sequence */
#define TXOUT_MIN 9u  /* value, empty script */
#define TX_MIN    10u /* version, two counts, lock time */

#define rare(x) __builtin_expect(!!(x), 0)
/* All of a parse in one function, its cursor and view in registers. */
#define MERGED static inline __attribute__((always_inline))

/* The next input's length is known only when this one's has come from memory,
 * and the processor's own prefetching does not see that pattern: asking a few
 * inputs ahead makes a block of 1 MB parse a sixth faster. */
static inline void prefetch(const uint8_t *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + 320));
}

/* A CompactSize and the byte after it, or NULL. By value, so that no cursor has
 * an address and must live in memory. */
struct scanned {
	const uint8_t *p;
	uint32_t n;
};

static struct scanned scan_compact_long(const uint8_t *p, const uint8_t *end)
{
	struct rd r = {.p = p, .end = end, .bad = false};
	uint32_t n = rd_compact(&r);

	return (struct scanned){rd_ok(&r) ? r.p : NULL, n};
}

/* The CompactSize at p, with the rules of rd_compact. */
MERGED struct scanned scan_compact(const uint8_t *p, const uint8_t *end)
{
	if (rare(p == end || *p >= 0xfd))
		return scan_compact_long(p, end);
	return (struct scanned){p + 1, *p};
}

/* A count of elements that take min bytes at least. */
MERGED struct scanned scan_count(const uint8_t *p, const uint8_t *end,
				 size_t min)
{
	struct scanned s = scan_compact(p, end);

	if (rare(s.p && s.n > (size_t)(end - s.p) / min))
		s.p = NULL;
	return s;
}

/* A length, that many bytes and `more` after them: the byte behind all, or
 * NULL. */
MERGED const uint8_t *scan_bytes(const uint8_t *p, const uint8_t *end,
				 size_t more)
{
	struct scanned s = scan_compact(p, end);

	if (rare(!s.p || (size_t)(end - s.p) < s.n + more))
		return NULL;
	return s.p + s.n + more;
}

/* Step over inputs, outputs, witness stacks: the byte after, or NULL. */
MERGED const uint8_t *scan_inputs(const uint8_t *p, const uint8_t *end,
				  uint32_t n)
{
	for (; n > 0; n--) {
		if (rare((size_t)(end - p) < TXIN_MIN))
			return NULL;
		prefetch(p);
		p = scan_bytes(p + OUTPOINT_SIZE, end, 4);
		if (rare(!p))
			return NULL;
	}
	return p;
}

MERGED const uint8_t *scan_outputs(const uint8_t *p, const uint8_t *end,
				   uint32_t n)
{
	for (; n > 0; n--) {
		if (rare((size_t)(end - p) < TXOUT_MIN))
			return NULL;
		p = scan_bytes(p + 8, end, 0);
		if (rare(!p))
			return NULL;
	}
	return p;
}

/* Every input's stack; a witness in which all are empty is superfluous. */
MERGED const uint8_t *scan_witness(const uint8_t *p, const uint8_t *end,
				   uint32_t n_in)
{
	struct scanned s;
	bool any = false;

	for (; n_in > 0; n_in--) {
		s = scan_count(p, end, 1);
		any |= s.n != 0;
		for (p = s.p; p && s.n > 0; s.n--)
			p = scan_bytes(p, end, 0);
		if (rare(!p))
			return NULL;
	}
	return any ? p : NULL;
}

/* Counts, inputs and outputs from p on. */
MERGED const uint8_t *scan_body(struct tx_view *t, const uint8_t *p,
				const uint8_t *end)
{
	struct scanned s = scan_count(p, end, TXIN_MIN);

	if (rare(!s.p))
		return NULL;
	t->n_in = s.n;
	t->in_off = (uint32_t)(s.p - t->p);
	p = scan_inputs(s.p, end, s.n);
	if (rare(!p))
		return NULL;
	s = scan_count(p, end, TXOUT_MIN);
	if (rare(!s.p))
		return NULL;
	t->n_out = s.n;
	t->out_off = (uint32_t)(s.p - t->p);
	return scan_outputs(s.p, end, s.n);
}

/* Core reads a first count of zero as BIP 144's marker, where there may be one.
 * A flag of zero then ends the transaction: no inputs, no outputs. Flags but 1
 * are unknown. */
MERGED const uint8_t *scan_parts(struct tx_view *t, const uint8_t *p,
				 const uint8_t *end, bool marker)
{
	bool marked = marker && p[0] == 0;

	if (rare(marked && p[1] == 0)) {
		t->in_off = 5;
		t->out_off = 6;
		return p + 2;
	}
	if (rare(marked && p[1] != 1))
		return NULL;
	p = scan_body(t, marked ? p + 2 : p, end);
	if (!p || !marked)
		return p;
	t->wit_off = (uint32_t)(p - t->p);
	return scan_witness(p, end, t->n_in);
}

MERGED bool parse(struct tx_view *v, struct rd *r, bool marker)
{
	const uint8_t *p = r->p;
	struct tx_view t = {.p = p};
	size_t left = rd_left(r);

	if (left <= TX_SPAN_MAX && left >= TX_MIN)
		p = scan_parts(&t, p + 4, r->end, marker);
	else
		p = NULL;
	if (rare(!p || r->end - p < 4)) {
		rd_fail(r);
		return false;
	}
	/* One by one: copied whole, 16 bytes would be loaded right after they
	 * were stored by fours, and wait for that. */
	v->p = t.p;
	v->size = (uint32_t)(p + 4 - t.p);
	v->base_size = t.wit_off ? t.wit_off - 2 + 4 : v->size;
	v->n_in = t.n_in;
	v->n_out = t.n_out;
	v->in_off = t.in_off;
	v->out_off = t.out_off;
	v->wit_off = t.wit_off;
	v->lock_time = le32_get(p);
	v->version = (int32_t)le32_get(t.p);
	r->p = p + 4;
	return true;
}

bool tx_view_parse(struct tx_view *v, struct rd *r)
{
	return parse(v, r, true);
}

bool tx_view_parse_base(struct tx_view *v, struct rd *r)
{
	return parse(v, r, false);
}

bool tx_is_coinbase(const struct tx_view *v)
{
	const uint8_t *prevout = v->p + v->in_off;

	return v->n_in == 1 && outpoint_index(prevout) == 0xffffffffu &&
	       hash256_is_zero(outpoint_txid(prevout));
}

size_t tx_base_parts(struct slice parts[3], const struct tx_view *v)
{
	if (!tx_has_witness(v)) {
		parts[0] = slice_of(v->p, v->size);
		return 1;
	}
	parts[0] = slice_of(v->p, 4);
	parts[1] = slice_of(v->p + 6, v->wit_off - 6);
	parts[2] = slice_of(v->p + v->size - 4, 4);
	return 3;
}

void tx_txid(struct hash256 *out, const struct tx_view *v)
{
	struct slice parts[3];
	size_t n = tx_base_parts(parts, v);

	sha256d_parts(out, parts, n);
}

void tx_wtxid(struct hash256 *out, const struct tx_view *v)
{
	sha256d(out, v->p, v->size);
}

uint8_t *tx_put_base(uint8_t *p, const struct tx_view *v)
{
	struct slice parts[3];
	size_t n = tx_base_parts(parts, v);

	for (size_t i = 0; i < n; i++)
		p = bytes_put(p, parts[i].p, parts[i].n);
	return p;
}
