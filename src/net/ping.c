/*
 * ping and pong: a probe every two minutes, its round trip, and the end of
 * peers that do not answer. All times are the mockable clock's. Runs on the
 * loop.
 */
#include "inner.h"

#include <cairn/base/endian.h>
#include <cairn/base/log.h>

#include <inttypes.h>

#define INTERVAL_US 120000000  /* between probes */
#define TIMEOUT_US  1200000000 /* 20 minutes */

void ping_init(struct ping_state *s)
{
	*s = (struct ping_state){.last_us = -1, .min_us = -1};
}

static void send_ping(struct peer *p, int64_t now_us)
{
	struct ping_state *s = &p->ping;
	uint64_t nonce;
	uint8_t b[8];

	do
		nonce = rand_u64(&p->net->rand);
	while (nonce == 0);
	s->queued = false;
	s->start_us = now_us;
	/* Before BIP 31 there was no nonce and no answer. */
	s->nonce = p->common > BIP31_VERSION ? nonce : 0;
	le64_put(b, nonce);
	peer_send(p, MSG_PING, slice_of(b, s->nonce ? 8 : 0));
}

bool ping_tick(struct peer *p, int64_t now_us)
{
	struct ping_state *s = &p->ping;
	int64_t patient_s = p->conn_time_s + p->net->cfg.peer_timeout_s;

	if (s->nonce && now_us > s->start_us + TIMEOUT_US &&
	    patient_s < now_us / 1000000) {
		peer_disconnect(p, "ping timeout");
		return false;
	}
	if (s->queued || (!s->nonce && now_us > s->start_us + INTERVAL_US))
		send_ping(p, now_us);
	return true;
}

void on_ping(struct peer *p, struct slice body)
{
	uint64_t nonce;

	if (p->common > BIP31_VERSION && nonce_parse(&nonce, body))
		peer_send(p, MSG_PONG, slice_of(body.p, 8));
}

/* The outstanding ping was answered. */
static void answered(struct peer *p)
{
	struct ping_state *s = &p->ping;
	int64_t us = p->recv_us - s->start_us;

	s->nonce = 0;
	if (us < 0)
		return; /* the clock was set back meanwhile */
	s->last_us = us;
	if (s->min_us < 0 || us < s->min_us)
		s->min_us = us;
}

/* A pong without a nonce, or with none in it, cancels the ping: its sender
 * means well but will not do better. */
void on_pong(struct peer *p, struct slice body)
{
	struct ping_state *s = &p->ping;
	const char *problem = NULL;
	uint64_t nonce = 0, expected = s->nonce;

	if (!nonce_parse(&nonce, body)) {
		problem = "Short payload";
		s->nonce = 0;
	} else if (expected == 0) {
		problem = "Unsolicited pong without ping";
	} else if (nonce == expected) {
		answered(p);
	} else if (nonce == 0) {
		problem = "Nonce zero";
		s->nonce = 0;
	} else {
		problem = "Nonce mismatch";
	}
	if (problem)
		log_debug(LOG_NET,
			  "pong peer=%" PRIu64 ": %s, %" PRIx64
			  " expected, %" PRIx64 " received, %zu bytes",
			  p->id, problem, expected, nonce, body.n);
}
