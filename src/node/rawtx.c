/*
 * Decodes raw transactions as bitcoind does. Without inputs the two forms that
 * a transaction can have cannot be told apart by their bytes: then scripts
 * decide. Any thread.
 */
#include "rawtx.h"

#include <cairn/base/buf.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#define PUSH_MAX 520 /* bytes that a script may push */

bool script_ops_valid(struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (op > OP_NOP10 || data.n > PUSH_MAX)
			return false;
	return !it.bad;
}

static bool script_sane(struct slice script)
{
	return script.n <= SCRIPT_MAX && script_ops_valid(script);
}

static bool scripts_sane(const struct tx_view *tx)
{
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (!tx_is_coinbase(tx) && txin_next(&it, &in))
		if (!script_sane(in.script))
			return false;
	txouts(&it, tx);
	while (txout_next(&it, &out))
		if (!script_sane(out.script))
			return false;
	return true;
}

bool rawtx_decode(struct tx_view *tx, struct slice b, enum rawtx_form form)
{
	struct tx_view wit, base;
	bool is_wit, is_base;
	struct rd r;

	rd_init(&r, b);
	is_wit =
	    form & RAWTX_WITNESS && tx_view_parse(&wit, &r) && rd_left(&r) == 0;
	if (is_wit && scripts_sane(&wit)) {
		*tx = wit;
		return true;
	}
	rd_init(&r, b);
	is_base = form & RAWTX_BASE && tx_view_parse_base(&base, &r) &&
		  rd_left(&r) == 0;
	if (is_base && (!is_wit || scripts_sane(&base)))
		*tx = base;
	else if (is_wit)
		*tx = wit;
	return is_base || is_wit;
}

struct buf *hex_buf(const struct json *v)
{
	const char *s = json_str(v);
	size_t n = s ? v->s.n / 2 : 0;
	struct buf *b = NULL;

	if (n > 0 && hex_is(s))
		b = buf_new(n);
	if (!b)
		return NULL;
	b->n = n;
	if (hex_parse(buf_data(b), n, s))
		return b;
	buf_unref(b);
	return NULL;
}

bool rawtx_parse(struct tx_view *tx, struct buf **give, const struct json *v,
		 enum rawtx_form form)
{
	struct buf *b = hex_buf(v);

	if (b && rawtx_decode(tx, buf_payload(b), form)) {
		*give = b;
		return true;
	}
	buf_unref(b);
	return false;
}
