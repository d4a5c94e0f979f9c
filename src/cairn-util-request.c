/*
 * A request of verify-tx: one line of JSON becomes a transaction, the outputs
 * that it spends, flags, and the input that is asked for. One thread. Judges
 * form only; what it cannot read it names.
 */
#include "cairn-util.h"

#include <cairn/base/arena.h>
#include <cairn/base/err.h>
#include <cairn/consensus/flags.h>
#include <cairn/params/params.h>
#include <cairn/rpc/json.h>
#include <cairn/script/flags.h>
#include <cairn/wire/fault.h>
#include <cairn/wire/txparts.h>
#include <cairn/wire/version.h>

#include <stdarg.h>
#include <stdio.h>

/* The members of a line; those that are absent or null are NULL. */
struct members {
	const struct json *tx, *prevouts, *flags, *chain, *height, *input,
	    *script_sig, *witness, *comment;
};

static bool printf_like(2, 3)
    wrong(struct util_request *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why, sizeof r->why, fmt, ap);
	va_end(ap);
	return false;
}

#define NO_MEMORY "the line takes too much memory"

static bool no_memory(struct util_request *r)
{
	return wrong(r, NO_MEMORY);
}

static const struct json **member_at(struct members *m, struct slice key)
{
	const struct {
		const char *name;
		const struct json **at;
	} rows[] = {
	    {"tx", &m->tx},
	    {"prevouts", &m->prevouts},
	    {"flags", &m->flags},
	    {"chain", &m->chain},
	    {"height", &m->height},
	    {"input", &m->input},
	    {"scriptSig", &m->script_sig},
	    {"witness", &m->witness},
	    {"comment", &m->comment},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (slice_eq(key, slice_of(rows[i].name, strlen(rows[i].name))))
			return rows[i].at;
	return NULL;
}

/* A key that may be shown in an answer. */
static const char *shown(struct slice key)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *s = (const char *)key.p;

	return key.n > 0 && key.n <= 40 && strspn(s, plain) == key.n
		   ? s
		   : "a member of another name";
}

/* A name that is not known may be a known one misspelt, and passing over it
 * would change the verdict. */
static bool read_members(struct members *m, struct util_request *r,
			 const struct json *line)
{
	if (line->type != JSON_OBJECT)
		return wrong(r, "not an object");
	for (size_t i = 0; i < line->n; i++) {
		const struct json **at = member_at(m, line->keys[i]);

		if (!at)
			return wrong(r, "%s: not known", shown(line->keys[i]));
		if (*at)
			return wrong(r, "%s: given twice",
				     shown(line->keys[i]));
		if (line->kids[i].type != JSON_NULL)
			*at = &line->kids[i];
	}
	return true;
}

/* The bytes that a value writes in hexadecimal: NULL, or what is wrong. */
static const char *read_hex(struct slice *out, struct arena *a,
			    const struct json *v)
{
	uint8_t *p;

	if (!v || v->type != JSON_STRING)
		return "not a string";
	p = arena_alloc(a, v->s.n / 2 + 1);
	if (!p)
		return NO_MEMORY;
	if (v->s.n % 2 || !hex_parse(p, v->s.n / 2, (const char *)v->s.p))
		return "not hexadecimal digits in pairs";
	*out = slice_of(p, v->s.n / 2);
	return NULL;
}

static bool parse_tx(struct util_request *r, struct arena *a, struct slice raw)
{
	struct msg_fault f;
	struct rd rd;

	r->tx = arena_alloc(a, sizeof *r->tx);
	if (!r->tx)
		return no_memory(r);
	rd_init(&rd, raw);
	if (!tx_view_parse(r->tx, &rd)) {
		if (!msg_fault_find(&f, MSG_TX, raw, PROTOCOL_VERSION))
			return wrong(r, "tx: not a transaction");
		return wrong(r, "tx: offset %zu: %.60s%s%.60s", f.offset,
			     f.field, *f.field ? ": " : "", f.why);
	}
	if (rd_left(&rd))
		return wrong(r, "tx: %zu bytes behind the transaction",
			     rd_left(&rd));
	return true;
}

