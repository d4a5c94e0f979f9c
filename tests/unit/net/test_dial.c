/* Dialling, retrying, keeping nodes connected, choosing from the book. */
#include "lab.h"

#include "../../../src/net/addrbook.h"

#include <cairn/base/err.h>

#include <unistd.h>

static struct lab lab;

static void setup(void)
{
	lab_init(&lab);
}

static void teardown(void)
{
	lab_fini(&lab);
}

static void where_of(char where[32], uint16_t port)
{
	snprintf(where, 32, "%s", lab_where(port));
}

/* An address in a form that only the resolver reads stands for a name. */
START_TEST(dial_by_name_goes_through_the_resolver)
{
	unsigned b[4];
	struct client c;
	uint16_t port;
	int fd = lab_listen(&port);
	char where[32];

	lab_start(&lab);
	ck_assert_int_eq(
	    sscanf(lab_where(port), "%u.%u.%u.%u", &b[0], &b[1], &b[2], &b[3]),
	    4);
	snprintf(where, sizeof where, "0x%02x%02x%02x%02x:%u", b[0], b[1], b[2],
		 b[3], port);
	ck_assert_int_eq(net_dial(lab.net, where, CONN_MANUAL), 0);
	ck_assert_int_eq(net_dial(lab.net, where, CONN_MANUAL), E_BUSY);
	ck_assert(lab.net->dials.p[0]->resolving);
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	client_await(&c, MSG_VERSION);
	ck_assert_int_eq(net_dial(lab.net, where, CONN_MANUAL), E_BUSY);
	ck_assert_uint_eq(net_count(lab.net, false, true), 1);
	client_close(&c);
	close(fd);
}
END_TEST

START_TEST(dial_of_nothing_ends_without_a_peer)
{
	uint16_t port;
	char where[32];

	close(lab_listen(&port));
	where_of(where, port);
	lab_start(&lab);
	ck_assert_int_eq(net_dial(lab.net, where, CONN_MANUAL), 0);
	ck_assert_int_eq(
	    net_dial(lab.net, "does-not-exist.invalid:1", CONN_MANUAL), 0);
	ck_assert_int_eq(net_dial(lab.net, ":1", CONN_MANUAL), E_PARSE);
	lab_until(&lab, lab.net->dials.n == 0);
	ck_assert_uint_eq(lab.closed, 0);
}
END_TEST

START_TEST(stop_while_a_name_is_looked_up_is_clean)
{
	lab_start(&lab);
	for (unsigned i = 0; i < 8; i++) {
		char name[64];

		snprintf(name, sizeof name, "n%u.does-not-exist.invalid", i);
		ck_assert_int_eq(net_dial(lab.net, name, CONN_MANUAL), 0);
	}
}
END_TEST

/* A listener whose queue is full does not answer. */
START_TEST(dial_times_out)
{
	struct client c[4];
	uint16_t port;
	int fd = lab_listen(&port);

	ck_assert_int_eq(listen(fd, 0), 0);
	lab.cfg.connect_timeout_ms = 50;
	lab_start(&lab);
	for (unsigned i = 0; i < 4; i++)
		client_dial(&c[i], &lab, port);
	ck_assert_int_eq(net_dial(lab.net, lab_where(port), CONN_MANUAL), 0);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.net->dials.n, 1);
	lab_until(&lab, lab.net->dials.n == 0);
	ck_assert_uint_eq(net_count(lab.net, false, true), 0);
	for (unsigned i = 0; i < 4; i++)
		client_close(&c[i]);
	close(fd);
}
END_TEST

START_TEST(connect_is_retried_until_the_node_is_there)
{
	struct text err = TEXT_INIT;
	uint16_t port;
	char where[32];
	struct peer *p;

	close(lab_listen(&port));
	where_of(where, port);
	lab_start(&lab);
	ck_assert_int_eq(net_connect(lab.net, where), 0);
	ck_assert_int_eq(net_connect(lab.net, where), E_INVALID);
	lab_until(&lab, lab.net->dials.n == 0);
	/* It is not an added node. */
	ck_assert_ptr_null(net_added_at(lab.net, 0, &p));
	/* Now it appears: the node itself listens there. */
	ck_assert_int_eq(net_bind(lab.net, where, &err), 0);
	lab_until(&lab, net_count(lab.net, false, true) == 1);
	text_fini(&err);
}
END_TEST

