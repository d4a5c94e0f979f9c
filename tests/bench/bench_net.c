/*
 * Rows for the receive side: a thread writes framed messages into a loopback
 * connection, the loop reads, frames and hands them up. The figures are what
 * one core does on the reading side while another writes.
 */
#include "bench.h"

#include "../../src/net/inner.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/base/thread.h>
#include <cairn/params/params.h>

#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK_BYTES 1500000u
#define PINGS       1000u /* in one piece, before the pongs are read */

struct rig {
	uv_loop_t loop;
	struct clock clock;
	struct net *net;
	int fd;
	bool ready, stopped;
	uint64_t seen;  /* messages that came up */
	uint8_t *piece; /* what the writer writes, again and again */
	size_t piece_n;
	uint64_t pieces;
	size_t answer_n; /* bytes that answer one piece */
	bool written;    /* atomic */
};

static void on_ready(void *arg, struct peer *p)
{
	(void)p;
	((struct rig *)arg)->ready = true;
}

static void on_message(void *arg, struct peer *p, const struct net_msg *m)
{
	(void)p;
	((struct rig *)arg)->seen += m->body.n == BLOCK_BYTES;
}

static void on_peer(void *arg, struct peer *p)
{
	(void)arg;
	(void)p;
}

static void on_tick(void *arg, int64_t now_s)
{
	(void)arg;
	(void)now_s;
}

static int32_t no_height(void *arg)
{
	(void)arg;
	return 0;
}

static uint64_t no_services(void *arg)
{
	(void)arg;
	return NODE_NETWORK;
}

static const struct net_ops ops = {on_ready, on_message, on_peer,    on_tick,
				   on_peer,  no_height,  no_services};

static bool make_net(struct rig *g)
{
	struct net_cfg cfg = {
	    .params = params_get(CHAIN_REGTEST),
	    .clock = &g->clock,
	    .user_agent = "/bench:1/",
	    .max_connections = 20,
	    .peer_timeout_s = 60,
	    .only_connect = true,
	    .max_recv_buffer = 5000000,
	    .max_send_buffer = 1000000,
	    .global_recv_budget = 64u << 20,
	};
	struct text err = TEXT_INIT;
	int rc;

	g->net = net_new(&g->loop, &cfg, &ops, g);
	rc = net_bind(g->net, "127.0.0.1", &err);
	text_fini(&err);
	net_start(g->net);
	return rc == 0;
}

static void write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t did = send(fd, p, n, MSG_NOSIGNAL);

		if (did <= 0)
			return;
		p += did;
		n -= (size_t)did;
	}
}

static void read_bytes(int fd, size_t n)
{
	uint8_t b[65536];

	while (n) {
		ssize_t did = recv(fd, b, n < sizeof b ? n : sizeof b, 0);

		if (did <= 0)
			return;
		n -= (size_t)did;
	}
}

static size_t put_msg(uint8_t *p, enum msg_type t, struct slice body)
{
	const uint8_t *magic = params_get(CHAIN_REGTEST)->magic;

	frame_put(p, magic, t, (uint32_t)body.n, frame_checksum(body));
	bytes_put(p + FRAME_HEADER, body.p, body.n);
	return FRAME_HEADER + body.n;
}

static bool connect_to(struct rig *g)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons(net_listen_port(g->net, 0)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct version_msg m = {
	    .version = PROTOCOL_VERSION, .nonce = 1, .user_agent = "/writer/"};
	uint8_t body[200], b[300];
	size_t n;

	g->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (g->fd < 0 || connect(g->fd, (struct sockaddr *)&in, sizeof in) != 0)
		return false;
	version_put(body, &m);
	n = put_msg(b, MSG_VERSION, slice_of(body, version_size(&m)));
	n += put_msg(b + n, MSG_VERACK, slice_of(NULL, 0));
	write_all(g->fd, b, n);
	while (!g->ready)
		uv_run(&g->loop, UV_RUN_ONCE);
	/* Our version, wtxidrelay, sendaddrv2, verack, then the first ping. */
	m.user_agent = "/bench:1/";
	uv_run(&g->loop, UV_RUN_NOWAIT);
	read_bytes(g->fd, 5 * FRAME_HEADER + version_size(&m) + 8);
	return true;
}

static bool start(struct bench *b)
{
	struct rig *g = xcalloc(1, sizeof *g);

	b->data = g;
	uv_loop_init(&g->loop);
	if (make_net(g) && connect_to(g))
		return true;
	b->why = "no loopback connection";
	return false;
}

