/* HMAC-SHA-512 against the vectors of Bitcoin Core's crypto tests. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/crypto/sha512.h>

#include <stdio.h>
#include <stdlib.h>

static void check(const struct tj *c)
{
	size_t key_n, data_n, n;
	uint8_t *key = td_hex(c->at[0].str, strlen(c->at[0].str), &key_n);
	uint8_t *data = td_hex(c->at[1].str, strlen(c->at[1].str), &data_n);
	uint8_t *want = td_hex(c->at[2].str, strlen(c->at[2].str), &n);
	uint8_t mac[64];

	hmac_sha512(mac, slice_of(key, key_n), slice_of(data, data_n));
	ck_assert_uint_eq(n, 64);
	ck_assert_mem_eq(mac, want, n);
	free(key);
	free(data);
	free(want);
}

START_TEST(hmac512_gives_the_published_results)
{
	const struct tj *cases;
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/crypto_vectors.json");
	cases = tj_get(all, "TestHMACSHA512");
	for (size_t i = 0; i < cases->n; i++)
		check(&cases->at[i]);
	printf("hmac-sha-512: %zu cases\n", cases->n);
	ck_assert_uint_eq(cases->n, 9);
	tj_free(all);
}
END_TEST

/* An empty key is a key of zeros, not the last key used. */
START_TEST(hmac512_takes_an_empty_key)
{
	uint8_t a[64], b[64], zero[1] = {0};

	hmac_sha512(a, slice_of("k", 1), slice_of("x", 1));
	hmac_sha512(a, slice_of(NULL, 0), slice_of("x", 1));
	hmac_sha512(b, slice_of(zero, 1), slice_of("x", 1));
	ck_assert_mem_eq(a, b, 64);
}
END_TEST

Suite *hmac512_suite(void)
{
	Suite *s = suite_create("hmac512");
	TCase *t = tcase_create("hmac512");

	tcase_add_test(t, hmac512_gives_the_published_results);
	tcase_add_test(t, hmac512_takes_an_empty_key);
	suite_add_tcase(s, t);
	return s;
}
