/*
 * Settings: items in the order they were read, merged on every question by
 * bitcoind's rules (settings.cpp, args.cpp, config.cpp), its historic oddities
 * included, since people's files rely on them. Filled on the main thread before
 * others start, read-only then. Judges no option's name or value beyond the
 * three whose place bitcoind restricts; the option table does that.
 */
#include <cairn/base/conf.h>

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define FILE_MAX (4u * 1024 * 1024)
#define BLANKS   " \t\r\n"
#define SPACES   " \f\n\r\t\v"

/* The sources in order of precedence. */
enum source { FROM_ARGV, FROM_SECTION, FROM_TOP, FROM_FORCED, SOURCES };

/* What one source says about a key. */
struct span {
	const struct conf_item *first; /* behind the last negation, or NULL */
	const struct conf_item *last;  /* the last word, a negation included */
	bool negated;                  /* a negation is among them */
};

/* Where parsing stands, for messages and items. */
struct place {
	const char *file;
	unsigned line;
	char *section; /* the last [name], "" before any */
};

void conf_init(struct conf *c)
{
	memset(c, 0, sizeof *c);
}

void conf_fini(struct conf *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->items[i].section);
		free(c->items[i].key);
		free(c->items[i].value);
		free(c->items[i].file);
	}
	free(c->items);
	conf_init(c);
}

static struct slice trim(struct slice s, const char *set)
{
	while (s.n && s.p[0] && strchr(set, s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && s.p[s.n - 1] && strchr(set, s.p[s.n - 1]))
		s.n--;
	return s;
}

static char *slice_dup(struct slice s)
{
	char *p = xmalloc(s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

static struct slice slice_str(const char *s)
{
	return slice_of(s, strlen(s));
}

/* Leading integer with bitcoind's bounds: blanks around, one sign, anything
 * behind the digits ignored, too large ones held at the limit, else 0. */
static int64_t leading_i64(const char *s)
{
	int64_t v = 0;
	bool neg;

	s += strspn(s, SPACES);
	neg = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, *s - '0', &v))
			return neg ? INT64_MIN : INT64_MAX;
	}
	if (!neg && v == INT64_MIN)
		return INT64_MAX;
	return neg ? v : -v;
}

static bool is_true(const char *s)
{
	return *s == '\0' || leading_i64(s) != 0;
}

static struct conf_item *item_add(struct conf *c)
{
	struct conf_item *it;

	if (c->n == c->cap)
		arr_grow(&c->items, &c->cap, c->n + 1, sizeof *c->items);
	it = &c->items[c->n++];
	memset(it, 0, sizeof *it);
	return it;
}

/* Add key with an optional value (NULL: none was given), "no" taken off. */
static void option_add(struct conf *c, const struct place *at, char *section,
		       const char *key, const char *value)
{
	struct conf_item *it = item_add(c);
	bool no = strncmp(key, "no", 2) == 0;

	it->section = section;
	it->key = xstrdup(no ? key + 2 : key);
	it->negated = no && (!value || is_true(value));
	if (no)
		it->value = xstrdup(it->negated ? "0" : "1");
	else
		it->value = xstrdup(value ? value : "");
	it->from = at ? CONF_FILE : CONF_ARGV;
	if (at) {
		it->file = xstrdup(at->file);
		it->line = at->line;
	}
}

/* One word of the command line that begins with a dash. */
static int word_add(struct conf *c, const char *word, struct text *err)
{
	const char *key = word + (word[1] == '-' ? 2 : 1);
	const char *eq = strchr(key, '=');
	char *name =
	    slice_dup(eq ? slice_of(key, (size_t)(eq - key)) : slice_str(key));
	int rc = 0;

	if (*name == '\0' || strcmp(name, "no") == 0 || strchr(name, '.')) {
		text_printf(err, "Invalid parameter %s", word);
		rc = E_PARSE;
	} else {
		option_add(c, NULL, NULL, name, eq ? eq + 1 : NULL);
	}
	free(name);
	return rc;
}

int conf_add_argv(struct conf *c, int *rest, int argc, char **argv,
		  struct text *err)
{
	int i, rc;

	for (i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || argv[i][1] == '\0')
			break;
		rc = word_add(c, argv[i], err);
		if (rc)
			return rc;
	}
	if (conf_has(c, "includeconf") && !conf_negated(c, "includeconf")) {
		text_printf(err,
			    "-includeconf cannot be used from commandline; "
			    "-includeconf=%s",
			    conf_get(c, "includeconf"));
		return E_PARSE;
	}
	*rest = i;
	return 0;
}

