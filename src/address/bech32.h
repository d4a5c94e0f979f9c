/* Inside of address: bech32 and bech32m strings (BIP 173, 350). */
#ifndef CAIRN_ADDRESS_BECH32_H
#define CAIRN_ADDRESS_BECH32_H

#include <cairn/base/bytes.h>

struct address_error;

#define BECH32_MAX      90 /* characters of a string */
#define BECH32_CHECKSUM 6  /* values at its end */

enum bech32_kind { BECH32, BECH32M };

struct bech32 {
	enum bech32_kind kind;
	char hrp[BECH32_MAX];  /* human-readable part, in lower case */
	uint8_t v[BECH32_MAX]; /* values of 5 bits, checksum included */
	size_t n;              /* of them without the checksum */
};

/* Write the string for n values: strlen(hrp) + n + 8 characters with the NUL.
 */
void bech32_put(char *dst, enum bech32_kind kind, const char *hrp,
		const uint8_t *v, size_t n);
/* Parse a string. False with the sentence and, where known, the positions of
 * wrong characters in e (which may be NULL). */
bool bech32_parse(struct bech32 *b, struct address_error *e, const char *s);

/* What the checksum's arithmetic leaves of a human-readable part and values. */
uint32_t bech32_residue(const char *hrp, const uint8_t *v, size_t n);
uint32_t bech32_constant(enum bech32_kind kind);
/* Where up to two wrong values may be, by the checksums of both kinds. */
void bech32_locate(struct address_error *e, const struct bech32 *b,
		   size_t length);

#endif
