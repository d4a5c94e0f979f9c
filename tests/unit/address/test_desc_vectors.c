/* The published descriptors of the data folder, all of them, by network. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdio.h>
#include <stdlib.h>

static const struct params *network(const struct tj *c)
{
	return params_named(tj_find(c, "network") ? tj_str(c, "network")
						  : "main");
}

static struct descriptor *parse(const struct tj *c)
{
	const char *input = tj_str(c, "input");
	struct text err = TEXT_INIT;
	struct descriptor *d = NULL;

	ck_assert_msg(descriptor_parse(&d, &err, slice_of(input, strlen(input)),
				       false, network(c)) == 0,
		      "%s: %s", input, text_str(&err));
	text_fini(&err);
	return d;
}

static void check_valid(const struct tj *c)
{
	struct descriptor *d = parse(c);
	const char *input = tj_str(c, "input");
	struct text t = TEXT_INIT;
	char sum[9];

	descriptor_put(&t, d, 0);
	ck_assert_str_eq(text_str(&t), tj_str(c, "descriptor"));
	ck_assert(descriptor_checksum(sum, input, strcspn(input, "#")));
	ck_assert_str_eq(sum, tj_str(c, "checksum"));
	ck_assert(descriptor_is_range(d) == tj_true(c, "isrange"));
	ck_assert(descriptor_is_solvable(d) == tj_true(c, "issolvable"));
	ck_assert(descriptor_has_private(d) == tj_true(c, "hasprivatekeys"));
	text_fini(&t);
	descriptor_free(d);
}

START_TEST(valid_descriptors_are_told_apart)
{
	struct tj *all;
	size_t n = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/descriptors/desc-valid.json");
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->at[i].n; k++, n++)
			check_valid(&all->at[i].at[k]);
	printf("descriptors: %zu valid\n", n);
	ck_assert_uint_eq(n, 57);
	tj_free(all);
}
END_TEST

/* The address of a script; of P2PK, which has none, the vectors name that of
 * its key's hash. False when there is none either way. */
static bool address_for(char *dst, struct slice script, const struct params *p)
{
	uint8_t pkh[25] = {0x76, 0xa9, 20};

	if (address_of_script(dst, script, p))
		return true;
	if (script.n != 35 && script.n != 67)
		return false;
	hash160(pkh + 3, script.p + 1, script.n - 2);
	pkh[23] = 0x88;
	pkh[24] = 0xac;
	return address_of_script(dst, slice_of(pkh, sizeof pkh), p);
}

static size_t first_index(const struct tj *c)
{
	const struct tj *range = tj_find(c, "range");

	return range && range->n == 2
		   ? (size_t)strtoul(range->at[0].str, NULL, 10)
		   : 0;
}

static void check_addresses(const struct tj *c)
{
	const struct tj *want = tj_get(c, "addresses");
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor *d = parse(c);
	struct descriptor_walk *w;
	char address[ADDRESS_STR];
	size_t index = first_index(c), n;

	ck_assert_int_eq(descriptor_walk(&w, d, 0), 0);
	for (size_t k = 0; k < want->n; index++) {
		ck_assert_int_eq(
		    descriptor_walk_at(w, script, &n, (uint32_t)index), 0);
		for (size_t i = 0; i < n; i++) {
			ck_assert(address_for(address, script[i], network(c)));
			ck_assert_str_eq(address, want->at[k++].str);
		}
	}
	descriptor_walk_free(w);
	descriptor_free(d);
}

/* Hardened steps without private keys, or a script without an address. */
static void check_no_address(const struct tj *c)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor *d = parse(c);
	struct descriptor_walk *w = NULL;
	char address[ADDRESS_STR];
	size_t n;
	int rc = descriptor_walk(&w, d, 0);

	if (strncmp(tj_str(c, "error"), "Private key", 11) == 0) {
		ck_assert_int_eq(rc, E_NOTFOUND);
	} else {
		ck_assert_int_eq(rc, 0);
		ck_assert_int_eq(descriptor_walk_at(w, script, &n, 0), 0);
		ck_assert(!address_for(address, script[0], network(c)));
	}
	descriptor_walk_free(w);
	descriptor_free(d);
}

START_TEST(descriptors_give_their_addresses)
{
	struct tj *all;
	size_t n = 0, none = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/descriptors/desc-addresses.json");
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->at[i].n; k++) {
			const struct tj *c = &all->at[i].at[k];

			if (tj_find(c, "addresses")) {
				check_addresses(c);
				n++;
			} else {
				check_no_address(c);
				none++;
			}
		}
	printf("descriptors: %zu with addresses, %zu without\n", n, none);
	ck_assert_uint_eq(n, 49);
	ck_assert_uint_eq(none, 5);
	tj_free(all);
}
END_TEST

/* One of them is older than BIP 389 and calls multipath invalid. */
START_TEST(invalid_descriptors_are_refused)
{
	struct tj *all;
	size_t refused = 0, multipath = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/descriptors/desc-invalid.json");
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = &all->at[i];
		struct text out = TEXT_INIT, err = TEXT_INIT;
		const char *text = tj_str(c, "input");
		int rc = desc_script(&out, &err, text,
				     tj_true(c, "requirechecksum"), network(c));

		if (strstr(text, "<0;1>")) {
			ck_assert_int_eq(rc, 0);
			multipath++;
		} else {
			ck_assert_msg(rc == E_PARSE, "%s", text);
			ck_assert_uint_gt(err.n, 0);
			refused++;
		}
		text_fini(&out);
		text_fini(&err);
	}
	printf("descriptors: %zu invalid\n", refused);
	ck_assert_uint_eq(refused, 39);
	ck_assert_uint_eq(multipath, 1);
	tj_free(all);
}
END_TEST

Suite *desc_vectors_suite(void)
{
	Suite *s = suite_create("desc_vectors");
	TCase *t = tcase_create("vectors");

	tcase_add_test(t, valid_descriptors_are_told_apart);
	tcase_add_test(t, descriptors_give_their_addresses);
	tcase_add_test(t, invalid_descriptors_are_refused);
	suite_add_tcase(s, t);
	return s;
}
