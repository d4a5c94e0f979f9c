/* Runs every suite of address; fails when one test does. */
#include "runner.h"
#include "suites.h"
#include "testdata.h"

#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    base58_suite,     bech32_suite,     address_suite, desc_checksum_suite,
    descriptor_suite, desc_infer_suite, key_suite,
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
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
