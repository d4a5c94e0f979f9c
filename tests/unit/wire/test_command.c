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

/* What nobody may exceed, from the limits of doc/wire.md. */
START_TEST(payloads_have_their_largest_size)
{
	static const struct {
		enum msg_type t;
		uint32_t max;
	} row[] = {
	    {MSG_ADDR, 30003},
	    {MSG_CFHEADERS, 64068},
	    {MSG_FEATURE, 596},
	    {MSG_FILTERLOAD, 36012},
	    {MSG_GETDATA, 1800003},
	    {MSG_GETHEADERS, 3269},
	    {MSG_HEADERS, 162003},
	    {MSG_INV, 1800003},
	    {MSG_PING, 8},
	    {MSG_SENDCMPCT, 9},
	    {MSG_VERACK, 0},
	    {MSG_VERSION, 344},
	    {MSG_BLOCK, 4000000},
	    {MSG_GETBLOCKTXN, 65573},
	    {MSG_MERKLEBLOCK, 537570},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		ck_assert_msg(msg_row(row[i].t)->max_payload == row[i].max,
			      "%s %u", msg_row(row[i].t)->name,
			      msg_row(row[i].t)->max_payload);
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

START_TEST(only_what_is_gone_has_no_direction)
{
	for (int t = 0; t < MSG_COUNT; t++) {
		bool gone = t == MSG_ALERT || t == MSG_REJECT;
		ck_assert_int_eq(msg_row((enum msg_type)t)->dir == MSG_DIR_NONE,
				 gone);
	}
	ck_assert_int_eq(msg_row(MSG_CFILTER)->dir, MSG_DIR_TO_CLIENT);
	ck_assert_int_eq(msg_row(MSG_GETCFILTERS)->dir, MSG_DIR_TO_SERVER);
	ck_assert_int_eq(msg_row(MSG_INV)->dir, MSG_DIR_BOTH);
}
END_TEST

START_TEST(only_negotiation_comes_before_verack)
{
	static const enum msg_type early[] = {
	    MSG_FEATURE,     MSG_SENDADDRV2, MSG_SENDCMPCT, MSG_SENDHEADERS,
	    MSG_SENDTXRCNCL, MSG_VERACK,     MSG_VERSION,   MSG_WTXIDRELAY,
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof early / sizeof *early; i++)
		ck_assert(msg_row(early[i])->before_verack);
	for (int t = 0; t < MSG_COUNT; t++)
		n += msg_row((enum msg_type)t)->before_verack;
	ck_assert_uint_eq(n, sizeof early / sizeof *early);
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
	tcase_add_test(t, payloads_have_their_largest_size);
	tcase_add_test(t, every_row_reads_its_message);
	tcase_add_test(t, old_peers_send_other_forms);
	tcase_add_test(t, only_what_is_gone_has_no_direction);
	tcase_add_test(t, only_negotiation_comes_before_verack);
	suite_add_tcase(s, t);
	return s;
}
