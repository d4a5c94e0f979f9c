/* The table of messages. Short ids are those of BIP 324. */
#include "wiretest.h"

#include "samples.h"

#include <cairn/wire/frame.h>

static void padded(uint8_t name[MSG_NAME_LEN], const char *s)
{
	memset(name, 0, MSG_NAME_LEN);
	memcpy(name, s, strlen(s));
}

START_TEST(every_row_is_found_by_its_name)
{
	uint8_t name[MSG_NAME_LEN];

	for (int t = MSG_UNKNOWN + 1; t < MSG_COUNT; t++) {
		const struct msg_row *r = msg_row((enum msg_type)t);
		ck_assert_int_eq(r->type, t);
		padded(name, r->name);
		ck_assert_msg(msg_type_find(name) == r->type, "%s", r->name);
	}
}
END_TEST

START_TEST(rows_are_sorted_by_name)
{
	for (int t = MSG_UNKNOWN + 2; t < MSG_COUNT; t++) {
		const char *a = msg_row((enum msg_type)(t - 1))->name;
		const char *b = msg_row((enum msg_type)t)->name;
		ck_assert_msg(strcmp(a, b) < 0, "%s before %s", a, b);
	}
}
END_TEST

START_TEST(other_names_are_unknown)
{
	static const char *const other[] = {
	    "", "a", "alerts", "rejec", "pin", "pingg", "zzz", "addrv", "INV",
	};
	uint8_t name[MSG_NAME_LEN];

	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		padded(name, other[i]);
		ck_assert_msg(msg_type_find(name) == MSG_UNKNOWN, "%s",
			      other[i]);
	}
	padded(name, "ping");
	name[11] = 'x';
	ck_assert_int_eq(msg_type_find(name), MSG_UNKNOWN);
}
END_TEST

START_TEST(short_ids_are_those_of_bip324)
{
	static const enum msg_type id[] = {
	    MSG_UNKNOWN,      MSG_ADDR,      MSG_BLOCK,        MSG_BLOCKTXN,
	    MSG_CMPCTBLOCK,   MSG_FEEFILTER, MSG_FILTERADD,    MSG_FILTERCLEAR,
	    MSG_FILTERLOAD,   MSG_GETBLOCKS, MSG_GETBLOCKTXN,  MSG_GETDATA,
	    MSG_GETHEADERS,   MSG_HEADERS,   MSG_INV,          MSG_MEMPOOL,
	    MSG_MERKLEBLOCK,  MSG_NOTFOUND,  MSG_PING,         MSG_PONG,
	    MSG_SENDCMPCT,    MSG_TX,        MSG_GETCFILTERS,  MSG_CFILTER,
	    MSG_GETCFHEADERS, MSG_CFHEADERS, MSG_GETCFCHECKPT, MSG_CFCHECKPT,
	    MSG_ADDRV2,
	};
	uint32_t with = 0;

	for (uint8_t i = 0; i < sizeof id / sizeof *id; i++)
		ck_assert_uint_eq(msg_row(id[i])->short_id, i);
	ck_assert_uint_eq(msg_row(MSG_FEATURE)->short_id, 37); /* BIP 434 */
	for (int t = 0; t < MSG_COUNT; t++)
		with += msg_row((enum msg_type)t)->short_id != 0;
	ck_assert_uint_eq(with, 29);
}
END_TEST

START_TEST(no_payload_may_exceed_the_frame)
{
	uint8_t raw[SAMPLE_MAX];

	for (int t = 0; t < MSG_COUNT; t++) {
		const struct msg_row *r = msg_row((enum msg_type)t);
		ck_assert_uint_le(r->max_payload, FRAME_MAX_PAYLOAD);
		ck_assert_msg(sample_put(raw, r->type) <= r->max_payload, "%s",
			      r->name);
	}
}
END_TEST

/* The table again, from the BIPs and the limits of doc/wire.md: name, short id,
 * whether before verack, whether bytes behind are ignored, direction, largest
 * payload. */
