/* Filter hashes and headers on their own; chains of them are in test_gcs.c. */
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/filter/gcs.h>

/* Testnet3's genesis block, first row of BIP 158's vectors. */
START_TEST(the_header_joins_hash_and_previous_header)
{
	static const uint8_t filter[] = {0x01, 0x9d, 0xfc, 0xa8};
	struct hash256 hash, header, prev = {{0}}, next;
	char text[HASH256_STR];

	filter_hash(&hash, slice_of(filter, sizeof filter));
	filter_header(&header, &hash, &prev);
	ck_assert_str_eq(hash256_fmt(text, &header),
			 "21584579b7eb08997773e5aeff3a7f93"
			 "2700042d0ed2a6129012b7d7ae81b750");
	/* Writing over its own previous header is fine. */
	filter_header(&next, &hash, &header);
	filter_header(&header, &hash, &header);
	ck_assert(hash256_eq(&next, &header));
}
END_TEST

Suite *header_suite(void)
{
	Suite *s = suite_create("header");
	TCase *t = tcase_create("header");

	tcase_add_test(t, the_header_joins_hash_and_previous_header);
	suite_add_tcase(s, t);
	return s;
}
