/*
 * Which inbound peer gives way when all slots are taken. Runs on the loop.
 *
 * Protected is what an attacker cannot have cheaply: the 8 nearest by their
 * best ping, the 4 that brought a block last, and of the rest the half that has
 * been here longest. Of the others the youngest of the largest network group
 * goes, discouraged hosts first. So a flood from one place displaces only
 * itself.
 */
#include "inner.h"

#include "netaddr.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

#define KEEP_NEAR  8u
#define KEEP_BLOCK 4u

struct cand {
	struct peer *p;
	uint64_t group;
	bool bad;
};

static int cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Never measured is farthest. */
static int64_t distance(const struct cand *c)
{
	return c->p->ping.min_us < 0 ? INT64_MAX : c->p->ping.min_us;
}

static int by_ping(const void *x, const void *y)
{
	return cmp_i64(distance(x), distance(y));
}

static int by_block(const void *x, const void *y)
{
	const struct cand *a = x, *b = y;

	return cmp_i64(b->p->last_block_s, a->p->last_block_s);
}

static int by_age(const void *x, const void *y)
{
	const struct cand *a = x, *b = y;

	return cmp_i64((int64_t)a->p->id, (int64_t)b->p->id);
}

typedef int (*cmp_fn)(const void *, const void *);

/* Take the first keep by cmp off the list of n candidates. */
static size_t protect(struct cand *c, size_t n, size_t keep, cmp_fn cmp)
{
	if (keep > n)
		keep = n;
	if (n)
		qsort(c, n, sizeof *c, cmp);
	memmove(c, c + keep, (n - keep) * sizeof *c);
	return n - keep;
}

static size_t collect(struct net *n, struct cand *c)
{
	size_t i, count = 0;

	for (i = 0; i < n->peers.n; i++) {
		struct peer *p = n->peers.p[i];

		if (p->conn != CONN_INBOUND || !peer_is_open(p) ||
		    (p->perms & PERM_NOBAN))
			continue;
		c[count].p = p;
		c[count].group = netaddr_group(&p->addr);
		c[count].bad = discouraged_has(&n->discouraged, &p->addr);
		count++;
	}
	return count;
}

/* Only those that brought a block are protected for it. */
static size_t with_blocks(const struct cand *c, size_t n)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += c[i].p->last_block_s > 0;
	return count < KEEP_BLOCK ? count : KEEP_BLOCK;
}

static size_t keep_bad(struct cand *c, size_t n)
{
	size_t i, bad = 0;

	for (i = 0; i < n; i++) {
		if (c[i].bad)
			c[bad++] = c[i];
	}
	return bad ? bad : n;
}

static size_t group_size(const struct cand *c, size_t n, uint64_t group)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += c[i].group == group;
	return count;
}

/* The youngest of the largest group; of equal groups the one with the youngest.
 */
static struct peer *worst(const struct cand *c, size_t n)
{
	const struct cand *w = NULL;
	size_t size, w_size = 0, i;

	for (i = 0; i < n; i++) {
		size = group_size(c, n, c[i].group);
		if (!w || size > w_size ||
		    (size == w_size && c[i].p->id > w->p->id)) {
			w = &c[i];
			w_size = size;
		}
	}
	return w ? w->p : NULL;
}

struct peer *evict_choose(struct net *n)
{
	struct cand *c = xmalloc((n->peers.n + 1) * sizeof *c);
	size_t count = collect(n, c);
	struct peer *out;

	count = protect(c, count, KEEP_NEAR, by_ping);
	count = protect(c, count, with_blocks(c, count), by_block);
	count = protect(c, count, count / 2, by_age);
	count = keep_bad(c, count);
	out = worst(c, count);
	free(c);
	return out;
}
