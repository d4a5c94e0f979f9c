/* The plain chain of headers for tests, and asserts about verdicts. */
#include "model.h"

static const void *read_prev(const void *node)
{
	const struct mnode *m = node;

	return m->prev;
}

static const void *read_ancestor(const void *node, int32_t height)
{
	const struct mnode *m = node;

	while (m && m->height > height)
		m = m->prev;
	return m;
}

static int32_t read_height(const void *node)
{
	const struct mnode *m = node;

	return m->height;
}

static uint32_t read_time(const void *node)
{
	const struct mnode *m = node;

	return m->time;
}

static uint32_t read_bits(const void *node)
{
	const struct mnode *m = node;

	return m->bits;
}

static int32_t read_version(const void *node)
{
	const struct mnode *m = node;

	return m->version;
}

const struct chain_reader model_reader = {
    .prev = read_prev,
    .ancestor = read_ancestor,
    .height = read_height,
    .time = read_time,
    .bits = read_bits,
    .version = read_version,
};

void model_chain(struct mnode *m, size_t n, int32_t first, uint32_t time,
		 uint32_t spacing, uint32_t bits)
{
	size_t i;

	for (i = 0; i < n; i++) {
		m[i].prev = i ? &m[i - 1] : NULL;
		m[i].height = first + (int32_t)i;
		m[i].time = time + (uint32_t)i * spacing;
		m[i].bits = bits;
		m[i].version = 0x20000000;
	}
}

void assert_refused(const struct verdict *v, enum invalid_reason reason,
		    const char *reject, const char *what)
{
	ck_assert_msg(v->kind == V_INVALID, "%s: not refused", what);
	ck_assert_msg(strcmp(v->reject, reject) == 0, "%s: %s is not %s", what,
		      v->reject, reject);
	ck_assert_msg(v->reason == reason, "%s: reason %d is not %d", what,
		      (int)v->reason, (int)reason);
}

void assert_valid(const struct verdict *v, const char *what)
{
	ck_assert_msg(v->kind == V_VALID, "%s: refused with %s", what,
		      v->reject);
}
