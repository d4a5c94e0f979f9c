/* version, verack and what lies between, with Bitcoin Core's outcomes. */
#include "lab.h"

#include <cairn/base/endian.h>
#include <cairn/wire/feature.h>

#include <unistd.h>

static struct lab lab;
static struct client cl;

static void setup(void)
{
	lab_init(&lab);
	lab_start(&lab);
	client_open(&cl, &lab);
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

static const struct slice none;

static void send_version(int32_t version, uint64_t services, uint64_t nonce)
{
	uint8_t b[400];
	size_t n = client_version_put(b, version, services, nonce);

	client_msg(&cl, MSG_VERSION, slice_of(b, n));
}

START_TEST(inbound_peer_is_answered_in_cores_order)
{
	static const char *const order[] = {"version", "wtxidrelay",
					    "sendaddrv2", "verack"};
	struct client_msg m;

	lab_settle(&lab);
	ck_assert(!client_next(&cl, &m));
	client_version(&cl);
	for (size_t i = 0; i < 4; i++) {
		lab_until(&lab, client_next(&cl, &m));
		ck_assert_str_eq(m.name, order[i]);
	}
	lab_settle(&lab);
	ck_assert(!client_next(&cl, &m));
	ck_assert_uint_eq(lab.ready, 0);
	client_msg(&cl, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	client_await(&cl, MSG_PING);
}
END_TEST

START_TEST(our_version_says_who_we_are_and_not_where)
{
	static const uint8_t zeros[16];
	struct version_view v;
	struct client_msg m;

	client_version(&cl);
	m = client_await(&cl, MSG_VERSION);
	ck_assert(version_view_parse(&v, m.body));
	ck_assert_int_eq(v.version, 70016);
	ck_assert_uint_eq(v.services, 9);
	ck_assert_int_eq(v.time_s, LAB_START);
	ck_assert_int_eq(v.height, 206);
	ck_assert(v.relay);
	ck_assert_uint_eq(v.user_agent.n, 13);
	ck_assert_mem_eq(v.user_agent.p, "/Cairn:0.0.1/", 13);
	/* The sender's address: services, 16 zero bytes, port 0. */
	ck_assert_mem_eq(m.body.p + 46 + 8, zeros, 16);
	ck_assert_uint_eq(le16_get(m.body.p + 46 + 24), 0);
}
END_TEST

START_TEST(old_peer_gets_no_feature_messages)
{
	struct client_msg m;

	send_version(70015, 9, 5);
	lab_until(&lab, client_next(&cl, &m));
	ck_assert_str_eq(m.name, "version");
	lab_until(&lab, client_next(&cl, &m));
	ck_assert_str_eq(m.name, "verack");
}
END_TEST

START_TEST(version_below_31800_is_disconnected)
{
	send_version(31799, 9, 5);
	client_await_eof(&cl);
	ck_assert_uint_eq(lab.ready, 0);
}
END_TEST

START_TEST(version_31800_is_enough)
{
	send_version(31800, 9, 5);
	client_await(&cl, MSG_VERACK);
}
END_TEST

START_TEST(messages_before_version_are_ignored)
{
	struct peer_info i;

	client_msg(&cl, MSG_PING, slice_of("12345678", 8));
	client_msg(&cl, MSG_VERACK, none);
	client_msg(&cl, MSG_WTXIDRELAY, none);
	client_msg(&cl, MSG_SENDADDRV2, none);
	client_msg(&cl, MSG_SENDHEADERS, none);
	client_handshake(&cl);
	peer_get_info(lab.last_ready, &i);
	ck_assert(!i.wtxid_relay && !i.addrv2 && !i.send_headers);
	ck_assert_uint_eq(lab.n_seen, 0);
	client_sync(&cl, 3);
}
END_TEST

START_TEST(messages_before_verack_are_ignored)
{
	client_version(&cl);
	client_await(&cl, MSG_VERACK);
	client_msg(&cl, MSG_GETHEADERS, slice_of("x", 1));
	client_msg(&cl, MSG_PING, slice_of("12345678", 8));
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 0);
	client_msg(&cl, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	client_msg(&cl, MSG_GETHEADERS, slice_of("x", 1));
	lab_until(&lab, lab.n_seen == 1);
}
END_TEST

START_TEST(second_version_and_verack_are_ignored)
{
	struct peer_info i;

	client_handshake(&cl);
	send_version(70001, 0, 77);
	client_msg(&cl, MSG_VERACK, none);
	client_sync(&cl, 3);
	ck_assert_uint_eq(lab.ready, 1);
	peer_get_info(lab.last_ready, &i);
	ck_assert_int_eq(i.version, 70016);
}
END_TEST

START_TEST(empty_version_never_completes)
{
	struct client_msg m;

	client_msg(&cl, MSG_VERSION, none);
	client_msg(&cl, MSG_VERACK, none);
	lab_settle(&lab);
	ck_assert(!client_next(&cl, &m));
	ck_assert(!cl.eof);
	ck_assert_uint_eq(lab.ready, 0);
	/* A good one is still welcome. */
	client_handshake(&cl);
}
END_TEST

START_TEST(user_agent_of_257_bytes_never_completes)
{
	struct client_msg m;
	uint8_t b[700];
	size_t n = client_version_put(b, 70016, 9, 5);

	/* Replace the 8 bytes of length and text by 3 + 257. */
	memmove(b + 80 + 3 + 257, b + 80 + 8, n - 80 - 8);
	b[80] = 0xfd;
	le16_put(b + 81, 257);
	memset(b + 83, 'a', 257);
	n += 3 + 257 - 8;
	client_msg(&cl, MSG_VERSION, slice_of(b, n));
	lab_settle(&lab);
	ck_assert(!client_next(&cl, &m));
	ck_assert(!cl.eof);
}
END_TEST

START_TEST(wtxidrelay_after_verack_disconnects)
{
	client_handshake(&cl);
	client_msg(&cl, MSG_WTXIDRELAY, none);
	client_await_eof(&cl);
	lab_until(&lab, lab.closed == 1);
}
END_TEST

START_TEST(sendaddrv2_after_verack_disconnects)
{
	client_handshake(&cl);
	client_msg(&cl, MSG_SENDADDRV2, none);
	client_await_eof(&cl);
	lab_until(&lab, lab.closed == 1);
}
END_TEST

START_TEST(features_between_version_and_verack_are_kept)
{
	struct peer_info i;

	client_version(&cl);
	client_msg(&cl, MSG_WTXIDRELAY, none);
	client_msg(&cl, MSG_SENDADDRV2, none);
	client_msg(&cl, MSG_SENDHEADERS, none);
	client_msg(&cl, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	peer_get_info(lab.last_ready, &i);
	ck_assert(i.wtxid_relay);
	ck_assert(i.addrv2);
	ck_assert(i.send_headers);
	ck_assert_str_eq(i.subver, "/lab:1/");
	ck_assert_int_eq(i.start_height, 7);
	ck_assert_uint_eq(i.services, 9);
	ck_assert_int_eq(i.time_offset_s, 0);
	ck_assert(i.relay_txs);
}
END_TEST

START_TEST(wtxidrelay_from_an_old_peer_is_ignored)
{
	struct peer_info i;

	send_version(70015, 9, 5);
	client_msg(&cl, MSG_WTXIDRELAY, none);
	client_msg(&cl, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	peer_get_info(lab.last_ready, &i);
	ck_assert(!i.wtxid_relay);
}
END_TEST

static void send_feature(void)
{
	uint8_t b[32];
	struct feature_view v = {slice_of("BIP-X", 5), slice_of(NULL, 0)};

	client_msg(&cl, MSG_FEATURE,
		   slice_of(b, (size_t)(feature_put(b, &v) - b)));
}

/* BIP 434 needs version 70017 on both sides, and we say 70016. */
START_TEST(feature_disconnects)
{
	send_version(70017, 9, 5);
	send_feature();
	client_await_eof(&cl);
	lab_until(&lab, lab.closed == 1);
	ck_assert_uint_eq(lab.ready, 0);
}
END_TEST

START_TEST(feature_after_verack_disconnects)
{
	client_handshake(&cl);
	send_feature();
	client_await_eof(&cl);
	lab_until(&lab, lab.closed == 1);
}
END_TEST

START_TEST(user_agent_is_kept_without_what_could_harm)
{
	struct peer_info i;
	uint8_t b[400];
	size_t n = client_version_put(b, 70016, 9, 5);

	memcpy(b + 81, "a\x1b[<b>\0", 7);
	client_msg(&cl, MSG_VERSION, slice_of(b, n));
	client_msg(&cl, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	peer_get_info(lab.last_ready, &i);
	ck_assert_str_eq(i.subver, "ab");
}
END_TEST

START_TEST(connection_to_ourselves_is_closed)
{
	const char *where = lab_where(lab.port);

	ck_assert_int_eq(net_dial(lab.net, where, CONN_MANUAL), 0);
	lab_until(&lab, net_count(lab.net, true, true) == 3);
	lab_until(&lab, net_count(lab.net, true, true) == 1);
	ck_assert_uint_eq(lab.ready, 0);
}
END_TEST

/* The accepting end of a dial, as a client. */
static void dialled(enum peer_conn conn, struct client *c)
{
	uint16_t port;
	int fd = lab_listen(&port);
	const char *where = lab_where(port);

	ck_assert_int_eq(net_dial(lab.net, where, conn), 0);
	client_adopt(c, &lab, lab_accept(&lab, fd));
	close(fd);
}

START_TEST(outbound_peer_hears_version_first)
{
	struct client_msg m;
	struct client c;

	dialled(CONN_OUTBOUND, &c);
	m = client_await(&c, MSG_VERSION);
	client_version(&c);
	client_await(&c, MSG_WTXIDRELAY);
	client_await(&c, MSG_SENDADDRV2);
	client_await(&c, MSG_VERACK);
	client_await(&c, MSG_GETADDR);
	client_msg(&c, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	ck_assert_int_eq(peer_conn_type(lab.last_ready), CONN_OUTBOUND);
	(void)m;
	client_close(&c);
}
END_TEST

START_TEST(inbound_peer_with_its_own_nonce_is_not_ourselves)
{
	struct client c;

	dialled(CONN_MANUAL, &c);
	client_await(&c, MSG_VERSION);
	client_handshake(&cl);
	ck_assert_uint_eq(lab.ready, 1);
	client_close(&c);
}
END_TEST

static void offer(enum peer_conn conn, uint64_t services, struct client *c)
{
	uint8_t b[400];
	size_t n = client_version_put(b, 70016, services, 5);

	dialled(conn, c);
	client_await(c, MSG_VERSION);
	client_msg(c, MSG_VERSION, slice_of(b, n));
}

START_TEST(automatic_peer_must_serve_blocks_with_witnesses)
{
	static const uint64_t bad[] = {0, NODE_NETWORK, NODE_WITNESS,
				       NODE_NETWORK_LIMITED | NODE_WITNESS};
	static const enum peer_conn conns[] = {CONN_OUTBOUND, CONN_BLOCK_ONLY,
					       CONN_ADDR_FETCH};
	struct client c;

	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < 4; i++) {
			offer(conns[k], bad[i], &c);
			client_await_eof(&c);
			client_close(&c);
		}
	}
	offer(CONN_MANUAL, 0, &c);
	client_await(&c, MSG_VERACK);
	client_close(&c);
	net_set_near_tip(lab.net, true);
	offer(CONN_OUTBOUND, NODE_NETWORK_LIMITED | NODE_WITNESS, &c);
	client_await(&c, MSG_VERACK);
	client_close(&c);
}
END_TEST

START_TEST(block_only_peer_is_told_no_relay_and_asked_no_addresses)
{
	struct version_view v;
	struct client_msg m;
	struct client c;

	dialled(CONN_BLOCK_ONLY, &c);
	m = client_await(&c, MSG_VERSION);
	ck_assert(version_view_parse(&v, m.body));
	ck_assert(!v.relay);
	client_version(&c);
	client_msg(&c, MSG_VERACK, none);
	lab_until(&lab, lab.ready == 1);
	lab_settle(&lab);
	while (client_next(&c, &m))
		ck_assert_str_ne(m.name, "getaddr");
	client_close(&c);
}
END_TEST

START_TEST(feeler_ends_with_the_version)
{
	struct client c;

	offer(CONN_FEELER, 0, &c);
	client_await_eof(&c);
	ck_assert_uint_eq(lab.ready, 0);
	client_close(&c);
}
END_TEST

Suite *handshake_suite(void)
{
	Suite *s = suite_create("handshake");
	TCase *t = tcase_create("inbound"), *o = tcase_create("outbound");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, inbound_peer_is_answered_in_cores_order);
	tcase_add_test(t, our_version_says_who_we_are_and_not_where);
	tcase_add_test(t, old_peer_gets_no_feature_messages);
	tcase_add_test(t, version_below_31800_is_disconnected);
	tcase_add_test(t, version_31800_is_enough);
	tcase_add_test(t, messages_before_version_are_ignored);
	tcase_add_test(t, messages_before_verack_are_ignored);
	tcase_add_test(t, second_version_and_verack_are_ignored);
	tcase_add_test(t, empty_version_never_completes);
	tcase_add_test(t, user_agent_of_257_bytes_never_completes);
	tcase_add_test(t, wtxidrelay_after_verack_disconnects);
	tcase_add_test(t, sendaddrv2_after_verack_disconnects);
	tcase_add_test(t, features_between_version_and_verack_are_kept);
	tcase_add_test(t, wtxidrelay_from_an_old_peer_is_ignored);
	tcase_add_test(t, feature_disconnects);
	tcase_add_test(t, feature_after_verack_disconnects);
	tcase_add_test(t, user_agent_is_kept_without_what_could_harm);
	tcase_add_test(t, connection_to_ourselves_is_closed);
	suite_add_tcase(s, t);
	tcase_set_timeout(o, 30);
	tcase_add_checked_fixture(o, setup, teardown);
	tcase_add_test(o, outbound_peer_hears_version_first);
	tcase_add_test(o, automatic_peer_must_serve_blocks_with_witnesses);
	tcase_add_test(o,
		       block_only_peer_is_told_no_relay_and_asked_no_addresses);
	tcase_add_test(o, inbound_peer_with_its_own_nonce_is_not_ourselves);
	tcase_add_test(o, feeler_ends_with_the_version);
	suite_add_tcase(s, o);
	return s;
}
