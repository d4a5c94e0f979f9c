/*
 * Judging settings by the option table: unknown names with the nearest known
 * one, options that are not built, values out of their type, options of one
 * network in the wrong place. Start only, any thread. Acts on no setting.
 */
#include <cairn/node/options.h>

#include <cairn/base/conf.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>

#include <string.h>

#define NAME_MAX_LEN 40
#define NET_ONLY_MAX 16

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits from a to b: insert, delete, replace, swap neighbours. Both are shorter
 * than NAME_MAX_LEN. */
static size_t edits(const char *a, const char *b)
{
	size_t d[NAME_MAX_LEN][NAME_MAX_LEN];
	size_t n = strlen(a), m = strlen(b), i, j;

	for (i = 0; i <= n; i++)
		d[i][0] = i;
	for (j = 0; j <= m; j++)
		d[0][j] = j;
	for (i = 1; i <= n; i++) {
		for (j = 1; j <= m; j++) {
			d[i][j] =
			    min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				 d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && d[i - 2][j - 2] < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[n][m];
}

const struct option *option_find(const char *name)
{
	const struct option *o;

	for (o = option_table; o->name; o++) {
		if (*o->name && strcmp(o->name, name) == 0)
			return o;
	}
	return NULL;
}

const char *option_nearest(const char *name)
{
	const struct option *o;
	const char *best = NULL;
	size_t n = strlen(name), least = n / 3 + 2;

	if (n == 0 || n >= NAME_MAX_LEN)
		return NULL;
	for (o = option_table; o->name; o++) {
		size_t e;

		if (!*o->name || o->flags & OPT_HIDDEN)
			continue;
		e = edits(name, o->name);
		if (e < least) {
			least = e;
			best = o->name;
		}
	}
	return best;
}

const char *const *option_net_only(void)
{
	static const char *const names[NET_ONLY_MAX] = {
	    "addnode", "bind",    "connect", "port",
	    "rpcbind", "rpcport", "wallet",  "walletdir",
	};

	return names;
}

/* Where an item stands, for the front of a sentence. */
static void put_place(struct text *err, const struct conf_item *it)
{
	if (it->file)
		text_printf(err, "%s:%u: ", it->file, it->line);
}

static const char *dash(const struct conf_item *it)
{
	return it->file ? "" : "-";
}

static int unknown(const struct conf_item *it, struct text *err)
{
	const char *near = option_nearest(it->key);

	put_place(err, it);
	text_printf(err, "unknown option %s%s%s", dash(it),
		    it->negated ? "no" : "", it->key);
	if (near)
		text_printf(err, "; did you mean %s%s?", dash(it), near);
	return E_INVALID;
}

static int check_name(const struct conf_item *it, struct text *err)
{
	const struct option *o = option_find(it->key);

	if (!o)
		return unknown(it, err);
	if (!it->file && o->flags & OPT_CLIENT) {
		text_printf(err, "-%s is an option of cairn-cli", it->key);
		return E_INVALID;
	}
	return 0;
}

int options_check_names(const struct conf *c, struct text *err)
{
	size_t i;
	int rc;

	for (i = 0; i < c->n; i++) {
		rc = check_name(&c->items[i], err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Is the item one that this network reads? */
static bool applies(const struct conf *c, const struct conf_item *it)
{
	if (it->from != CONF_FILE || *it->section == '\0')
		return true;
	return c->section && strcmp(it->section, c->section) == 0;
}

static bool in_top(const struct conf_item *it)
{
	return it->from == CONF_FILE && *it->section == '\0';
}

/* An option of one network before any section, with nothing that overrides it:
 * it would be passed over without a word. */
static int check_place(const struct conf *c, const struct option *o,
		       const struct conf_item *it, struct text *err)
{
	size_t i;

	if (!(o->flags & OPT_NET_ONLY) || c->is_main || !in_top(it))
		return 0;
	for (i = 0; i < c->n; i++) {
		const struct conf_item *x = &c->items[i];

		if (strcmp(x->key, it->key) == 0 && !in_top(x) && applies(c, x))
			return 0;
	}
	put_place(err, it);
	text_printf(err,
		    "%s stands before any section, where it is for main only; "
		    "for %s it belongs below [%s]",
		    it->key, c->section, c->section);
	return E_INVALID;
}

static bool truth(const char *value)
{
	int64_t v;

	return *value == '\0' || !i64_parse(&v, value) || v != 0;
}

/* Does what is in force ask for something that is not built? */
static bool asks(const struct conf *c, const struct option *o)
{
	const char *v = conf_get(c, o->name);

	if (!v)
		return false;
	if (o->type == OPT_BOOL)
		return truth(v) != truth(o->off);
	return !conf_negated(c, o->name) && !(o->off && strcmp(v, o->off) == 0);
}

static int not_value(const struct conf_item *it, struct text *err,
		     const char *want)
{
	put_place(err, it);
	text_printf(err, "%s%s=%s is not %s", dash(it), it->key, it->value,
		    want);
	return E_INVALID;
}

static int check_int(const struct option *o, const struct conf_item *it,
		     struct text *err)
{
	int64_t v;

	if (!i64_parse(&v, it->value))
		return not_value(it, err, "a whole number");
	if (v >= o->min && v <= o->max)
		return 0;
	put_place(err, it);
	text_printf(err, "%s%s=%s is out of range, ", dash(it), it->key,
		    it->value);
	if (v < o->min)
		text_printf(err, "the least is %lld", (long long)o->min);
	else
		text_printf(err, "the most is %lld", (long long)o->max);
	return E_INVALID;
}

static bool port_ok(const char *s, size_t n)
{
	char digits[8];
	int64_t v;

	if (n == 0 || n >= sizeof digits)
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	return i64_parse(&v, digits) && v > 0 && v <= UINT16_MAX;
}

/* Is there no port, or a good one? What stands before it is judged by those
 * who listen there. */
static bool address_ok(const char *s)
{
	const char *end = strrchr(s, '='), *colon = NULL, *p;
	size_t colons = 0;

	if (!end)
		end = s + strlen(s);
	for (p = s; p < end; p++) {
		if (*p == ':') {
			colon = p;
			colons++;
		}
	}
	if (colons == 0)
		return true;
	if (colons == 1 || (s[0] == '[' && colon[-1] == ']'))
		return port_ok(colon + 1, (size_t)(end - colon - 1));
	return true;
}

/* The words of bitcoind, which tests of it look for. */
static int check_port(const struct conf_item *it, bool ok, struct text *err)
{
	if (ok)
		return 0;
	put_place(err, it);
	text_printf(err, "Invalid port specified in -%s: '%s'", it->key,
		    it->value);
	return E_INVALID;
}

static int check_type(const struct option *o, const struct conf_item *it,
		      struct text *err)
{
	int64_t v;

	switch (o->type) {
	case OPT_BOOL:
		if (*it->value == '\0' || i64_parse(&v, it->value))
			return 0;
		return not_value(it, err, "0 or 1");
	case OPT_INT:
		return check_int(o, it, err);
	case OPT_PORT:
		return check_port(it, port_ok(it->value, strlen(it->value)),
				  err);
	case OPT_ADDR:
		return check_port(it, address_ok(it->value), err);
	case OPT_TEXT:
		break;
	}
	return 0;
}

static int check_value(const struct option *o, const struct conf_item *it,
		       struct text *err)
{
	if (it->negated && o->flags & OPT_NO_NEGATE) {
		put_place(err, it);
		text_printf(err, "%s%s cannot be negated", dash(it), it->key);
		return E_INVALID;
	}
	if (*it->value == '\0' && o->flags & OPT_NEEDS) {
		put_place(err, it);
		text_printf(err, "%s%s needs a value", dash(it), it->key);
		return E_INVALID;
	}
	return check_type(o, it, err);
}

static int check_item(const struct conf *c, enum chain_id chain,
		      const struct conf_item *it, struct text *err)
{
	const struct option *o = option_find(it->key);
	int rc;

	must(o);
	if (!applies(c, it))
		return 0;
	if (o->class == OPT_LATER && asks(c, o)) {
		put_place(err, it);
		text_printf(err, "%s: not supported yet", it->key);
		return E_INVALID;
	}
	rc = check_place(c, o, it, err);
	if (rc || o->class != OPT_BUILT)
		return rc;
	if (o->flags & OPT_REGTEST && chain != CHAIN_REGTEST) {
		put_place(err, it);
		text_printf(err, "%s%s is for regtest only", dash(it), it->key);
		return E_INVALID;
	}
	if (o->flags & OPT_NOT_MAIN && chain == CHAIN_MAIN) {
		put_place(err, it);
		text_printf(err, "%s%s may not be used on main", dash(it),
			    it->key);
		return E_INVALID;
	}
	return check_value(o, it, err);
}

int options_check(const struct conf *c, enum chain_id chain, struct text *err)
{
	size_t i;
	int rc = options_check_names(c, err);

	for (i = 0; i < c->n && rc == 0; i++)
		rc = check_item(c, chain, &c->items[i], err);
	return rc;
}

/* The same key was noted for an earlier item. */
static bool noted(const struct conf *c, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++) {
		if (strcmp(c->items[k].key, c->items[i].key) == 0 &&
		    applies(c, &c->items[k]))
			return true;
	}
	return false;
}

static void note_idle(const struct conf *c, size_t i, const struct option *o,
		      option_note_fn note, void *arg)
{
	struct text t = TEXT_INIT;

	if (o->class != OPT_IDLE || o->flags & OPT_CLIENT || noted(c, i))
		return;
	text_printf(&t, "option -%s has no effect: %s", o->name, o->text);
	note(arg, false, text_str(&t));
	text_fini(&t);
}

static void note_value(const struct conf_item *it, const struct option *o,
		       option_note_fn note, void *arg)
{
	struct text t = TEXT_INIT;

	text_printf(&t, "option %s=%s from=", it->key,
		    o->flags & OPT_SECRET ? "****" : it->value);
	if (it->file)
		text_printf(&t, "%s:%u", it->file, it->line);
	else
		text_puts(&t, "command line");
	note(arg, false, text_str(&t));
	text_fini(&t);
}

/* A section that no network has, at its first item. */
static void note_section(const struct conf *c, size_t i, option_note_fn note,
			 void *arg)
{
	const struct conf_item *it = &c->items[i];
	struct text t = TEXT_INIT;
	size_t k;

	if (it->from != CONF_FILE || *it->section == '\0' ||
	    chain_names_find(it->section))
		return;
	for (k = 0; k < i; k++) {
		if (c->items[k].section &&
		    strcmp(c->items[k].section, it->section) == 0)
			return;
	}
	text_printf(&t, "%s:%u: section [%s] is not the name of a network",
		    it->file, it->line, it->section);
	note(arg, true, text_str(&t));
	text_fini(&t);
}

void options_note(const struct conf *c, option_note_fn note, void *arg)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct conf_item *it = &c->items[i];
		const struct option *o = option_find(it->key);

		note_section(c, i, note, arg);
		if (!o || it->from == CONF_FORCED || !applies(c, it))
			continue;
		note_value(it, o, note, arg);
		note_idle(c, i, o, note, arg);
	}
}
