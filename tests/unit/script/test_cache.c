/*
 * What was verified once: a second time costs no call of the library, nothing
 * that differs is taken for it, nothing wrong is kept, and bounds hold. That
 * errors are the same with a cache is tested on all vectors (verify_all_ways in
 * their tests).
 */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"
#include "verifiers.h"

#include <cairn/script/cache.h>

#include <stdlib.h>

#define RULES                                                                  \
	(SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT)

static const uint8_t salt[32] = {7};

/* BIP 341's transaction of nine inputs: seven keys of taproot, P2PKH, P2WPKH.
 */
static void nine(struct fix *f)
{
	struct tj *all = tj_read("vectors/core/bip341_wallet_vectors.json");
	const struct tj *spending = &tj_get(all, "keyPathSpending")->at[0];

	fix_wallet(f, spending,
		   tj_str(tj_get(spending, "auxiliary"), "fullySignedTx"));
	tj_free(all);
}

/* Verify all inputs through the cache; how many questions reached the library.
 * All must be right, or the one given. */
static size_t asked(struct script_cache *c, const struct fix *f,
		    enum cache_mode mode, uint32_t wrong)
{
	struct script_failure s = {UINT32_MAX, SCRIPT_ERR_OK};
	struct cached_verifier v;
	struct counter n;

	counter_init(&n);
	cached_verifier_init(&v, c, &n.v, mode);
	script_verify_inputs(&s, &f->shared, 0, f->tx.n_in, RULES, &v.v);
	ck_assert_uint_eq(s.input, wrong);
	return n.asked;
}
#define NONE UINT32_MAX

START_TEST(what_was_right_is_not_verified_again)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	struct fix f;

	if (td_missing())
		return;
	nine(&f);
	ck_assert_uint_eq(asked(c, &f, CACHE_HINTS, NONE), 9);
	ck_assert_uint_eq(asked(c, &f, CACHE_ASK, NONE), 9);
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 9);
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 0);
	ck_assert_uint_eq(asked(c, &f, CACHE_ASK, NONE), 0);
	ck_assert_uint_eq(asked(c, &f, CACHE_HINTS, NONE), 9);
	fix_fini(&f);
	script_cache_free(c);
}
END_TEST

START_TEST(what_was_wrong_is_verified_each_time)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	struct script_input in;
	struct slice sig;
	struct fix f;

	if (td_missing())
		return;
	nine(&f);
	fix_input(&in, &f, 1);
	ck_assert(witem_next(&in.witness, &sig));
	f.raw[sig.p - f.raw] ^= 1;
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, 1), 2);
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, 1), 1);
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, 1), 1);
	f.raw[sig.p - f.raw] ^= 1;
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 8);
	fix_fini(&f);
	script_cache_free(c);
}
END_TEST

/* What a signature covers is its hash: another amount, sequence or output is
 * another question. Legacy signatures do not cover amounts. */
START_TEST(another_amount_is_verified_again)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	struct fix f;
	size_t n;

	if (td_missing())
		return;
	nine(&f);
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 9);
	f.spent[8].value++;
	tx_sighash_init_all(&f.shared, &f.tx, f.spent);
	n = asked(c, &f, CACHE_KEEP, 0); /* the first of taproot's fails */
	ck_assert_uint_eq(n, 1);
	f.spent[8].value--;
	tx_sighash_init_all(&f.shared, &f.tx, f.spent);
	ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 0);
	fix_fini(&f);
	script_cache_free(c);
}
END_TEST

/* Every byte of every kind of question counts, and kinds are not mixed up. */
static bool yes_ecdsa(void *arg, struct slice der, struct slice key,
		      const uint8_t hash[32])
{
	(void)der;
	(void)key;
	(void)hash;
	++*(size_t *)arg;
	return true;
}

static bool yes_schnorr(void *arg, const struct script_input *in,
			const uint8_t sig[64], const uint8_t key[32],
			const uint8_t hash[32])
{
	(void)in;
	(void)sig;
	(void)key;
	(void)hash;
	++*(size_t *)arg;
	return true;
}

static bool yes_tweak(void *arg, const struct script_input *in,
		      const uint8_t output[32], bool odd,
		      const uint8_t internal[32], const uint8_t tweak[32])
{
	(void)in;
	(void)output;
	(void)odd;
	(void)internal;
	(void)tweak;
	++*(size_t *)arg;
	return true;
}

