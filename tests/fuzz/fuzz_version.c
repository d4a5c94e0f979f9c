/*
 * version: what was understood, written as a message, is understood the same
 * way. (The sender's address is skipped, so the bytes need not be the same.)
 */
#include "fuzz.h"

#include <cairn/wire/version.h>

static void compare(const struct version_view *a, const struct version_view *b)
{
	fuzz_check(a->version == b->version && a->services == b->services);
	fuzz_check(a->time_s == b->time_s && a->nonce == b->nonce);
	fuzz_check(a->recv_services == b->recv_services);
	fuzz_check(a->height == b->height && a->relay == b->relay);
	fuzz_check(slice_eq(a->user_agent, b->user_agent));
	fuzz_check(a->addr_recv.net == b->addr_recv.net &&
		   a->addr_recv.port == b->addr_recv.port);
	fuzz_check(memcmp(a->addr_recv.b, b->addr_recv.b, 32) == 0);
}

static void again(const struct version_view *v)
{
	char agent[USER_AGENT_MAX + 1] = "";
	struct version_msg m = {.version = v->version,
				.services = v->services,
				.time_s = v->time_s,
				.recv_services = v->recv_services,
				.addr_recv = v->addr_recv,
				.nonce = v->nonce,
				.user_agent = agent,
				.height = v->height,
				.relay = v->relay};
	struct version_view w;
	uint8_t *out;

	if (v->user_agent.n)
		memcpy(agent, v->user_agent.p, v->user_agent.n);
	out = fuzz_new(version_size(&m));
	fuzz_check(version_put(out, &m) == out + version_size(&m));
	fuzz_check(version_view_parse(&w, slice_of(out, version_size(&m))));
	compare(v, &w);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct version_view v;
	const struct slice *agent = &v.user_agent;

	if (!version_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(agent->n <= USER_AGENT_MAX && v.time_s >= 0);
	fuzz_touch(*agent);
	if (v.addr_from)
		fuzz_touch(slice_of(v.addr_from, 26));
	/* version_msg takes a C string: only an agent without NULs is one. */
	if (agent->n == 0 || !memchr(agent->p, 0, agent->n))
		again(&v);
	return 0;
}
