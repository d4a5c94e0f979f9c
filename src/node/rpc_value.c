/*
 * Values inside of parameters: strings, numbers, hashes, hex, amounts, and what
 * bitcoind says when they are something else. Where the command runs.
 */
#include "rpc_value.h"

#include <cairn/consensus/check.h>

const char *value_type(const struct json *v)
{
	static const char *const names[] = {
	    [JSON_NULL] = "null",     [JSON_FALSE] = "bool",
	    [JSON_TRUE] = "bool",     [JSON_NUMBER] = "number",
	    [JSON_STRING] = "string", [JSON_ARRAY] = "array",
	    [JSON_OBJECT] = "object",
	};

	return names[v ? v->type : JSON_NULL];
}

bool value_is(struct rpc_call *c, const struct json *v, enum json_type type)
{
	struct json want = {.type = type};

	if (v && v->type == type)
		return true;
	rpc_end(c, RPC_TYPE, "JSON value of type %s is not of expected type %s",
		value_type(v), value_type(&want));
	return false;
}

const char *value_str(struct rpc_call *c, const struct json *v)
{
	return value_is(c, v, JSON_STRING) ? json_str(v) : NULL;
}

bool value_i32(struct rpc_call *c, const struct json *v, int32_t *out)
{
	int64_t n;

	if (!json_i64(&n, v) || n < INT32_MIN || n > INT32_MAX) {
		rpc_end(c, RPC_MISC, "JSON integer out of range");
		return false;
	}
	*out = (int32_t)n;
	return true;
}

bool value_hash(struct rpc_call *c, const struct json *obj, const char *name,
		struct hash256 *h)
{
	const struct json *v = json_member(obj, name);
	const char *s = value_str(c, v);

	if (!s)
		return false;
	if (v->s.n == 64 && hash256_parse(h, s))
		return true;
	if (v->s.n != 64)
		rpc_end(c, RPC_BAD_PARAM,
			"%s must be of length 64 (not %zu, for '%s')", name,
			v->s.n, s);
	else
		rpc_end(c, RPC_BAD_PARAM,
			"%s must be hexadecimal string (not '%s')", name, s);
	return false;
}

bool value_hex(struct rpc_call *c, const struct json *v, const char *name,
	       struct slice *bytes)
{
	const char *s = json_str(v);
	size_t n = s ? v->s.n / 2 : 0;
	uint8_t *b;

	if (!s || n == 0 || !hex_is(s)) {
		rpc_end(c, RPC_BAD_PARAM,
			"%s must be hexadecimal string (not '%s')", name,
			s ? s : "");
		return false;
	}
	b = rpc_alloc(c, n);
	if (!b || !hex_parse(b, n, s)) {
		rpc_end(c, RPC_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	*bytes = slice_of(b, n);
	return true;
}

bool value_amount(struct rpc_call *c, const struct json *v, int64_t *sat)
{
	const char *why = NULL;

	if (!v || (v->type != JSON_NUMBER && v->type != JSON_STRING))
		why = "Amount is not a number or string";
	else if (!json_amount(sat, v))
		why = "Invalid amount";
	else if (!amount_ok(*sat))
		why = "Amount out of range";
	if (why)
		rpc_end(c, RPC_TYPE, "%s", why);
	return !why;
}
