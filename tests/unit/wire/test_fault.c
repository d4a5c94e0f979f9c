/*
 * Reasons and offsets of malformed messages; and, as the description of the
 * fields is a second reading of every form, both readings against each other.
 */
#include "wiretest.h"

#include "samples.h"

#include <cairn/wire/fault.h>

#include <stdlib.h>

static const uint32_t versions[] = {70016, 60000, 31401};

/* Both readings say the same of body; true where they accept it. */
static bool agree(enum msg_type t, struct slice body, uint32_t version)
{
	struct msg_fault f = {SIZE_MAX, NULL, "untouched"};
	bool good = msg_row(t)->parse(body, version);

	ck_assert_msg(msg_fault_find(&f, t, body, version) == !good,
		      "%s n=%zu: parse says %d", msg_row(t)->name, body.n,
		      good);
	if (good) {
		ck_assert_uint_eq(f.offset, SIZE_MAX);
	} else {
		ck_assert_uint_le(f.offset, body.n);
		ck_assert_ptr_nonnull(f.why);
	}
	return good;
}

/* Change one to four bytes: mostly to values that mean something to sizes. */
static void mutate(uint8_t *p, size_t n, uint32_t seed)
{
	static const uint8_t odd[] = {0x00, 0x01, 0x02, 0x7f,
				      0xfc, 0xfd, 0xfe, 0xff};
	uint8_t r[16];

	fill(r, sizeof r, seed);
	for (int i = 0; i < 1 + r[0] % 4; i++) {
		size_t at = (r[1 + i] | (size_t)r[5 + i] << 8) % n;
		p[at] = r[9 + i] & 0x80 ? odd[r[9 + i] % 8] : r[9 + i];
	}
}

START_TEST(both_readings_agree_on_mutated_messages)
{
	uint8_t raw[SAMPLE_MAX], bad[SAMPLE_MAX];
	struct td_guard g;
	uint32_t seed = (uint32_t)_i * 100000, refused = 0;
	size_t n = sample_put(raw, (enum msg_type)_i);

	td_guard_init(&g, SAMPLE_MAX);
	for (uint32_t k = 0; k < 3000 && n; k++) {
		size_t cut = k % 3 ? n : n - seed % (n + 1);
		memcpy(bad, raw, n);
		mutate(bad, n, seed++);
		refused += !agree((enum msg_type)_i,
				  td_guard_put(&g, slice_of(bad, cut)),
				  versions[k % 3]);
	}
	ck_assert(n == 0 || refused > 300);
	td_guard_fini(&g);
}
END_TEST

START_TEST(both_readings_agree_on_noise)
{
	uint8_t raw[256];

	for (int t = 0; t < MSG_COUNT; t++) {
		for (uint32_t k = 0; k < 2000; k++) {
			fill(raw, sizeof raw, k * 7919 + (uint32_t)t);
			/* Small numbers up front: counts that are met. */
			for (int i = 0; i < 8; i++)
				raw[i * 17] &= 3;
			agree((enum msg_type)t, slice_of(raw, k % 257), 70016);
		}
	}
}
END_TEST

static void check_fault(enum msg_type t, const char *hex, size_t zeros,
			size_t offset, const char *field, const char *why)
{
	uint8_t raw[700] = {0};
	size_t n = td_hex_into(raw, sizeof raw, hex) + zeros;
	struct msg_fault f;

	ck_assert_uint_le(n, sizeof raw);
	ck_assert_msg(msg_fault_find(&f, t, slice_of(raw, n), 70016), "%s",
		      field);
	ck_assert_str_eq(f.field, field);
	ck_assert_uint_eq(f.offset, offset);
	ck_assert_msg(strstr(f.why, why), "%s: %s", field, f.why);
}

START_TEST(a_fault_has_a_place_and_a_reason)
{
	check_fault(MSG_PING, "010203", 0, 0, "nonce", "ends inside");
	check_fault(MSG_INV, "", 0, 0, "items", "ends inside");
	check_fault(MSG_INV, "fdfc00", 100, 0, "items", "not minimal");
	check_fault(MSG_INV, "fe01000002", 100, 0, "items", "33,554,432");
	check_fault(MSG_INV, "fe00000002", 100, 0, "items", "more than can");
	check_fault(MSG_INV, "02", 71, 0, "items", "more than can");
	check_fault(MSG_HEADERS, "fdd107", 0, 0, "headers", "over its limit");
	check_fault(MSG_HEADERS, "01", 80, 0, "headers", "more than can");
	check_fault(MSG_CFILTER, "00", 34, 34, "", "behind the message");
	check_fault(MSG_FEATURE, "0341424300", 0, 0, "id", "too short");
	check_fault(MSG_GETHEADERS,
		    "00000000"
		    "00",
		    31, 5, "stophash", "ends inside");
	check_fault(MSG_REJECT, "0d", 20, 0, "message", "over its limit");
	check_fault(MSG_VERSION, "", 45, 20, "addr_recv", "ends inside");
	check_fault(MSG_VERSION, "", 47, 46, "addr_from", "ends inside");
	check_fault(MSG_GETBLOCKTXN,
		    "0000000000000000000000000000000000000000000000000000000000"
		    "00000002fdffff00",
		    0, 36, "indexes[1]", "over 65,535");
	check_fault(MSG_ADDRV2, "01000000000001050000000000", 4, 7,
		    "addresses[0].address", "length is not that");
}
END_TEST

