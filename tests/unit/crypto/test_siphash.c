/* SipHash-2-4 against the authors' vectors and Bitcoin Core's. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/crypto/siphash.h>

#include <stdlib.h>

/* The authors' vectors for key 00..0f and messages 00 01 02 ... of 0 to 16
 * bytes (github.com/veorq/SipHash, vectors.h). */
static const uint64_t first[] = {
    0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a,
    0x85676696d7fb7e2d, 0xcf2794e0277187b7, 0x18765564cd99a68d,
    0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462,
    0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
    0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee,
    0xa129ca6149be45e5, 0x3f2acc7f57c29bdb,
};

START_TEST(short_messages_give_the_authors_vectors)
{
	static const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
	struct td_guard g;
	uint8_t all[16];

	td_guard_init(&g, sizeof all);
	for (size_t i = 0; i < sizeof all; i++)
		all[i] = (uint8_t)i;
	for (size_t n = 0; n <= sizeof all; n++) {
		struct slice s = td_guard_put(&g, slice_of(all, n));

		ck_assert_msg(siphash(key, s.p, s.n) == first[n], "n=%zu", n);
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(messages_give_the_published_values)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/siphash.json");
	ck_assert_uint_gt(all->n, 100);
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = &all->at[i], *in = tj_get(c, "input");
		const struct tj *k = tj_get(c, "key");
		uint64_t key[2] = {strtoull(k->at[0].str, NULL, 16),
				   strtoull(k->at[1].str, NULL, 16)};
		uint64_t want = strtoull(
		    tj_str(tj_get(c, "expected"), "siphash24"), NULL, 16);
		uint8_t msg[256];
		size_t n = 0;

		for (size_t j = 0; j < in->n; j++)
			n +=
			    td_hex_into(msg + n, sizeof msg - n, in->at[j].str);
		ck_assert_msg(siphash(key, msg, n) == want, "case %zu", i);
	}
	tj_free(all);
}
END_TEST

Suite *siphash_suite(void)
{
	Suite *s = suite_create("siphash");
	TCase *t = tcase_create("siphash");

	tcase_add_test(t, short_messages_give_the_authors_vectors);
	tcase_add_test(t, messages_give_the_published_values);
	suite_add_tcase(s, t);
	return s;
}
