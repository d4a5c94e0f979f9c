/*
 * JSON in: a whole text becomes a tree in one arena. The only file that knows
 * yajl, which keeps numbers as text but is lax where we are not: depth, lone
 * surrogates and UTF-8 are checked here before or beside it. Any thread; writes
 * nothing (jw.c does) and judges no meaning.
 */
#include <cairn/rpc/json.h>

#include <cairn/base/arena.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>

#include <stdlib.h>
#include <yajl/yajl_parse.h>

#define ITEMS_LOCAL 32

/* A value on the way up: its key when the parent is an object. */
struct item {
	struct json v;
	struct slice key;
};

struct parse {
	struct arena *a;
	int rc;
	/* Values whose container is not closed yet, the containers included. */
	struct item *items;
	size_t n, cap;
	size_t open[JSON_DEPTH_MAX]; /* indices of the open containers */
	size_t depth;
	struct slice key;
	struct item local[ITEMS_LOCAL];
};

static int fail(struct parse *p, int rc)
{
	p->rc = rc;
	return 0;
}

/* The stack counts against the arena's limit: a text of many tiny values must
 * not take memory that the caller did not allow. */
static bool items_grow(struct parse *p)
{
	size_t cap = p->cap * 2, bytes = cap * sizeof *p->items;
	struct item *items;

	if (bytes > p->a->limit - p->a->used)
		return false;
	items = malloc(bytes);
	if (!items)
		return false;
	memcpy(items, p->items, p->n * sizeof *items);
	if (p->items != p->local)
		free(p->items);
	p->items = items;
	p->cap = cap;
	return true;
}

static int push(struct parse *p, enum json_type type, struct slice s)
{
	struct item *it;

	if (p->n == p->cap && !items_grow(p))
		return fail(p, E_LIMIT);
	it = &p->items[p->n++];
	memset(it, 0, sizeof *it);
	it->v.type = type;
	it->v.s = s;
	it->key = p->key;
	p->key = slice_of(NULL, 0);
	return 1;
}

/* A NUL-terminated copy in the arena. */
static bool copy(struct parse *p, struct slice *to, const void *s, size_t n)
{
	uint8_t *dst = arena_alloc(p->a, n + 1);

	if (!dst) {
		p->rc = E_LIMIT;
		return false;
	}
	if (n)
		memcpy(dst, s, n);
	dst[n] = '\0';
	*to = slice_of(dst, n);
	return true;
}

static int on_null(void *ctx)
{
	return push(ctx, JSON_NULL, slice_of(NULL, 0));
}

static int on_bool(void *ctx, int v)
{
	return push(ctx, v ? JSON_TRUE : JSON_FALSE, slice_of(NULL, 0));
}

static int on_number(void *ctx, const char *s, size_t n)
{
	struct slice c;

	return copy(ctx, &c, s, n) && push(ctx, JSON_NUMBER, c);
}

/* Behind a string with NULs inside stands its text for json_str: the same with
 * other bytes for them, which no word has either. */
static bool copy_with_nuls(struct parse *p, struct slice *to, const void *s,
			   size_t n)
{
	uint8_t *twice = arena_alloc(p->a, 2 * (n + 1));

	if (!twice) {
		p->rc = E_LIMIT;
		return false;
	}
	memcpy(twice, s, n);
	twice[n] = '\0';
	for (size_t i = 0; i < n; i++)
		twice[n + 1 + i] = twice[i] ? twice[i] : '\x01';
	twice[2 * n + 1] = '\0';
	*to = slice_of(twice, n);
	return true;
}

static int on_string(void *ctx, const unsigned char *s, size_t n)
{
	struct slice c;
	bool ok = n && memchr(s, '\0', n) ? copy_with_nuls(ctx, &c, s, n)
					  : copy(ctx, &c, s, n);

	return ok && push(ctx, JSON_STRING, c);
}

static int on_key(void *ctx, const unsigned char *s, size_t n)
{
	struct parse *p = ctx;

	return copy(p, &p->key, s, n);
}

