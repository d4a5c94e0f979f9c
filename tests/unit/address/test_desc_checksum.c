/* Checksums of descriptors. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/descriptor.h>

#include <stdlib.h>

/* BIP 380's own vector. */
START_TEST(checksum_of_bip_380_is_known)
{
	char sum[9];

	ck_assert(descriptor_checksum(sum, "raw(deadbeef)", 13));
	ck_assert_str_eq(sum, "89f8spxm");
	ck_assert(descriptor_checksum(sum, "raw(51)", 7));
	ck_assert_str_eq(sum, "8lvh9jxk");
}
END_TEST

START_TEST(every_published_descriptor_has_its_checksum)
{
	struct tj *all;
	size_t checked = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/descriptors/desc-valid.json");
	for (size_t i = 0; i < all->n; i++) {
		for (size_t k = 0; k < all->at[i].n; k++) {
			const char *text =
			    tj_str(&all->at[i].at[k], "descriptor");
			const char *hash = strchr(text, '#');
			char sum[9];

			ck_assert_ptr_nonnull(hash);
			ck_assert(descriptor_checksum(sum, text,
						      (size_t)(hash - text)));
			ck_assert_msg(strcmp(sum, hash + 1) == 0, "%s: %s",
				      text, sum);
			checked++;
		}
	}
	ck_assert_uint_gt(checked, 20);
	tj_free(all);
}
END_TEST

START_TEST(every_printable_character_is_in_the_set_and_counts)
{
	char text[4] = "a_b", sum[9], sums[256][9];

	for (int c = 1; c < 256; c++) {
		bool is = c >= 32 && c < 127;

		text[1] = (char)c;
		ck_assert_msg(descriptor_checksum(sum, text, 3) == is, "%d", c);
		if (!is)
			continue;
		memcpy(sums[c], sum, sizeof sum);
		for (int k = 32; k < c; k++)
			ck_assert_str_ne(sums[k], sum);
	}
}
END_TEST

START_TEST(appending_zeros_changes_the_checksum)
{
	char a[9], b[9];

	for (size_t n = 0; n < 20; n++) {
		ck_assert(descriptor_checksum(a, "00000000000000000000", n));
		ck_assert(
		    descriptor_checksum(b, "000000000000000000000", n + 1));
		ck_assert_str_ne(a, b);
	}
}
END_TEST

Suite *desc_checksum_suite(void)
{
	Suite *s = suite_create("desc_checksum");
	TCase *t = tcase_create("checksum");

	tcase_add_test(t, checksum_of_bip_380_is_known);
	tcase_add_test(t, every_published_descriptor_has_its_checksum);
	tcase_add_test(t, every_printable_character_is_in_the_set_and_counts);
	tcase_add_test(t, appending_zeros_changes_the_checksum);
	suite_add_tcase(s, t);
	return s;
}
