/* Runs every suite of address; fails when one test does. */
#include "runner.h"
#include "suites.h"
#include "testdata.h"

#include <cairn/address/descriptor.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    base58_suite,       bech32_suite,     address_suite, desc_checksum_suite,
    descriptor_suite,   desc_infer_suite, key_suite,     desc_scripts_suite,
    desc_vectors_suite, message_suite,    sign_suite,
};

const struct params *params_named(const char *name)
{
	const struct chain_names *n =
	    chain_names_find(strcmp(name, "testnet") == 0 ? "test" : name);

	ck_assert_msg(n != NULL, "no chain %s", name);
	return params_get(n->id);
}

int desc_script(struct text *out, struct text *err, const char *desc,
		bool need_checksum, const struct params *p)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor_walk *w = NULL;
	struct descriptor *d = NULL;
	size_t n = 0;
	int rc = descriptor_parse(&d, err, slice_of(desc, strlen(desc)),
				  need_checksum, p);

	if (!rc)
		rc = descriptor_walk(&w, d, 0);
	if (!rc)
		rc = descriptor_walk_at(w, script, &n, 0);
	if (!rc && n > 0)
		text_put(out, (const char *)script[0].p, script[0].n);
	descriptor_walk_free(w);
	descriptor_free(d);
	return rc;
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
