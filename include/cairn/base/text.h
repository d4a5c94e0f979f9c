/* Text that grows as it is written; always NUL-terminated. One thread. */
#ifndef CAIRN_BASE_TEXT_H
#define CAIRN_BASE_TEXT_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct text {
	char *p; /* NULL until something is written */
	size_t n;
	size_t cap;
};

#define TEXT_INIT                                                              \
	{                                                                      \
		NULL, 0, 0                                                     \
	}

void text_fini(struct text *t);
void text_reset(struct text *t);
void text_put(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...) printf_like(2, 3);
/* Append the hexadecimal digits of s. */
void text_hex(struct text *t, struct slice s);
/* The text as a C string, "" when nothing was written. Borrowed. */
const char *text_str(const struct text *t);

/* Hexadecimal of s into dst (2 * s.n + 1 bytes, NUL-terminated). */
void hex_put(char *dst, struct slice s);
/* Parse exactly 2 * n hex digits of s (either case) into dst; s must end there.
 * False leaves dst untouched or partly written. */
bool hex_parse(uint8_t *dst, size_t n, const char *s) must_check;
/* All characters are hex digits and their number is even. */
bool hex_is(const char *s);

#define HASH256_STR 65
/* The hash in display order (reversed) into dst[HASH256_STR]; returns dst. */
char *hash256_fmt(char *dst, const struct hash256 *h);
/* Parse 64 hex digits in display order. */
bool hash256_parse(struct hash256 *h, const char *s) must_check;

/* Parse a whole decimal number; false on junk, overflow or an empty string. */
bool i64_parse(int64_t *v, const char *s) must_check;

/* Base64 (RFC 4648) of s into dst (4 * ((s.n + 2) / 3) + 1 bytes). */
void base64_put(char *dst, struct slice s);
/* Decode into dst (room for 3 * strlen(s) / 4); *n receives the length. */
bool base64_parse(uint8_t *dst, size_t *n, const char *s) must_check;

#endif
