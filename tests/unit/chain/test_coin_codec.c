/* The compressed form of a coin. The encoded bytes below were worked out by
 * hand from Bitcoin Core's description of its TxOut compression. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/rand.h>
#include <cairn/chain/coins.h>

#include <stdlib.h>
#include <string.h>

#define MONEY 2100000000000000

/* scripts: key hash, script hash, both keys of 33 bytes, key of 65 bytes,
 * segwit 0 and 1, OP_TRUE, and shapes that differ from a special one in one
 * byte. */
static const char *const scripts[] = {
    "76a914000102030405060708090a0b0c0d0e0f1011121388ac",
    "a914000102030405060708090a0b0c0d0e0f1011121387",
    "2102000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fac",
    "2103000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fac",
    ("4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6"
     "bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac"),
    "0014000102030405060708090a0b0c0d0e0f10111213",
    "5120000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "51",
    "",
    "76a914000102030405060708090a0b0c0d0e0f1011121388ad",
    "76a914000102030405060708090a0b0c0d0e0f1011121387ac",
    "76a913000102030405060708090a0b0c0d0e0f1011121388ac",
    "a914000102030405060708090a0b0c0d0e0f1011121388",
    "a814000102030405060708090a0b0c0d0e0f1011121387",
    "2104000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fac",
    "2101000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fac",
    "2102000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fad",
};

#define N_SCRIPTS (sizeof scripts / sizeof *scripts)

static const int64_t values[] = {0,         1,        9,          10,
				 546,       99999999, 100000000,  100000001,
				 123456789, 50000000, 1000000000, 5000000000,
				 MONEY - 1, MONEY};

#define N_VALUES (sizeof values / sizeof *values)

static void same(const struct coin *a, const struct coin *b)
{
	ck_assert_int_eq(a->value, b->value);
	ck_assert_int_eq(a->height, b->height);
	ck_assert_int_eq(a->coinbase, b->coinbase);
	ck_assert(slice_eq(a->script, b->script));
}

/* Encode, compare the length, decode behind a guard page, compare; then every
 * truncation must be refused. */
static void round_trip(struct td_guard *g, const struct coin *c)
{
	uint8_t enc[COIN_MAX + 1], scratch[COIN_SCRATCH];
	size_t n = coin_size(c), i;
	struct coin got;
	struct slice s;

	ck_assert_uint_le(n, COIN_MAX);
	ck_assert_ptr_eq(coin_put(enc, c), enc + n);
	s = td_guard_put(g, slice_of(enc, n));
	ck_assert_ptr_eq(coin_get(&got, scratch, s.p, s.p + s.n), s.p + s.n);
	same(&got, c);
	for (i = 0; i < n && i < 64; i++) {
		s = td_guard_put(g, slice_of(enc, i));
		ck_assert_msg(!coin_get(&got, scratch, s.p, s.p + s.n),
			      "%zu of %zu bytes", i, n);
	}
	/* What follows is left alone. */
	enc[n] = 0xff;
	ck_assert_ptr_eq(coin_get(&got, scratch, enc, enc + n + 1), enc + n);
}

