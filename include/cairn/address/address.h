/*
 * Addresses: base58check, bech32 and bech32m (BIP 173, 350), to and from output
 * scripts. Pure.
 */
#ifndef CAIRN_ADDRESS_ADDRESS_H
#define CAIRN_ADDRESS_ADDRESS_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;

#define ADDRESS_STR 128
#define SCRIPT_OF_ADDRESS_MAX 42

/* The address of an output script into dst[ADDRESS_STR]; false when it has none
 * (Core's ExtractDestination: P2PK has none; anchor and unknown witness
 * versions do). */
bool address_of_script(char *dst, struct slice script, const struct params *p);

/* The output script of an address: writes up to SCRIPT_OF_ADDRESS_MAX bytes,
 * *n how many. On false *why is a sentence of Core's validateaddress. */
bool address_to_script(uint8_t *script, size_t *n, const char **why,
		       const char *address, const struct params *p);

/* Base58check of version byte(s) + payload; decode verifies the checksum. Sizes:
 * dst has room for 2 * n + 10 characters; decode gives up to max bytes. */
void base58check_put(char *dst, struct slice payload);
bool base58check_parse(uint8_t *dst, size_t *n, size_t max, const char *s);

#endif