static const struct {
	const char *name;
	uint8_t id;
	bool early, trailing;
	enum msg_dir dir;
	uint32_t max;
} columns[] = {
    {"addr", 1, false, true, MSG_DIR_BOTH, 3 + 1000 * 30},
    {"addrv2", 28, false, true, MSG_DIR_BOTH,
     3 + 1000 * (4 + 9 + 1 + 3 + 512 + 2)},
    {"alert", 0, false, true, MSG_DIR_NONE, 4000000},
    {"block", 2, false, true, MSG_DIR_BOTH, 4000000},
    {"blocktxn", 3, false, true, MSG_DIR_BOTH, 4000000},
    {"cfcheckpt", 27, false, false, MSG_DIR_TO_CLIENT, 4000000},
    {"cfheaders", 25, false, false, MSG_DIR_TO_CLIENT,
     1 + 32 + 32 + 3 + 2000 * 32},
    {"cfilter", 23, false, false, MSG_DIR_TO_CLIENT, 4000000},
    {"cmpctblock", 4, false, true, MSG_DIR_BOTH, 4000000},
    {"feature", 37, true, false, MSG_DIR_BOTH, 1 + 80 + 3 + 512},
    {"feefilter", 5, false, true, MSG_DIR_BOTH, 8},
    {"filteradd", 6, false, true, MSG_DIR_TO_SERVER, 3 + 520},
    {"filterclear", 7, false, true, MSG_DIR_TO_SERVER, 0},
    {"filterload", 8, false, true, MSG_DIR_TO_SERVER, 3 + 36000 + 4 + 4 + 1},
    {"getaddr", 0, false, true, MSG_DIR_BOTH, 0},
    {"getblocks", 9, false, true, MSG_DIR_BOTH, 4 + 1 + 101 * 32 + 32},
    {"getblocktxn", 10, false, true, MSG_DIR_BOTH, 32 + 5 + 65536},
    {"getcfcheckpt", 26, false, true, MSG_DIR_TO_SERVER, 1 + 32},
    {"getcfheaders", 24, false, true, MSG_DIR_TO_SERVER, 1 + 4 + 32},
    {"getcfilters", 22, false, true, MSG_DIR_TO_SERVER, 1 + 4 + 32},
    {"getdata", 11, false, true, MSG_DIR_BOTH, 3 + 50000 * 36},
    {"getheaders", 12, false, true, MSG_DIR_BOTH, 4 + 1 + 101 * 32 + 32},
    {"headers", 13, false, true, MSG_DIR_BOTH, 3 + 2000 * 81},
    {"inv", 14, false, true, MSG_DIR_BOTH, 3 + 50000 * 36},
    {"mempool", 15, false, true, MSG_DIR_TO_SERVER, 0},
    {"merkleblock", 16, false, true, MSG_DIR_TO_CLIENT,
     80 + 4 + 3 + 16666 * 32 + 3 + 4168},
    {"notfound", 17, false, true, MSG_DIR_BOTH, 3 + 50000 * 36},
    {"ping", 18, false, true, MSG_DIR_BOTH, 8},
    {"pong", 19, false, true, MSG_DIR_BOTH, 8},
    {"reject", 0, false, true, MSG_DIR_NONE, 1 + 12 + 1 + 1 + 111 + 32},
    {"sendaddrv2", 0, true, true, MSG_DIR_BOTH, 0},
    {"sendcmpct", 20, true, true, MSG_DIR_BOTH, 1 + 8},
    {"sendheaders", 0, true, true, MSG_DIR_BOTH, 0},
    {"sendtxrcncl", 0, true, true, MSG_DIR_BOTH, 4 + 8},
    {"tx", 21, false, true, MSG_DIR_BOTH, 4000000},
    {"verack", 0, true, true, MSG_DIR_BOTH, 0},
    {"version", 0, true, true, MSG_DIR_BOTH,
     4 + 8 + 8 + 26 + 26 + 8 + 3 + 256 + 4 + 1},
    {"wtxidrelay", 0, true, true, MSG_DIR_BOTH, 0},
};

START_TEST(every_column_is_as_the_protocols_say)
{
	size_t n = sizeof columns / sizeof *columns;

	ck_assert_uint_eq(n, MSG_COUNT - 1);
	for (size_t i = 0; i < n; i++) {
		const struct msg_row *r = msg_row((enum msg_type)(i + 1));
		const char *name = columns[i].name;

		ck_assert_str_eq(r->name, name);
		ck_assert_msg(r->short_id == columns[i].id, "%s", name);
		ck_assert_msg(r->before_verack == columns[i].early, "%s", name);
		ck_assert_msg(r->trailing_ok == columns[i].trailing, "%s",
			      name);
		ck_assert_msg(r->dir == columns[i].dir, "%s", name);
		ck_assert_msg(r->max_payload == columns[i].max, "%s %u", name,
			      r->max_payload);
		ck_assert_ptr_nonnull((void *)(uintptr_t)r->parse);
	}
}
END_TEST

/* By the table alone: the sample is accepted, none of its proper prefixes is
 * (but where a message may end early), and bytes behind it are as the row
 * says. */
START_TEST(every_row_reads_its_message)
{
	uint8_t raw[SAMPLE_MAX];
	struct td_guard g;

	td_guard_init(&g, SAMPLE_MAX);
	for (int i = 0; i < MSG_COUNT; i++) {
		const struct msg_row *r = msg_row((enum msg_type)i);
		size_t n = sample_put(raw, r->type);
		bool open = r->type == MSG_VERSION || r->type == MSG_REJECT;

		ck_assert(r->parse(td_guard_put(&g, slice_of(raw, n)), 70016));
		for (size_t k = 0; k < n && !open; k++) {
			struct slice s = td_guard_put(&g, slice_of(raw, k));
			ck_assert_msg(!r->parse(s, 70016), "%s cut at %zu",
				      r->name, k);
		}
		raw[n] = 0x01;
		ck_assert_msg(r->parse(slice_of(raw, n + 1), 70016) ==
				  r->trailing_ok,
			      "%s", r->name);
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(old_peers_send_other_forms)
{
	static const uint8_t one[27] = {1};
	struct slice body = slice_of(one, 27), none = slice_of(one, 0);

	ck_assert(msg_row(MSG_ADDR)->parse(body, 31401));
	ck_assert(!msg_row(MSG_ADDR)->parse(body, 31402));
	ck_assert(msg_row(MSG_PING)->parse(none, 60000));
	ck_assert(!msg_row(MSG_PING)->parse(none, 60001));
	ck_assert(msg_row(MSG_PONG)->parse(none, 60000));
	ck_assert(!msg_row(MSG_PONG)->parse(none, 60001));
}
END_TEST

Suite *command_suite(void)
{
	Suite *s = suite_create("command");
	TCase *t = tcase_create("command");

	tcase_add_test(t, every_row_is_found_by_its_name);
	tcase_add_test(t, rows_are_sorted_by_name);
	tcase_add_test(t, other_names_are_unknown);
	tcase_add_test(t, short_ids_are_those_of_bip324);
	tcase_add_test(t, no_payload_may_exceed_the_frame);
	tcase_add_test(t, every_column_is_as_the_protocols_say);
	tcase_add_test(t, every_row_reads_its_message);
	tcase_add_test(t, old_peers_send_other_forms);
	suite_add_tcase(s, t);
	return s;
}
