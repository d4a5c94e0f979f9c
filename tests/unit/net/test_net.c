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
	peer_pause(lab_peer(&lab, 3));
	client_send(&c[3], stream_slice(&s));
	for (unsigned i = 0; i < 5; i++)
		peer_send(lab_peer(&lab, 4), MSG_BLOCK, slice_of(b, 3000000));
	peer_misbehaving(lab_peer(&lab, 5), "test");
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

/* A few framed messages of any type, then some bytes of it changed. */
static void spoiled(struct stream *s, struct rand *r)
{
	size_t n = 1 + rand_below(r, 6), i;

	s->n = 0;
	for (i = 0; i < n; i++)
		stream_fill(s,
			    (enum msg_type)(1 + rand_below(r, MSG_COUNT - 1)),
			    rand_below(r, 120));
	/* Checksums stay right in most rounds, so that parsers see it too. */
	for (i = rand_below(r, 3); i > 0; i--)
		s->p[rand_below(r, s->n)] = (uint8_t)rand_u64(r);
	s->n -= rand_below(r, 24);
}

START_TEST(spoiled_streams_in_any_state_leave_nothing_behind)
{
	struct stream s = {0};
	struct client c, good;
	struct rand r;

	lab_init(&lab);
	lab_start(&lab);
	rand_seed(&r, 11);
	client_open(&good, &lab);
	client_handshake(&good);
	for (unsigned round = 0; round < 400; round++) {
		client_open(&c, &lab);
		if (round % 3 > 0)
			client_version(&c);
		if (round % 3 > 1)
			client_msg(&c, MSG_VERACK, slice_of(NULL, 0));
		spoiled(&s, &r);
		/* The node may have closed already. */
		(void)!send(c.fd, s.p, s.n, MSG_NOSIGNAL);
		lab_step(&lab, 0);
		lab_step(&lab, 0);
		client_close(&c);
	}
	client_sync(&good, 5);
	lab_until(&lab, net_count(lab.net, true, true) == 1);
	lab_until(&lab, lab.closed == 400);
	ck_assert_uint_eq(lab.net->budget.used, 0);
	client_close(&good);
	stream_free(&s);
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
	tcase_add_test(t, spoiled_streams_in_any_state_leave_nothing_behind);
	suite_add_tcase(s, t);
	return s;
}