static bool blocks_setup(struct bench *b)
{
	uint8_t *body = xmalloc(BLOCK_BYTES);
	struct rig *g;

	b->bytes = BLOCK_BYTES;
	if (!start(b))
		return false;
	g = b->data;
	bench_fill(body, BLOCK_BYTES, 1);
	g->piece = xmalloc(FRAME_HEADER + BLOCK_BYTES);
	g->piece_n = put_msg(g->piece, MSG_BLOCK, slice_of(body, BLOCK_BYTES));
	free(body);
	return true;
}

static bool pings_setup(struct bench *b)
{
	struct rig *g;

	b->bytes = PINGS * (FRAME_HEADER + 8);
	if (!start(b))
		return false;
	g = b->data;
	g->piece = xmalloc(b->bytes);
	for (unsigned i = 0; i < PINGS; i++) {
		uint8_t nonce[8];

		le64_put(nonce, i);
		g->piece_n += put_msg(g->piece + g->piece_n, MSG_PING,
				      slice_of(nonce, 8));
	}
	g->answer_n = b->bytes;
	return true;
}

static void writer(void *arg)
{
	struct rig *g = arg;

	for (uint64_t i = 0; i < g->pieces; i++) {
		write_all(g->fd, g->piece, g->piece_n);
		read_bytes(g->fd, g->answer_n);
	}
	__atomic_store_n(&g->written, true, __ATOMIC_RELEASE);
}

/* Let the loop take what a thread writes. */
static uint64_t run(struct bench *b, uint64_t n)
{
	struct rig *g = b->data;
	uint64_t want = g->seen + (g->answer_n ? 0 : n);
	pthread_t t;

	g->pieces = n;
	g->written = false;
	thread_start(&t, "writer", writer, g);
	while (g->seen < want ||
	       (g->answer_n && !__atomic_load_n(&g->written, __ATOMIC_ACQUIRE)))
		uv_run(&g->loop, g->answer_n ? UV_RUN_NOWAIT : UV_RUN_ONCE);
	pthread_join(t, NULL);
	return g->seen;
}

static void on_stopped(void *arg)
{
	((struct rig *)arg)->stopped = true;
}

static void fini(struct bench *b)
{
	struct rig *g = b->data;

	net_stop(g->net, on_stopped);
	while (!g->stopped)
		uv_run(&g->loop, UV_RUN_ONCE);
	net_free(g->net);
	uv_run(&g->loop, UV_RUN_DEFAULT);
	uv_loop_close(&g->loop);
	close(g->fd);
	free(g->piece);
	free(g);
}

/* The machine alone: the same block, in pieces as a socket gives them. */
struct machine {
	struct rx rx;
	struct rx_budget budget;
	uint8_t *piece;
	size_t n;
};

static bool machine_setup(struct bench *b)
{
	struct machine *m = xcalloc(1, sizeof *m);
	uint8_t *body = xmalloc(b->row->arg);

	bench_fill(body, b->row->arg, 1);
	m->piece = xmalloc(FRAME_HEADER + b->row->arg);
	m->n = put_msg(m->piece, b->row->arg > 100 ? MSG_BLOCK : MSG_PING,
		       slice_of(body, b->row->arg));
	m->budget.max = 64u << 20;
	rx_init(&m->rx, params_get(CHAIN_REGTEST)->magic, &m->budget);
	free(body);
	b->bytes = b->row->arg;
	b->data = m;
	return true;
}

static uint64_t machine_run(struct bench *b, uint64_t n)
{
	struct machine *m = b->data;
	uint64_t seen = 0;
	struct rx_msg msg;

	for (uint64_t i = 0; i < n; i++) {
		for (size_t at = 0; at < m->n; at += SCRATCH) {
			size_t left = m->n - at;
			struct slice in = slice_of(
			    m->piece + at, left < SCRATCH ? left : SCRATCH);

			if (rx_next(&m->rx, &msg, &in, false) != RX_MSG)
				continue;
			seen += msg.body.n;
			rx_done(&m->rx);
		}
	}
	return seen;
}

static void machine_fini(struct bench *b)
{
	struct machine *m = b->data;

	rx_fini(&m->rx);
	free(m->piece);
	free(m);
}

static const struct bench_row rows[] = {
    {.name = "RxBlocks", .setup = blocks_setup, .run = run, .fini = fini},
    {.name = "RxPings",
     .setup = pings_setup,
     .run = run,
     .fini = fini,
     .per = PINGS,
     .unit = "ping"},
    {.name = "RxMachineBlock",
     .setup = machine_setup,
     .run = machine_run,
     .fini = machine_fini,
     .arg = BLOCK_BYTES},
    {.name = "RxMachinePing",
     .setup = machine_setup,
     .run = machine_run,
     .fini = machine_fini,
     .arg = 8},
};

BENCH_ROWS(rows);
