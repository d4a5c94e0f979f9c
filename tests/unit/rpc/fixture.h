/*
 * A server in its own thread, as the node runs it, with commands that tests
 * need, and raw clients that send exactly the bytes they are told.
 */
#ifndef CAIRN_TEST_RPC_FIXTURE_H
#define CAIRN_TEST_RPC_FIXTURE_H

#include "suites.h"

#include <semaphore.h>

struct server {
	struct rpc_cfg cfg;
	struct rpc *r;
	uv_loop_t loop;
	uv_async_t wake;
	struct queue posts, chain;
	pthread_t loop_thread, chain_thread;
	sem_t ready;
	struct text err;
	int rc;
	const char *stage; /* of warm-up, or NULL */
	char *dir, *sock, *cookie;
	uint16_t port;
	bool stop;
	/* Atomic: what the commands saw. */
	int calls, freed, nexts;
	sem_t slow_entered, slow_go; /* the slow command's two doors */
	struct rpc_call *kept;       /* what the keep command holds */
};

/* A server with 4 threads on a unix socket and 127.0.0.1; user "u", password
 * "p". tweak may change the configuration. */
struct server *server_start(void (*tweak)(struct server *s));
void server_stop(struct server *s);
/* Begin to stop; server_stop is still to be called. */
void server_begin_stop(struct server *s);
/* The same as server_start, but for one that did not start. */
struct server *server_try(void (*tweak)(struct server *s));

/* Run a task on the server's loop, with the server as its argument. */
void server_post(struct server *s, task_fn fn);

int dial(const struct server *s);
int dial_unix(const struct server *s);
void hang_up(int fd);
void send_bytes(int fd, const char *p, size_t n);
void send_str(int fd, const char *s);
/* A POST with the right password. Formats into t. */
void put_post(struct text *t, const char *body);
void send_post(int fd, const char *body);

struct answer {
	int status;
	struct text head, body;
};

/* Read one whole answer; fails the test after 10 s. False: end of file. */
bool recv_answer(int fd, struct answer *a);
void answer_fini(struct answer *a);
/* Send body, want this status and this body (without its LF). */
void check_post(int fd, const char *body, int status, const char *want);
/* Want an answer with this status and this body. */
void check_answer(int fd, int status, const char *want);
/* The peer closes without a byte, within 10 s. */
void check_eof(int fd);
/* A counter that the loop's thread may move. */
int count_of(const int *v);
/* Wait until *v is n, at most 10 s. */
void wait_for(const int *v, int n);

#define AUTH_RIGHT "Authorization: Basic dTpw\r\n"

#endif
