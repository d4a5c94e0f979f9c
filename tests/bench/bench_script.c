/*
 * Rows of script verification, and beside them the library calls alone that
 * each makes (Bare...). The spends are those of Bitcoin Core's benchmarks: one
 * input, one empty output, the key of the secret 1, all flags.
 */
#include "bench.h"

#include <cairn/crypto/sig.h>
#include <cairn/crypto/tagged.h>
#include <cairn/script/cache.h>
#include <cairn/script/interp.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <stdlib.h>

enum form {
	P2PKH,
	P2WPKH,
	P2SH_P2WPKH,
	P2WSH_2_OF_3,
	P2TR_KEY,
	P2TR_SCRIPT,
	NESTED_IF
};

#define KEYS 3

/* One spend, and what the library needs to check it without us. */
struct spend {
	secp256k1_context *ctx;
	secp256k1_keypair pair[KEYS];
	uint8_t key[KEYS][33];
	struct txout_view spent;
	struct tx_view tx;
	struct tx_sighash shared;
	uint8_t pubkey[64], redeem[22];
	uint8_t witness_script[128];
	size_t witness_script_n;
	uint8_t control[33], output[33], tweak[32];
	uint8_t hash[32], sig[2][80];
	size_t sig_n[2];
	struct script_cache *cache;
	uint8_t raw[2048];
};

static void keys_init(struct spend *s)
{
	uint8_t secret[32] = {0};
	secp256k1_pubkey pk;

	s->ctx = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
	for (unsigned i = 0; i < KEYS; i++) {
		size_t n = 33;

		secret[31] = (uint8_t)(i + 1);
		if (!secp256k1_keypair_create(s->ctx, &s->pair[i], secret) ||
		    !secp256k1_keypair_pub(s->ctx, &pk, &s->pair[i]))
			abort();
		secp256k1_ec_pubkey_serialize(s->ctx, s->key[i], &n, &pk,
					      SECP256K1_EC_COMPRESSED);
	}
}

/* Sign with a key; OP_CHECKMULTISIG tries the last ones first. */
static void sign_ecdsa(struct spend *s, unsigned i, unsigned key)
{
	secp256k1_ecdsa_signature sig;
	uint8_t secret[32];

	s->sig_n[i] = sizeof s->sig[i];
	if (!secp256k1_keypair_sec(s->ctx, secret, &s->pair[key]) ||
	    !secp256k1_ecdsa_sign(s->ctx, &sig, s->hash, secret, NULL, NULL) ||
	    !secp256k1_ecdsa_signature_serialize_der(s->ctx, s->sig[i],
						     &s->sig_n[i], &sig))
		abort();
	s->sig[i][s->sig_n[i]++] = SIGHASH_ALL;
}

static void sign_schnorr(struct spend *s)
{
	s->sig_n[0] = 65;
	s->sig[0][64] = SIGHASH_ALL;
	if (!secp256k1_schnorrsig_sign32(s->ctx, s->sig[0], s->hash,
					 &s->pair[0], NULL))
		abort();
}

/* A key and OP_CHECKSIG as the only leaf below the key of the secret 2. */
static size_t script_tree(struct spend *s)
{
	uint8_t *p = s->witness_script, head[2] = {0xc0, 34}, leaf[32];
	secp256k1_xonly_pubkey internal, x;
	secp256k1_pubkey out;
	struct sha256 h;
	int odd;

	*p++ = 32;
	p = bytes_put(p, s->key[0] + 1, 32);
	*p++ = OP_CHECKSIG;
	tagged_init(&h, TAG_TAP_LEAF);
	sha256_put(&h, head, sizeof head);
	sha256_put(&h, s->witness_script, 34);
	sha256_end(&h, leaf);
	tagged_init(&h, TAG_TAP_TWEAK);
	sha256_put(&h, s->key[1] + 1, 32);
	sha256_put(&h, leaf, 32);
	sha256_end(&h, s->tweak);
	if (!secp256k1_xonly_pubkey_parse(s->ctx, &internal, s->key[1] + 1) ||
	    !secp256k1_xonly_pubkey_tweak_add(s->ctx, &out, &internal,
					      s->tweak) ||
	    !secp256k1_xonly_pubkey_from_pubkey(s->ctx, &x, &odd, &out))
		abort();
	secp256k1_xonly_pubkey_serialize(s->ctx, s->output, &x);
	s->control[0] = (uint8_t)(0xc0 | odd);
	memcpy(s->control + 1, s->key[1] + 1, 32);
	return 34;
}