static bool read_tx(struct util_request *r, struct arena *a,
		    const struct json *v)
{
	struct slice raw;
	const char *why = read_hex(&raw, a, v);

	return why ? wrong(r, "tx: %s", why) : parse_tx(r, a, raw);
}

static bool read_prevout(struct util_request *r, struct arena *a,
			 const struct json *v, size_t i)
{
	struct txout_view *out = &r->spent[i];
	const char *why;

	if (v->type != JSON_OBJECT)
		return wrong(r, "prevouts[%zu]: not an object", i);
	if (!json_i64(&out->value, json_member(v, "value")))
		return wrong(r, "prevouts[%zu].value: not a number of satoshi",
			     i);
	why = read_hex(&out->script, a, json_member(v, "script"));
	return !why || wrong(r, "prevouts[%zu].script: %s", i, why);
}

static bool read_prevouts(struct util_request *r, struct arena *a,
			  const struct json *v)
{
	if (!v || v->type != JSON_ARRAY)
		return wrong(r, "prevouts: not an array");
	if (v->n != r->tx->n_in)
		return wrong(r, "prevouts: %zu for %u inputs", v->n,
			     r->tx->n_in);
	r->spent = arena_alloc(a, v->n * sizeof *r->spent + 1);
	if (!r->spent)
		return no_memory(r);
	for (size_t i = 0; i < v->n; i++)
		if (!read_prevout(r, a, &v->kids[i], i))
			return false;
	return true;
}

const struct params *util_chain_find(const char *name)
{
	const struct chain_names *found = chain_names_find(name);

	if (strcmp(name, "mainnet") == 0)
		return params_get(CHAIN_MAIN);
	if (strcmp(name, "testnet3") == 0)
		return params_get(CHAIN_TEST);
	return found ? params_get(found->id) : NULL;
}

/* Flags that make no sense without others bring them along, as in Bitcoin
 * Core's vectors. */
static unsigned fill(unsigned flags)
{
	if (flags & SCRIPT_VERIFY_CLEANSTACK)
		flags |= SCRIPT_VERIFY_WITNESS;
	if (flags & SCRIPT_VERIFY_WITNESS)
		flags |= SCRIPT_VERIFY_P2SH;
	return flags;
}

static bool flags_by_height(struct util_request *r, const struct members *m)
{
	static const struct hash256 no_block;
	const char *name = json_str(m->chain);
	const struct params *p = name ? util_chain_find(name) : NULL;
	int64_t height;

	if (!p)
		return wrong(r, "chain: not main, test, testnet4, signet or "
				"regtest");
	if (!m->height)
		return wrong(r, "height: missing beside chain");
	if (!json_i64(&height, m->height) || height < 0 || height > INT32_MAX)
		return wrong(r, "height: not a height");
	r->flags = script_flags(p, (int32_t)height, &no_block);
	return true;
}

static bool read_flags(struct util_request *r, const struct members *m)
{
	const char *names = json_str(m->flags);

	if (!m->flags == !(m->chain || m->height))
		return wrong(r, "either flags, or chain and height");
	if (!m->flags)
		return flags_by_height(r, m);
	if (!names || !script_flags_parse(&r->flags, names))
		return wrong(r, "flags: not names separated by commas");
	r->flags = fill(r->flags);
	return true;
}

static bool read_input(struct util_request *r, const struct members *m)
{
	int64_t i;

	r->one = m->input != NULL;
	r->input = 0;
	if (!r->one) {
		if (m->script_sig || m->witness)
			return wrong(r, "input: missing beside scriptSig and "
					"witness");
		return true;
	}
	if (!json_i64(&i, m->input) || i < 0 || i >= r->tx->n_in)
		return wrong(r, "input: not the number of one of %u inputs",
			     r->tx->n_in);
	r->input = (uint32_t)i;
	return true;
}

/* A transaction that is written anew with one input changed. */
struct rewrite {
	struct txin_view *ins;
	struct txout_view *outs;
	uint32_t *n_items;
	struct slice *items;
	size_t n;
};

