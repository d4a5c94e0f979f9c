/*
 * Addresses of output scripts and the way back, for every network, with the
 * sentences of Bitcoin Core's validateaddress. Any thread; no state.
 */
#include <cairn/address/address.h>

#include "base58.h"
#include "bech32.h"

#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdarg.h>
#include <stdio.h>

#define PROGRAM_MAX 40 /* bytes of a witness program */

/* Regroup bits, most significant first; out bits per value. False when what is
 * left over is a whole input value or not zero; with pad it is filled up. */
static bool regroup(uint8_t *dst, size_t *n, unsigned to, const uint8_t *src,
		    size_t size, unsigned from, bool pad)
{
	unsigned acc = 0, bits = 0;

	*n = 0;
	for (size_t i = 0; i < size; i++) {
		acc = (acc << from | src[i]) & 0xfff;
		for (bits += from; bits >= to;) {
			bits -= to;
			dst[(*n)++] = (uint8_t)(acc >> bits & ((1u << to) - 1));
		}
	}
	if (pad && bits > 0)
		dst[(*n)++] = (uint8_t)(acc << (to - bits) & ((1u << to) - 1));
	return pad || (bits < from && (acc & ((1u << bits) - 1)) == 0);
}

static void put_base58(char *dst, uint8_t version, struct slice hash)
{
	uint8_t payload[21] = {version};

	memcpy(payload + 1, hash.p, 20);
	base58check_put(dst, slice_of(payload, sizeof payload));
}

static void put_witness(char *dst, const struct script_info *i, const char *hrp)
{
	uint8_t v[1 + (PROGRAM_MAX * 8 + 4) / 5] = {i->version};
	size_t n;

	regroup(v + 1, &n, 5, i->data.p, i->data.n, 8, true);
	bech32_put(dst, i->version == 0 ? BECH32 : BECH32M, hrp, v, n + 1);
}

bool address_of_script(char *dst, struct slice script, const struct params *p)
{
	struct script_info i;

	script_classify(&i, script);
	switch (i.type) {
	case SCRIPT_PUBKEYHASH:
		put_base58(dst, p->addr_pubkey, i.data);
		return true;
	case SCRIPT_SCRIPTHASH:
		put_base58(dst, p->addr_script, i.data);
		return true;
	case SCRIPT_ANCHOR:
	case SCRIPT_WITNESS_V0_KEYHASH:
	case SCRIPT_WITNESS_V0_SCRIPTHASH:
	case SCRIPT_WITNESS_V1_TAPROOT:
	case SCRIPT_WITNESS_UNKNOWN:
		put_witness(dst, &i, p->bech32_hrp);
		return true;
	case SCRIPT_NONSTANDARD:
	case SCRIPT_PUBKEY:
	case SCRIPT_MULTISIG:
	case SCRIPT_NULLDATA:
		break;
	}
	return false;
}

static bool printf_like(2, 3)
    fail(struct address_error *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->why, sizeof e->why, fmt, ap);
	va_end(ap);
	return false;
}

static size_t key_hash_script(uint8_t *script, const uint8_t *hash)
{
	static const uint8_t head[] = {OP_DUP, OP_HASH160, 20};
	static const uint8_t tail[] = {OP_EQUALVERIFY, OP_CHECKSIG};

	memcpy(script, head, 3);
	memcpy(script + 3, hash, 20);
	memcpy(script + 23, tail, 2);
	return 25;
}

static size_t script_hash_script(uint8_t *script, const uint8_t *hash)
{
	script[0] = OP_HASH160;
	script[1] = 20;
	memcpy(script + 2, hash, 20);
	script[22] = OP_EQUAL;
	return P2SH_SIZE;
}

size_t p2sh_put(uint8_t out[P2SH_SIZE], struct slice script)
{
	uint8_t hash[20];

	hash160(hash, script.p, script.n);
	return script_hash_script(out, hash);
}

