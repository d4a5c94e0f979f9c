/*
 * Addresses: base58check, bech32 and bech32m (BIP 173, 350), to and from output
 * scripts. Pure.
 */
#ifndef CAIRN_ADDRESS_ADDRESS_H
#define CAIRN_ADDRESS_ADDRESS_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;

#define ADDRESS_STR           128
#define SCRIPT_OF_ADDRESS_MAX 42

/* Why a text is no address, and where its wrong characters may be. */
#define ADDRESS_ERRORS_MAX 90
struct address_error {
	char why[256]; /* the sentence of Core's validateaddress */
	size_t n;      /* positions, of which the first are in at */
	uint32_t at[ADDRESS_ERRORS_MAX]; /* ascending, from 0 */
};

/* The address of an output script into dst[ADDRESS_STR]; false when it has none
 * (Core's ExtractDestination: P2PK has none; anchor and unknown witness
 * versions do). */
bool address_of_script(char *dst, struct slice script, const struct params *p);

/* The output script of an address: writes up to SCRIPT_OF_ADDRESS_MAX bytes, *n
 * how many. On false *e, where it is not NULL, tells why, and the rest is
 * untouched. */
bool address_to_script(uint8_t *script, size_t *n, struct address_error *e,
		       const char *address, const struct params *p);

/* The outputs whose hash a script is behind: P2SH and P2WSH. Give their length.
 */
#define P2SH_SIZE  23
#define P2WSH_SIZE 34
size_t p2sh_put(uint8_t out[P2SH_SIZE], struct slice script);
size_t p2wsh_put(uint8_t out[P2WSH_SIZE], struct slice script);

/* Base58check of version byte(s) + payload, together up to BASE58CHECK_MAX
 * bytes; dst has room for 2 * n + 10 characters. */
#define BASE58CHECK_MAX 256
void base58check_put(char *dst, struct slice payload);
/* The bytes before the checksum, which must be right; up to max (at most
 * BASE58CHECK_MAX) of them into dst. White space around the text is skipped, as
 * Core does. dst and n are untouched on false. */
bool base58check_parse(uint8_t *dst, size_t *n, size_t max, const char *s);

#endif
