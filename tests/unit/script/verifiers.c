/* Verifiers for tests; see the header. */
#include "verifiers.h"

#include <cairn/base/mem.h>
#include <cairn/crypto/sig.h>
#include <cairn/script/cache.h>

#include <check.h>
#include <stdlib.h>

static bool counted(struct counter *c, bool ok)
{
	c->asked++;
	c->wrong += !ok;
	return ok;
}

static bool count_ecdsa(void *arg, struct slice der, struct slice key,
			const uint8_t hash[32])
{
	struct counter *c = arg;

	return counted(c, c->library.ecdsa(NULL, der, key, hash));
}

static bool count_schnorr(void *arg, const struct script_input *in,
			  const uint8_t sig[64], const uint8_t key[32],
			  const uint8_t hash[32])
{
	struct counter *c = arg;

	return counted(c, c->library.schnorr(NULL, in, sig, key, hash));
}

static bool count_tweak(void *arg, const struct script_input *in,
			const uint8_t output[32], bool odd,
			const uint8_t internal[32], const uint8_t tweak[32])
{
	struct counter *c = arg;

	return counted(
	    c, c->library.tweak(NULL, in, output, odd, internal, tweak));
}

void counter_init(struct counter *c)
{
	memset(c, 0, sizeof *c);
	sig_verifier_library(&c->library, NULL);
	c->v = (struct sig_verifier){.ecdsa = count_ecdsa,
				     .schnorr = count_schnorr,
				     .tweak = count_tweak,
				     .arg = c};
}

static bool now_ecdsa(void *arg, struct slice der, struct slice key,
		      const uint8_t hash[32])
{
	(void)arg;
	return ecdsa_verify(der, key, hash);
}

static struct due *add(struct batch *b, const struct script_input *in)
{
	struct due *d;

	arr_grow(&b->due, &b->cap, b->n + 1, sizeof *b->due);
	d = &b->due[b->n++];
	*d = (struct due){.tx = in->tx, .input = in->index};
	return d;
}

static bool late_schnorr(void *arg, const struct script_input *in,
			 const uint8_t sig[64], const uint8_t key[32],
			 const uint8_t hash[32])
{
	struct due *d = add(arg, in);

	memcpy(d->sig, sig, 64);
	memcpy(d->key, key, 32);
	memcpy(d->hash, hash, 32);
	return true;
}

static bool late_tweak(void *arg, const struct script_input *in,
		       const uint8_t output[32], bool odd,
		       const uint8_t internal[32], const uint8_t tweak[32])
{
	struct due *d = add(arg, in);

	d->is_tweak = true;
	d->odd = odd;
	memcpy(d->sig, output, 32);
	memcpy(d->key, internal, 32);
	memcpy(d->hash, tweak, 32);
	return true;
}

void batch_init(struct batch *b)
{
	memset(b, 0, sizeof *b);
	b->v = (struct sig_verifier){.ecdsa = now_ecdsa,
				     .schnorr = late_schnorr,
				     .tweak = late_tweak,
				     .arg = b,
				     .late = true};
}

void batch_fini(struct batch *b)
{
	free(b->due);
}

static bool is_right(const struct due *d)
{
	return d->is_tweak ? xonly_tweak_check(d->sig, d->odd, d->key, d->hash)
			   : schnorr_verify(d->sig, d->key, d->hash);
}

bool batch_verify_inputs(struct batch *b, struct script_failure *f,
			 const struct tx_sighash *tx, uint32_t first,
			 uint32_t n, unsigned flags)
{
	bool ok = script_verify_inputs(f, tx, first, n, flags, &b->v);

	/* Asked in the order of inputs: the first wrong answer is the lowest,
	 * and none belongs to an input behind the one that failed. */
	for (size_t i = 0; i < b->n; i++) {
		const struct due *d = &b->due[i];

		ck_assert_ptr_eq(d->tx, tx);
		ck_assert(ok || d->input <= f->input);
		if (is_right(d))
			continue;
		f->input = d->input;
		f->err = d->is_tweak ? SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH
				     : SCRIPT_ERR_SCHNORR_SIG;
		ok = false;
		break;
	}
	b->n = 0;
	return ok;
}

static void check_late(const struct fix *f, uint32_t input, unsigned flags,
		       enum script_err want)
{
	struct script_failure s = {UINT32_MAX, SCRIPT_ERR_OK};
	struct batch b;

	batch_init(&b);
	batch_verify_inputs(&b, &s, &f->shared, input, 1, flags);
	batch_fini(&b);
	ck_assert_int_eq(s.err, want);
	ck_assert_uint_eq(s.input, want == SCRIPT_ERR_OK ? UINT32_MAX : input);
}

static const uint8_t salt[32];

static void check_cached(const struct fix *f, uint32_t input, unsigned flags,
			 enum script_err want)
{
	struct script_cache *cache = script_cache_new(1 << 20, salt);
	struct counter c;
	struct cached_verifier v;
	size_t asked = 0, wrong = 0;

	for (int i = 0; i < 2; i++) {
		struct script_failure s = {input, SCRIPT_ERR_OK};

		counter_init(&c);
		cached_verifier_init(&v, cache, &c.v, CACHE_KEEP);
		script_verify_inputs(&s, &f->shared, input, 1, flags, &v.v);
		ck_assert_int_eq(s.err, want);
		/* More than eight may drive each other out. */
		if (i == 1 && asked <= 8)
			ck_assert_uint_eq(c.asked, wrong);
		else if (i == 1)
			ck_assert_uint_le(c.asked, (asked + wrong) / 2);
		asked = c.asked;
		wrong = c.wrong;
	}
	script_cache_free(cache);
}

enum script_err verify_all_ways(const struct fix *f, uint32_t input,
				unsigned flags)
{
	enum script_err e = fix_verify(f, input, flags);

	check_late(f, input, flags, e);
	check_cached(f, input, flags, e);
	return e;
}
