/*
 * Rules about how signatures and keys are written, which scripts enforce
 * before they look at what these say. Any thread; no state.
 */
#include "internal.h"

#include <cairn/crypto/sig.h>

/* One DER integer in front of s (tag, length, positive, shortest form); s moves
 * behind it. */
static bool der_integer(struct slice *s)
{
	const uint8_t *p = s->p;
	size_t n;

	if (s->n < 3 || p[0] != 0x02)
		return false;
	n = p[1];
	if (n == 0 || n + 2 > s->n || p[2] & 0x80)
		return false;
	if (n > 1 && p[2] == 0 && !(p[3] & 0x80))
		return false;
	*s = slice_of(p + 2 + n, s->n - 2 - n);
	return true;
}

bool sig_is_der(struct slice s)
{
	struct slice body;

	if (s.n < 9 || s.n > 73 || s.p[0] != 0x30 || s.p[1] != s.n - 3)
		return false;
	body = slice_of(s.p + 2, s.n - 3);
	return der_integer(&body) && der_integer(&body) && body.n == 0;
}

static bool type_is_defined(uint8_t type)
{
	uint8_t t = type & (uint8_t)~SIGHASH_ANYONECANPAY;

	return t >= SIGHASH_ALL && t <= SIGHASH_SINGLE;
}

enum script_err sig_encoding(struct slice sig, unsigned flags)
{
	const unsigned der = SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_LOW_S |
			     SCRIPT_VERIFY_STRICTENC;

	/* An empty signature is the short way to say that there is none. */
	if (sig.n == 0)
		return SCRIPT_ERR_OK;
	if ((flags & der) && !sig_is_der(sig))
		return SCRIPT_ERR_SIG_DER;
	if ((flags & SCRIPT_VERIFY_LOW_S) &&
	    !ecdsa_is_low_s(slice_of(sig.p, sig.n - 1)))
		return SCRIPT_ERR_SIG_HIGH_S;
	if ((flags & SCRIPT_VERIFY_STRICTENC) &&
	    !type_is_defined(sig.p[sig.n - 1]))
		return SCRIPT_ERR_SIG_HASHTYPE;
	return SCRIPT_ERR_OK;
}

static bool is_compressed(struct slice key)
{
	return key.n == 33 && (key.p[0] == 2 || key.p[0] == 3);
}

enum script_err key_encoding(struct slice key, unsigned flags,
			     enum sig_version version)
{
	bool full = key.n == 65 && key.p[0] == 4;

	if ((flags & SCRIPT_VERIFY_STRICTENC) && !full && !is_compressed(key))
		return SCRIPT_ERR_PUBKEYTYPE;
	if ((flags & SCRIPT_VERIFY_WITNESS_PUBKEYTYPE) && version == SIG_V0 &&
	    !is_compressed(key))
		return SCRIPT_ERR_WITNESS_PUBKEYTYPE;
	return SCRIPT_ERR_OK;
}