static const struct sig_verifier yes = {
    .ecdsa = yes_ecdsa, .schnorr = yes_schnorr, .tweak = yes_tweak};

/* A question of each kind over the same bytes: hash, key, signature. */
static void ask_all(const struct cached_verifier *v, const uint8_t b[129])
{
	const struct sig_verifier *s = &v->v;
	uint8_t key[33];

	key[0] = 2 + (b[128] & 1);
	memcpy(key + 1, b + 32, 32);
	ck_assert(s->ecdsa(s->arg, slice_of(b + 64, 64), slice_of(key, 33), b));
	ck_assert(s->schnorr(s->arg, NULL, b + 64, b + 32, b));
	ck_assert(s->tweak(s->arg, NULL, b + 64, b[128] & 1, b + 32, b));
}

START_TEST(a_question_that_differs_in_a_bit_is_another_one)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	struct cached_verifier v;
	struct sig_verifier inner = yes;
	uint8_t b[129] = {0};
	size_t n = 0;

	inner.arg = &n;
	cached_verifier_init(&v, c, &inner, CACHE_KEEP);
	ask_all(&v, b);
	ck_assert_uint_eq(n, 3);
	ask_all(&v, b);
	ck_assert_uint_eq(n, 3);
	for (unsigned bit = 0; bit < 8 * 128; bit++) {
		/* The first 32 bytes of 64 are a tweak's output. */
		size_t fresh = bit < 8 * 96 ? 3 : 2;

		n = 0;
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
		ask_all(&v, b);
		ck_assert_uint_eq(n, fresh);
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	n = 0;
	b[128] = 1; /* the sign of a key, and of a tweak's output */
	ask_all(&v, b);
	ck_assert_uint_eq(n, 2);
	script_cache_free(c);
}
END_TEST

/* A key is told from the signature behind it by its first byte. */
START_TEST(bytes_cut_in_another_place_are_another_question)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	uint8_t b[140] = {4}, hash[32] = {0};
	struct cached_verifier v;
	struct sig_verifier inner = yes;
	size_t n = 0;

	inner.arg = &n;
	cached_verifier_init(&v, c, &inner, CACHE_KEEP);
	v.v.ecdsa(v.v.arg, slice_of(b + 65, 70), slice_of(b, 65), hash);
	v.v.ecdsa(v.v.arg, slice_of(b + 65, 69), slice_of(b, 65), hash);
	v.v.ecdsa(v.v.arg, slice_of(b + 65, 71), slice_of(b, 65), hash);
	ck_assert_uint_eq(n, 3);
	v.v.ecdsa(v.v.arg, slice_of(b + 65, 70), slice_of(b, 65), hash);
	ck_assert_uint_eq(n, 3);
	script_cache_free(c);
}
END_TEST

START_TEST(answers_that_come_late_are_not_kept)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	struct sig_verifier inner = yes;
	struct cached_verifier v;
	uint8_t b[129] = {0};
	size_t n = 0;

	inner.arg = &n;
	inner.late = true;
	cached_verifier_init(&v, c, &inner, CACHE_KEEP);
	ck_assert(v.v.late);
	ask_all(&v, b);
	ask_all(&v, b);
	ck_assert_uint_eq(n, 5); /* ECDSA once */
	script_cache_free(c);
}
END_TEST

START_TEST(another_salt_finds_nothing)
{
	static const uint8_t other[32] = {8};
	struct script_cache *c = script_cache_new(1 << 20, salt);
	struct script_cache *d = script_cache_new(1 << 20, other);
	struct hash256 id = {{1}};
	struct script_tx_key k, m;

	script_tx_key(&k, c, &id, NULL, 0, 0);
	script_tx_key(&m, d, &id, NULL, 0, 0);
	ck_assert(memcmp(&k, &m, sizeof k) != 0);
	script_cache_put_tx(d, &k);
	ck_assert(script_cache_has_tx(d, &k));
	ck_assert(!script_cache_has_tx(d, &m));
	script_cache_free(c);
	script_cache_free(d);
	script_cache_free(NULL);
}
END_TEST