static int open_container(struct parse *p, enum json_type type)
{
	if (p->depth == JSON_DEPTH_MAX)
		return fail(p, E_PARSE);
	if (!push(p, type, slice_of(NULL, 0)))
		return 0;
	p->open[p->depth++] = p->n - 1;
	return 1;
}

static int on_map(void *ctx)
{
	return open_container(ctx, JSON_OBJECT);
}

static int on_array(void *ctx)
{
	return open_container(ctx, JSON_ARRAY);
}

/* Move the values above the innermost container into it. */
static int on_end(void *ctx)
{
	struct parse *p = ctx;
	size_t at = p->open[--p->depth], n = p->n - at - 1, i;
	struct json *v = &p->items[at].v;

	p->n = at + 1;
	v->n = n;
	if (n == 0)
		return 1;
	v->kids = arena_alloc(p->a, n * sizeof *v->kids);
	if (!v->kids)
		return fail(p, E_LIMIT);
	for (i = 0; i < n; i++)
		v->kids[i] = p->items[at + 1 + i].v;
	if (v->type == JSON_ARRAY)
		return 1;
	v->keys = arena_alloc(p->a, n * sizeof *v->keys);
	if (!v->keys)
		return fail(p, E_LIMIT);
	for (i = 0; i < n; i++)
		v->keys[i] = p->items[at + 1 + i].key;
	return 1;
}

/* Length of the UTF-8 sequence at p (n bytes left, the first not ASCII), or 0:
 * overlong forms, surrogates and values over 10FFFF are none. */