size_t p2wsh_put(uint8_t out[P2WSH_SIZE], struct slice script)
{
	out[0] = OP_0;
	out[1] = 32;
	sha256_once(out + 2, script.p, script.n);
	return P2WSH_SIZE;
}

static bool base58_to_script(uint8_t *script, size_t *n,
			     struct address_error *e, const char *s,
			     const struct params *p)
{
	uint8_t data[100];
	size_t size;

	if (!base58check_parse(data, &size, 21, s)) {
		/* Is it base 58 at all? */
		if (!base58_parse(data, &size, sizeof data, s))
			return fail(e, "Invalid or unsupported Segwit (Bech32) "
				       "or Base58 encoding.");
		return fail(e, "Invalid checksum or length of Base58 address "
			       "(P2PKH or P2SH)");
	}
	if (size == 0 ||
	    (data[0] != p->addr_pubkey && data[0] != p->addr_script))
		return fail(e,
			    "Invalid or unsupported Base58-encoded address.");
	if (size != 21)
		return fail(
		    e, "Invalid length for Base58 address (P2PKH or P2SH)");
	*n = data[0] == p->addr_pubkey ? key_hash_script(script, data + 1)
				       : script_hash_script(script, data + 1);
	return true;
}

/* Whether a program of n bytes is one of this version's. */
static bool program_ok(struct address_error *e, uint8_t version, size_t n)
{
	const char *unit = n == 1 ? "byte" : "bytes";

	if (version == 0)
		return n == 20 || n == 32 ||
		       fail(e,
			    "Invalid Bech32 v0 address program size (%zu %s), "
			    "per BIP141",
			    n, unit);
	if (version > 16)
		return fail(e, "Invalid Bech32 address witness version");
	return (n >= 2 && n <= PROGRAM_MAX) ||
	       fail(e, "Invalid Bech32 address program size (%zu %s)", n, unit);
}

static bool kind_ok(struct address_error *e, const struct bech32 *b,
		    const char *hrp)
{
	if (b->n == 0)
		return fail(e, "Empty Bech32 data section");
	if (strcmp(b->hrp, hrp) != 0)
		return fail(e,
			    "Invalid or unsupported prefix for Segwit (Bech32) "
			    "address (expected %s, got %s).",
			    hrp, b->hrp);
	if (b->v[0] == 0 && b->kind != BECH32)
		return fail(
		    e, "Version 0 witness address must use Bech32 checksum");
	if (b->v[0] != 0 && b->kind != BECH32M)
		return fail(
		    e, "Version 1+ witness address must use Bech32m checksum");
	return true;
}

static bool bech32_to_script(uint8_t *script, size_t *n,
			     struct address_error *e, const char *s,
			     const struct params *p)
{
	uint8_t program[BECH32_MAX];
	struct bech32 b;
	size_t size;

	if (!bech32_parse(&b, e, s) || !kind_ok(e, &b, p->bech32_hrp))
		return false;
	if (!regroup(program, &size, 8, b.v + 1, b.n - 1, 5, false))
		return fail(e, "Invalid padding in Bech32 data section");
	if (!program_ok(e, b.v[0], size))
		return false;
	script[0] = (uint8_t)(b.v[0] ? OP_1 - 1 + b.v[0] : OP_0);
	script[1] = (uint8_t)size;
	memcpy(script + 2, program, size);
	*n = size + 2;
	return true;
}

/* Whether it begins like this network's segwit addresses, in either case. */
static bool looks_bech32(const char *s, const char *hrp)
{
	for (; *hrp; s++, hrp++)
		if (*s != *hrp && (*s < 'A' || *s > 'Z' || *s + 32 != *hrp))
			return false;
	return true;
}

bool address_to_script(uint8_t *script, size_t *n, struct address_error *e,
		       const char *address, const struct params *p)
{
	struct address_error unwanted;

	if (!e)
		e = &unwanted;
	e->n = 0;
	if (looks_bech32(address, p->bech32_hrp))
		return bech32_to_script(script, n, e, address, p);
	return base58_to_script(script, n, e, address, p);
}
