/* Tagged hashes against their definition, SHA-1 and RIPEMD-160 against vectors.
 */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/crypto/oldhash.h>
#include <cairn/crypto/tagged.h>

#include <stdlib.h>

static void by_definition(uint8_t out[32], const char *tag, const uint8_t *p,
			  size_t n)
{
	uint8_t buf[64 + 300], name[32];

	evp_sha256(name, tag, strlen(tag));
	memcpy(buf, name, 32);
	memcpy(buf + 32, name, 32);
	memcpy(buf + 64, p, n);
	evp_sha256(out, buf, 64 + n);
}

START_TEST(tagged_hashes_are_those_of_bip340)
{
	static const char *const tags[] = {"TapSighash", "TapLeaf", "TapBranch",
					   "TapTweak"};
	uint8_t msg[300], got[32], want[32];
	struct sha256 h;

	fill(msg, sizeof msg, 7);
	for (unsigned t = 0; t < sizeof tags / sizeof *tags; t++) {
		for (size_t n = 0; n <= sizeof msg; n += 37) {
			tagged_init(&h, (enum hash_tag)t);
			sha256_put(&h, msg, n);
			sha256_end(&h, got);
			by_definition(want, tags[t], msg, n);
			ck_assert_mem_eq(got, want, 32);
		}
	}
}
END_TEST

static size_t check_old(const struct tj *all, const char *key,
			void (*hash)(uint8_t *, const void *, size_t))
{
	const struct tj *list = tj_get(all, key);
	uint8_t got[20], want[20];

	for (size_t i = 0; i < list->n; i++) {
		const char *in = list->at[i].at[0].str;

		hash(got, in, strlen(in));
		td_hex_into(want, 20, list->at[i].at[1].str);
		ck_assert_mem_eq(got, want, 20);
	}
	return list->n;
}

START_TEST(old_hashes_agree_with_the_vectors_of_bitcoin_core)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/crypto_vectors.json");
	ck_assert_uint_ge(check_old(all, "TestSHA1", sha1_once), 6);
	ck_assert_uint_ge(check_old(all, "TestRIPEMD160", ripemd160), 6);
	tj_free(all);
}
END_TEST

/* FIPS 180 and the paper on RIPEMD-160. */
START_TEST(old_hashes_of_abc_are_known)
{
	uint8_t got[20], want[20];

	sha1_once(got, "abc", 3);
	td_hex_into(want, 20, "a9993e364706816aba3e25717850c26c9cd0d89d");
	ck_assert_mem_eq(got, want, 20);
	ripemd160(got, "abc", 3);
	td_hex_into(want, 20, "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
	ck_assert_mem_eq(got, want, 20);
}
END_TEST

Suite *tagged_suite(void)
{
	Suite *s = suite_create("tagged");
	TCase *t = tcase_create("tagged");

	tcase_add_test(t, tagged_hashes_are_those_of_bip340);
	tcase_add_test(t, old_hashes_agree_with_the_vectors_of_bitcoin_core);
	tcase_add_test(t, old_hashes_of_abc_are_known);
	suite_add_tcase(s, t);
	return s;
}
