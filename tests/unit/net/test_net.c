/* The network as a whole: stopping with everything under way. */
#include "lab.h"

#include <cairn/base/mem.h>

#include <stdlib.h>
#include <unistd.h>

static struct lab lab;

START_TEST(stop_with_nothing_is_clean)
{
	lab_init(&lab);
	lab_start(&lab);
	lab_fini(&lab);
}
END_TEST

/* Peers in every state, half messages, queued sends, running dials. */
START_TEST(stop_with_everything_under_way_is_clean)
{
	uint8_t *b = xcalloc(1, 3000000);
	struct stream s = {0};
	struct client c[6], d;
	uint16_t port;
	int fd = lab_listen(&port);

	lab_init(&lab);
	lab_start(&lab);
	for (unsigned i = 0; i < 6; i++)
		client_open(&c[i], &lab);
	client_version(&c[1]);
	client_handshake(&c[2]);
	client_handshake(&c[3]);
	client_handshake(&c[4]);
	stream_fill(&s, MSG_BLOCK, 200000);
	client_send(&c[2], slice_of(s.p, 100000));
	peer_pause(net_peer(lab.net, 4));
	client_send(&c[3], stream_slice(&s));
	for (unsigned i = 0; i < 5; i++)
		peer_send(net_peer(lab.net, 5), MSG_BLOCK,
			  slice_of(b, 3000000));
	peer_misbehaving(net_peer(lab.net, 6), "test");
	ck_assert_int_eq(net_dial(lab.net, lab_where(port), CONN_MANUAL), 0);
	client_adopt(&d, &lab, lab_accept(&lab, fd));
	lab_until(&lab, net_count(lab.net, false, true) == 1);
	ck_assert_int_eq(net_dial(lab.net, "x.invalid:1", CONN_MANUAL), 0);
	ck_assert_int_eq(net_dial(lab.net, "127.0.0.1:1", CONN_MANUAL), 0);
	lab_fini(&lab);
	ck_assert_uint_eq(lab.closed, 7);
	for (unsigned i = 0; i < 6; i++)
		client_close(&c[i]);
	client_close(&d);
	stream_free(&s);
	free(b);
	close(fd);
}
END_TEST

START_TEST(many_connections_come_and_go)
{
	struct client c[50];

	lab_init(&lab);
	lab_start(&lab);
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 50; i++)
			client_open(&c[i], &lab);
		for (unsigned i = 0; i < 50; i++)
			client_handshake(&c[i]);
		ck_assert_uint_eq(net_count(lab.net, true, false), 50);
		for (unsigned i = 0; i < 50; i++)
			client_close(&c[i]);
		lab_until(&lab, net_count(lab.net, true, true) == 0);
	}
	lab_until(&lab, lab.closed == 200);
	lab_fini(&lab);
}
END_TEST

Suite *net_suite(void)
{
	Suite *s = suite_create("net");
	TCase *t = tcase_create("net");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, stop_with_nothing_is_clean);
	tcase_add_test(t, stop_with_everything_under_way_is_clean);
	tcase_add_test(t, many_connections_come_and_go);
	suite_add_tcase(s, t);
	return s;
}
