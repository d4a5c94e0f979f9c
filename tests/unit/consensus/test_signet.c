/* The magic that follows from a challenge (BIP325). */
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/consensus/signet.h>
#include <cairn/params/params.h>

START_TEST(signet_magic_of_the_default_challenge_is_the_table_s)
{
	const struct params *p = params_get(CHAIN_SIGNET);
	uint8_t magic[4];

	signet_magic(magic, p->signet_challenge);
	ck_assert_mem_eq(magic, p->magic, 4);
}
END_TEST

/* SHA256(SHA256(01 51)) and SHA256(SHA256(fd 0001 || 256 zeros)), by another
 * implementation. */
START_TEST(signet_magic_hashes_the_length_too)
{
	static const uint8_t anyone[] = {0x51}, zeros[256];
	uint8_t magic[4];
	char got[9];

	signet_magic(magic, slice_of(anyone, sizeof anyone));
	hex_put(got, slice_of(magic, 4));
	ck_assert_str_eq(got, "54d26fbd");
	signet_magic(magic, slice_of(zeros, sizeof zeros));
	hex_put(got, slice_of(magic, 4));
	ck_assert_str_eq(got, "9a705263");
}
END_TEST

Suite *signet_suite(void)
{
	Suite *s = suite_create("signet");
	TCase *t = tcase_create("magic");

	tcase_add_test(t, signet_magic_of_the_default_challenge_is_the_table_s);
	tcase_add_test(t, signet_magic_hashes_the_length_too);
	suite_add_tcase(s, t);
	return s;
}
