/* Runs every suite of filter; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/crypto/sha256.h>
#include <cairn/filter/gcs.h>
#include <cairn/wire/block.h>

#include <stdlib.h>

static const suite_fn suites[] = {
    sort_suite,
    gcs_suite,
    match_suite,
    header_suite,
};

size_t add_block(struct gcs_builder *b, struct hash256 *hash, struct slice raw)
{
	struct block_view v;
	size_t trailing, inputs = 0;

	ck_assert_int_eq(block_view_parse(&v, &trailing, raw), 0);
	sha256d(hash, v.header, 80);
	gcs_builder_init(b, hash);
	for (uint32_t i = 0; i < v.n_tx; i++) {
		struct txout_view out;
		struct tx_iter it;

		txouts(&it, &v.tx[i]);
		while (txout_next(&it, &out))
			gcs_add_script(b, out.script);
		inputs += i > 0 ? v.tx[i].n_in : 0;
	}
	block_view_fini(&v);
	return inputs;
}

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