static int fail_at(struct text *err, const struct place *at, const char *what)
{
	text_printf(err, "%s:%u: %s", at->file, at->line, what);
	return E_PARSE;
}

/* Set a dotted name: the part before the first dot is the section. */
static int name_add(struct conf *c, const struct place *at, const char *name,
		    const char *value, struct text *err)
{
	const char *dot = strchr(name, '.');
	const char *key = dot ? dot + 1 : name;
	size_t section_n = dot ? (size_t)(dot - name) : 0;

	if (strcmp(key, "conf") == 0 || strcmp(key, "noconf") == 0)
		return fail_at(err, at,
			       "conf cannot be set in the configuration file; "
			       "use includeconf= if you want to include "
			       "additional config files");
	option_add(c, at, slice_dup(slice_of(name, section_n)), key, value);
	return 0;
}

static int pair_add(struct conf *c, const struct place *at, struct slice key,
		    struct slice value, bool hash, struct text *err)
{
	char *k = slice_dup(trim(key, BLANKS));
	char *v = slice_dup(trim(value, BLANKS));
	char *name =
	    *at->section ? xasprintf("%s.%s", at->section, k) : xstrdup(k);
	int rc;

	if (hash && strstr(name, "rpcpassword"))
		rc = fail_at(err, at,
			     "using # in rpcpassword can be ambiguous and "
			     "should be avoided");
	else
		rc = name_add(c, at, name, v, err);
	free(name);
	free(v);
	free(k);
	return rc;
}

/* A line without '=': say what was perhaps meant. */
static int no_value(const struct place *at, struct slice s, struct text *err)
{
	const char *p = (const char *)s.p;
	int n = s.n > 80 ? 80 : (int)s.n;

	fail_at(err, at, "parse error: ");
	text_printf(err, "%.*s", n, p);
	if (s.n >= 2 && memcmp(p, "no", 2) == 0)
		text_printf(err,
			    ", if you intended to specify a negated option, "
			    "use %.*s=1 instead",
			    n, p);
	return E_PARSE;
}

/* One line without its end. */
static int line_add(struct conf *c, struct place *at, struct slice s,
		    struct text *err)
{
	const uint8_t *hash = s.n ? memchr(s.p, '#', s.n) : NULL;
	const uint8_t *eq;

	if (hash)
		s.n = (size_t)(hash - s.p);
	s = trim(s, BLANKS);
	if (s.n == 0)
		return 0;
	if (memchr(s.p, '\0', s.n))
		return fail_at(err, at, "parse error: a zero byte");
	if (s.p[0] == '[' && s.p[s.n - 1] == ']') {
		free(at->section);
		at->section = slice_dup(slice_of(s.p + 1, s.n - 2));
		return 0;
	}
	if (s.p[0] == '-')
		return fail_at(err, at,
			       "options in configuration file must be "
			       "specified without leading -");
	eq = memchr(s.p, '=', s.n);
	if (!eq)
		return no_value(at, s, err);
	return pair_add(c, at, slice_of(s.p, (size_t)(eq - s.p)),
			slice_of(eq + 1, (size_t)(s.p + s.n - eq - 1)),
			hash != NULL, err);
}

static int lines_add(struct conf *c, struct place *at, struct slice s,
		     struct text *err)
{
	int rc = 0;

	for (at->line = 1; s.n && rc == 0; at->line++) {
		const uint8_t *end = memchr(s.p, '\n', s.n);
		size_t n = end ? (size_t)(end - s.p) : s.n;

		rc = line_add(c, at, slice_of(s.p, n), err);
		n += end != NULL;
		s = slice_of(s.p + n, s.n - n);
	}
	return rc;
}

int conf_add_file(struct conf *c, const char *path, struct text *err)
{
	struct place at = {.file = path};
	struct buf *b;
	int rc = file_read(&b, path, FILE_MAX);

	if (rc) {
		text_printf(err, "cannot read %s: %s", path, err_str(rc));
		return rc;
	}
	at.section = xstrdup("");
	rc = lines_add(c, &at, buf_payload(b), err);
	free(at.section);
	buf_unref(b);
	return rc;
}

static bool item_is_from(const struct conf *c, const struct conf_item *it,
			 enum source s)
{
	switch (s) {
	case FROM_ARGV:
		return it->from == CONF_ARGV;
	case FROM_SECTION:
		return it->from == CONF_FILE && c->section && *c->section &&
		       strcmp(it->section, c->section) == 0;
	case FROM_TOP:
		return it->from == CONF_FILE && *it->section == '\0';
	case FROM_FORCED:
		return it->from == CONF_FORCED;
	case SOURCES:
		break;
	}
	return false;
}

