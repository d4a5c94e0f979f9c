/*
 * Parameters: named ones are put into their places, then numbers and types are
 * checked against the command's row, with bitcoind's rules and texts. Runs on
 * the loop before the command; the values stay where they were parsed.
 */
#include "internal.h"

#define NAMES_MAX 256 /* named parameters in one call */

/* Named parameters while they are being placed. */
struct named {
	const struct json *in;
	bool used[NAMES_MAX];
	size_t hole;  /* places left out since the last one given */
	size_t first; /* places left out before the first one */
	const char *first_name;
};

/* An empty object with room for n members; NULL: failed. */
static struct json *object_new(struct rpc_call *c, size_t n)
{
	struct json *o = arena_alloc(&c->mem, sizeof *o);

	if (o) {
		*o = (struct json){.type = JSON_OBJECT};
		o->kids = arena_alloc(&c->mem, n * sizeof *o->kids);
		o->keys = arena_alloc(&c->mem, n * sizeof *o->keys);
	}
	if (o && o->kids && o->keys)
		return o;
	rpc_fail(c, RPC_OUT_OF_MEMORY, "Too many parameters");
	return NULL;
}

/* Index of the member with this key that is not used yet, or n. */
static size_t member_find(const struct named *m, struct slice key)
{
	size_t i;

	for (i = 0; i < m->in->n; i++)
		if (!m->used[i] && slice_eq(m->in->keys[i], key))
			break;
	return i;
}

/* The next of the names between bars, behind the one before; false behind the
 * last. */
static bool name_next(struct slice *name, const char *names)
{
	const char *p = name->p ? (const char *)name->p + name->n : names;

	if (name->p && *p == '|')
		p++;
	*name = slice_of(p, strcspn(p, "|"));
	return name->n > 0;
}

/* Whether it names a part of an object, as a point before it says. */
static bool is_part(struct slice name)
{
	return name.p[0] == '.';
}

/* The member for one of the names between bars. */
static const struct json *take_member(struct named *m, const char *names)
{
	struct slice name = {NULL, 0};
	size_t i;

	while (name_next(&name, names)) {
		i = is_part(name) ? m->in->n : member_find(m, name);
		if (i < m->in->n) {
			m->used[i] = true;
			return &m->in->kids[i];
		}
	}
	return NULL;
}

/* An object of the members that names lists as parts, or NULL when there is
 * none (or no memory, which fails the call). */
static struct json *take_parts(struct rpc_call *c, struct named *m,
			       const char *names)
{
	struct slice name = {NULL, 0};
	struct json *o = NULL;
	size_t i;

	while (name_next(&name, names)) {
		if (!is_part(name))
			continue;
		i = member_find(m, slice_of(name.p + 1, name.n - 1));
		if (i == m->in->n)
			continue;
		if (!o)
			o = object_new(c, m->in->n);
		if (!o)
			return NULL;
		m->used[i] = true;
		o->keys[o->n] = m->in->keys[i];
		o->kids[o->n++] = m->in->kids[i];
	}
	return o;
}

static bool has_twice(struct rpc_call *c, const struct json *in)
{
	size_t i, k;

	for (i = 0; i < in->n; i++)
		for (k = 0; k < i; k++)
			if (slice_eq(in->keys[i], in->keys[k])) {
				rpc_fail(
				    c, RPC_BAD_PARAM,
				    "Parameter %s specified multiple times",
				    (const char *)in->keys[i].p);
				return true;
			}
	return false;
}

/* The value of a parameter: given as such, or by its parts. */
static const struct json *take_value(struct rpc_call *c, struct named *m,
				     const char *names)
{
	const struct json *parts = take_parts(c, m, names);
	const struct json *v = take_member(m, names);

	if (v && parts)
		rpc_fail(c, RPC_BAD_PARAM,
			 "Parameter %.*s conflicts with parameter %s",
			 (int)strcspn(names, "|"), names,
			 (const char *)parts->keys[0].p);
	return v ? v : parts;
}

/* Put the values of named members into their places. */
static void place_named(struct rpc_call *c, struct named *m)
{
	const struct rpc_arg *a;
	const struct json *v;

	for (a = c->cmd->args; a && a->name; a++) {
		v = take_value(c, m, a->name);
		if (!v) {
			m->hole++;
			if (c->n_params == 0)
				m->first = m->hole;
			continue;
		}
		for (; m->hole > 0; m->hole--)
			c->params[c->n_params++] = NULL;
		c->params[c->n_params++] = v;
		if (!m->first_name)
			m->first_name = a->name;
	}
}

/* "args" holds the first ones by position; named ones stand behind them. */
static bool merge_args(struct rpc_call *c, struct named *m,
		       const struct json *args)
{
	size_t i;

	if (m->first < args->n && m->first_name) {
		rpc_fail(c, RPC_BAD_PARAM,
			 "Parameter %s specified twice both as positional and "
			 "named argument",
			 m->first_name);
		return false;
	}
	for (i = 0; i < args->n; i++)
		c->params[i] = &args->kids[i];
	if (c->n_params < args->n)
		c->n_params = args->n;
	return true;
}

