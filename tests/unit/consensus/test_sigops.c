/* Sigops of inputs with the coin at hand, form by form. */
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/consensus/spend.h>

#include <string.h>

/* Two of three keys, without the keys' bytes mattering. */
static size_t put_multisig(uint8_t *p)
{
	uint8_t *start = p;
	int i;

	*p++ = 0x52;
	for (i = 0; i < 3; i++) {
		*p++ = 33;
		memset(p, 2, 33);
		p += 33;
	}
	*p++ = 0x53;
	*p++ = 0xae;
	return (size_t)(p - start);
}

struct sigcase {
	const char *name;
	const char *coin, *sig; /* hex; "M" in sig: the multisig pushed */
	bool witness;           /* the multisig is the last witness item */
	uint32_t cost;
};

#define H20 "0000000000000000000000000000000000000000"
#define H32 H20 "000000000000000000000000"

static const struct sigcase sigcases[] = {
    {"p2pkh", "76a914" H20 "88ac", "", false, 0},
    {"p2sh multisig", "a914" H20 "87", "00M", false, 12},
    {"p2sh after a non-push", "a914" H20 "87", "61M", false, 0},
    {"p2sh of a truncated push", "a914" H20 "87", "4c", false, 0},
    {"p2sh without a push", "a914" H20 "87", "", false, 0},
    {"p2wpkh", "0014" H20, "", false, 1},
    {"p2wsh multisig", "0020" H32, "", true, 3},
    {"p2wsh without a witness", "0020" H32, "", false, 0},
    {"p2tr", "5120" H32, "", true, 0},
    {"p2sh-p2wpkh", "a914" H20 "87", "160014" H20, false, 1},
    {"p2sh-p2wsh", "a914" H20 "87", "220020" H32, true, 3},
    {"p2sh-p2wpkh after a non-push", "a914" H20 "87", "61160014" H20, false, 0},
    {"almost p2sh", "a914" H20 "88", "00M", false, 0},
};

static size_t unhex(uint8_t *out, const char *hex)
{
	size_t n = 0;

	while (*hex) {
		char two[3] = {hex[0], hex[1], 0};

		if (*hex == 'M') {
			out[n++] = 0x4c;
			n += 1 + (out[n] = (uint8_t)put_multisig(out + n + 1));
			hex++;
			continue;
		}
		ck_assert(hex_parse(&out[n++], 1, two));
		hex += 2;
	}
	return n;
}

START_TEST(input_sigops_are_counted_as_in_bitcoin_core)
{
	const struct sigcase *k = &sigcases[_i];
	uint8_t coin[64], sig[256], wit[256], *p = wit;
	struct tx_iter stack;
	size_t n_coin = unhex(coin, k->coin), n_sig = unhex(sig, k->sig), n;
	uint32_t got;

	/* As on the wire: length and bytes of each item. */
	*p++ = 0;
	p[0] = (uint8_t)(n = put_multisig(p + 1));
	stack.p = wit;
	stack.left = k->witness ? 2 : 0;
	ck_assert_uint_le(n, 252);
	got = input_sigops_cost(slice_of(sig, n_sig), slice_of(coin, n_coin),
				&stack);
	ck_assert_msg(got == k->cost, "%s: %u instead of %u", k->name, got,
		      k->cost);
}
END_TEST

Suite *sigops_suite(void)
{
	Suite *s = suite_create("sigops");
	TCase *tc = tcase_create("sigops");

	tcase_add_loop_test(tc, input_sigops_are_counted_as_in_bitcoin_core, 0,
			    (int)(sizeof sigcases / sizeof *sigcases));
	suite_add_tcase(s, tc);
	return s;
}