static bool item_matches(const struct conf *c, const struct conf_item *it,
			 const char *key, enum source s)
{
	return strcmp(it->key, key) == 0 && item_is_from(c, it, s);
}

static struct span span_of(const struct conf *c, const char *key, enum source s)
{
	struct span sp = {NULL, NULL, false};
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct conf_item *it = &c->items[i];

		if (!item_matches(c, it, key, s))
			continue;
		sp.last = it;
		if (it->negated) {
			sp.first = NULL;
			sp.negated = true;
		} else if (!sp.first) {
			sp.first = it;
		}
	}
	return sp;
}

static bool span_ends_negated(const struct span *sp)
{
	return sp->last && sp->last->negated;
}

/* May the part before any section speak of key on this network? */
static bool top_counts(const struct conf *c, const char *key)
{
	const char *const *k = c->net_only;

	if (c->is_main || !k)
		return true;
	for (; *k; k++) {
		if (strcmp(*k, key) == 0)
			return false;
	}
	return true;
}

/* The item that decides a single value, or NULL. In files the first one wins;
 * a negation counts even where a value would be ignored. */
static const struct conf_item *lookup(const struct conf *c, const char *key)
{
	enum source s;

	for (s = FROM_ARGV; s < SOURCES; s++) {
		struct span sp = span_of(c, key, s);

		if (!sp.last)
			continue;
		if (span_ends_negated(&sp))
			return sp.last;
		if (s == FROM_TOP && !top_counts(c, key))
			continue;
		return s == FROM_ARGV ? sp.last : sp.first;
	}
	return NULL;
}

bool conf_soft_set(struct conf *c, const char *key, const char *value)
{
	struct conf_item *it;

	if (lookup(c, key))
		return false;
	it = item_add(c);
	it->key = xstrdup(key);
	it->value = xstrdup(value);
	it->from = CONF_FORCED;
	return true;
}

const char *conf_get(const struct conf *c, const char *key)
{
	const struct conf_item *it = lookup(c, key);

	return it ? it->value : NULL;
}

/* Append the values of s behind its last negation. */
static size_t values_add(const struct conf *c, const char *key, enum source s,
			 const struct conf_item *first, const char **v,
			 size_t max, size_t n)
{
	const struct conf_item *it;

	for (it = first; it && it < c->items + c->n; it++) {
		if (!item_matches(c, it, key, s))
			continue;
		if (n < max)
			v[n] = it->value;
		n++;
	}
	return n;
}

/* A negation ends the list, but values from files come back when a value stood
 * behind the negation on the command line (bitcoind's "zombies"). */
size_t conf_get_all(const struct conf *c, const char *key, const char **v,
		    size_t max)
{
	bool done = false, cleared = false;
	enum source s;
	size_t n = 0;

	for (s = FROM_ARGV; s < SOURCES; s++) {
		struct span sp = span_of(c, key, s);
		bool file = s == FROM_SECTION || s == FROM_TOP;

		if (s == FROM_TOP && !top_counts(c, key))
			continue;
		if (!done || (file && !cleared))
			n = values_add(c, key, s, sp.first, v, max, n);
		done = done || sp.negated;
		cleared = cleared || (span_ends_negated(&sp) && n == 0);
	}
	return n;
}

bool conf_has(const struct conf *c, const char *key)
{
	return lookup(c, key) != NULL;
}

bool conf_negated(const struct conf *c, const char *key)
{
	const struct conf_item *it = lookup(c, key);

	return it && it->negated;
}

bool conf_bool(const struct conf *c, const char *key, bool dflt)
{
	const struct conf_item *it = lookup(c, key);

	return it ? is_true(it->value) : dflt;
}

int64_t conf_i64(const struct conf *c, const char *key, int64_t dflt)
{
	const struct conf_item *it = lookup(c, key);

	return it ? leading_i64(it->value) : dflt;
}

bool conf_chain_flag(const struct conf *c, const char *key)
{
	static const enum source order[] = {FROM_ARGV, FROM_TOP};
	size_t i;

	for (i = 0; i < sizeof order / sizeof *order; i++) {
		struct span sp = span_of(c, key, order[i]);

		if (sp.last && !sp.last->negated)
			return is_true(sp.last->value);
	}
	return false;
}
