/*
 * Parses output descriptors (BIP 380 and following) into scripts, with the
 * sentences of Bitcoin Core where it refuses the same text. Any thread; no
 * state.
 */
#include <cairn/address/descriptor.h>

#include "desc.h"

#include <cairn/address/address.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdlib.h>

#define BARE_KEYS_MAX 3 /* of a multisig that is not wrapped */

struct desc {
	struct text *out, *err;
	const struct params *params;
};

static void put_script(struct desc *d, const uint8_t *from, const uint8_t *to)
{
	text_put(d->out, (const char *)from, (size_t)(to - from));
}

/* Take the expression that s begins with: up to a comma or a closing bracket
 * that is not its own. */
static struct span expression(struct span *s)
{
	size_t i, level = 0;
	struct span e;

	for (i = 0; i < s->n; i++) {
		char c = s->p[i];

		if (c == '(' || c == '{')
			level++;
		else if (level > 0 && (c == ')' || c == '}'))
			level--;
		else if (level == 0 && (c == ')' || c == '}' || c == ','))
			break;
	}
	e = (struct span){s->p, i};
	*s = (struct span){s->p + i, s->n - i};
	return e;
}

static bool one_key(struct desc *d, struct desc_key *k, const char *func,
		    struct span arg, enum desc_key_rule rule)
{
	text_printf(d->err, "%s(): ", func);
	if (!desc_key_parse(k, d->err, arg, rule))
		return false;
	text_reset(d->err);
	return true;
}

static bool parse_pk(struct desc *d, struct span arg)
{
	uint8_t script[80], *p;
	struct desc_key k;

	if (!one_key(d, &k, "pk", arg, KEY_ANY))
		return false;
	p = script_put_push(script, slice_of(k.b, k.n));
	*p++ = OP_CHECKSIG;
	put_script(d, script, p);
	return true;
}

static bool parse_pkh(struct desc *d, struct span arg)
{
	uint8_t script[32] = {OP_DUP, OP_HASH160}, hash[20], *p;
	struct desc_key k;

	if (!one_key(d, &k, "pkh", arg, KEY_ANY))
		return false;
	hash160(hash, k.b, k.n);
	p = script_put_push(script + 2, slice_of(hash, sizeof hash));
	*p++ = OP_EQUALVERIFY;
	*p++ = OP_CHECKSIG;
	put_script(d, script, p);
	return true;
}

static bool parse_wpkh(struct desc *d, struct span arg)
{
	uint8_t script[32] = {OP_0}, hash[20];
	struct desc_key k;

	if (!one_key(d, &k, "wpkh", arg, KEY_COMPRESSED))
		return false;
	hash160(hash, k.b, k.n);
	put_script(d, script,
		   script_put_push(script + 1, slice_of(hash, sizeof hash)));
	return true;
}

static bool parse_rawtr(struct desc *d, struct span arg)
{
	uint8_t script[40] = {OP_1};
	struct span key = expression(&arg);
	struct desc_key k;

	if (arg.n > 0) {
		text_puts(d->err, "rawtr(): only one key expected.");
		return false;
	}
	if (!one_key(d, &k, "rawtr", key, KEY_XONLY))
		return false;
	put_script(d, script,
		   script_put_push(script + 1, slice_of(k.b + 1, 32)));
	return true;
}

static bool parse_addr(struct desc *d, struct span arg)
{
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	char address[ADDRESS_STR];
	size_t n;
	bool ok = false;

	if (arg.n < sizeof address) {
		memcpy(address, arg.p, arg.n);
		address[arg.n] = '\0';
		ok = address_to_script(script, &n, NULL, address, d->params);
	}
	if (ok)
		put_script(d, script, script + n);
	else
		text_puts(d->err, "Address is not valid");
	return ok;
}

static bool parse_raw(struct desc *d, struct span arg)
{
	size_t n = arg.n / 2;
	char *hex = xmalloc(arg.n + 1);
	uint8_t *script = xmalloc(n + 1);
	bool ok;

	memcpy(hex, arg.p, arg.n);
	hex[arg.n] = '\0';
	ok = n > 0 && arg.n % 2 == 0 && hex_parse(script, n, hex);
	if (ok)
		put_script(d, script, script + n);
	else
		text_puts(d->err, "Raw script is not hex");
	free(script);
	free(hex);
	return ok;
}

static bool threshold_ok(struct desc *d, uint32_t need, size_t keys)
{
	if (keys == 0 || keys > SCRIPT_MULTISIG_KEYS)
		text_printf(d->err,
			    "Cannot have %zu keys in multisig; must have "
			    "between 1 and %d keys, inclusive",
			    keys, SCRIPT_MULTISIG_KEYS);
	else if (need < 1)
		text_printf(d->err,
			    "Multisig threshold cannot be %u, must be at least "
			    "1",
			    need);
	else if (need > keys)
		text_printf(d->err,
			    "Multisig threshold cannot be larger than the "
			    "number of keys; threshold is %u but only %zu keys "
			    "specified",
			    need, keys);
	else if (keys > BARE_KEYS_MAX)
		text_printf(d->err,
			    "Cannot have %zu pubkeys in bare multisig; only at "
			    "most 3 pubkeys",
			    keys);
	else
		return true;
	return false;
}