static size_t utf8_len(const uint8_t *p, size_t n)
{
	uint8_t lo = 0x80, hi = 0xbf;
	size_t len, i;

	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (p[0] == 0xe0)
		lo = 0xa0;
	else if (p[0] == 0xed)
		hi = 0x9f;
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f;
	if (n < len || p[1] < lo || p[1] > hi)
		return 0;
	for (i = 2; i < len; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return len;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The value of \uXXXX at p, or -1. */
static int32_t escape_value(const uint8_t *p, size_t n)
{
	int32_t v = 0;
	size_t i;

	if (n < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (i = 2; i < 6; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* Length of the escape at p, or 0 when it is half a surrogate pair. What else
 * is wrong with it is yajl's to say. */
static size_t escape_len(const uint8_t *p, size_t n)
{
	int32_t v = escape_value(p, n), low;

	if (v < 0xd800 || v > 0xdfff)
		return n < 2 ? 1 : 2;
	low = escape_value(p + 6, n - 6);
	if (v > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return 0;
	return 12;
}

/* What yajl would let pass: bad UTF-8, lone surrogates. Outside of strings both
 * kinds of byte are errors anyway, so the scan need not know where it is. */
static bool text_ok(struct slice s)
{
	size_t i = 0, step;

	while (i < s.n) {
		if (s.p[i] == '\\')
			step = escape_len(s.p + i, s.n - i);
		else if (s.p[i] >= 0x80)
			step = utf8_len(s.p + i, s.n - i);
		else
			step = 1;
		if (step == 0)
			return false;
		i += step;
	}
	return true;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_bool,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_end,
};

static int run(struct parse *p, struct slice text)
{
	yajl_handle h = yajl_alloc(&callbacks, NULL, p);
	yajl_status st;

	if (!h)
		return E_NOMEM;
	yajl_config(h, yajl_dont_validate_strings, 1);
	st = yajl_parse(h, text.p, text.n);
	if (st == yajl_status_ok)
		st = yajl_complete_parse(h);
	yajl_free(h);
	if (p->rc)
		return p->rc;
	return st == yajl_status_ok && p->n == 1 && p->depth == 0 ? 0 : E_PARSE;
}

int json_parse(struct json **v, struct arena *a, struct slice text)
{
	struct parse p;
	struct json *top;
	int rc;

	if (text.n == 0 || !text_ok(text))
		return E_PARSE;
	p.a = a;
	p.rc = 0;
	p.items = p.local;
	p.n = 0;
	p.cap = ITEMS_LOCAL;
	p.depth = 0;
	p.key = slice_of(NULL, 0);
	rc = run(&p, text);
	if (rc == 0) {
		top = arena_alloc(a, sizeof *top);
		if (top) {
			*top = p.items[0].v;
			*v = top;
		} else {
			rc = E_LIMIT;
		}
	}
	if (p.items != p.local)
		free(p.items);
	return rc;
}

const struct json *json_member(const struct json *obj, const char *key)
{
	struct slice k = slice_of(key, strlen(key));
	size_t i;

	if (!obj || obj->type != JSON_OBJECT)
		return NULL;
	for (i = 0; i < obj->n; i++)
		if (slice_eq(obj->keys[i], k))
			return &obj->kids[i];
	return NULL;
}

const char *json_str(const struct json *v)
{
	const char *s;

	if (!v || v->type != JSON_STRING)
		return NULL;
	s = (const char *)v->s.p;
	return strlen(s) == v->s.n ? s : s + v->s.n + 1;
}

bool json_i64(int64_t *out, const struct json *v)
{
	return v && v->type == JSON_NUMBER &&
	       i64_parse(out, (const char *)v->s.p);
}

bool json_f64(double *out, const struct json *v)
{
	if (!v || v->type != JSON_NUMBER)
		return false;
	*out = strtod((const char *)v->s.p, NULL);
	return true;
}

#define AMOUNT_DECIMALS 8
#define AMOUNT_MAX      999999999999999999 /* as bitcoind's fixed point */
#define AMOUNT_DIGITS   18
#define EXPONENT_MAX    1000000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The exponent behind 'e'; large ones are held, they are out of range anyway.
 */
static bool exponent(int64_t *e, const char *s)
{
	bool neg = *s == '-';

	if (*s == '-' || *s == '+')
		s++;
	if (*s == '\0')
		return false;
	for (; *s; s++) {
		if (!is_digit(*s))
			return false;
		if (*e < EXPONENT_MAX)
			*e = *e * 10 + (*s - '0');
	}
	if (neg)
		*e = -*e;
	return true;
}

/* Digits of a number as JSON spells it: mantissa without point and trailing
 * zeros, and the power of ten it stands for. */
static bool mantissa(int64_t *m, int64_t *e, const char *s)
{
	int64_t zeros = 0, power = 0, exp = 0;
	bool point = false;

	/* A digit first, and behind a zero no other. */
	if (!is_digit(s[0]) || (s[0] == '0' && is_digit(s[1])))
		return false;
	*m = 0;
	for (; is_digit(*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		power -= point;
		if (*s == '0') {
			zeros++;
			continue;
		}
		for (; zeros > 0; zeros--)
			if (__builtin_mul_overflow(*m, 10, m))
				return false;
		if (__builtin_mul_overflow(*m, 10, m) ||
		    __builtin_add_overflow(*m, *s - '0', m))
			return false;
	}
	if (s[-1] == '.')
		return false;
	if ((*s == 'e' || *s == 'E') ? !exponent(&exp, s + 1) : *s != '\0')
		return false;
	*e = power + zeros + exp;
	return true;
}

bool json_amount(int64_t *sat, const struct json *v)
{
	const char *s;
	int64_t m, e;
	bool neg;

	if (!v || (v->type != JSON_NUMBER && v->type != JSON_STRING) ||
	    strlen((const char *)v->s.p) != v->s.n)
		return false;
	s = (const char *)v->s.p;
	neg = *s == '-';
	if (!mantissa(&m, &e, s + neg))
		return false;
	e += AMOUNT_DECIMALS;
	/* Zero's only digit counts as one behind which nothing stands. */
	e -= m == 0;
	if (e < 0 || (m == 0 && e >= AMOUNT_DIGITS))
		return false;
	for (; m != 0 && e > 0; e--)
		if (m > AMOUNT_MAX / 10 || __builtin_mul_overflow(m, 10, &m))
			return false;
	if (m > AMOUNT_MAX)
		return false;
	*sat = neg ? -m : m;
	return true;
}
