/*
 * JSON out: a writer that checks the order of its calls and hands the text on
 * in pieces, or only counts it. Prints exactly what bitcoind prints, compact
 * and indented (yajl's generator differs in escapes, in empty containers, and
 * ends at depth 128). One thread per writer; parses nothing.
 */
#include <cairn/rpc/json.h>

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A parsed value may be echoed inside an answer inside a batch. */
#define DEPTH_MAX (JSON_DEPTH_MAX + 16)
#define BUF_SIZE  2048u
#define COIN      100000000u

enum { IN_OBJECT = 1, HAS_MEMBER = 2, HAS_KEY = 4 };

struct jw {
	jw_sink_fn sink; /* NULL: only count */
	void *arg;
	bool indent;
	uint64_t before; /* bytes handed on since the document began */
	size_t n;
	size_t depth;
	uint8_t level[DEPTH_MAX + 1];
	char buf[BUF_SIZE];
};

struct jw *jw_new(jw_sink_fn sink, void *arg, bool indent)
{
	struct jw *w = xmalloc(sizeof *w);

	w->sink = sink;
	w->arg = arg;
	w->indent = indent;
	jw_reset(w);
	return w;
}

void jw_free(struct jw *w)
{
	free(w);
}

void jw_reset(struct jw *w)
{
	w->before = 0;
	w->n = 0;
	w->depth = 0;
	w->level[0] = 0;
}

void jw_flush(struct jw *w)
{
	if (w->sink && w->n)
		w->sink(w->arg, w->buf, w->n);
	w->before += w->n;
	w->n = 0;
}

bool jw_complete(const struct jw *w)
{
	return w->depth == 0 && (w->level[0] & HAS_MEMBER);
}

uint64_t jw_count(const struct jw *w)
{
	return w->before + w->n;
}

static void put(struct jw *w, const char *s, size_t n)
{
	if (n > BUF_SIZE - w->n) {
		jw_flush(w);
		if (n > BUF_SIZE / 2) {
			if (w->sink)
				w->sink(w->arg, s, n);
			w->before += n;
			return;
		}
	}
	memcpy(w->buf + w->n, s, n);
	w->n += n;
}

static void put_char(struct jw *w, char c)
{
	if (w->n == BUF_SIZE)
		jw_flush(w);
	w->buf[w->n++] = c;
}

static void new_line(struct jw *w)
{
	size_t i;

	if (!w->indent)
		return;
	put_char(w, '\n');
	for (i = 0; i < w->depth; i++)
		put(w, "  ", 2);
}

/* Before a member of the container: its comma and its line. */
static void next_member(struct jw *w)
{
	uint8_t *l = &w->level[w->depth];

	if (*l & HAS_MEMBER)
		put_char(w, ',');
	*l |= HAS_MEMBER;
	new_line(w);
}

/* Before a value: the place must be one for a value. */
static void begin(struct jw *w)
{
	uint8_t *l = &w->level[w->depth];

	if (*l & IN_OBJECT) {
		must(*l & HAS_KEY);
		*l &= (uint8_t)~HAS_KEY;
	} else if (w->depth > 0) {
		next_member(w);
	} else {
		must(!(*l & HAS_MEMBER));
		*l |= HAS_MEMBER;
	}
}

static void end(struct jw *w)
{
	if (w->depth == 0)
		jw_flush(w);
}

static void open_level(struct jw *w, char c, uint8_t flags)
{
	begin(w);
	must(w->depth < DEPTH_MAX);
	w->level[++w->depth] = flags;
	put_char(w, c);
}

static void close_level(struct jw *w, char c, uint8_t flags)
{
	must(w->depth > 0);
	must((w->level[w->depth] & (IN_OBJECT | HAS_KEY)) == flags);
	w->depth--;
	new_line(w);
	put_char(w, c);
	end(w);
}

void jw_obj(struct jw *w)
{
	open_level(w, '{', IN_OBJECT);
}

void jw_obj_end(struct jw *w)
{
	close_level(w, '}', IN_OBJECT);
}

void jw_arr(struct jw *w)
{
	open_level(w, '[', 0);
}

void jw_arr_end(struct jw *w)
{
	close_level(w, ']', 0);
}

