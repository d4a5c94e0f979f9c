/* Who is let in, who is sent away, and what binding says when it fails. */
#include "lab.h"

#include <cairn/base/err.h>
#include <cairn/base/text.h>

static struct lab lab;

static void setup(void)
{
	lab_init(&lab);
}

static void teardown(void)
{
	lab_fini(&lab);
}

START_TEST(bind_says_in_a_sentence_what_is_wrong)
{
	struct text err = TEXT_INIT;
	const char *where;

	lab_start(&lab);
	where = lab_where(lab.port);
	ck_assert_int_eq(net_bind(lab.net, where, &err), -EADDRINUSE);
	ck_assert_ptr_nonnull(strstr(text_str(&err), where));
	ck_assert_ptr_nonnull(strstr(text_str(&err), "already running"));
	text_reset(&err);
	ck_assert_int_eq(net_bind(lab.net, "nowhere", &err), E_PARSE);
	ck_assert_ptr_nonnull(strstr(text_str(&err), "'nowhere'"));
	text_reset(&err);
	ck_assert_int_lt(net_bind(lab.net, "203.0.113.1:5", &err), 0);
	ck_assert_ptr_nonnull(strstr(text_str(&err), "203.0.113.1:5"));
	text_fini(&err);
}
END_TEST

START_TEST(inactive_network_accepts_nobody_and_drops_all)
{
	struct client a, b;

	lab_start(&lab);
	client_open(&a, &lab);
	client_handshake(&a);
	net_set_active(lab.net, false);
	ck_assert(!net_is_active(lab.net));
	client_await_eof(&a);
	client_open(&b, &lab);
	client_await_eof(&b);
	ck_assert_int_eq(net_dial(lab.net, "127.0.0.1:1", CONN_MANUAL),
			 E_CLOSED);
	net_set_active(lab.net, true);
	client_close(&b);
	client_open(&b, &lab);
	client_handshake(&b);
	/* Who was refused is not known above. */
	ck_assert_uint_eq(lab.closed, 1);
	client_close(&a);
	client_close(&b);
}
END_TEST

static size_t connected(const struct client *c, size_t n)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += !c[i].eof;
	return count;
}

/* All clients are local, so all are one group, and none has a better ping. */
START_TEST(full_slots_evict_the_youngest_of_those_not_protected)
{
	struct client c[40];
	struct client_msg m;
	size_t i, max;

	lab.cfg.max_connections = 11 + 30;
	lab_start(&lab);
	max = net_inbound_max(lab.net);
	ck_assert_uint_eq(max, 30);
	for (i = 0; i < 30; i++) {
		client_open(&c[i], &lab);
		client_handshake(&c[i]);
	}
	ck_assert_uint_eq(net_count(lab.net, true, false), 30);
	client_open(&c[30], &lab);
	client_handshake(&c[30]);
	lab_settle(&lab);
	for (i = 0; i < 31; i++)
		while (client_next(&c[i], &m))
			;
	ck_assert_uint_eq(connected(c, 31), 30);
	ck_assert(!c[30].eof);
	/* The longest connected half stays whatever comes. */
	for (i = 0; i < 10; i++)
		ck_assert(!c[i].eof);
	ck_assert_uint_eq(net_count(lab.net, true, false), 30);
	for (i = 0; i < 31; i++)
		client_close(&c[i]);
}
END_TEST

START_TEST(protected_peers_keep_their_slots)
{
	struct client c[9];
	size_t i;

	lab.cfg.max_connections = 11 + 8;
	lab_start(&lab);
	for (i = 0; i < 8; i++) {
		client_open(&c[i], &lab);
		client_handshake(&c[i]);
	}
	client_open(&c[8], &lab);
	client_await_eof(&c[8]);
	ck_assert_uint_eq(net_count(lab.net, true, false), 8);
	ck_assert_uint_eq(lab.closed, 0);
	for (i = 0; i < 9; i++)
		client_close(&c[i]);
}
END_TEST