/* The next key of a multisig behind its comma. */
static bool next_key(struct desc *d, struct desc_key *k, struct span *arg)
{
	if (arg->p[0] != ',') {
		text_printf(d->err, "Multi: expected ',', got '%c'", arg->p[0]);
		return false;
	}
	*arg = (struct span){arg->p + 1, arg->n - 1};
	text_puts(d->err, "Multi: ");
	if (!desc_key_parse(k, d->err, expression(arg), KEY_ANY))
		return false;
	text_reset(d->err);
	return true;
}

static bool parse_multi(struct desc *d, struct span arg)
{
	uint8_t script[16 + 66 * BARE_KEYS_MAX], *p = script;
	struct span part = expression(&arg);
	uint32_t need;
	size_t keys = 0;

	if (!span_u32(&need, part)) {
		text_printf(d->err, "Multi threshold '%.*s' is not valid",
			    SPAN_ARG(part));
		return false;
	}
	p = script_put_num(p, need);
	for (; arg.n > 0; keys++) {
		struct desc_key k;

		if (!next_key(d, &k, &arg))
			return false;
		if (keys < BARE_KEYS_MAX)
			p = script_put_push(p, slice_of(k.b, k.n));
	}
	if (!threshold_ok(d, need, keys))
		return false;
	p = script_put_num(p, (int64_t)keys);
	*p++ = OP_CHECKMULTISIG;
	put_script(d, script, p);
	return true;
}

static bool parse_in_tr(struct desc *d, struct span arg)
{
	(void)arg;
	text_puts(d->err, "Can only have multi_a/sortedmulti_a inside tr()");
	return false;
}

static const struct func {
	const char *name;
	bool (*parse)(struct desc *d, struct span arg); /* NULL: not yet */
} funcs[] = {
    {"pk", parse_pk},
    {"pkh", parse_pkh},
    {"wpkh", parse_wpkh},
    {"multi", parse_multi},
    {"rawtr", parse_rawtr},
    {"addr", parse_addr},
    {"raw", parse_raw},
    {"multi_a", parse_in_tr},
    {"sortedmulti_a", parse_in_tr},
    {"combo", NULL},
    {"sortedmulti", NULL},
    {"sh", NULL},
    {"wsh", NULL},
    {"tr", NULL},
    {"unused", NULL},
};

/* name(arg): arg is what lies between the first and the last character of the
 * parentheses. */
static bool is_call(struct span *arg, struct span s, const char *name)
{
	size_t n = strlen(name);

	if (s.n < n + 2 || memcmp(s.p, name, n) != 0 || s.p[n] != '(' ||
	    s.p[s.n - 1] != ')')
		return false;
	*arg = (struct span){s.p + n + 1, s.n - n - 2};
	return true;
}

static bool parse(struct desc *d, struct span s)
{
	struct span expr = expression(&s), arg;

	for (size_t i = 0; i < sizeof funcs / sizeof *funcs; i++) {
		if (!is_call(&arg, expr, funcs[i].name))
			continue;
		if (!funcs[i].parse) {
			text_printf(d->err, "%s() is not supported yet",
				    funcs[i].name);
			return false;
		}
		if (!funcs[i].parse(d, arg))
			return false;
		if (s.n == 0)
			return true;
		text_puts(d->err, "unexpected text behind the descriptor");
		return false;
	}
	text_printf(d->err, "'%.*s' is not a valid descriptor function",
		    SPAN_ARG(expr));
	return false;
}

static bool checksum_ok(struct text *err, struct span *desc, bool need)
{
	struct span sum = *desc;
	bool given = span_cut(desc, &sum, '#');
	char want[9];

	if (sum.n && memchr(sum.p, '#', sum.n))
		text_puts(err, "Multiple '#' symbols");
	else if (!given && need)
		text_puts(err, "Missing checksum");
	else if (given && sum.n != 8)
		text_printf(err,
			    "Expected 8 character checksum, not %zu characters",
			    sum.n);
	else if (!descriptor_checksum(want, desc->p, desc->n))
		text_puts(err, "Invalid characters in payload");
	else if (given && memcmp(want, sum.p, 8) != 0)
		text_printf(err,
			    "Provided checksum '%.*s' does not match computed "
			    "checksum '%s'",
			    SPAN_ARG(sum), want);
	else
		return true;
	return false;
}

int descriptor_script(struct text *out, struct text *err, const char *desc,
		      bool need_checksum, const struct params *p)
{
	struct text script = TEXT_INIT, why = TEXT_INIT;
	struct desc d = {&script, &why, p};
	struct span s = {desc, strlen(desc)};
	bool ok = checksum_ok(&why, &s, need_checksum) && parse(&d, s);

	if (ok)
		text_put(out, script.p, script.n);
	else
		text_puts(err, text_str(&why));
	text_fini(&script);
	text_fini(&why);
	return ok ? 0 : E_PARSE;
}