/* The letter of a two-character escape, 'u' for a numbered one, 0 for none. */
static char escape_of(uint8_t c)
{
	switch (c) {
	case '"':
		return '"';
	case '\\':
		return '\\';
	case '\b':
		return 'b';
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\f':
		return 'f';
	case '\r':
		return 'r';
	default:
		return c < 0x20 || c == 0x7f ? 'u' : '\0';
	}
}

static void put_escape(struct jw *w, uint8_t c, char e)
{
	char tmp[8] = {'\\', e};

	if (e == 'u')
		snprintf(tmp + 2, sizeof tmp - 2, "%04x", c);
	put(w, tmp, e == 'u' ? 6 : 2);
}

/* Is there a byte among the eight that must be escaped: below 20, '"', '\\',
 * 7f? A byte of 80 and above may say so wrongly, which costs nothing but time.
 */
static bool may_escape(uint64_t v)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t quote = v ^ ones * '"', slash = v ^ ones * '\\';
	uint64_t del = v ^ ones * 0x7f;

	return ((v - ones * 0x20) | (quote - ones) | (slash - ones) |
		(del - ones)) &
	       tops;
}

/* Bytes from i on that need no escape. */
static size_t plain_len(const char *s, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && !may_escape(le64_get((const uint8_t *)s + i)))
		i += 8;
	while (i < n && !escape_of((uint8_t)s[i]))
		i++;
	return i;
}

static void put_string(struct jw *w, const char *s, size_t n)
{
	size_t i;

	put_char(w, '"');
	while (n) {
		i = plain_len(s, n);
		put(w, s, i);
		if (i < n) {
			put_escape(w, (uint8_t)s[i], escape_of((uint8_t)s[i]));
			i++;
		}
		s += i;
		n -= i;
	}
	put_char(w, '"');
}

static void key(struct jw *w, const char *k, size_t n)
{
	uint8_t *l = &w->level[w->depth];

	must((*l & IN_OBJECT) && !(*l & HAS_KEY));
	next_member(w);
	put_string(w, k, n);
	if (w->indent)
		put(w, ": ", 2);
	else
		put_char(w, ':');
	*l |= HAS_KEY;
}

void jw_key(struct jw *w, const char *k)
{
	key(w, k, strlen(k));
}

/* A value whose text is s. */
static void plain(struct jw *w, const char *s, size_t n)
{
	begin(w);
	put(w, s, n);
	end(w);
}

void jw_null(struct jw *w)
{
	plain(w, "null", 4);
}

void jw_bool(struct jw *w, bool v)
{
	if (v)
		plain(w, "true", 4);
	else
		plain(w, "false", 5);
}

