/*
 * Text: a growing string, and the encodings of bytes as text (hex, base64,
 * decimal, hashes in display order). One thread per object. Out of memory
 * aborts, so callers bound what they write.
 */
#include <cairn/base/text.h>

#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_fini(struct text *t)
{
	free(t->p);
	t->p = NULL;
	t->n = 0;
	t->cap = 0;
}

void text_reset(struct text *t)
{
	t->n = 0;
	if (t->p)
		t->p[0] = '\0';
}

static void text_room(struct text *t, size_t n)
{
	must(n < SIZE_MAX / 4 - t->n);
	arr_grow(&t->p, &t->cap, t->n + n + 1, 1);
}

void text_put(struct text *t, const char *s, size_t n)
{
	text_room(t, n);
	if (n)
		memcpy(t->p + t->n, s, n);
	t->n += n;
	t->p[t->n] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_put(t, s, strlen(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	must(n >= 0);
	text_room(t, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(t->p + t->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	t->n += (size_t)n;
}

const char *text_str(const struct text *t)
{
	return t->p ? t->p : "";
}

static const char hex_digits[] = "0123456789abcdef";

/* The value of a hex digit, or -1. */
static int hex_val(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void hex_put(char *dst, struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		*dst++ = hex_digits[s.p[i] >> 4];
		*dst++ = hex_digits[s.p[i] & 15];
	}
	*dst = '\0';
}

void text_hex(struct text *t, struct slice s)
{
	must(s.n < SIZE_MAX / 8);
	text_room(t, 2 * s.n);
	hex_put(t->p + t->n, s);
	t->n += 2 * s.n;
}

bool hex_parse(uint8_t *dst, size_t n, const char *s)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int hi = hex_val(s[2 * i]);
		int lo = hi < 0 ? -1 : hex_val(s[2 * i + 1]);

		if (lo < 0)
			return false;
		dst[i] = (uint8_t)(hi * 16 + lo);
	}
	return s[2 * n] == '\0';
}

bool hex_is(const char *s)
{
	size_t n = 0;

	while (hex_val(s[n]) >= 0)
		n++;
	return s[n] == '\0' && n % 2 == 0;
}

char *hash256_fmt(char *dst, const struct hash256 *h)
{
	size_t i;

	for (i = 0; i < 32; i++) {
		dst[2 * i] = hex_digits[h->b[31 - i] >> 4];
		dst[2 * i + 1] = hex_digits[h->b[31 - i] & 15];
	}
	dst[64] = '\0';
	return dst;
}

bool hash256_parse(struct hash256 *h, const char *s)
{
	struct hash256 shown;
	size_t i;

	if (!hex_parse(shown.b, 32, s))
		return false;
	for (i = 0; i < 32; i++)
		h->b[i] = shown.b[31 - i];
	return true;
}

bool i64_parse(int64_t *v, const char *s)
{
	bool neg = *s == '-';
	int64_t sum = 0;

	s += neg;
	if (*s == '\0')
		return false;
	/* Summed below zero, where there is room for one more. */
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_sub_overflow(sum, *s - '0', &sum))
			return false;
	}
	if (!neg && sum == INT64_MIN)
		return false;
	*v = neg ? sum : -sum;
	return true;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(char *dst, struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		uint32_t v = (uint32_t)s.p[i] << 16;

		if (left > 1)
			v |= (uint32_t)s.p[i + 1] << 8;
		if (left > 2)
			v |= s.p[i + 2];
		*dst++ = base64_digits[v >> 18];
		*dst++ = base64_digits[v >> 12 & 63];
		*dst++ = left > 1 ? base64_digits[v >> 6 & 63] : '=';
		*dst++ = left > 2 ? base64_digits[v & 63] : '=';
	}
	*dst = '\0';
}

/* The value of a base64 digit, or -1. */
static int base64_val(char c)
{
	const char *p = c ? strchr(base64_digits, c) : NULL;

	return p ? (int)(p - base64_digits) : -1;
}

/* Decode four characters, the last `pad` of them '='; false when a digit is
 * none or the bits that padding drops are not zero. */
static bool base64_quad(uint8_t *dst, const char *s, size_t pad)
{
	uint32_t v = 0;
	size_t i;

	for (i = 0; i < 4; i++) {
		int d = i < 4 - pad ? base64_val(s[i]) : 0;

		if (d < 0)
			return false;
		v = v << 6 | (uint32_t)d;
	}
	if (pad && (v & ((1u << 8 * pad) - 1)) != 0)
		return false;
	for (i = 0; i < 3 - pad; i++)
		dst[i] = (uint8_t)(v >> (16 - 8 * i));
	return true;
}

bool base64_parse(uint8_t *dst, size_t *n, const char *s)
{
	size_t len = strlen(s), out = 0, i, pad;

	if (len % 4 != 0)
		return false;
	for (i = 0; i < len; i += 4) {
		pad = 0;
		if (i + 4 == len && s[len - 1] == '=')
			pad = s[len - 2] == '=' ? 2 : 1;
		if (!base64_quad(dst + out, s + i, pad))
			return false;
		out += 3 - pad;
	}
	*n = out;
	return true;
}
