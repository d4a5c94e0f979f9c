/*
 * A network on a loop of its own, and raw TCP clients against it, all in one
 * thread: lab_step lets the loop turn until something happens.
 */
#ifndef CAIRN_TESTS_UNIT_NET_LAB_H
#define CAIRN_TESTS_UNIT_NET_LAB_H

#include "../../../src/net/inner.h"
#include "stream.h"
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/params/params.h>

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#define LAB_START 1700000000 /* the mock time at which a lab begins */

struct lab;
typedef void (*lab_msg_fn)(struct lab *l, struct peer *p,
			   const struct net_msg *m);

struct lab_seen {
	enum msg_type type;
	size_t n;
	uint64_t peer;
	bool in_buf;
};

struct lab {
	uv_loop_t loop;
	struct clock clock;
	struct net_cfg cfg;
	struct net *net;
	uint16_t port;
	bool stopped;
	/* What came up. */
	unsigned ready, closed, drained, ticks;
	struct peer *last_ready;
	struct lab_seen seen[4096];
	size_t n_seen;
	lab_msg_fn on_msg; /* may be NULL */
	void (*on_ready)(struct lab *l, struct peer *p);
	void (*on_drained)(struct lab *l, struct peer *p);
	void *arg;
	int32_t height;
	uint64_t services;
};

/* Sensible settings into l->cfg; change them before lab_start. */
void lab_init(struct lab *l);
/* Create the network and listen on an ephemeral loopback port. */
void lab_start(struct lab *l);
/* Stop, close everything, check that nothing is left. */
void lab_fini(struct lab *l);
/* Let the loop turn once; waits at most ms for something to happen. */
void lab_step(struct lab *l, int ms);
/* Turn until cond holds; fails the test after ten seconds. */
#define lab_until(l, cond)                                                     \
	do {                                                                   \
		uint64_t end_ = lab_ms() + 10000;                              \
		while (!(cond)) {                                              \
			ck_assert_msg(lab_ms() < end_, "never: %s", #cond);    \
			lab_step(l, 10);                                       \
		}                                                              \
	} while (0)
/* Turn for as long as anything is going on, and a little longer. */
void lab_settle(struct lab *l);
/* Move the mock time and tick, as setmocktime does. */
void lab_forward(struct lab *l, int64_t s);
uint64_t lab_ms(void);
/* The i-th of the connected peers, by age. */
struct peer *lab_peer(struct lab *l, size_t i);
/* How many messages of a type came up. */
size_t lab_count(const struct lab *l, enum msg_type t);

/* A client: a socket, and what it received. */
struct client {
	struct lab *l;
	int fd;
	bool eof;
	uint8_t *in;
	size_t n, cap;
	size_t at; /* bytes of in already looked at */
};

struct client_msg {
	char name[13];
	struct slice body; /* in the client's memory, until the next receive */
};

void client_open(struct client *c, struct lab *l);
/* Begin to connect to a port of this process, without waiting. */
void client_dial(struct client *c, struct lab *l, uint16_t port);
/* Take over a connected socket (the accepting side of a dial). */
void client_adopt(struct client *c, struct lab *l, int fd);
void client_close(struct client *c);
/* Write everything, turning the loop while the socket is full. */
void client_send(struct client *c, struct slice s);
void client_msg(struct client *c, enum msg_type t, struct slice body);
/* Take in what has come; true when a next message is there, into m. */
bool client_next(struct client *c, struct client_msg *m);
/* Turn until the named message came, skipping others; fails after 10 s. */
struct client_msg client_await(struct client *c, enum msg_type t);
/* Turn until the connection ended. */
void client_await_eof(struct client *c);
/* A version message as a well-behaved inbound peer sends it. */
size_t client_version_put(uint8_t *b, int32_t version, uint64_t services,
			  uint64_t nonce);
void client_version(struct client *c);
/* version, verack, and the node's answers. */
void client_handshake(struct client *c);
/* A ping with this nonce, and its pong: all before it has been handled. */
void client_sync(struct client *c, uint64_t nonce);

/* A port of this process as text, "127.x.y.1:port"; valid until the next call.
 */
const char *lab_where(uint16_t port);
/* A socket that listens there, for dials; *port receives its port. */
int lab_listen(uint16_t *port);
/* Turn until fd has a connection, and accept it. */
int lab_accept(struct lab *l, int fd);

#endif
