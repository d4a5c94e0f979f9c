/*
 * Inside of address: descriptors as they were parsed, and the parts of the
 * parser. Everything lies in the descriptor's arena; nothing changes after
 * parsing.
 */
#ifndef CAIRN_ADDRESS_DESC_H
#define CAIRN_ADDRESS_DESC_H

#include <cairn/address/descriptor.h>
#include <cairn/address/key.h>
#include <cairn/base/arena.h>
#include <cairn/base/text.h>

/* Borrowed characters, not NUL-terminated. */
struct span {
	const char *p;
	size_t n;
};

/* For printf's "%.*s". */
#define SPAN_ARG(s) (int)(s).n, (s).p

/* The part of s before the first c; s moves behind it, and to the end (and
 * false) when there is none. */
bool span_cut(struct span *head, struct span *s, char c);
/* A whole decimal number below 2^32, without sign. */
bool span_u32(uint32_t *v, struct span s);
/* An even number of hexadecimal digits, at least two. */
bool span_is_hex(struct span s);
/* Their bytes: s.n / 2 of them. */
void span_hex(uint8_t *dst, struct span s);

/* Steps of BIP 32; EXTKEY_HARDENED is set in hardened ones. */
struct desc_path {
	uint32_t *step;
	size_t n;
};

enum desc_range { RANGE_NONE, RANGE_PLAIN, RANGE_HARDENED };

/* A private key of the descriptor, by its public one. */
struct desc_secret {
	struct desc_secret *next;
	uint8_t pub[33], key[32];
};

struct desc_pub {
	uint8_t b[65];
	size_t n; /* 33 or 65 */
};

/* A key expression. */
struct desc_key {
	struct desc_key *next; /* argument of the same function */
	bool has_origin;
	uint8_t fingerprint[4];
	struct desc_path origin;
	bool apostrophe; /* hardened steps are written ', else h */
	bool bare_x;     /* written without its first byte */
	bool extended;
	struct desc_pub pub; /* not extended */
	/* Extended: without its secret. Step multi_at of the path is one of
	 * multi, where multi has any. */
	struct extkey root;
	struct desc_path path, multi;
	size_t multi_at;
	enum desc_range range;
};

enum desc_func {
	DESC_PK,
	DESC_PKH,
	DESC_WPKH,
	DESC_COMBO,
	DESC_MULTI,
	DESC_SORTEDMULTI,
	DESC_MULTI_A,
	DESC_SORTEDMULTI_A,
	DESC_SH,
	DESC_WSH,
	DESC_TR,
	DESC_RAWTR,
	DESC_ADDR,
	DESC_RAW,
	DESC_UNUSED,
};
/* "pk" and so on. Static storage. */
const char *desc_func_name(enum desc_func f);

/* A function with its arguments. */
struct desc_node {
	enum desc_func func;
	bool x_only; /* in tr(): keys are x-only */
	struct desc_key *keys;
	size_t n_keys;
	uint32_t threshold;     /* of multisigs */
	struct desc_node *sub;  /* of sh, wsh; the first leaf of tr */
	struct desc_node *next; /* the following leaf */
	unsigned depth;         /* of a leaf: braces around it */
	size_t variants;        /* of a leaf */
	struct slice script;    /* of addr and raw */
};

struct descriptor {
	struct arena mem;
	const struct params *params;
	struct desc_node *top;
	struct desc_secret *secrets;
	size_t variants; /* what multipath steps make of it; 1 without */
	size_t n_keys;
	bool has_private;
};

/* How many alternatives a key has. */
static inline size_t desc_key_variants(const struct desc_key *k)
{
	return k->multi.n ? k->multi.n : 1;
}

/* Step i of a key's path in a variant. */
static inline uint32_t desc_key_step(const struct desc_key *k, size_t variant,
				     size_t i)
{
	return k->multi.n && i == k->multi_at ? k->multi.step[variant]
					      : k->path.step[i];
}

/* Where an expression stands. */
enum desc_place { IN_TOP, IN_P2SH, IN_P2WPKH, IN_P2WSH, IN_P2TR };

struct desc_parser {
	struct descriptor *d;
	struct text *err;
	struct secret_ctx *ctx; /* made with the first private key */
	size_t variants;        /* of the function parsed last */
};

/* Cleared memory of the descriptor, or NULL and a sentence. */
void *desc_alloc(struct desc_parser *s, size_t n, size_t size);
/* Append a sentence to err; false. */
bool desc_fail(struct desc_parser *s, const char *fmt, ...) printf_like(2, 3);

/* Parse a key expression: an optional origin in brackets; a key in hex, WIF or
 * extended, the latter with a path. NULL with a sentence appended to err. */
struct desc_key *desc_key_parse(struct desc_parser *p, struct span s,
				enum desc_place where);

/* Steps between slashes, which follow a key: all of s. Multipath goes to k. */
bool desc_path_parse(struct desc_parser *p, struct desc_key *k, struct span s);
/* Fingerprint and path of an origin, without its brackets. */
bool desc_origin_parse(struct desc_parser *p, struct desc_key *k,
		       struct span s);

/* The scripts of a descriptor with these keys, in the order of its functions:
 * n of them appended to script[0] and so on. False when out of memory. */
bool desc_scripts(struct text script[DESCRIPTOR_SCRIPTS_MAX], size_t *n,
		  const struct desc_node *top, const struct desc_pub *pubs);

/* Parse a whole descriptor into d->top; false with a sentence. */
bool desc_parse(struct desc_parser *p, struct span s);

#endif
