/* A peer's life: closing from anywhere, misbehaviour, identity. */
#include "lab.h"

#include "../../../src/net/netaddr.h"

static struct lab lab;
static struct client cl;

static void setup(void)
{
	lab_init(&lab);
	lab_start(&lab);
	client_open(&cl, &lab);
	client_handshake(&cl);
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

static void quit_at_inv(struct lab *l, struct peer *p, const struct net_msg *m)
{
	(void)l;
	if (m->type == MSG_INV) {
		peer_disconnect(p, "enough");
		ck_assert(!peer_send(p, MSG_PING, slice_of("12345678", 8)));
	}
}

START_TEST(disconnect_in_a_handler_hands_up_nothing_more)
{
	struct stream s = {0};

	lab.on_msg = quit_at_inv;
	stream_fill(&s, MSG_TX, 10);
	stream_fill(&s, MSG_INV, 10);
	stream_fill(&s, MSG_TX, 10);
	client_send(&cl, stream_slice(&s));
	client_await_eof(&cl);
	lab_until(&lab, lab.closed == 1);
	ck_assert_uint_eq(lab.n_seen, 2);
	stream_free(&s);
}
END_TEST

START_TEST(disconnected_peer_is_not_seen_any_more)
{
	struct peer *p = lab.last_ready;
	uint64_t id = peer_id(p);

	ck_assert_ptr_eq(net_peer(lab.net, id), p);
	ck_assert_uint_eq(net_count(lab.net, true, false), 1);
	peer_disconnect(p, "test");
	ck_assert_ptr_null(net_peer(lab.net, id));
	ck_assert_ptr_null(net_next(lab.net, NULL));
	ck_assert_uint_eq(net_count(lab.net, true, true), 0);
	ck_assert_int_eq(peer_get_state(p), PEER_CLOSING);
	ck_assert_uint_eq(lab.closed, 0); /* its memory is still there */
	peer_disconnect(p, "twice");
	lab_until(&lab, lab.closed == 1);
}
END_TEST

START_TEST(what_was_queued_before_disconnect_arrives)
{
	peer_send(lab.last_ready, MSG_FEEFILTER, slice_of("abcdefgh", 8));
	peer_disconnect(lab.last_ready, "test");
	client_await(&cl, MSG_FEEFILTER);
	client_await_eof(&cl);
}
END_TEST

START_TEST(local_peer_that_misbehaves_is_disconnected_not_discouraged)
{
	struct peer *p = lab.last_ready;
	struct netaddr a = p->addr;

	ck_assert(p->loopback);
	peer_misbehaving(p, "test");
	client_await_eof(&cl);
	ck_assert(!discouraged_has(&lab.net->discouraged, &a));
	client_close(&cl);
	client_open(&cl, &lab);
	client_handshake(&cl);
}
END_TEST

START_TEST(remote_peer_that_misbehaves_is_discouraged)
{
	struct peer *p = lab.last_ready;
	struct netaddr a;

	/* As if it had come from far away. */
	ck_assert(netaddr_parse(&a, "8.8.8.8:1", 0));
	p->addr = a;
	p->loopback = false;
	peer_misbehaving(p, "test");
	client_await_eof(&cl);
	ck_assert(discouraged_has(&lab.net->discouraged, &a));
}
END_TEST

START_TEST(ids_count_from_zero_and_do_not_come_back)
{
	struct client two, three;

	ck_assert_uint_eq(peer_id(lab.last_ready), 0);
	client_open(&two, &lab);
	client_handshake(&two);
	ck_assert_uint_eq(peer_id(lab.last_ready), 1);
	client_close(&two);
	lab_until(&lab, lab.closed == 1);
	client_open(&three, &lab);
	client_handshake(&three);
	ck_assert_uint_eq(peer_id(lab.last_ready), 2);
	ck_assert_ptr_null(net_peer(lab.net, 1));
	ck_assert_ptr_null(net_peer(lab.net, PEER_NONE));
	ck_assert_uint_eq(peer_id(net_next(lab.net, NULL)), 0);
	ck_assert_uint_eq(peer_id(net_next(lab.net, net_peer(lab.net, 0))), 2);
	client_close(&three);
}
END_TEST

static void drop_on_ready(struct lab *l, struct peer *p)
{
	(void)l;
	peer_disconnect(p, "unwanted");
}

START_TEST(disconnect_in_on_ready_is_safe)
{
	struct client c;

	lab.on_ready = drop_on_ready;
	client_open(&c, &lab);
	client_version(&c);
	client_msg(&c, MSG_VERACK, slice_of(NULL, 0));
	client_msg(&c, MSG_TX, slice_of("x", 1));
	client_await_eof(&c);
	lab_until(&lab, lab.closed == 1);
	ck_assert_uint_eq(lab.n_seen, 0);
	client_close(&c);
}
END_TEST

START_TEST(peer_data_lives_until_on_closed)
{
	int word;

	peer_set_data(lab.last_ready, &word);
	ck_assert_ptr_eq(peer_data(lab.last_ready), &word);
	peer_disconnect(lab.last_ready, "test");
	ck_assert_ptr_eq(peer_data(lab.last_ready), &word);
}
END_TEST

START_TEST(addresses_of_a_local_peer_are_named)
{
	struct peer_info i;
	const char *want = lab_where(lab.port);

	peer_get_info(lab.last_ready, &i);
	ck_assert_int_eq(strncmp(i.addr, "127.", 4), 0);
	ck_assert_str_eq(i.addr_bind, want);
	ck_assert_str_eq(i.network, "not_publicly_routable");
	ck_assert(i.loopback);
	ck_assert(i.inbound);
	ck_assert_int_eq(i.conn_time_s, LAB_START);
	ck_assert_str_eq(peer_conn_name(i.conn), "inbound");
}
END_TEST

Suite *peer_suite(void)
{
	Suite *s = suite_create("peer");
	TCase *t = tcase_create("peer");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, disconnect_in_a_handler_hands_up_nothing_more);
	tcase_add_test(t, disconnected_peer_is_not_seen_any_more);
	tcase_add_test(t, what_was_queued_before_disconnect_arrives);
	tcase_add_test(
	    t, local_peer_that_misbehaves_is_disconnected_not_discouraged);
	tcase_add_test(t, remote_peer_that_misbehaves_is_discouraged);
	tcase_add_test(t, ids_count_from_zero_and_do_not_come_back);
	tcase_add_test(t, disconnect_in_on_ready_is_safe);
	tcase_add_test(t, peer_data_lives_until_on_closed);
	tcase_add_test(t, addresses_of_a_local_peer_are_named);
	suite_add_tcase(s, t);
	return s;
}