static size_t two_of_three(struct spend *s)
{
	uint8_t *p = s->witness_script;

	*p++ = OP_2;
	for (unsigned i = 0; i < KEYS; i++) {
		*p++ = 33;
		p = bytes_put(p, s->key[i], 33);
	}
	*p++ = OP_3;
	*p++ = OP_CHECKMULTISIG;
	sha256_once(s->output, s->witness_script,
		    (size_t)(p - s->witness_script));
	return (size_t)(p - s->witness_script);
}

static uint8_t *put_program(uint8_t *p, uint8_t op, const uint8_t *data,
			    uint8_t n)
{
	*p++ = op;
	*p++ = n;
	return bytes_put(p, data, n);
}

/* The script of the output that is spent. */
static void lock(struct spend *s, enum form f)
{
	uint8_t *p = s->pubkey, hash[20];

	hash160(hash, s->key[0], 33);
	if (f == P2PKH) {
		*p++ = OP_DUP;
		p = put_program(p, OP_HASH160, hash, 20);
		*p++ = OP_EQUALVERIFY;
		*p++ = OP_CHECKSIG;
	} else if (f == P2WPKH) {
		p = put_program(p, OP_0, hash, 20);
	} else if (f == P2SH_P2WPKH) {
		put_program(s->redeem, OP_0, hash, 20);
		hash160(hash, s->redeem, sizeof s->redeem);
		p = put_program(p, OP_HASH160, hash, 20);
		*p++ = OP_EQUAL;
	} else if (f == P2WSH_2_OF_3) {
		s->witness_script_n = two_of_three(s);
		p = put_program(p, OP_0, s->output, 32);
	} else if (f == P2TR_KEY) {
		p = put_program(p, OP_1, s->key[0] + 1, 32);
	} else {
		s->witness_script_n = script_tree(s);
		p = put_program(p, OP_1, s->output, 32);
	}
	s->spent.value = 1;
	s->spent.script = slice_of(s->pubkey, (size_t)(p - s->pubkey));
}

static uint8_t *put_item(uint8_t *p, const uint8_t *data, size_t n)
{
	return bytes_put(compact_put(p, n), data, n);
}

static uint8_t *put_script_sig(uint8_t *p, const struct spend *s, enum form f)
{
	if (f == P2SH_P2WPKH) {
		*p++ = sizeof s->redeem + 1;
		return script_put_push(p,
				       slice_of(s->redeem, sizeof s->redeem));
	}
	if (f != P2PKH || s->sig_n[0] == 0) {
		*p++ = 0;
		return p;
	}
	p = compact_put(p, s->sig_n[0] + 1 + 34);
	p = script_put_push(p, slice_of(s->sig[0], s->sig_n[0]));
	return script_put_push(p, slice_of(s->key[0], 33));
}

static uint8_t *put_witness(uint8_t *p, const struct spend *s, enum form f)
{
	static const uint8_t items[] = {
	    [P2WPKH] = 2,   [P2SH_P2WPKH] = 2, [P2WSH_2_OF_3] = 4,
	    [P2TR_KEY] = 1, [P2TR_SCRIPT] = 3,
	};

	*p++ = items[f];
	if (f == P2WSH_2_OF_3)
		*p++ = 0;
	p = put_item(p, s->sig[0], s->sig_n[0]);
	if (f == P2WPKH || f == P2SH_P2WPKH)
		p = put_item(p, s->key[0], 33);
	if (f == P2WSH_2_OF_3)
		p = put_item(p, s->sig[1], s->sig_n[1]);
	if (s->witness_script_n)
		p = put_item(p, s->witness_script, s->witness_script_n);
	if (f == P2TR_SCRIPT)
		p = put_item(p, s->control, 33);
	return p;
}

