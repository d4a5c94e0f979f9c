/*
 * Walks a script operation by operation, answers what needs no more than such a
 * walk, and writes pushes. Executes nothing. Any thread; no state.
 */
#include <cairn/script/template.h>

#include <cairn/base/endian.h>
#include <cairn/script/op.h>

void script_iter_init(struct script_iter *it, struct slice script)
{
	it->p = script.p;
	it->end = script.n ? script.p + script.n : script.p;
	it->bad = false;
}

/* How many bytes the push op at p carries; p moves behind the length. False
 * when the length itself is cut off. */
static bool push_size(struct script_iter *it, uint8_t op, size_t *n)
{
	size_t left = (size_t)(it->end - it->p);
	size_t width = op == OP_PUSHDATA1 ? 1 : op == OP_PUSHDATA2 ? 2 : 4;

	if (op < OP_PUSHDATA1) {
		*n = op;
		return true;
	}
	if (left < width)
		return false;
	if (width == 1)
		*n = it->p[0];
	else if (width == 2)
		*n = le16_get(it->p);
	else
		*n = le32_get(it->p);
	it->p += width;
	return true;
}

bool script_next(struct script_iter *it, uint8_t *op, struct slice *data)
{
	size_t n = 0;

	if (it->p == it->end)
		return false;
	*op = *it->p++;
	if (*op <= OP_PUSHDATA4 &&
	    (!push_size(it, *op, &n) || (size_t)(it->end - it->p) < n)) {
		it->bad = true;
		it->p = it->end;
		return false;
	}
	*data = slice_of(it->p, n);
	it->p += n;
	return true;
}

/* What an operation that is no push adds; last is the one before it. */
static uint32_t op_sigops(uint8_t op, uint8_t last, bool accurate)
{
	if (op == OP_CHECKSIG || op == OP_CHECKSIGVERIFY)
		return 1;
	if (op != OP_CHECKMULTISIG && op != OP_CHECKMULTISIGVERIFY)
		return 0;
	if (accurate && last >= OP_1 && last <= OP_16)
		return last - OP_1 + 1u;
	return SCRIPT_MULTISIG_KEYS;
}

/* Every script of every block passes here, so short pushes, most of all bytes,
 * are stepped over without script_next. */
uint32_t script_sigops(struct slice script, bool accurate)
{
	struct script_iter it;
	uint32_t n = 0;
	size_t size;
	uint8_t op, last = OP_INVALIDOPCODE;

	script_iter_init(&it, script);
	for (; it.p != it.end; last = op) {
		op = *it.p++;
		if (op > OP_PUSHDATA4) {
			n += op_sigops(op, last, accurate);
			continue;
		}
		size = op;
		if (op >= OP_PUSHDATA1 && !push_size(&it, op, &size))
			break;
		if ((size_t)(it.end - it.p) < size)
			break;
		it.p += size;
	}
	return n;
}

bool script_is_unspendable(struct slice script)
{
	return (script.n > 0 && script.p[0] == OP_RETURN) ||
	       script.n > SCRIPT_MAX;
}

bool script_is_push_only(struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	/* OP_RESERVED counts as a push here; it fails when executed. */
	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (op > OP_16)
			return false;
	return !it.bad;
}

bool script_is_witness(struct slice script, uint8_t *version,
		       struct slice *program)
{
	uint8_t op;

	if (script.n < 4 || script.n > 42)
		return false;
	op = script.p[0];
	if (op != OP_0 && (op < OP_1 || op > OP_16))
		return false;
	if (script.p[1] + (size_t)2 != script.n)
		return false;
	*version = op == OP_0 ? 0 : (uint8_t)(op - OP_1 + 1);
	*program = slice_of(script.p + 2, script.n - 2);
	return true;
}

uint8_t *script_put_push(uint8_t *p, struct slice data)
{
	if (data.n < OP_PUSHDATA1) {
		*p++ = (uint8_t)data.n;
	} else if (data.n <= UINT8_MAX) {
		*p++ = OP_PUSHDATA1;
		*p++ = (uint8_t)data.n;
	} else if (data.n <= UINT16_MAX) {
		*p++ = OP_PUSHDATA2;
		p = le16_put(p, (uint16_t)data.n);
	} else {
		*p++ = OP_PUSHDATA4;
		p = le32_put(p, (uint32_t)data.n);
	}
	return bytes_put(p, data.p, data.n);
}

uint8_t *script_put_num(uint8_t *p, int64_t v)
{
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
	uint8_t num[9];
	size_t n = 0;

	if (v == 0 || v == -1 || (v >= 1 && v <= 16)) {
		*p++ = (uint8_t)(v == 0 ? OP_0 : OP_1 - 1 + v);
		return p;
	}
	for (; left > 0; left >>= 8)
		num[n++] = (uint8_t)left;
	/* The top bit is the sign; it needs a byte of its own when taken. */
	if (num[n - 1] & 0x80)
		num[n++] = 0;
	if (v < 0)
		num[n - 1] |= 0x80;
	return script_put_push(p, slice_of(num, n));
}