static bool by_name(struct rpc_call *c, const struct json *in)
{
	struct named m = {.in = in};
	const struct json *args;
	size_t i;

	if (in->n > NAMES_MAX) {
		rpc_fail(c, RPC_BAD_PARAM, "Too many named parameters");
		return false;
	}
	if (has_twice(c, in))
		return false;
	place_named(c, &m);
	if (c->code)
		return false;
	args = take_member(&m, "args");
	if (args && args->type == JSON_ARRAY && !merge_args(c, &m, args))
		return false;
	for (i = 0; i < in->n; i++)
		if (!m.used[i]) {
			rpc_fail(c, RPC_BAD_PARAM, "Unknown named parameter %s",
				 (const char *)in->keys[i].p);
			return false;
		}
	return true;
}

static const char *type_name(const struct json *v)
{
	if (!v)
		return "null";
	switch (v->type) {
	case JSON_NULL:
		return "null";
	case JSON_FALSE:
	case JSON_TRUE:
		return "bool";
	case JSON_NUMBER:
		return "number";
	case JSON_STRING:
		return "string";
	case JSON_ARRAY:
		return "array";
	case JSON_OBJECT:
		return "object";
	}
	return "null";
}

static const char *letter_name(char letter)
{
	switch (letter) {
	case 'n':
		return "number";
	case 's':
		return "string";
	case 'b':
		return "bool";
	case 'o':
		return "object";
	case 'a':
		return "array";
	default:
		return "any";
	}
}

static bool type_fits(const struct rpc_arg *a, const struct json *v)
{
	const char *have = type_name(v);
	const char *l;

	if (strcmp(have, "null") == 0 && !a->required)
		return true;
	for (l = a->types; *l; l++)
		if (*l == '*' || strcmp(letter_name(*l), have) == 0)
			return true;
	return false;
}

/* Up to the names of parts. */
static int name_len(const char *names)
{
	const char *parts = strstr(names, "|.");

	return (int)(parts ? (size_t)(parts - names) : strlen(names));
}

/* A row with one type is checked by the table, and all mismatches are told
 * together; with several, the command itself would complain of the first. */
static bool types_ok(struct rpc_call *c)
{
	static const char words[] =
	    "JSON value of type %s is not of expected type %s";
	const struct rpc_arg *a;
	struct text t = TEXT_INIT;
	size_t i = 0;

	for (a = c->cmd->args; a && a->name; a++, i++) {
		const struct json *v = i < c->n_params ? c->params[i] : NULL;
		const char *want = letter_name(a->types[0]);

		if (type_fits(a, v))
			continue;
		if (strlen(a->types) == 1) {
			text_printf(&t, "%s    \"Position %zu (%.*s)\": \"",
				    t.n ? ",\n" : "", i + 1, name_len(a->name),
				    a->name);
			text_printf(&t, words, type_name(v), want);
			text_puts(&t, "\"");
		} else if (!c->code) {
			rpc_fail(c, RPC_TYPE, words, type_name(v), want);
		}
	}
	if (t.n)
		rpc_fail(c, RPC_TYPE, "Wrong type passed:\n{\n%s\n}",
			 text_str(&t));
	text_fini(&t);
	return c->code == 0;
}

/* A wrong number of parameters is answered with the command's help. */
static bool number_ok(struct rpc_call *c)
{
	const struct rpc_arg *a;
	struct text t = TEXT_INIT;
	size_t need = 0, most = 0;

	for (a = c->cmd->args; a && a->name; a++) {
		most++;
		if (a->required)
			need = most;
	}
	if (c->n_params >= need && c->n_params <= most)
		return true;
	rpc_help(c->r, &t, c->cmd->name);
	rpc_fail(c, RPC_MISC, "%s", text_str(&t));
	text_fini(&t);
	return false;
}

static size_t places(const struct rpc_cmd *cmd, const struct json *params)
{
	const struct json *args = json_member(params, "args");
	const struct rpc_arg *a;
	size_t n = 0;

	for (a = cmd->args; a && a->name; a++)
		n++;
	return n + (params ? params->n : 0) + (args ? args->n : 0);
}

bool params_place(struct rpc_call *c, const struct json *params)
{
	size_t i, n = places(c->cmd, params);

	c->n_params = 0;
	c->params = arena_alloc(&c->mem, (n + 1) * sizeof(struct json *));
	if (!c->params) {
		rpc_fail(c, RPC_OUT_OF_MEMORY, "Too many parameters");
		return false;
	}
	if (params && params->type == JSON_OBJECT) {
		if (!by_name(c, params))
			return false;
	} else {
		for (i = 0; params && i < params->n; i++)
			c->params[c->n_params++] = &params->kids[i];
	}
	return number_ok(c) && types_ok(c);
}