/* Build the transaction with the signatures that there are. */
static void build(struct spend *s, enum form f)
{
	bool wit = f != P2PKH && s->sig_n[0] > 0;
	uint8_t *p = le32_put(s->raw, 1);
	struct rd r;

	if (wit)
		p = bytes_put(p, "\0\1", 2);
	*p++ = 1;
	memset(p, 7, 32);
	p = le32_put(p + 32, 0);
	p = put_script_sig(p, s, f);
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	p = le64_put(p, 1);
	*p++ = 0;
	if (wit)
		p = put_witness(p, s, f);
	p = le32_put(p, 0);
	rd_init(&r, slice_of(s->raw, (size_t)(p - s->raw)));
	if (!tx_view_parse(&s->tx, &r))
		abort();
	tx_sighash_init_all(&s->shared, &s->tx, &s->spent);
}

static void hash_spend(struct spend *s, enum form f)
{
	struct tap_context tap = {.separator_pos = TAP_NO_SEPARATOR};
	struct script_input in;
	uint8_t code[25] = {OP_DUP, OP_HASH160,
			    20, [23] = OP_EQUALVERIFY, [24] = OP_CHECKSIG};
	struct sha256 h;

	script_inputs(&in, &s->shared);
	script_input_next(&in);
	hash160(code + 3, s->key[0], 33);
	if (f == P2TR_SCRIPT) {
		tagged_init(&h, TAG_TAP_LEAF);
		sha256_put(&h, "\xc0\x22", 2);
		sha256_put(&h, s->witness_script, 34);
		sha256_end(&h, tap.leaf);
		tap.has_leaf = true;
	}
	if (f == P2PKH)
		sighash_legacy(s->hash, &in, s->spent.script, SIGHASH_ALL);
	else if (f == P2WPKH || f == P2SH_P2WPKH)
		sighash_v0(s->hash, &in, slice_of(code, 25), SIGHASH_ALL);
	else if (f == P2WSH_2_OF_3)
		sighash_v0(s->hash, &in,
			   slice_of(s->witness_script, s->witness_script_n),
			   SIGHASH_ALL);
	else
		sighash_taproot(s->hash, &in, &tap, SIGHASH_ALL);
}

static bool setup(struct bench *b)
{
	enum form f = (enum form)b->row->arg;
	struct spend *s = calloc(1, sizeof *s);

	if (!s) {
		b->why = "out of memory";
		return false;
	}
	b->data = s;
	keys_init(s);
	lock(s, f);
	build(s, f);
	hash_spend(s, f);
	if (f == P2TR_KEY || f == P2TR_SCRIPT)
		sign_schnorr(s);
	else
		sign_ecdsa(s, 0, f == P2WSH_2_OF_3);
	if (f == P2WSH_2_OF_3)
		sign_ecdsa(s, 1, 2);
	build(s, f);
	return true;
}

static void fini(struct bench *b)
{
	struct spend *s = b->data;

	secp256k1_context_destroy(s->ctx);
	script_cache_free(s->cache);
	free(s);
}

static uint64_t verify_by(struct bench *b, uint64_t n,
			  const struct sig_verifier *v)
{
	struct spend *s = b->data;
	struct script_failure f;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(s);
		if (!script_verify_inputs(&f, &s->shared, 0, 1,
					  SCRIPT_FLAGS_STANDARD, v))
			abort();
		sum++;
	}
	return sum;
}

static uint64_t verify(struct bench *b, uint64_t n)
{
	return verify_by(b, n, NULL);
}

/* With a cache that has seen the key, or the signature too. */
static uint64_t verify_again(struct bench *b, uint64_t n, enum cache_mode mode)
{
	static const uint8_t salt[32] = {1};
	struct spend *s = b->data;
	struct cached_verifier v;

	if (!s->cache)
		s->cache = script_cache_new(1 << 20, salt);
	cached_verifier_init(&v, s->cache, NULL, mode);
	return verify_by(b, n, &v.v);
}

static uint64_t verify_known_key(struct bench *b, uint64_t n)
{
	return verify_again(b, n, CACHE_HINTS);
}

static uint64_t verify_cached(struct bench *b, uint64_t n)
{
	return verify_again(b, n, CACHE_KEEP);
}

static bool bare_ecdsa(const struct spend *s, unsigned i, unsigned key)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_ecdsa_signature sig;
	secp256k1_pubkey pk;

	return secp256k1_ec_pubkey_parse(ctx, &pk, s->key[key], 33) &&
	       secp256k1_ecdsa_signature_parse_der(ctx, &sig, s->sig[i],
						   s->sig_n[i] - 1) &&
	       secp256k1_ecdsa_verify(ctx, &sig, s->hash, &pk);
}

