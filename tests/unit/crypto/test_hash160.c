/* HASH160 against keys whose addresses are published. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>

static void check(const char *data, const char *want_hex)
{
	uint8_t in[80], got[20], want[20];
	size_t n = td_hex_into(in, sizeof in, data);

	ck_assert(hex_parse(want, 20, want_hex));
	hash160(got, in, n);
	ck_assert_mem_eq(got, want, 20);
}

/* BIP 173's example key and the key that mined block 0 and its address
 * 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa. */
START_TEST(hash160_gives_the_hashes_of_known_keys)
{
	check("0279be667ef9dcbbac55a06295ce870b07"
	      "029bfcdb2dce28d959f2815b16f81798",
	      "751e76e8199196d454941c45d1b3a323f1433bd6");
	check("04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61"
	      "deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6b"
	      "f11d5f",
	      "62e907b15cbf27d5425399ebf6f0fb50ebb88f18");
}
END_TEST

/* RIPEMD160(SHA256("")), as OP_HASH160 of an empty element gives it. */
START_TEST(hash160_of_nothing_is_known)
{
	check("", "b472a266d0bd89c13706a4132ccfb16f7c3b9fcb");
}
END_TEST

Suite *hash160_suite(void)
{
	Suite *s = suite_create("hash160");
	TCase *t = tcase_create("hash160");

	tcase_add_test(t, hash160_gives_the_hashes_of_known_keys);
	tcase_add_test(t, hash160_of_nothing_is_known);
	suite_add_tcase(s, t);
	return s;
}
