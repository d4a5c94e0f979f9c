/* HMAC-SHA-256 against RFC 4231. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

/* RFC 4231, cases 1, 2, 3, 4, 6 and 7; keys and data in hex. */
static const struct {
	const char *key, *data, *mac;
} rfc4231[] = {
    {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "dddddddddddddddddddddddddddddddddddddddddddddddddd"
     "dddddddddddddddddddddddddddddddddddddddddddddddddd",
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {"0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
     "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
};

START_TEST(hmac_gives_the_results_of_rfc_4231)
{
	for (size_t i = 0; i < sizeof rfc4231 / sizeof *rfc4231; i++) {
		uint8_t key[64], data[64], want[32], got[32];
		size_t nk = td_hex_into(key, sizeof key, rfc4231[i].key);
		size_t nd = td_hex_into(data, sizeof data, rfc4231[i].data);

		ck_assert(hex_parse(want, 32, rfc4231[i].mac));
		hmac_sha256(got, slice_of(key, nk), slice_of(data, nd));
		ck_assert_msg(memcmp(got, want, 32) == 0, "case %zu", i);
	}
}
END_TEST

START_TEST(keys_of_every_length_agree_with_openssl)
{
	uint8_t key[140], data[150], got[32], want[32];
	unsigned size = 0;

	fill(key, sizeof key, 1);
	fill(data, sizeof data, 2);
	for (size_t n = 0; n <= sizeof key; n++) {
		hmac_sha256(got, slice_of(key, n), slice_of(data, n));
		ck_assert_ptr_nonnull(
		    HMAC(EVP_sha256(), key, (int)n, data, n, want, &size));
		ck_assert_msg(memcmp(got, want, 32) == 0, "n=%zu", n);
	}
}
END_TEST

Suite *hmac_suite(void)
{
	Suite *s = suite_create("hmac");
	TCase *t = tcase_create("hmac");

	tcase_add_test(t, hmac_gives_the_results_of_rfc_4231);
	tcase_add_test(t, keys_of_every_length_agree_with_openssl);
	suite_add_tcase(s, t);
	return s;
}
