/* A node whose scripts can be held back: see the header. */
#include "aheadbed.h"

#include "suites.h"

#include <time.h>

const struct line_block bed_plain = {.spends = 12};

void bed_init(struct bed *t, unsigned workers)
{
	memset(t, 0, sizeof *t);
	gate_init(&t->gate);
	pthread_mutex_init(&t->busy, NULL);
	rig_init(&t->r, CHAIN_REGTEST, NULL);
	t->r.cfg.workers = workers;
	t->r.cfg.block_filter_index = true;
	t->r.gate = &t->gate;
	rig_start(&t->r);
	line_init(&t->line, &t->r.params);
	line_grow(&t->line, &bed_plain, BASE);
}

void bed_fini(struct bed *t)
{
	rig_fini(&t->r);
	line_fini(&t->line);
	gate_fini(&t->gate);
	pthread_mutex_destroy(&t->busy);
}

void bed_headers(struct bed *t, const struct line *l, int32_t from)
{
	for (int32_t h = from; h <= l->height; h++)
		rig_header(&t->r, line_at(l, h));
}

struct hnode *bed_node(struct bed *t, const struct line *l, int32_t h)
{
	return htree_find(chain_tree(t->r.c), &l->hash[h]);
}

/* Blocks of l from `from` on; their answers come into res by height. */
void bed_send(struct bed *t, const struct line *l, int32_t from)
{
	for (int32_t h = from; h <= l->height; h++)
		rig_send_of(&t->r, bed_node(t, l, h), line_at(l, h),
			    &t->res[h]);
}

static void stand(void *arg)
{
	struct bed *t = arg;

	__atomic_store_n(&t->stands, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&t->busy);
	pthread_mutex_unlock(&t->busy);
}

static size_t queued(struct chain *c)
{
	size_t n = 0;

	pthread_mutex_lock(&c->q.mu);
	for (struct work *w = c->q.lane[LANE_BLOCK].first; w; w = w->next)
		n++;
	pthread_mutex_unlock(&c->q.mu);
	return n;
}

/* The same, all in the chain thread's queue before it looks at the first. */
void bed_send_at_once(struct bed *t, const struct line *l, int32_t from)
{
	uint64_t end = mono_ns() + 60000000000u;
	size_t n = (size_t)(l->height - from + 1);

	__atomic_store_n(&t->stands, false, __ATOMIC_RELEASE);
	pthread_mutex_lock(&t->busy);
	ck_assert(chain_run(t->r.c, (struct task){stand, t}));
	while (!__atomic_load_n(&t->stands, __ATOMIC_ACQUIRE))
		ck_assert_msg(mono_ns() < end, "the chain thread is busy");
	bed_send(t, l, from);
	while (queued(t->r.c) < n)
		ck_assert_msg(mono_ns() < end, "blocks do not come");
	pthread_mutex_unlock(&t->busy);
}

void bed_open_later(void *arg)
{
	struct timespec nap = {0, 100000000};

	nanosleep(&nap, NULL);
	gate_open(arg);
}

void bed_until_tip(struct bed *t, const struct hnode *n)
{
	uint64_t end = mono_ns() + 60000000000u;

	while (chain_tip(t->r.c) != n) {
		rig_poll(&t->r);
		ck_assert_msg(mono_ns() < end, "the tip does not come");
	}
}

void bed_until_data(struct bed *t, const struct line *l)
{
	const struct hnode *n = bed_node(t, l, l->height);
	uint64_t end = mono_ns() + 60000000000u;

	while (!(hnode_status(n) & HN_DATA)) {
		rig_poll(&t->r);
		ck_assert_msg(mono_ns() < end, "the blocks do not come");
	}
}

/* Connect what the line has so far. */
void bed_grow_up(struct bed *t)
{
	int32_t from = chain_tip(t->r.c)->height + 1;

	bed_headers(t, &t->line, from);
	bed_send(t, &t->line, from);
	rig_settle(&t->r);
	ck_assert_int_eq(chain_tip(t->r.c)->height, t->line.height);
}

static void look(void *arg)
{
	struct look *k = arg;

	k->ahead = k->c->ahead;
	k->here = k->c->here;
	k->tip = chain_tip(k->c);
	k->empty = !k->c->ahead.first;
}

/* What a task of the chain thread sees. */
struct look bed_seen(struct bed *t)
{
	struct look k = {.c = t->r.c};

	rig_run(&t->r, look, &k);
	ck_assert(k.empty);
	ck_assert_ptr_eq(k.here, k.tip);
	return k;
}

/* Coins of a node that was given all blocks one by one. */
static struct hash256 coins_of(const struct line *l)
{
	struct hash256 coins;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	r.cfg.workers = 1;
	rig_start(&r);
	for (int32_t h = 1; h <= l->height; h++)
		ck_assert_int_eq(rig_block(&r, line_at(l, h)).outcome,
				 BLOCK_CONNECTED);
	coins = rig_coins(&r, NULL);
	rig_fini(&r);
	return coins;
}

void bed_assert_coins(struct bed *t, const struct line *l)
{
	struct hash256 want = coins_of(l), got = rig_coins(&t->r, NULL);

	ck_assert_mem_eq(got.b, want.b, 32);
}