static size_t count_items(const struct tx_view *tx)
{
	struct tx_iter it, stack;
	size_t n = 0;

	txwits(&it, tx);
	while (txwit_next(&it, &stack))
		n += stack.left;
	return n;
}

static bool rewrite_alloc(struct rewrite *w, struct arena *a,
			  const struct tx_view *tx, size_t more)
{
	size_t items = count_items(tx) + more;

	w->n = 0;
	w->ins = arena_alloc(a, tx->n_in * sizeof *w->ins);
	w->outs = arena_alloc(a, tx->n_out * sizeof *w->outs + 1);
	w->n_items = arena_alloc(a, tx->n_in * sizeof *w->n_items);
	w->items = arena_alloc(a, items * sizeof *w->items + 1);
	return w->ins && w->outs && w->n_items && w->items;
}

static void keep_stack(struct rewrite *w, uint32_t i, struct tx_iter stack)
{
	w->n_items[i] = stack.left;
	while (witem_next(&stack, &w->items[w->n]))
		w->n++;
}

static bool new_stack(struct rewrite *w, struct util_request *r,
		      struct arena *a, const struct json *v)
{
	w->n_items[r->input] = (uint32_t)v->n;
	for (size_t k = 0; k < v->n; k++) {
		const char *why = read_hex(&w->items[w->n++], a, &v->kids[k]);

		if (why)
			return wrong(r, "witness[%zu]: %s", k, why);
	}
	return true;
}

static bool read_parts(struct rewrite *w, struct util_request *r,
		       struct arena *a, const struct members *m)
{
	struct tx_iter ins, outs, wits, stack;
	const char *why = NULL;

	txins(&ins, r->tx);
	txouts(&outs, r->tx);
	txwits(&wits, r->tx);
	for (uint32_t i = 0; txin_next(&ins, &w->ins[i]); i++) {
		bool here = i == r->input;

		txwit_next(&wits, &stack);
		if (here && m->script_sig)
			why = read_hex(&w->ins[i].script, a, m->script_sig);
		if (why)
			return wrong(r, "scriptSig: %s", why);
		if (!here || !m->witness)
			keep_stack(w, i, stack);
		else if (!new_stack(w, r, a, m->witness))
			return false;
	}
	for (uint32_t i = 0; i < r->tx->n_out; i++)
		txout_next(&outs, &w->outs[i]);
	return true;
}

/* Put another script and witness into the input that is asked for. */
static bool replace(struct util_request *r, struct arena *a,
		    const struct members *m)
{
	struct tx_msg msg = {.version = r->tx->version,
			     .n_in = r->tx->n_in,
			     .n_out = r->tx->n_out,
			     .lock_time = r->tx->lock_time};
	struct rewrite w;
	uint8_t *raw;
	size_t n;

	if (!m->script_sig && !m->witness)
		return true;
	if (m->witness && m->witness->type != JSON_ARRAY)
		return wrong(r, "witness: not an array");
	if (!rewrite_alloc(&w, a, r->tx, m->witness ? m->witness->n : 0))
		return no_memory(r);
	if (!read_parts(&w, r, a, m))
		return false;
	msg.in = w.ins;
	msg.out = w.outs;
	msg.n_items = w.n ? w.n_items : NULL;
	msg.items = w.items;
	n = tx_size(&msg);
	raw = arena_alloc(a, n);
	if (!raw)
		return no_memory(r);
	tx_put(raw, &msg);
	return parse_tx(r, a, slice_of(raw, n));
}

bool util_request_parse(struct util_request *r, struct arena *a,
			struct slice line)
{
	struct members m = {0};
	struct json *v;
	int rc = json_parse(&v, a, line);

	if (rc == E_LIMIT)
		return no_memory(r);
	if (rc)
		return wrong(r, "not JSON");
	return read_members(&m, r, v) && read_tx(r, a, m.tx) &&
	       read_prevouts(r, a, m.prevouts) && read_flags(r, &m) &&
	       read_input(r, &m) && replace(r, a, &m);
}
