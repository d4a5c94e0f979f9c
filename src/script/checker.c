/*
 * What scripts ask about the transaction that they are in: signatures and
 * locks. Runs on the thread that verifies; a checker is one input's.
 */
#include "internal.h"

#include <cairn/crypto/sig.h>

#define SEQUENCE_FINAL    0xffffffffu
#define SEQUENCE_DISABLED (1u << 31)
#define SEQUENCE_TIME     (1u << 22)
#define SEQUENCE_MASK     0xffffu
#define LOCK_IS_TIME      500000000 /* from here on a lock is a time */

static bool library_ecdsa(void *arg, struct slice der, struct slice key,
			  const uint8_t hash[32])
{
	return ecdsa_verify_hinted(arg, der, key, hash);
}

static bool library_schnorr(void *arg, const struct script_input *in,
			    const uint8_t sig[64], const uint8_t key[32],
			    const uint8_t hash[32])
{
	(void)in;
	return schnorr_verify_hinted(arg, sig, key, hash);
}

static bool library_tweak(void *arg, const struct script_input *in,
			  const uint8_t output[32], bool odd,
			  const uint8_t internal[32], const uint8_t tweak[32])
{
	(void)in;
	return xonly_tweak_check_hinted(arg, output, odd, internal, tweak);
}

static const struct sig_verifier library = {
    .ecdsa = library_ecdsa,
    .schnorr = library_schnorr,
    .tweak = library_tweak,
};

void sig_verifier_library(struct sig_verifier *v, struct key_hints *h)
{
	*v = library;
	v->arg = h;
}

void sig_checker_init(struct sig_checker *c, struct script_input *in,
		      const struct sig_verifier *verifier)
{
	c->in = in;
	c->verifier = verifier ? verifier : &library;
	for (size_t i = 0; i < sizeof c->memo / sizeof *c->memo; i++)
		c->memo[i].code = NULL;
}

/* Which memo a type may use: by the inputs and the outputs that it covers. */
static struct sig_memo *memo_of(struct sig_checker *c, uint8_t type)
{
	unsigned out = sighash_out(type) == SIGHASH_NONE     ? 1
		       : sighash_out(type) == SIGHASH_SINGLE ? 2
							     : 0;

	return &c->memo[out + 3 * sighash_one_input(type)];
}

/* Signatures of one input mostly sign the same code, and then only the type
 * differs, if that. Code that stays where it is is known by its place. */
static void old_hash(uint8_t out[32], struct sig_checker *c, struct slice code,
		     uint8_t type, enum sig_version version, bool lasting)
{
	struct sig_memo *m = memo_of(c, type);
	struct sha256 h;

	if (version == SIG_BASE && sighash_is_one(out, c->in, type))
		return;
	if (!m->code || m->code != code.p || m->n != code.n) {
		m->code = lasting ? code.p : NULL;
		m->n = code.n;
		if (version == SIG_BASE)
			sighash_legacy_state(&m->state, c->in, code, type);
		else
			sighash_v0_state(&m->state, c->in, code, type);
	}
	h = m->state;
	sighash_end(&h, type, out);
}

/* The size that a key's first byte announces. */
static bool key_size_ok(struct slice key)
{
	if (key.n == 33)
		return key.p[0] == 2 || key.p[0] == 3;
	return key.n == 65 && (key.p[0] == 4 || key.p[0] == 6 || key.p[0] == 7);
}

bool checker_ecdsa(struct sig_checker *c, struct slice sig, struct slice key,
		   struct slice code, enum sig_version version, bool lasting)
{
	const struct sig_verifier *v = c->verifier;
	uint8_t hash[32];

	if (!c->in || sig.n == 0 || !key_size_ok(key))
		return false;
	sig.n--;
	old_hash(hash, c, code, sig.p[sig.n], version, lasting);
	return v->ecdsa(v->arg, sig, key, hash);
}

enum script_err checker_schnorr(struct sig_checker *c, struct slice sig,
				struct slice key, struct tap_context *tap)
{
	const struct sig_verifier *v = c->verifier;
	uint8_t hash[32], type = SIGHASH_DEFAULT;
	bool ok;

	if (sig.n != 64 && sig.n != 65)
		return SCRIPT_ERR_SCHNORR_SIG_SIZE;
	if (sig.n == 65) {
		/* The default is said by leaving the byte out. */
		type = sig.p[64];
		if (type == SIGHASH_DEFAULT)
			return SCRIPT_ERR_SCHNORR_SIG_HASHTYPE;
	}
	if (!c->in)
		return SCRIPT_ERR_SCHNORR_SIG;
	if (!sighash_taproot(hash, c->in, tap, type))
		return SCRIPT_ERR_SCHNORR_SIG_HASHTYPE;
	ok = v->schnorr(v->arg, c->in, sig.p, key.p, hash);
	return ok ? SCRIPT_ERR_OK : SCRIPT_ERR_SCHNORR_SIG;
}

bool checker_tweak(const struct sig_checker *c, const uint8_t output[32],
		   bool odd, const uint8_t internal[32],
		   const uint8_t tweak[32])
{
	/* Who is asked is told for which input; there may be none. */
	const struct sig_verifier *v = c->in ? c->verifier : &library;

	return v->tweak(v->arg, c->in, output, odd, internal, tweak);
}

bool checker_lock_time(const struct sig_checker *c, int64_t v)
{
	int64_t lock;

	if (!c->in)
		return false;
	lock = c->in->tx->tx->lock_time;
	/* Heights are compared with heights, times with times. */
	if ((lock < LOCK_IS_TIME) != (v < LOCK_IS_TIME) || v > lock)
		return false;
	/* A final input would let the transaction ignore its lock. */
	return c->in->in.sequence != SEQUENCE_FINAL;
}

bool checker_sequence(const struct sig_checker *c, int64_t v)
{
	const uint32_t mask = SEQUENCE_TIME | SEQUENCE_MASK;
	uint32_t have, want;

	if ((uint64_t)v & SEQUENCE_DISABLED)
		return true;
	/* BIP 68 holds from version 2 on; the version is compared as unsigned.
	 */
	if (!c->in || (uint32_t)c->in->tx->tx->version < 2)
		return false;
	if (c->in->in.sequence & SEQUENCE_DISABLED)
		return false;
	have = c->in->in.sequence & mask;
	want = (uint32_t)((uint64_t)v & mask);
	return (have & SEQUENCE_TIME) == (want & SEQUENCE_TIME) && want <= have;
}