START_TEST(coin_round_trips_and_refuses_every_truncation)
{
	static const int32_t heights[] = {0,    1,      63,       64,
					  8255, 800000, INT32_MAX};
	struct td_guard g;
	struct coin c;
	size_t i, k, h;

	td_guard_init(&g, COIN_MAX + 1);
	for (i = 0; i < N_SCRIPTS; i++) {
		uint8_t script[80];
		size_t n = td_hex_into(script, sizeof script, scripts[i]);

		for (k = 0; k < N_VALUES; k++) {
			for (h = 0; h < 7; h++) {
				c.value = values[k];
				c.height = heights[h];
				c.coinbase = (h + k) & 1;
				c.script = slice_of(script, n);
				round_trip(&g, &c);
			}
		}
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(coin_round_trips_scripts_of_every_length_class)
{
	static const size_t sizes[] = {121, 122, 123, 520, 9999, 10000};
	static uint8_t script[COIN_SCRIPT_MAX];
	struct coin c = {.value = 7, .height = 500000};
	struct td_guard g;
	struct rand r;
	size_t i;

	rand_seed(&r, 1);
	for (i = 0; i < sizeof script; i++)
		script[i] = (uint8_t)rand_u64(&r);
	td_guard_init(&g, COIN_MAX + 1);
	for (i = 0; i < 6; i++) {
		c.script = slice_of(script, sizes[i]);
		round_trip(&g, &c);
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(coin_amounts_round_trip_at_random)
{
	struct td_guard g;
	struct coin c = {.height = 1};
	struct rand r;
	int i;

	rand_seed(&r, 2);
	td_guard_init(&g, COIN_MAX + 1);
	for (i = 0; i < 20000; i++) {
		uint64_t tens = rand_below(&r, 16), v = rand_below(&r, MONEY);

		/* Round ones as often as others. */
		while (tens--)
			v = v / 10 * (tens & 1 ? 10 : 1);
		c.value = (int64_t)v;
		round_trip(&g, &c);
	}
	td_guard_fini(&g);
}
END_TEST

struct vector {
	int64_t value;
	int32_t height;
	bool coinbase;
	const char *script, *encoded;
};

/* 50 coins: 5 with nine zeros: 1 + 10 * 4 + 9 = 50 = 0x32. 1 satoshi: 1 + 10 *
 * 0 + 0 = 1. 0.00001234 coins: d 4, n 123: 1 + 10 * (9 * 123 + 3) = 11101 =
 * 0xd55d as varint (86 * 128 + 93 = 11101: 0x55 is one less than 86). Code of
 * height 1, coinbase: 3; height 128: 256 = 0x8100; height 0: 0. */
static const struct vector vectors[] = {
    {5000000000, 1, true, "76a914000102030405060708090a0b0c0d0e0f1011121388ac",
     "033200000102030405060708090a0b0c0d0e0f10111213"},
    {1, 128, false, "a914000102030405060708090a0b0c0d0e0f1011121387",
     "81000101000102030405060708090a0b0c0d0e0f10111213"},
    {1234, 0, false,
     "2103000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fac",
     "00d55d03000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e"
     "1f"},
    {0, 0, false, "51", "00000751"},
    {0, 0, false, "", "000006"},
};

START_TEST(coin_bytes_are_those_of_the_description)
{
	const struct vector *v = &vectors[_i];
	uint8_t script[80], want[80], got[80];
	size_t n = td_hex_into(want, sizeof want, v->encoded);
	struct coin c = {v->value, v->height, v->coinbase, {script, 0}};

	c.script.n = td_hex_into(script, sizeof script, v->script);
	ck_assert_uint_eq(coin_size(&c), n);
	coin_put(got, &c);
	ck_assert_mem_eq(got, want, n);
}
END_TEST

/* Amount above the limit, number too large, cut keys, script too long. */
static const char *const malformed[] = {
    "00f0f0f0f0f0f0f0f00006",     /* amount */
    "00a4d8d4d4c7e8b0070006",     /* amount */
    "80fefefefefefefefefe7f0006", /* height over 64 bits */
    "8ffefefe7f0006",             /* height over 31 bits */
    "000004000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "000005000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "0000cd17",
};

START_TEST(coin_get_refuses_what_cannot_be)
{
	uint8_t enc[64 + COIN_SCRIPT_MAX] = {0}, scratch[COIN_SCRATCH];
	struct coin c;

	/* Zeros follow, so that no refusal is one of length. */
	td_hex_into(enc, 64, malformed[_i]);
	ck_assert_ptr_null(coin_get(&c, scratch, enc, enc + sizeof enc));
}
END_TEST

START_TEST(coin_get_takes_the_longest_script_and_no_longer)
{
	static uint8_t script[COIN_SCRIPT_MAX], enc[COIN_MAX];
	struct coin c = {.script = slice_of(script, sizeof script)}, got;
	uint8_t scratch[COIN_SCRATCH];
	uint8_t *end = coin_put(enc, &c);

	ck_assert_ptr_eq(coin_get(&got, scratch, enc, end), end);
	ck_assert_uint_eq(got.script.n, COIN_SCRIPT_MAX);
	/* The length's last byte, one higher. */
	enc[3]++;
	ck_assert_ptr_null(coin_get(&got, scratch, enc, enc + sizeof enc));
}
END_TEST

START_TEST(coin_get_never_reads_past_random_bytes)
{
	uint8_t bytes[48], scratch[COIN_SCRATCH];
	struct td_guard g;
	struct rand r;
	struct slice s;
	struct coin c;
	int i;

	rand_seed(&r, 3);
	td_guard_init(&g, sizeof bytes);
	for (i = 0; i < 100000; i++) {
		size_t n = rand_below(&r, sizeof bytes + 1), k;
		const uint8_t *end;

		for (k = 0; k < n; k++)
			bytes[k] = (uint8_t)rand_u64(&r);
		s = td_guard_put(&g, slice_of(bytes, n));
		end = coin_get(&c, scratch, s.p, s.p + s.n);
		if (!end)
			continue;
		ck_assert(end > s.p && end <= s.p + s.n);
		ck_assert(c.value >= 0 && c.value <= MONEY && c.height >= 0);
	}
	td_guard_fini(&g);
}
END_TEST

Suite *coin_codec_suite(void)
{
	Suite *s = suite_create("coin_codec");
	TCase *t = tcase_create("coin_codec");

	tcase_add_test(t, coin_round_trips_and_refuses_every_truncation);
	tcase_add_test(t, coin_round_trips_scripts_of_every_length_class);
	tcase_add_test(t, coin_amounts_round_trip_at_random);
	tcase_add_loop_test(t, coin_bytes_are_those_of_the_description, 0,
			    (int)(sizeof vectors / sizeof *vectors));
	tcase_add_loop_test(t, coin_get_refuses_what_cannot_be, 0,
			    (int)(sizeof malformed / sizeof *malformed));
	tcase_add_test(t, coin_get_takes_the_longest_script_and_no_longer);
	tcase_add_test(t, coin_get_never_reads_past_random_bytes);
	suite_add_tcase(s, t);
	return s;
}
