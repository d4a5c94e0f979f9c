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

/* The next input's length is known only when this one's has come from memory,
 * and the processor's own prefetching does not see that pattern: asking a few
 * inputs ahead makes a block of 1 MB parse a sixth faster. */
static inline void prefetch(const uint8_t *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + 320));
}

static bool scan_compact_long(const uint8_t **p, const uint8_t *end,
			      uint32_t *out)
{
	struct rd r = {.p = *p, .end = end, .bad = false};

	*out = rd_compact(&r);
	*p = r.p;
	return rd_ok(&r);
}

/* The CompactSize at *p, with the rules of rd_compact. */
static inline bool scan_compact(const uint8_t **p, const uint8_t *end,
				uint32_t *out)
{
	const uint8_t *q = *p;

	if (rare(q == end || *q >= 0xfd))
		return scan_compact_long(p, end, out);
	*out = *q;
	*p = q + 1;
	return true;
}

/* A count of elements that take min bytes at least. */
static inline bool scan_count(const uint8_t **p, const uint8_t *end, size_t min,
			      uint32_t *out)
{
	return scan_compact(p, end, out) && *out <= (size_t)(end - *p) / min;
}

/* Step over inputs, outputs, witness stacks: the byte after, or NULL. */
static const uint8_t *scan_inputs(const uint8_t *p, const uint8_t *end,
				  uint32_t n)
{
	uint32_t len;

	for (; n > 0; n--) {
		if (rare((size_t)(end - p) < TXIN_MIN))
			return NULL;
		prefetch(p);
		p += OUTPOINT_SIZE;
		if (rare(!scan_compact(&p, end, &len)))
			return NULL;
		if (rare((size_t)(end - p) < (size_t)len + 4))
			return NULL;
		p += len + 4;
	}
	return p;
}

static const uint8_t *scan_outputs(const uint8_t *p, const uint8_t *end,
				   uint32_t n)
{
	uint32_t len;

	for (; n > 0; n--) {
		if (rare((size_t)(end - p) < TXOUT_MIN))
			return NULL;
		p += 8;
		if (rare(!scan_compact(&p, end, &len)))
			return NULL;
		if (rare((size_t)(end - p) < len))
			return NULL;
		p += len;
	}
	return p;
}

static const uint8_t *scan_stack(const uint8_t *p, const uint8_t *end,
				 uint32_t n)
{
	uint32_t len;

	for (; n > 0; n--) {
		if (rare(!scan_compact(&p, end, &len)))
			return NULL;
		if (rare((size_t)(end - p) < len))
			return NULL;
		p += len;
	}
	return p;
}

/* Every input's stack; a witness in which all are empty is superfluous. */
static const uint8_t *scan_witness(const uint8_t *p, const uint8_t *end,
				   uint32_t n_in)
{
	bool any = false;
	uint32_t n;

	for (; n_in > 0; n_in--) {
		if (rare(!scan_count(&p, end, 1, &n)))
			return NULL;
		p = scan_stack(p, end, n);
		if (rare(!p))
			return NULL;
		any |= n != 0;
	}
	return any ? p : NULL;
}

/* Counts, inputs and outputs from p on. */
static const uint8_t *scan_body(struct tx_view *t, const uint8_t *p,
				const uint8_t *end)
{
	if (!scan_count(&p, end, TXIN_MIN, &t->n_in))
		return NULL;
	t->in_off = (uint32_t)(p - t->p);
	p = scan_inputs(p, end, t->n_in);
	if (!p || !scan_count(&p, end, TXOUT_MIN, &t->n_out))
		return NULL;
	t->out_off = (uint32_t)(p - t->p);
	return scan_outputs(p, end, t->n_out);
}

/* Core reads a first count of zero as BIP 144's marker. A flag of zero then
 * ends the transaction: no inputs, no outputs. Flags but 1 are unknown. */
static const uint8_t *scan_parts(struct tx_view *t, const uint8_t *p,
				 const uint8_t *end)
{
	const uint8_t *wit;

	if (p[0] != 0)
		return scan_body(t, p, end);
	if (p[1] == 0) {
		t->in_off = 5;
		t->out_off = 6;
		return p + 2;
	}
	if (p[1] != 1)
		return NULL;
	wit = scan_body(t, p + 2, end);
	if (!wit)
		return NULL;
	t->wit_off = (uint32_t)(wit - t->p);
	return scan_witness(wit, end, t->n_in);
}

static bool scan_tx(struct tx_view *t, const uint8_t *end, bool marker)
{
	const uint8_t *p = t->p;

	if ((size_t)(end - p) < TX_MIN)
		return false;
	t->version = (int32_t)le32_get(p);
	p = marker ? scan_parts(t, p + 4, end) : scan_body(t, p + 4, end);
	if (!p || end - p < 4)
		return false;
	t->lock_time = le32_get(p);
	t->size = (uint32_t)(p + 4 - t->p);
	t->base_size = t->size;
	if (t->wit_off)
		t->base_size = t->wit_off - 2 + 4;
	return true;
}

static inline bool parse(struct tx_view *v, struct rd *r, bool marker)
{
	struct tx_view t = {.p = r->p};

	if (rd_left(r) > TX_SPAN_MAX || !scan_tx(&t, r->end, marker)) {
		rd_fail(r);
		return false;
	}
	*v = t;
	r->p += t.size;
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