/* Version, marker, flag, one input, one output, a witness. */
START_TEST(faults_of_transactions_say_where)
{
	check_fault(MSG_TX, "010000", 0, 0, "version", "ends inside");
	check_fault(MSG_TX,
		    "01000000"
		    "0002",
		    60, 5, "flag", "not known");
	check_fault(MSG_TX,
		    "01000000"
		    "01",
		    38, 4, "vin", "more than can");
	/* A script of 9 bytes where 8 are left. */
	check_fault(MSG_TX,
		    "0100000001"
		    "0000000000000000000000000000000000000000000000000000000000"
		    "00000000000000"
		    "09",
		    8, 42, "vin[0].script", "ends inside");
	/* Every stack empty. */
	check_fault(MSG_TX,
		    "010000000001"
		    "01"
		    "0000000000000000000000000000000000000000000000000000000000"
		    "00000000000000"
		    "00"
		    "ffffffff"
		    "00"
		    "00",
		    4, 49, "witness", "every stack is empty");
}
END_TEST

START_TEST(faults_inside_a_block_name_the_transaction)
{
	uint8_t raw[SAMPLE_MAX];
	size_t n = sample_put(raw, MSG_BLOCK), first;
	uint8_t tx[400];
	struct msg_fault f;

	first = (size_t)(sample_tx_put(tx, false) - tx);
	ck_assert(msg_fault_find(&f, MSG_BLOCK, slice_of(raw, n - 1), 70016));
	ck_assert_str_eq(f.field, "txs[1].locktime");
	ck_assert_uint_eq(f.offset, n - 4);
	raw[81 + first + 5] = 9;
	ck_assert(msg_fault_find(&f, MSG_BLOCK, slice_of(raw, n), 70016));
	ck_assert_str_eq(f.field, "txs[1].flag");
	ck_assert_uint_eq(f.offset, 81 + first + 5);
}
END_TEST

START_TEST(the_length_of_a_message_leaves_out_what_trails)
{
	uint8_t raw[SAMPLE_MAX + 5];
	size_t got;

	for (int t = 0; t < MSG_COUNT; t++) {
		size_t n = sample_put(raw, (enum msg_type)t);
		bool rest = t == MSG_REJECT;

		memset(raw + n, 1, 5);
		ck_assert(msg_length(&got, (enum msg_type)t, slice_of(raw, n),
				     70016));
		ck_assert_uint_eq(got, n);
		if (!msg_row((enum msg_type)t)->trailing_ok)
			continue;
		ck_assert(msg_length(&got, (enum msg_type)t,
				     slice_of(raw, n + 5), 70016));
		ck_assert_uint_eq(got, rest ? n + 5 : n);
	}
	got = 77;
	ck_assert(!msg_length(&got, MSG_PING, slice_of(raw, 3), 70016));
	ck_assert_uint_eq(got, 77);
}
END_TEST

START_TEST(a_header_has_80_bytes)
{
	uint8_t raw[81] = {0};
	struct msg_fault f;

	ck_assert(!header_fault_find(&f, slice_of(raw, 80)));
	ck_assert(header_fault_find(&f, slice_of(raw, 79)));
	ck_assert_uint_eq(f.offset, 0);
	ck_assert(header_fault_find(&f, slice_of(raw, 81)));
	ck_assert_uint_eq(f.offset, 80);
}
END_TEST

Suite *fault_suite(void)
{
	Suite *s = suite_create("fault");
	TCase *a = tcase_create("agree"), *f = tcase_create("fault");

	tcase_add_loop_test(a, both_readings_agree_on_mutated_messages, 0,
			    MSG_COUNT);
	tcase_add_test(a, both_readings_agree_on_noise);
	tcase_set_timeout(a, 60);
	tcase_add_test(f, a_fault_has_a_place_and_a_reason);
	tcase_add_test(f, faults_of_transactions_say_where);
	tcase_add_test(f, faults_inside_a_block_name_the_transaction);
	tcase_add_test(f, the_length_of_a_message_leaves_out_what_trails);
	tcase_add_test(f, a_header_has_80_bytes);
	suite_add_tcase(s, a);
	suite_add_tcase(s, f);
	return s;
}
