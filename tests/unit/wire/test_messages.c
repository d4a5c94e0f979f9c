/*
 * Whole messages as they were seen on mainnet: framed, parsed, written again.
 */
#include "wiretest.h"

#include "again.h"

#include <cairn/wire/frame.h>
#include <cairn/wire/version.h>

#include <stdlib.h>

static const uint8_t magic[4] = {0xf9, 0xbe, 0xb4, 0xd9};

/* The frame's payload, after magic, length and checksum were found right. */
static struct slice unframe(struct frame_view *v, const uint8_t *p, size_t n)
{
	struct slice body;

	ck_assert_uint_ge(n, FRAME_HEADER);
	ck_assert_int_eq(frame_view_parse(v, p, magic), FRAME_OK);
	ck_assert_uint_eq(v->len, n - FRAME_HEADER);
	body = slice_of(p + FRAME_HEADER, v->len);
	ck_assert_uint_eq(frame_checksum(body), v->checksum);
	return body;
}

START_TEST(messages_seen_on_mainnet_are_parsed_and_written_again)
{
	if (td_missing())
		return;
	char *text = td_read_text("vectors/p2p/messages.json");
	const char *at = text, *hex;
	size_t n, size, seen = 0;
	struct frame_view v;

	while (td_json_next(&at, "message", &hex, &n)) {
		uint8_t *raw = td_hex(hex, n, &size);
		struct slice body = unframe(&v, raw, size);
		uint8_t *out = calloc(body.n + 1, 1);
		seen++;
		ck_assert(msg_row(v.type)->parse(body, 70016));
		ck_assert_uint_eq(message_again(out, v.type, body), body.n);
		ck_assert_mem_eq(out, body.p, body.n);
		free(out);
		free(raw);
	}
	ck_assert_uint_eq(seen, 22);
	free(text);
}
END_TEST

START_TEST(a_version_without_relay_means_relay)
{
	if (td_missing())
		return;
	char *text = td_read_text("vectors/p2p/messages.json");
	const char *at = text, *hex;
	struct version_view ver;
	struct frame_view v;
	size_t n, size;

	ck_assert(td_json_next(&at, "messagenofrelay", &hex, &n));
	uint8_t *raw = td_hex(hex, n, &size);
	ck_assert_int_eq(frame_view_parse(&v, raw, magic), FRAME_OK);
	/* Its frame is that of the message with the flag, one byte longer. */
	ck_assert_uint_eq(v.len, size - FRAME_HEADER + 1);
	ck_assert(version_view_parse(
	    &ver, slice_of(raw + FRAME_HEADER, size - FRAME_HEADER)));
	ck_assert(ver.relay);
	ck_assert_int_eq(ver.height, 333731);
	ck_assert_int_eq(ver.version, 70002);
	ck_assert_uint_eq(ver.addr_recv.net, NET_IPV4);
	free(raw);
	free(text);
}
END_TEST

Suite *messages_suite(void)
{
	Suite *s = suite_create("messages");
	TCase *t = tcase_create("messages");

	tcase_add_test(t,
		       messages_seen_on_mainnet_are_parsed_and_written_again);
	tcase_add_test(t, a_version_without_relay_means_relay);
	suite_add_tcase(s, t);
	return s;
}