START_TEST(added_node_is_listed_and_redialled_after_it_went)
{
	struct client c;
	uint16_t port;
	int fd = lab_listen(&port);
	char where[32];
	struct peer *p;

	where_of(where, port);
	lab_start(&lab);
	ck_assert_int_eq(net_addnode(lab.net, where), 0);
	ck_assert_int_eq(net_addnode(lab.net, where), E_INVALID);
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	client_await(&c, MSG_VERSION);
	ck_assert_str_eq(net_added_at(lab.net, 0, &p), where);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(peer_conn_type(p), CONN_MANUAL);
	client_close(&c);
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	client_await(&c, MSG_VERSION);
	ck_assert_int_eq(net_removenode(lab.net, where), 0);
	ck_assert_int_eq(net_removenode(lab.net, where), E_NOTFOUND);
	ck_assert_ptr_null(net_added_at(lab.net, 0, &p));
	/* Removing does not disconnect. */
	ck_assert_uint_eq(net_count(lab.net, false, true), 1);
	client_close(&c);
	close(fd);
}
END_TEST

START_TEST(redialling_waits_longer_each_time_up_to_a_bound)
{
	uint16_t port;
	struct added *a, *b;

	close(lab_listen(&port));
	lab_start(&lab);
	ck_assert_int_eq(net_addnode(lab.net, lab_where(port)), 0);
	ck_assert_int_eq(net_connect(lab.net, lab_where(1)), 0);
	a = lab.net->added[0];
	b = lab.net->added[1];
	for (unsigned i = 0; i < 10; i++) {
		uint64_t was = a->wait_ms, now = uv_now(&lab.loop);

		lab_until(&lab, lab.net->dials.n == 0);
		ck_assert_uint_ge(a->next_ms + 100, now);
		a->next_ms = b->next_ms = 0;
		net_tick(lab.net);
		ck_assert_uint_ge(a->wait_ms, was);
	}
	ck_assert_uint_eq(a->wait_ms, 60000);
	ck_assert_uint_eq(b->wait_ms, 5000);
}
END_TEST

START_TEST(handshake_ends_the_waiting)
{
	struct client c;
	uint16_t port;
	int fd = lab_listen(&port);

	lab_start(&lab);
	ck_assert_int_eq(net_addnode(lab.net, lab_where(port)), 0);
	lab.net->added[0]->wait_ms = 40000;
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	client_version(&c);
	lab_settle(&lab);
	net_tick(lab.net);
	ck_assert_uint_eq(lab.net->added[0]->wait_ms, 40000);
	client_msg(&c, MSG_VERACK, slice_of(NULL, 0));
	lab_until(&lab, lab.ready == 1);
	net_tick(lab.net);
	ck_assert_uint_eq(lab.net->added[0]->wait_ms, 1000);
	client_close(&c);
	close(fd);
}
END_TEST

START_TEST(eight_added_nodes_are_connected_at_a_time)
{
	uint16_t port;
	int fd = lab_listen(&port);

	lab_start(&lab);
	for (unsigned i = 0; i < 12; i++) {
		char where[40];

		/* Different texts for one listener. */
		snprintf(where, sizeof where, "%.*s%s%u:%u",
			 (int)(strrchr(lab_where(1), '.') - lab_where(1)),
			 lab_where(1), ".", i + 2, port);
		ck_assert_int_eq(net_addnode(lab.net, where), 0);
	}
	net_tick(lab.net);
	ck_assert_uint_eq(lab.net->dials.n, 8);
	lab_until(&lab, lab.net->dials.n == 0);
	close(fd);
}
END_TEST

START_TEST(next_address_of_a_name_is_tried)
{
	struct client c;
	struct peer *p;
	uint16_t port, dead;
	int fd = lab_listen(&port);

	close(lab_listen(&dead));
	lab_start(&lab);
	p = peer_new(lab.net, CONN_MANUAL);
	ck_assert(netaddr_parse(&p->cand[0], lab_where(dead), 1));
	ck_assert(netaddr_parse(&p->cand[1], lab_where(dead), 1));
	ck_assert(netaddr_parse(&p->cand[2], lab_where(port), 1));
	p->n_cand = 3;
	dial_begin(p);
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	client_await(&c, MSG_VERSION);
	ck_assert_uint_eq(p->i_cand, 2);
	client_close(&c);
	close(fd);
}
END_TEST

START_TEST(automatic_choice_keeps_to_different_groups)
{
	struct addr_entry e = {.time_s = LAB_START, .services = 9}, out;
	struct client c;
	uint16_t port;
	int fd = lab_listen(&port);

	lab_start(&lab);
	ck_assert_int_eq(net_dial(lab.net, lab_where(port), CONN_MANUAL), 0);
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	lab_until(&lab, net_count(lab.net, false, true) == 1);
	ck_assert(netaddr_parse(&e.addr, "8.8.8.8:8333", 1));
	ck_assert(addrbook_add(net_addrbook(lab.net), &e, LAB_START));
	ck_assert(automatic_choose(lab.net, CONN_OUTBOUND, &out));
	/* As if that peer were a neighbour of the address. */
	ck_assert(
	    netaddr_parse(&net_next(lab.net, NULL)->addr, "8.8.1.1:1", 1));
	ck_assert(!automatic_choose(lab.net, CONN_OUTBOUND, &out));
	ck_assert(automatic_choose(lab.net, CONN_FEELER, &out));
	client_close(&c);
	close(fd);
}
END_TEST

