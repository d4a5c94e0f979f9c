/*
 * Whole messages as they were seen on mainnet: framed, parsed, written again.
 */
#include "wiretest.h"

#include <cairn/base/buf.h>
#include <cairn/base/rd.h>
#include <cairn/wire/addr.h>
#include <cairn/wire/block.h>
#include <cairn/wire/bloom.h>
#include <cairn/wire/frame.h>
#include <cairn/wire/header.h>
#include <cairn/wire/inv.h>
#include <cairn/wire/locator.h>
#include <cairn/wire/merkleblock.h>
#include <cairn/wire/obsolete.h>
#include <cairn/wire/tx.h>
#include <cairn/wire/version.h>

#include <stdlib.h>

static const uint8_t magic[4] = {0xf9, 0xbe, 0xb4, 0xd9};

static void inv_again(uint8_t *out, struct slice body)
{
	struct inv_view v;
	uint8_t *p;

	ck_assert(inv_view_parse(&v, body));
	p = inv_count_put(out, v.n);
	for (uint32_t i = 0; i < v.n; i++)
		p = inv_item_put(p, inv_type(&v, i), inv_hash(&v, i));
	ck_assert_uint_eq((size_t)(p - out), body.n);
}

static void addr_again(uint8_t *out, struct slice body)
{
	struct addr_entry *e = calloc(ADDR_MAX, sizeof *e);
	struct addr_view v;
	uint32_t n = 0;

	ck_assert_ptr_nonnull(e);
	ck_assert(addr_view_parse(&v, body));
	ck_assert_uint_le(v.n, ADDR_MAX);
	while (addr_next(&v, &e[n]))
		n++;
	ck_assert_uint_eq(n, v.n);
	ck_assert_uint_eq(addr_size(n), body.n);
	addr_put(out, e, n);
	free(e);
}

static void locator_again(uint8_t *out, struct slice body)
{
	struct locator_view v;

	ck_assert(locator_view_parse(&v, body));
	ck_assert_uint_eq(locator_size(v.n), body.n);
	locator_put(out, v.version, hash256_at(v.hashes), v.n, v.stop);
}

static void headers_again(uint8_t *out, struct slice body)
{
	struct headers_view v;
	bool over;

	ck_assert(headers_view_parse(&v, &over, body));
	ck_assert_uint_eq(headers_size(v.n), body.n);
	headers_put(out, v.first, v.stride, v.n);
}

static void version_again(uint8_t *out, struct slice body)
{
	struct version_view v;
	struct version_msg m = {0};
	char agent[USER_AGENT_MAX + 1] = {0};

	ck_assert(version_view_parse(&v, body));
	memcpy(agent, v.user_agent.p, v.user_agent.n);
	m.version = v.version;
	m.services = v.services;
	m.time_s = v.time_s;
	m.recv_services = 1;
	m.addr_recv = v.addr_recv;
	m.nonce = v.nonce;
	m.user_agent = agent;
	m.height = v.height;
	m.relay = v.relay;
	ck_assert_uint_eq(version_size(&m), body.n);
	version_put(out, &m);
	/* We do not write our own address; the rest must be equal. */
	memcpy(out + 54, body.p + 54, 18);
}

static void block_again(uint8_t *out, struct slice body)
{
	struct block_view v;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, body), 0);
	ck_assert_uint_eq(trailing, 0);
	ck_assert_uint_eq(v.base_size, body.n);
	block_put_base(out, &v);
	block_view_fini(&v);
}

static void tx_again(uint8_t *out, struct slice body)
{
	struct tx_view v;
	struct rd r;

	rd_init(&r, body);
	ck_assert(tx_view_parse(&v, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
	tx_put_base(out, &v);
}

static void nonce_again(uint8_t *out, struct slice body)
{
	uint64_t nonce;

	ck_assert(nonce_parse(&nonce, body));
	le64_put(out, nonce);
}

static void filterload_again(uint8_t *out, struct slice body)
{
	struct filterload_view v;

	ck_assert(filterload_view_parse(&v, body));
	ck_assert(filterload_in_limits(&v));
	ck_assert_uint_eq(filterload_size(v.filter.n), body.n);
	filterload_put(out, &v);
}

static void filteradd_again(uint8_t *out, struct slice body)
{
	struct slice s;

	ck_assert(filteradd_parse(&s, body));
	ck_assert_uint_eq(filteradd_size(s.n), body.n);
	filteradd_put(out, s);
}

static void merkleblock_again(uint8_t *out, struct slice body)
{
	struct merkleblock_view v;

	ck_assert(merkleblock_view_parse(&v, body));
	ck_assert_uint_eq(merkleblock_size(v.n_hashes, v.flags.n), body.n);
	merkleblock_put(out, &v);
}

static void reject_again(uint8_t *out, struct slice body)
{
	struct reject_view v;

	ck_assert(reject_view_parse(&v, body));
	ck_assert_uint_eq(reject_size(&v), body.n);
	reject_put(out, &v);
}

static void alert_again(uint8_t *out, struct slice body)
{
	struct alert_view v;
	struct alert_text t;

	ck_assert(alert_view_parse(&v, body));
	ck_assert(alert_text_parse(&t, v.payload));
	ck_assert_uint_eq(alert_size(&v), body.n);
	alert_put(out, &v);
}

static void (*const again[MSG_COUNT])(uint8_t *out, struct slice body) = {
    [MSG_VERSION] = version_again,
    [MSG_INV] = inv_again,
    [MSG_GETDATA] = inv_again,
    [MSG_NOTFOUND] = inv_again,
    [MSG_ADDR] = addr_again,
    [MSG_GETBLOCKS] = locator_again,
    [MSG_GETHEADERS] = locator_again,
    [MSG_HEADERS] = headers_again,
    [MSG_BLOCK] = block_again,
    [MSG_TX] = tx_again,
    [MSG_PING] = nonce_again,
    [MSG_PONG] = nonce_again,
    [MSG_FILTERLOAD] = filterload_again,
    [MSG_FILTERADD] = filteradd_again,
    [MSG_MERKLEBLOCK] = merkleblock_again,
    [MSG_REJECT] = reject_again,
    [MSG_ALERT] = alert_again,
};

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
	size_t n, size, seen = 0, rewritten = 0;
	struct frame_view v;

	while (td_json_next(&at, "message", &hex, &n)) {
		uint8_t *raw = td_hex(hex, n, &size);
		struct slice body = unframe(&v, raw, size);
		uint8_t *out = calloc(body.n + 1, 1);
		seen++;
		ck_assert(msg_row(v.type)->parse(body, 70016));
		if (again[v.type]) {
			again[v.type](out, body);
			ck_assert_mem_eq(out, body.p, body.n);
			rewritten++;
		}
		free(out);
		free(raw);
	}
	ck_assert_uint_eq(seen, 22);
	ck_assert_uint_eq(rewritten, 18);
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
