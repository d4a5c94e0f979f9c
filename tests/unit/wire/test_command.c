/* The table of messages. Short ids are those of BIP 324. */
#include "wiretest.h"

#include <cairn/wire/command.h>

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
	    "", "a", "alert", "reject", "pin", "pingg", "zzz", "addrv", "INV",
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
	for (int t = 0; t < MSG_COUNT; t++)
		with += msg_row((enum msg_type)t)->short_id != 0;
	ck_assert_uint_eq(with, 28);
}
END_TEST

START_TEST(no_payload_may_exceed_the_frame)
{
	for (int t = 0; t < MSG_COUNT; t++) {
		uint32_t max = msg_row((enum msg_type)t)->max_payload;
		ck_assert_uint_gt(max, 0);
		ck_assert_uint_le(max, 4000000);
	}
}
END_TEST

START_TEST(only_negotiation_comes_before_verack)
{
	static const enum msg_type early[] = {
	    MSG_SENDADDRV2, MSG_SENDCMPCT, MSG_SENDHEADERS, MSG_SENDTXRCNCL,
	    MSG_VERACK,     MSG_VERSION,   MSG_WTXIDRELAY,
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
	tcase_add_test(t, only_negotiation_comes_before_verack);
	suite_add_tcase(s, t);
	return s;
}
