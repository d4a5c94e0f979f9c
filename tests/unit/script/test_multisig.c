/*
 * OP_CHECKMULTISIG against its definition, for every way in which up to four
 * signatures can fit up to four keys: a test's verifier says which fit, also
 * where no real signature could. And how often it asks.
 */
#include "fixture.h"
#include "suites.h"

#include <cairn/script/template.h>

#include <check.h>

#define MAX 4u

struct fits {
	uint32_t matrix; /* bit 4 * sig + key */
	size_t asked;
};

static bool fit_ecdsa(void *arg, struct slice der, struct slice key,
		      const uint8_t hash[32])
{
	struct fits *f = arg;
	unsigned sig = der.p[4] - 1u, k = key.p[32];

	(void)hash;
	f->asked++;
	ck_assert(sig < MAX && k < MAX);
	return f->matrix >> (MAX * sig + k) & 1;
}

/* A spend with all signatures; the smallest that is DER names its number. */
static void make(struct fix *f, unsigned sigs, unsigned keys)
{
	uint8_t in[1 + MAX * 10], lock[3 + MAX * 34], *p = in, *q = lock;
	uint8_t sig[9] = {0x30, 6, 2, 1, 0, 2, 1, 1, SIGHASH_ALL};
	uint8_t key[33] = {2};
	struct items none = {0};

	*p++ = OP_0;
	for (unsigned i = 0; i < sigs; i++) {
		sig[4] = (uint8_t)(i + 1);
		p = script_put_push(p, slice_of(sig, sizeof sig));
	}
	*q++ = (uint8_t)(OP_1 - 1 + sigs);
	for (unsigned i = 0; i < keys; i++) {
		key[32] = (uint8_t)i;
		q = script_put_push(q, slice_of(key, sizeof key));
	}
	*q++ = (uint8_t)(OP_1 - 1 + keys);
	*q++ = OP_CHECKMULTISIG;
	fix_credit(f, slice_of(in, (size_t)(p - in)),
		   slice_of(lock, (size_t)(q - lock)), &none, 1);
}

static enum script_err run(const struct fix *f, struct fits *fits,
			   unsigned flags)
{
	struct sig_verifier v = {.ecdsa = fit_ecdsa, .arg = fits};
	struct script_failure s = {0, SCRIPT_ERR_OK};

	fits->asked = 0;
	script_verify_inputs(&s, &f->shared, 0, 1, flags, &v);
	return s.err;
}

/* Each signature, from the last on, takes the next key that it fits. */
static bool valid(unsigned sigs, unsigned keys, uint32_t matrix)
{
	while (sigs > 0 && sigs <= keys) {
		sigs -= matrix >> (MAX * (sigs - 1) + keys - 1) & 1;
		keys--;
	}
	return sigs == 0;
}

/* The bits that a matrix may have, spread from a number. */
static uint32_t spread(uint32_t x, unsigned sigs, unsigned keys)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < sigs; i++)
		for (unsigned k = 0; k < keys; k++, x >>= 1)
			m |= (x & 1) << (MAX * i + k);
	return m;
}

START_TEST(it_holds_exactly_where_signatures_fit_keys_in_order)
{
	static const unsigned flags[] = {0, SCRIPT_VERIFY_DERSIG,
					 SCRIPT_VERIFY_STRICTENC};
	unsigned sigs = (unsigned)_i / MAX + 1, keys = (unsigned)_i % MAX + 1;
	struct fits f;
	struct fix x;

	if (sigs > keys)
		return;
	make(&x, sigs, keys);
	for (uint32_t n = 0; n < 1u << sigs * keys; n++) {
		f.matrix = spread(n, sigs, keys);
		for (unsigned i = 0; i < 3; i++) {
			enum script_err e = run(&x, &f, flags[i]);
			bool ok = valid(sigs, keys, f.matrix);

			/* Not an assert for each: check writes a line. */
			if (e != (ok ? SCRIPT_ERR_OK : SCRIPT_ERR_EVAL_FALSE) ||
			    f.asked > keys)
				ck_abort_msg("matrix %x flags %x: %d", f.matrix,
					     flags[i], e);
		}
	}
	fix_fini(&x);
}
END_TEST

START_TEST(two_of_three_outer_keys_are_found_in_two_tries)
{
	struct fits f = {.matrix = 1u << 0 | 1u << (MAX + 2)};
	struct fix x;

	make(&x, 2, 3);
	ck_assert_int_eq(run(&x, &f, SCRIPT_VERIFY_DERSIG), SCRIPT_ERR_OK);
	ck_assert_uint_eq(f.asked, 2);
	/* Where encodings of keys are rules, they are judged in their order. */
	ck_assert_int_eq(run(&x, &f, SCRIPT_VERIFY_STRICTENC), SCRIPT_ERR_OK);
	ck_assert_uint_eq(f.asked, 3);
	fix_fini(&x);
}
END_TEST

Suite *multisig_suite(void)
{
	Suite *s = suite_create("multisig");
	TCase *t = tcase_create("multisig");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t,
			    it_holds_exactly_where_signatures_fit_keys_in_order,
			    0, MAX * MAX);
	tcase_add_test(t, two_of_three_outer_keys_are_found_in_two_tries);
	suite_add_tcase(s, t);
	return s;
}