START_TEST(addr_fetch_peer_has_five_minutes)
{
	struct client c;
	uint16_t port;
	int fd = lab_listen(&port);
	char where[32];

	where_of(where, port);
	lab.cfg.peer_timeout_s = 999999999; /* has nothing to do with it */
	lab_start(&lab);
	ck_assert_int_eq(net_dial(lab.net, where, CONN_ADDR_FETCH), 0);
	client_adopt(&c, &lab, lab_accept(&lab, fd));
	client_version(&c);
	client_msg(&c, MSG_VERACK, slice_of(NULL, 0));
	client_await(&c, MSG_GETADDR);
	lab_until(&lab, lab.ready == 1);
	lab_forward(&lab, 300);
	ck_assert_uint_eq(net_count(lab.net, false, true), 1);
	lab_forward(&lab, 1);
	client_await_eof(&c);
	client_close(&c);
	close(fd);
}
END_TEST

/* Automatic dialling would leave the machine; so only the choice is tested. */
START_TEST(automatic_choice_skips_bad_hosts_and_taken_groups)
{
	struct addr_entry e = {.time_s = LAB_START, .services = 9}, out;
	struct addrbook *b;

	lab_start(&lab);
	b = net_addrbook(lab.net);
	ck_assert(netaddr_parse(&e.addr, "8.8.8.8:8333", 1));
	ck_assert(addrbook_add(b, &e, LAB_START));
	ck_assert(automatic_choose(lab.net, CONN_OUTBOUND, &out));
	discouraged_add(&lab.net->discouraged, &e.addr);
	ck_assert(!automatic_choose(lab.net, CONN_OUTBOUND, &out));
	ck_assert(netaddr_parse(&e.addr, "9.9.9.9:8333", 1));
	e.services = NODE_NETWORK;
	ck_assert(addrbook_add(b, &e, LAB_START));
	ck_assert(!automatic_choose(lab.net, CONN_OUTBOUND, &out));
	ck_assert(automatic_choose(lab.net, CONN_FEELER, &out));
	ck_assert_mem_eq(out.addr.b, e.addr.b, 4);
	/* Low ports are other services'. */
	ck_assert(netaddr_parse(&e.addr, "7.7.7.7:25", 1));
	e.services = 9;
	ck_assert(addrbook_add(b, &e, LAB_START));
	ck_assert(!automatic_choose(lab.net, CONN_OUTBOUND, &out));
	lab.net->cfg.default_port = 25;
	ck_assert(automatic_choose(lab.net, CONN_OUTBOUND, &out));
}
END_TEST

START_TEST(only_connect_dials_nobody_by_itself)
{
	struct addr_entry e = {.time_s = LAB_START, .services = 9};

	lab.cfg.dns_seed = true;
	lab_start(&lab);
	ck_assert(netaddr_parse(&e.addr, "8.8.8.8:8333", 1));
	ck_assert(addrbook_add(net_addrbook(lab.net), &e, LAB_START));
	net_tick(lab.net);
	ck_assert_uint_eq(lab.net->dials.n, 0);
	lab.net->cfg.only_connect = false;
	lab.net->cfg.max_automatic = 0;
	lab.net->cfg.dns_seed = false;
	net_tick(lab.net);
	ck_assert_uint_eq(lab.net->dials.n, 0);
}
END_TEST

Suite *dial_suite(void)
{
	Suite *s = suite_create("dial");
	TCase *t = tcase_create("dial");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, dial_by_name_goes_through_the_resolver);
	tcase_add_test(t, dial_of_nothing_ends_without_a_peer);
	tcase_add_test(t, stop_while_a_name_is_looked_up_is_clean);
	tcase_add_test(t, dial_times_out);
	tcase_add_test(t, connect_is_retried_until_the_node_is_there);
	tcase_add_test(t, added_node_is_listed_and_redialled_after_it_went);
	tcase_add_test(t, redialling_waits_longer_each_time_up_to_a_bound);
	tcase_add_test(t, handshake_ends_the_waiting);
	tcase_add_test(t, eight_added_nodes_are_connected_at_a_time);
	tcase_add_test(t, next_address_of_a_name_is_tried);
	tcase_add_test(t, automatic_choice_keeps_to_different_groups);
	tcase_add_test(t, addr_fetch_peer_has_five_minutes);
	tcase_add_test(t, automatic_choice_skips_bad_hosts_and_taken_groups);
	tcase_add_test(t, only_connect_dials_nobody_by_itself);
	suite_add_tcase(s, t);
	return s;
}
