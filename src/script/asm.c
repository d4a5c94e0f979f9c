/*
 * Scripts as text, byte for byte as Bitcoin Core's ScriptToAsmStr prints them.
 * Any thread; the text belongs to the caller.
 */
#include <cairn/script/template.h>

#include "internal.h"

#include <cairn/base/text.h>

/* Printf takes ten times as long, and most witness scripts begin with a number.
 */
static void put_decimal(struct text *out, int64_t v)
{
	char digits[12];
	size_t at = sizeof digits;
	uint64_t left = v < 0 ? (uint64_t)-v : (uint64_t)v;

	do {
		digits[--at] = (char)('0' + left % 10);
		left /= 10;
	} while (left > 0);
	if (v < 0)
		digits[--at] = '-';
	text_put(out, digits + at, sizeof digits - at);
}

/* A little-endian number of up to 4 bytes with its sign in the top bit. */
static void put_number(struct text *out, struct slice s)
{
	int64_t v = 0;

	for (size_t i = 0; i < s.n; i++)
		v |= (int64_t)s.p[i] << (8 * i);
	if (s.n > 0 && s.p[s.n - 1] & 0x80)
		v = -(v & ~((int64_t)0x80 << (8 * (s.n - 1))));
	put_decimal(out, v);
}

static const char *sighash_name(uint8_t type)
{
	switch (type) {
	case 0x01:
		return "[ALL]";
	case 0x02:
		return "[NONE]";
	case 0x03:
		return "[SINGLE]";
	case 0x81:
		return "[ALL|ANYONECANPAY]";
	case 0x82:
		return "[NONE|ANYONECANPAY]";
	case 0x83:
		return "[SINGLE|ANYONECANPAY]";
	default:
		return NULL;
	}
}

static void put_data(struct text *out, struct slice data, bool decode)
{
	const char *type = NULL;

	if (data.n <= 4) {
		put_number(out, data);
		return;
	}
	if (decode && sig_is_der(data))
		type = sighash_name(data.p[data.n - 1]);
	if (type)
		data.n--;
	text_hex(out, data);
	if (type)
		text_puts(out, type);
}

void script_asm(struct text *out, struct slice script, bool sighash_decode)
{
	bool decode = sighash_decode && !script_is_unspendable(script);
	struct script_iter it;
	struct slice data;
	const char *gap = "";
	uint8_t op;

	script_iter_init(&it, script);
	while (script_next(&it, &op, &data)) {
		text_puts(out, gap);
		gap = " ";
		if (op <= OP_PUSHDATA4)
			put_data(out, data, decode);
		else
			text_puts(out, script_op_name(op));
	}
	if (it.bad) {
		text_puts(out, gap);
		text_puts(out, "[error]");
	}
}