/* Transactions: nothing that verification depends on may differ. */
static bool known(const struct script_cache *c, const struct hash256 *id,
		  const struct txout_view *spent, uint32_t n, unsigned flags)
{
	struct script_tx_key k;

	script_tx_key(&k, c, id, spent, n, flags);
	return script_cache_has_tx(c, &k);
}

START_TEST(a_transaction_is_known_by_id_outputs_spent_and_flags)
{
	struct script_cache *c = script_cache_new(1 << 20, salt);
	uint8_t a[40] = {OP_1, 32}, b[40] = {OP_1, 33};
	struct txout_view spent[2] = {{5, slice_of(a, 34)},
				      {6, slice_of(b, 35)}};
	struct hash256 id = {{1}};
	struct script_tx_key k;

	script_tx_key(&k, c, &id, spent, 2, RULES);
	ck_assert(!script_cache_has_tx(c, &k));
	script_cache_put_tx(c, &k);
	ck_assert(known(c, &id, spent, 2, RULES));
	ck_assert(!known(c, &id, spent, 1, RULES));
	ck_assert(!known(c, &id, spent, 2, RULES | SCRIPT_VERIFY_NULLDUMMY));
	ck_assert(!known(c, &id, spent, 2, 0));
	id.b[31] = 1;
	ck_assert(!known(c, &id, spent, 2, RULES));
	id.b[31] = 0;
	spent[1].value++;
	ck_assert(!known(c, &id, spent, 2, RULES));
	spent[1].value--;
	spent[0].script.n--;
	ck_assert(!known(c, &id, spent, 2, RULES));
	spent[0].script.n++;
	a[33] ^= 1;
	ck_assert(!known(c, &id, spent, 2, RULES));
	a[33] ^= 1;
	ck_assert(known(c, &id, spent, 2, RULES));
	script_cache_free(c);
}
END_TEST

/* 64 KiB: 24 for transactions, 1,536 of them. */
START_TEST(transactions_beyond_the_bound_drive_old_ones_out)
{
	struct script_cache *c = script_cache_new(1 << 16, salt);
	struct hash256 id = {{0}};
	struct script_tx_key k;
	size_t old = 0, recent = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		le32_put(id.b, i);
		script_tx_key(&k, c, &id, NULL, 0, 0);
		script_cache_put_tx(c, &k);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		le32_put(id.b, i);
		*(i < 19600 ? &old : &recent) += known(c, &id, NULL, 0, 0);
	}
	ck_assert_uint_le(old + recent, 1536);
	ck_assert_uint_ge(recent, 300);
	script_cache_free(c);
}
END_TEST

START_TEST(a_cache_without_room_still_verifies)
{
	const size_t sizes[] = {0, 1, 8000};
	struct hash256 id = {{1}};
	struct script_tx_key k;
	struct fix f;

	if (td_missing())
		return;
	nine(&f);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct script_cache *c = script_cache_new(sizes[i], salt);
		struct cached_verifier v;
		struct script_failure s;

		ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 9);
		ck_assert_uint_eq(asked(c, &f, CACHE_KEEP, NONE), 9);
		cached_verifier_init(&v, c, NULL, CACHE_KEEP);
		ck_assert(
		    script_verify_inputs(&s, &f.shared, 0, 9, RULES, &v.v));
		script_tx_key(&k, c, &id, NULL, 0, 0);
		script_cache_put_tx(c, &k);
		ck_assert(!script_cache_has_tx(c, &k));
		script_cache_free(c);
	}
	fix_fini(&f);
}
END_TEST

Suite *cache_suite(void)
{
	Suite *s = suite_create("cache");
	TCase *t = tcase_create("cache");

	tcase_add_test(t, what_was_right_is_not_verified_again);
	tcase_add_test(t, what_was_wrong_is_verified_each_time);
	tcase_add_test(t, another_amount_is_verified_again);
	tcase_add_test(t, a_question_that_differs_in_a_bit_is_another_one);
	tcase_add_test(t, bytes_cut_in_another_place_are_another_question);
	tcase_add_test(t, answers_that_come_late_are_not_kept);
	tcase_add_test(t, another_salt_finds_nothing);
	tcase_add_test(t, a_transaction_is_known_by_id_outputs_spent_and_flags);
	tcase_add_test(t, transactions_beyond_the_bound_drive_old_ones_out);
	tcase_add_test(t, a_cache_without_room_still_verifies);
	suite_add_tcase(s, t);
	return s;
}
