/* Runs every suite of address; fails when one test does. */
#include "suites.h"
#include "testdata.h"

#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    base58_suite,        bech32_suite,     address_suite,
    desc_checksum_suite, descriptor_suite, desc_infer_suite,
};

const struct params *params_named(const char *name)
{
	const struct chain_names *n =
	    chain_names_find(strcmp(name, "testnet") == 0 ? "test" : name);

	ck_assert_msg(n != NULL, "no chain %s", name);
	return params_get(n->id);
}

void check_script(const uint8_t *got, size_t n, const char *hex,
		  const char *what)
{
	size_t size;
	uint8_t *want = td_hex(hex, strlen(hex), &size);

	ck_assert_msg(n == size && memcmp(got, want, n) == 0, "%s", what);
	free(want);
}

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	int failed;

	if (crypto_init() != 0)
		return EXIT_FAILURE;
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
