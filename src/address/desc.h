/* Inside of address: the parts of the descriptor parser. */
#ifndef CAIRN_ADDRESS_DESC_H
#define CAIRN_ADDRESS_DESC_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;
struct text;

/* Borrowed characters, not NUL-terminated. */
struct span {
	const char *p;
	size_t n;
};

/* For printf's "%.*s". */
#define SPAN_ARG(s) (int)(s).n, (s).p

/* A public key as it lies in a script. */
struct desc_key {
	uint8_t b[65];
	size_t n;
};

/* The part of s before the first c; s moves behind it, and to the end (and
 * false) when there is none. */
bool span_cut(struct span *head, struct span *s, char c);

/* A whole decimal number below 2^32, without sign. */
bool span_u32(uint32_t *v, struct span s);

enum desc_key_rule { KEY_ANY, KEY_COMPRESSED, KEY_XONLY };

/* Parse a key expression: an optional origin in brackets and a key in hex. With
 * KEY_XONLY 32 bytes are a key, and of any the 32 bytes behind the first count.
 * False with a sentence appended to err. */
bool desc_key_parse(struct desc_key *k, struct text *err, struct span s,
		    enum desc_key_rule rule);

#endif
