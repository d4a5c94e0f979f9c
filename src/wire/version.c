/*
 * version and the small fixed messages. Any thread. Which versions, services
 * and nonces are acceptable is decided in net.
 */
#include <cairn/wire/version.h>

#include <cairn/base/must.h>

/* Whether another optional field follows; a failed cursor has none. */
static bool more(const struct rd *r)
{
	return rd_left(r) != 0;
}

/* Each optional field may be missing only together with all behind it; one
 * that has begun must be whole. */
static void version_tail(struct version_view *t, struct rd *r)
{
	if (more(r)) {
		t->addr_from = rd_take(r, 26);
		t->nonce = rd_u64(r);
	}
	if (more(r)) {
		t->user_agent = rd_varbytes(r);
		if (t->user_agent.n > USER_AGENT_MAX)
			rd_fail(r);
	}
	if (more(r))
		t->height = (int32_t)rd_u32(r);
	if (more(r))
		t->relay = rd_u8(r) != 0;
}

bool version_view_parse(struct version_view *v, struct slice body)
{
	struct version_view t = {.nonce = 1, .height = -1, .relay = true};
	const uint8_t *ip;
	struct rd r;

	rd_init(&r, body);
	t.version = (int32_t)rd_u32(&r);
	t.services = rd_u64(&r);
	t.time_s = (int64_t)rd_u64(&r);
	if (t.time_s < 0)
		t.time_s = 0;
	t.recv_services = rd_u64(&r);
	ip = rd_take(&r, 16);
	if (ip)
		netaddr_get16(&t.addr_recv, ip);
	t.addr_recv.port = rd_be16(&r);
	version_tail(&t, &r);
	if (!rd_ok(&r))
		return false;
	*v = t;
	return true;
}

size_t version_size(const struct version_msg *m)
{
	size_t n = strlen(m->user_agent);

	return 4 + 8 + 8 + 26 + 26 + 8 + compact_size(n) + n + 4 + 1;
}

uint8_t *version_put(uint8_t *p, const struct version_msg *m)
{
	static const struct netaddr nowhere;
	size_t n = strlen(m->user_agent);

	must(n <= USER_AGENT_MAX);
	p = le32_put(p, (uint32_t)m->version);
	p = le64_put(p, m->services);
	p = le64_put(p, (uint64_t)m->time_s);
	p = netaddr_put26(p, m->recv_services, &m->addr_recv);
	p = netaddr_put26(p, m->services, &nowhere);
	p = le64_put(p, m->nonce);
	p = compact_put(p, n);
	p = bytes_put(p, m->user_agent, n);
	p = le32_put(p, (uint32_t)m->height);
	*p++ = m->relay ? 1 : 0;
	return p;
}

bool nonce_parse(uint64_t *nonce, struct slice body)
{
	if (body.n < NONCE_SIZE)
		return false;
	*nonce = le64_get(body.p);
	return true;
}

bool feefilter_parse(int64_t *fee_sat_per_kvb, struct slice body)
{
	if (body.n < FEEFILTER_SIZE)
		return false;
	*fee_sat_per_kvb = (int64_t)le64_get(body.p);
	return true;
}

bool sendcmpct_parse(uint8_t *announce, uint64_t *version, struct slice body)
{
	if (body.n < SENDCMPCT_SIZE)
		return false;
	*announce = body.p[0];
	*version = le64_get(body.p + 1);
	return true;
}

bool sendtxrcncl_parse(uint32_t *version, uint64_t *salt, struct slice body)
{
	if (body.n < SENDTXRCNCL_SIZE)
		return false;
	*version = le32_get(body.p);
	*salt = le64_get(body.p + 4);
	return true;
}

uint8_t *nonce_put(uint8_t *p, uint64_t nonce)
{
	return le64_put(p, nonce);
}

uint8_t *feefilter_put(uint8_t *p, int64_t fee_sat_per_kvb)
{
	return le64_put(p, (uint64_t)fee_sat_per_kvb);
}

uint8_t *sendcmpct_put(uint8_t *p, uint8_t announce, uint64_t version)
{
	*p = announce;
	return le64_put(p + 1, version);
}

uint8_t *sendtxrcncl_put(uint8_t *p, uint32_t version, uint64_t salt)
{
	p = le32_put(p, version);
	return le64_put(p, salt);
}
