/*
 * Secret keys over libsecp256k1: public keys, sums, signatures. Does not know
 * what is signed nor where keys come from. A context belongs to one thread at a
 * time; what a call copies of a secret it wipes.
 */
#include <cairn/crypto/secret.h>

#include <cairn/base/endian.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_recovery.h>
#include <secp256k1_schnorrsig.h>

/* The handle is the library's own: struct secret_ctx is never defined. */
static const secp256k1_context *lib(const struct secret_ctx *c)
{
	return (const secp256k1_context *)(const void *)c;
}

struct secret_ctx *secret_ctx_new(void)
{
	secp256k1_context *c = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
	uint8_t seed[32];

	must(c != NULL);
	rand_os(seed, sizeof seed);
	must(secp256k1_context_randomize(c, seed));
	explicit_bzero(seed, sizeof seed);
	return (struct secret_ctx *)(void *)c;
}

void secret_ctx_free(struct secret_ctx *c)
{
	if (c)
		secp256k1_context_destroy((secp256k1_context *)(void *)c);
}

bool secret_valid(const uint8_t key[32])
{
	return secp256k1_ec_seckey_verify(secp256k1_context_static, key) == 1;
}

size_t secret_pubkey(const struct secret_ctx *c, uint8_t *out,
		     const uint8_t key[32], bool compressed)
{
	secp256k1_pubkey pk;
	size_t n = compressed ? 33 : 65; /* so many are written */

	must(secp256k1_ec_pubkey_create(lib(c), &pk, key));
	secp256k1_ec_pubkey_serialize(lib(c), out, &n, &pk,
				      compressed ? SECP256K1_EC_COMPRESSED
						 : SECP256K1_EC_UNCOMPRESSED);
	return n;
}

bool secret_add(uint8_t key[32], const uint8_t tweak[32])
{
	return secp256k1_ec_seckey_tweak_add(secp256k1_context_static, key,
					     tweak) == 1;
}

static bool verifies(const struct secret_ctx *c,
		     const secp256k1_ecdsa_signature *sig,
		     const uint8_t key[32], const uint8_t hash[32])
{
	secp256k1_pubkey pk;

	return secp256k1_ec_pubkey_create(lib(c), &pk, key) &&
	       secp256k1_ecdsa_verify(lib(c), sig, hash, &pk);
}

static bool is_low_r(const struct secret_ctx *c,
		     const secp256k1_ecdsa_signature *sig)
{
	uint8_t compact[64];

	secp256k1_ecdsa_signature_serialize_compact(lib(c), compact, sig);
	return compact[0] < 0x80;
}

size_t secret_sign(const struct secret_ctx *c, uint8_t sig[SIG_DER_MAX],
		   const uint8_t key[32], const uint8_t hash[32])
{
	secp256k1_ecdsa_signature s;
	uint8_t extra[32] = {0};
	size_t n = SIG_DER_MAX;

	/* The first try has no extra entropy, the following a counter. */
	for (uint32_t i = 0;; i++) {
		le32_put(extra, i);
		must(secp256k1_ecdsa_sign(lib(c), &s, hash, key, NULL,
					  i ? extra : NULL));
		if (is_low_r(c, &s))
			break;
	}
	if (!verifies(c, &s, key, hash))
		return 0;
	must(secp256k1_ecdsa_signature_serialize_der(lib(c), sig, &n, &s));
	return n;
}

static bool sign_with_pair(const struct secret_ctx *c, uint8_t sig[64],
			   secp256k1_keypair *pair, const uint8_t *tweak,
			   const uint8_t msg[32], const uint8_t *aux)
{
	static const uint8_t zero[32];
	secp256k1_xonly_pubkey pk;

	if (tweak && !secp256k1_keypair_xonly_tweak_add(lib(c), pair, tweak))
		return false;
	return secp256k1_schnorrsig_sign32(lib(c), sig, msg, pair,
					   aux ? aux : zero) &&
	       secp256k1_keypair_xonly_pub(lib(c), &pk, NULL, pair) &&
	       secp256k1_schnorrsig_verify(lib(c), sig, msg, 32, &pk);
}

bool secret_sign_schnorr(const struct secret_ctx *c, uint8_t sig[64],
			 const uint8_t key[32], const uint8_t *tweak,
			 const uint8_t msg[32], const uint8_t *aux)
{
	secp256k1_keypair pair;
	uint8_t made[64];
	bool ok;

	must(secp256k1_keypair_create(lib(c), &pair, key));
	ok = sign_with_pair(c, made, &pair, tweak, msg, aux);
	explicit_bzero(&pair, sizeof pair);
	/* One that does not verify may tell of the key. */
	if (ok)
		memcpy(sig, made, sizeof made);
	else
		explicit_bzero(made, sizeof made);
	return ok;
}

unsigned secret_sign_recoverable(const struct secret_ctx *c, uint8_t sig[64],
				 const uint8_t key[32], const uint8_t hash[32])
{
	secp256k1_ecdsa_recoverable_signature s;
	int id = 0;

	must(secp256k1_ecdsa_sign_recoverable(lib(c), &s, hash, key, NULL,
					      NULL));
	secp256k1_ecdsa_recoverable_signature_serialize_compact(lib(c), sig,
								&id, &s);
	return (unsigned)id;
}