START_TEST(who_brought_a_block_is_protected)
{
	struct client c[20];
	struct peer *p, *out;
	size_t i;

	lab_start(&lab);
	for (i = 0; i < 20; i++) {
		client_open(&c[i], &lab);
		client_handshake(&c[i]);
	}
	out = evict_choose(lab.net);
	ck_assert_ptr_nonnull(out);
	peer_note_block(out, LAB_START);
	p = evict_choose(lab.net);
	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_ne(p, out);
	/* Of equals the youngest goes. */
	ck_assert_uint_lt(peer_id(p), peer_id(out));
	for (i = 0; i < 20; i++)
		client_close(&c[i]);
}
END_TEST

START_TEST(the_largest_group_gives_way_and_discouraged_hosts_first)
{
	struct client c[30];
	struct peer *p, *out;
	struct netaddr a;
	size_t i = 0;

	lab_start(&lab);
	for (i = 0; i < 30; i++) {
		client_open(&c[i], &lab);
		client_handshake(&c[i]);
	}
	/* The last seven: four of one group, three of another. */
	for (i = 23; i < 30; i++) {
		p = lab_peer(&lab, i);
		ck_assert(netaddr_parse(&a, i < 27 ? "8.8.1.1" : "9.9.1.1", 1));
		a.b[3] = (uint8_t)i;
		p->addr = a;
		/* Not among the nearest. */
		p->ping.min_us = 1000000;
	}
	for (i = 0; i < 23; i++)
		lab_peer(&lab, i)->ping.min_us = 10;
	out = evict_choose(lab.net);
	ck_assert_ptr_nonnull(out);
	ck_assert_ptr_eq(out, lab_peer(&lab, 26));
	discouraged_add(&lab.net->discouraged, &lab_peer(&lab, 28)->addr);
	out = evict_choose(lab.net);
	ck_assert_ptr_eq(out, lab_peer(&lab, 28));
	for (i = 0; i < 30; i++)
		client_close(&c[i]);
}
END_TEST

START_TEST(discouraged_host_is_refused_where_slots_are_nearly_full)
{
	struct client c[3];
	struct peer *p;

	lab.cfg.max_connections = 11 + 4;
	lab_start(&lab);
	for (unsigned i = 0; i < 2; i++) {
		client_open(&c[i], &lab);
		client_handshake(&c[i]);
	}
	p = lab.last_ready;
	discouraged_add(&lab.net->discouraged, &p->addr);
	ck_assert_ptr_null(inbound_refusal(lab.net, p));
	client_open(&c[2], &lab);
	client_handshake(&c[2]);
	ck_assert_str_eq(inbound_refusal(lab.net, p), "discouraged");
	for (unsigned i = 0; i < 3; i++)
		client_close(&c[i]);
}
END_TEST

START_TEST(zero_slots_let_nobody_in)
{
	struct client c;

	lab.cfg.max_connections = 5;
	lab_start(&lab);
	client_open(&c, &lab);
	client_await_eof(&c);
	client_close(&c);
}
END_TEST

Suite *listen_suite(void)
{
	Suite *s = suite_create("listen");
	TCase *t = tcase_create("listen");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, bind_says_in_a_sentence_what_is_wrong);
	tcase_add_test(t, inactive_network_accepts_nobody_and_drops_all);
	tcase_add_test(t, full_slots_evict_the_youngest_of_those_not_protected);
	tcase_add_test(t, protected_peers_keep_their_slots);
	tcase_add_test(t, who_brought_a_block_is_protected);
	tcase_add_test(t,
		       the_largest_group_gives_way_and_discouraged_hosts_first);
	tcase_add_test(t,
		       discouraged_host_is_refused_where_slots_are_nearly_full);
	tcase_add_test(t, zero_slots_let_nobody_in);
	suite_add_tcase(s, t);
	return s;
}