/* Decimal digits of v before end; returns the first. */
static char *digits(char *end_of, uint64_t v)
{
	do {
		*--end_of = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return end_of;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

void jw_i64(struct jw *w, int64_t v)
{
	char tmp[24], *end_of = tmp + sizeof tmp;
	char *p = digits(end_of, magnitude(v));

	if (v < 0)
		*--p = '-';
	plain(w, p, (size_t)(end_of - p));
}

void jw_u64(struct jw *w, uint64_t v)
{
	char tmp[24], *end_of = tmp + sizeof tmp;
	char *p = digits(end_of, v);

	plain(w, p, (size_t)(end_of - p));
}

void jw_f64(struct jw *w, double v)
{
	char tmp[40];
	int n = snprintf(tmp, sizeof tmp, "%.16g", v);

	/* JSON has no spelling for infinity and not-a-number. */
	if (v - v != 0.0)
		jw_null(w);
	else
		plain(w, tmp, (size_t)n);
}

void jw_amount(struct jw *w, int64_t sat)
{
	uint64_t v = magnitude(sat);
	char tmp[32];
	int n = snprintf(tmp, sizeof tmp, "%s%" PRIu64 ".%08" PRIu64,
			 sat < 0 ? "-" : "", v / COIN, v % COIN);

	plain(w, tmp, (size_t)n);
}

void jw_num(struct jw *w, const char *s)
{
	plain(w, s, strlen(s));
}

void jw_strn(struct jw *w, const char *s, size_t n)
{
	begin(w);
	put_string(w, s, n);
	end(w);
}

void jw_str(struct jw *w, const char *s)
{
	jw_strn(w, s, strlen(s));
}

/* Eight digits from four bytes: each nibble into a byte of its own, then all of
 * them into letters at once. */
static uint64_t hex_of(uint32_t four)
{
	uint64_t x = four, letters;

	x = (x | x << 16) & 0x0000ffff0000ffffu;
	x = (x | x << 8) & 0x00ff00ff00ff00ffu;
	x = (x >> 4 & 0x000f000f000f000fu) | (x & 0x000f000f000f000fu) << 8;
	letters = (x + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
	return x + 0x3030303030303030u + letters * ('a' - '0' - 10);
}

static void hex_tail(char *dst, const uint8_t *p, size_t n)
{
	static const char digits_of[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		dst[2 * i] = digits_of[p[i] >> 4];
		dst[2 * i + 1] = digits_of[p[i] & 15];
	}
}

static void put_hex(struct jw *w, struct slice s)
{
	size_t i, k, room;

	if (!w->sink) {
		w->before += 2 * s.n;
		return;
	}
	for (i = 0; i < s.n; i += room) {
		if (BUF_SIZE - w->n < 2)
			jw_flush(w);
		room = (BUF_SIZE - w->n) / 2;
		if (room > s.n - i)
			room = s.n - i;
		for (k = 0; k + 4 <= room; k += 4)
			le64_put((uint8_t *)w->buf + w->n + 2 * k,
				 hex_of(le32_get(s.p + i + k)));
		hex_tail(w->buf + w->n + 2 * k, s.p + i + k, room - k);
		w->n += 2 * room;
	}
}

void jw_hex(struct jw *w, struct slice s)
{
	begin(w);
	put_char(w, '"');
	put_hex(w, s);
	put_char(w, '"');
	end(w);
}

void jw_hash(struct jw *w, const struct hash256 *h)
{
	uint8_t shown[32];
	size_t i;

	for (i = 0; i < 32; i++)
		shown[i] = h->b[31 - i];
	jw_hex(w, slice_of(shown, 32));
}

void jw_value(struct jw *w, const struct json *v)
{
	size_t i;

	switch (v->type) {
	case JSON_NULL:
		jw_null(w);
		break;
	case JSON_FALSE:
	case JSON_TRUE:
		jw_bool(w, v->type == JSON_TRUE);
		break;
	case JSON_NUMBER:
		plain(w, (const char *)v->s.p, v->s.n);
		break;
	case JSON_STRING:
		jw_strn(w, (const char *)v->s.p, v->s.n);
		break;
	case JSON_ARRAY:
		jw_arr(w);
		for (i = 0; i < v->n; i++)
			jw_value(w, &v->kids[i]);
		jw_arr_end(w);
		break;
	case JSON_OBJECT:
		jw_obj(w);
		for (i = 0; i < v->n; i++) {
			key(w, (const char *)v->keys[i].p, v->keys[i].n);
			jw_value(w, &v->kids[i]);
		}
		jw_obj_end(w);
		break;
	}
}

void jw_kstr(struct jw *w, const char *k, const char *s)
{
	jw_key(w, k);
	jw_str(w, s);
}

void jw_ki64(struct jw *w, const char *k, int64_t v)
{
	jw_key(w, k);
	jw_i64(w, v);
}

void jw_ku64(struct jw *w, const char *k, uint64_t v)
{
	jw_key(w, k);
	jw_u64(w, v);
}

void jw_kf64(struct jw *w, const char *k, double v)
{
	jw_key(w, k);
	jw_f64(w, v);
}

void jw_kbool(struct jw *w, const char *k, bool v)
{
	jw_key(w, k);
	jw_bool(w, v);
}

void jw_khash(struct jw *w, const char *k, const struct hash256 *h)
{
	jw_key(w, k);
	jw_hash(w, h);
}

void jw_khex(struct jw *w, const char *k, struct slice s)
{
	jw_key(w, k);
	jw_hex(w, s);
}

void jw_kamount(struct jw *w, const char *k, int64_t sat)
{
	jw_key(w, k);
	jw_amount(w, sat);
}
