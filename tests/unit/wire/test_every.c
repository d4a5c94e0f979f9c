/*
 * What must hold of every message, in one place: each is written as it was
 * read, and each size in it is held to the rules of sizes.
 */
#include "wiretest.h"

#include "again.h"
#include "samples.h"

#include <cairn/wire/fault.h>
#include <cairn/wire/header.h>

/* The sample, but headers without transactions behind them, as they are put. */
static size_t written_put(uint8_t *p, enum msg_type t)
{
	uint8_t two[2 * HEADER_SIZE];

	if (t != MSG_HEADERS)
		return sample_put(p, t);
	fill(two, sizeof two, 21);
	return (size_t)(headers_put(p, two, HEADER_SIZE, 2) - p);
}

START_TEST(every_message_is_written_as_it_was_read)
{
	uint8_t raw[SAMPLE_MAX], out[SAMPLE_MAX];
	struct td_guard g;

	td_guard_init(&g, SAMPLE_MAX);
	for (int t = MSG_UNKNOWN + 1; t < MSG_COUNT; t++) {
		const char *name = msg_row((enum msg_type)t)->name;
		size_t n = written_put(raw, (enum msg_type)t);
		struct slice body = td_guard_put(&g, slice_of(raw, n));

		ck_assert_msg(message_again(out, (enum msg_type)t, body) == n,
			      "%s", name);
		ck_assert_msg(memcmp(out, raw, n) == 0, "%s", name);
	}
	td_guard_fini(&g);
}
END_TEST

/* How many sizes the samples have, counted by hand. A transaction of the
 * samples has 2 counts and 4 scripts, with a witness 2 stacks and 3 items. */
enum { TX = 6, TX_WITNESS = TX + 5 };
static const uint32_t sizes[MSG_COUNT] = {
    [MSG_ADDR] = 1,
    /* A count, and of three addresses the services and the length. */
    [MSG_ADDRV2] = 1 + 3 * 2,
    [MSG_ALERT] = 2,
    [MSG_BLOCK] = 1 + TX + TX_WITNESS,
    [MSG_BLOCKTXN] = 1 + TX_WITNESS + TX,
    [MSG_CFCHECKPT] = 1,
    [MSG_CFHEADERS] = 1,
    [MSG_CFILTER] = 1,
    [MSG_CMPCTBLOCK] = 2 + 2 * (1 + TX_WITNESS),
    [MSG_FEATURE] = 2,
    [MSG_FILTERADD] = 1,
    [MSG_FILTERLOAD] = 1,
    [MSG_GETBLOCKS] = 1,
    [MSG_GETBLOCKTXN] = 1 + 5,
    [MSG_GETDATA] = 1,
    [MSG_GETHEADERS] = 1,
    [MSG_HEADERS] = 1 + 2,
    [MSG_INV] = 1,
    [MSG_MERKLEBLOCK] = 2,
    [MSG_NOTFOUND] = 1,
    [MSG_REJECT] = 2,
    [MSG_TX] = TX_WITNESS,
    [MSG_VERSION] = 1,
};

/* Not minimal; above MAX_SIZE; around 2^32 and 2^64; cut. */
static const char *const bad_sizes[] = {
    "fd0000",
    "fdfc00",
    "fe00000000",
    "feffff0000",
    "ff0000000000000000",
    "ffffffffff00000000",
    "fe01000002",
    "feffffffff",
    "ff0000000001000000",
    "ff0100000001000000",
    "ffffffffffffffff7f",
    "ff0000000000000080",
    "ffffffffffffffffff",
};

/* The sample of n bytes with a size, written in hex, in place of the len bytes
 * at i. */
static struct slice spliced(uint8_t *out, const uint8_t *raw, size_t n,
			    size_t i, size_t len, const char *hex)
{
	size_t m;

	memcpy(out, raw, i);
	m = td_hex_into(out + i, 9, hex);
	memcpy(out + i + m, raw + i + len, n - i - len);
	return slice_of(out, n - len + m);
}

static size_t size_len(uint8_t tag)
{
	return tag < 0xfd ? 1 : tag == 0xfd ? 3 : tag == 0xfe ? 5 : 9;
}

/* Whether a size begins at i: the second reading of the message says so when
 * one that is not minimal stands there. */
static bool is_size(enum msg_type t, const uint8_t *raw, size_t n, size_t i)
{
	uint8_t out[SAMPLE_MAX + 9];
	size_t len = size_len(raw[i]);
	struct msg_fault f;

	return i + len <= n &&
	       msg_fault_find(&f, t, spliced(out, raw, n, i, len, "fdfc00"),
			      70016) &&
	       f.offset == i && strstr(f.why, "not minimal");
}

/* Services are a number of 64 bits, not a size. */
static bool is_services(enum msg_type t, const uint8_t *raw, size_t n, size_t i)
{
	uint8_t out[SAMPLE_MAX + 9];

	return t == MSG_ADDRV2 &&
	       msg_row(t)->parse(spliced(out, raw, n, i, size_len(raw[i]),
					 "ffffffffffffffffff"),
				 70016);
}

static void check_size(enum msg_type t, struct td_guard *g, const uint8_t *raw,
		       size_t n, size_t i)
{
	uint8_t out[SAMPLE_MAX + 9];
	size_t len = size_len(raw[i]);
	bool number = is_services(t, raw, n, i);

	for (size_t k = 0; k < sizeof bad_sizes / sizeof *bad_sizes; k++) {
		struct slice s = spliced(out, raw, n, i, len, bad_sizes[k]);

		/* The first six are not minimal, whatever is counted. */
		if (number && k >= 6)
			break;
		ck_assert_msg(!msg_row(t)->parse(td_guard_put(g, s), 70016),
			      "%s: %s at %zu", msg_row(t)->name, bad_sizes[k],
			      i);
	}
}

START_TEST(every_size_of_every_message_is_held_to_the_rules)
{
	uint8_t raw[SAMPLE_MAX];
	struct td_guard g;

	td_guard_init(&g, SAMPLE_MAX + 9);
	for (int t = MSG_UNKNOWN + 1; t < MSG_COUNT; t++) {
		size_t n = sample_put(raw, (enum msg_type)t);
		uint32_t found = 0;

		for (size_t i = 0; i < n; i++) {
			if (!is_size((enum msg_type)t, raw, n, i))
				continue;
			check_size((enum msg_type)t, &g, raw, n, i);
			found++;
		}
		ck_assert_msg(found == sizes[t], "%s: %u sizes",
			      msg_row((enum msg_type)t)->name, found);
	}
	td_guard_fini(&g);
}
END_TEST

Suite *every_suite(void)
{
	Suite *s = suite_create("every");
	TCase *t = tcase_create("every");

	tcase_add_test(t, every_message_is_written_as_it_was_read);
	tcase_add_test(t, every_size_of_every_message_is_held_to_the_rules);
	suite_add_tcase(s, t);
	return s;
}