static bool bare_schnorr(const struct spend *s)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_xonly_pubkey pk;

	return secp256k1_xonly_pubkey_parse(ctx, &pk, s->key[0] + 1) &&
	       secp256k1_schnorrsig_verify(ctx, s->sig[0], s->hash, 32, &pk);
}

static bool bare_tweak(const struct spend *s)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_xonly_pubkey pk;

	return secp256k1_xonly_pubkey_parse(ctx, &pk, s->control + 1) &&
	       secp256k1_xonly_pubkey_tweak_add_check(
		   ctx, s->output, s->control[0] & 1, &pk, s->tweak);
}

static uint64_t bare(struct bench *b, uint64_t n)
{
	enum form f = (enum form)b->row->arg;
	struct spend *s = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bool ok = f == P2TR_KEY ? bare_schnorr(s)
			  : f == P2TR_SCRIPT
			      ? bare_tweak(s) && bare_schnorr(s)
			      : bare_ecdsa(s, 0, f == P2WSH_2_OF_3);

		bench_barrier(s);
		if (f == P2WSH_2_OF_3)
			ok = ok && bare_ecdsa(s, 1, 2);
		if (!ok)
			abort();
		sum++;
	}
	return sum;
}

/* 100 conditions around 1,000 constants. */
static bool nested_setup(struct bench *b)
{
	uint8_t *script = malloc(200 + 1000 + 100), *p = script;

	if (!script) {
		b->why = "out of memory";
		return false;
	}
	for (unsigned i = 0; i < 100; i++) {
		*p++ = OP_1;
		*p++ = OP_IF;
	}
	memset(p, OP_1, 1000);
	memset(p + 1000, OP_ENDIF, 100);
	b->data = script;
	return true;
}

static void nested_fini(struct bench *b)
{
	free(b->data);
}

static uint64_t nested(struct bench *b, uint64_t n)
{
	struct slice script = slice_of(b->data, 1300), none = {0};
	struct tx_iter witness = {0};
	struct sig_checker c;
	uint64_t sum = 0;

	sig_checker_init(&c, NULL, NULL);
	for (; n > 0; n--) {
		bench_barrier(script.p);
		if (!script_verify(NULL, none, script, witness, 0, &c))
			abort();
		sum++;
	}
	return sum;
}

#define ROW(n, r, f)                                                           \
	{                                                                      \
		.name = n, .setup = setup, .run = r, .fini = fini, .arg = f    \
	}

static const struct bench_row rows[] = {
    ROW("VerifyScriptP2PKH", verify, P2PKH),
    ROW("BareP2PKH", bare, P2PKH),
    ROW("VerifyScriptP2WPKH", verify, P2WPKH),
    ROW("BareP2WPKH", bare, P2WPKH),
    ROW("VerifyScriptP2WPKH_known_key", verify_known_key, P2WPKH),
    ROW("VerifyScriptP2WPKH_cached", verify_cached, P2WPKH),
    ROW("VerifyScriptP2SH_P2WPKH", verify, P2SH_P2WPKH),
    ROW("BareP2SH_P2WPKH", bare, P2SH_P2WPKH),
    ROW("VerifyScriptP2WSH_2of3", verify, P2WSH_2_OF_3),
    ROW("BareP2WSH_2of3", bare, P2WSH_2_OF_3),
    ROW("VerifyScriptP2TR_KeyPath", verify, P2TR_KEY),
    ROW("BareP2TR_KeyPath", bare, P2TR_KEY),
    ROW("VerifyScriptP2TR_KeyPath_known_key", verify_known_key, P2TR_KEY),
    ROW("VerifyScriptP2TR_KeyPath_cached", verify_cached, P2TR_KEY),
    ROW("VerifyScriptP2TR_ScriptPath", verify, P2TR_SCRIPT),
    ROW("BareP2TR_ScriptPath", bare, P2TR_SCRIPT),
    {.name = "VerifyNestedIfScript",
     .setup = nested_setup,
     .run = nested,
     .fini = nested_fini},
};
BENCH_ROWS(rows);
