/*
 * A line of cairn-util verify-tx: what is refused has a reason that may stand
 * in JSON as it is; what is read is whole, and its inputs are verified.
 */
#include "fuzz.h"

#include <cairn-util.h>

#include <cairn/base/arena.h>
#include <cairn/script/interp.h>

#define MEMORY ((size_t)4 << 20)

static bool ecdsa(void *arg, struct slice der, struct slice key,
		  const uint8_t hash[32])
{
	(void)arg;
	return (der.n + key.n + hash[0]) % 4 != 0;
}

static bool schnorr(void *arg, const struct script_input *in,
		    const uint8_t sig[64], const uint8_t key[32],
		    const uint8_t hash[32])
{
	(void)arg;
	(void)in;
	return (sig[0] + key[0] + hash[0]) % 4 != 0;
}

static bool tweak(void *arg, const struct script_input *in,
		  const uint8_t output[32], bool odd,
		  const uint8_t internal[32], const uint8_t by[32])
{
	(void)arg;
	(void)in;
	(void)odd;
	return (output[0] + internal[0] + by[0]) % 4 != 0;
}

static const struct sig_verifier verifier = {
    .ecdsa = ecdsa, .schnorr = schnorr, .tweak = tweak};

static void check_reason(const struct util_request *r)
{
	size_t n = strnlen(r->why, sizeof r->why);

	fuzz_check(n > 0 && n < sizeof r->why);
	for (size_t i = 0; i < n; i++)
		fuzz_check(r->why[i] >= ' ' && r->why[i] <= '~' &&
			   r->why[i] != '"' && r->why[i] != '\\');
}

static void check_request(const struct util_request *r)
{
	struct script_failure f = {0, SCRIPT_ERR_OK};
	struct tx_sighash shared;
	struct tx_view again;
	struct rd rd;

	rd_init(&rd, slice_of(r->tx->p, r->tx->size));
	fuzz_check(tx_view_parse(&again, &rd) && rd_left(&rd) == 0);
	fuzz_check(again.n_in == r->tx->n_in && again.size == r->tx->size);
	fuzz_check(script_flags_ok(r->flags));
	fuzz_check(!r->one || r->input < r->tx->n_in);
	for (uint32_t i = 0; i < r->tx->n_in; i++)
		fuzz_touch(r->spent[i].script);
	if (r->tx->n_in == 0)
		return;
	tx_sighash_init(&shared, r->tx, r->spent);
	if (!script_verify_inputs(&f, &shared, r->input,
				  r->one ? 1 : r->tx->n_in, r->flags,
				  &verifier))
		fuzz_check(f.err != SCRIPT_ERR_OK && f.input < r->tx->n_in &&
			   f.input >= r->input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct util_request r;
	struct arena a;

	arena_init(&a, MEMORY);
	memset(&r, 0xee, sizeof r);
	if (util_request_parse(&r, &a, slice_of(data, size)))
		check_request(&r);
	else
		check_reason(&r);
	arena_fini(&a);
	return 0;
}
