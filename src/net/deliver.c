/*
 * What becomes of a complete message: handled here by the table, handed up, or
 * ignored for its state as Bitcoin Core ignores it. Runs on the loop. Parses no
 * payload itself.
 */
#include "inner.h"

#include <cairn/base/log.h>

#include <inttypes.h>

typedef void (*handler_fn)(struct peer *p, struct slice body);

static void on_sendheaders(struct peer *p, struct slice body)
{
	(void)body;
	p->send_headers = true;
}

static void on_sendcmpct(struct peer *p, struct slice body)
{
	uint64_t version;
	uint8_t announce;

	if (!sendcmpct_parse(&announce, &version, body))
		return;
	if (announce > 1)
		peer_misbehaving(p, "invalid sendcmpct announce field");
	if (announce > 1 || version != 2)
		return;
	p->cmpct = true;
	p->cmpct_hb = announce == 1;
}

static void on_feefilter(struct peer *p, struct slice body)
{
	int64_t fee;

	if (feefilter_parse(&fee, body) && fee >= 0 && fee <= 2100000000000000)
		p->fee_filter_sat = fee;
}

/* Transaction reconciliation is not spoken here: as Core without it. alert and
 * reject are spoken by nobody any more. */
static void on_ignored(struct peer *p, struct slice body)
{
	(void)p;
	(void)body;
}

/* What net handles itself; everything else goes up. */
static const handler_fn handlers[MSG_COUNT] = {
    [MSG_UNKNOWN] = on_ignored,
    [MSG_ADDR] = on_addr,
    [MSG_ADDRV2] = on_addrv2,
    [MSG_ALERT] = on_ignored,
    [MSG_FEATURE] = on_feature,
    [MSG_FEEFILTER] = on_feefilter,
    [MSG_GETADDR] = on_getaddr,
    [MSG_PING] = on_ping,
    [MSG_PONG] = on_pong,
    [MSG_REJECT] = on_ignored,
    [MSG_SENDADDRV2] = on_sendaddrv2,
    [MSG_SENDCMPCT] = on_sendcmpct,
    [MSG_SENDHEADERS] = on_sendheaders,
    [MSG_SENDTXRCNCL] = on_ignored,
    [MSG_VERACK] = on_verack,
    [MSG_VERSION] = on_version,
    [MSG_WTXIDRELAY] = on_wtxidrelay,
};

/* Why the state does not admit the message; NULL where it does. */
static const char *refusal(const struct peer *p, enum msg_type t)
{
	if (p->version == 0 && t != MSG_VERSION)
		return "before version";
	if (p->state != PEER_READY && !msg_row(t)->before_verack)
		return "before verack";
	return NULL;
}

static const char *name_of(enum msg_type t)
{
	return t == MSG_UNKNOWN ? "unknown" : msg_row(t)->name;
}

static void hand_up(struct peer *p, const struct rx_msg *m)
{
	struct net_msg up = {.type = m->type,
			     .body = m->body,
			     .buf = m->buf,
			     .frame_sum = m->sum,
			     .sum_checked = m->sum_checked,
			     .time_us = p->recv_us};

	p->net->ops.on_message(p->net->arg, p, &up);
}

void peer_deliver(struct peer *p, const struct rx_msg *m)
{
	const char *why = refusal(p, m->type);

	p->recv_per_msg[m->type] += m->size;
	log_trace(LOG_NET, "peer=%" PRIu64 " received %s n=%zu", p->id,
		  name_of(m->type), m->body.n);
	if (why)
		log_debug(LOG_NET, "peer=%" PRIu64 " ignored %s %s", p->id,
			  name_of(m->type), why);
	else if (handlers[m->type])
		handlers[m->type](p, m->body);
	else
		hand_up(p, m);
}
