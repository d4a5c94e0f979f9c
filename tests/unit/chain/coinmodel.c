/* The plain model: maps copied whole, nothing clever that could share a mistake
 * with what is tested. */
#include "coinmodel.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Some outpoints share a txid, some only its first bytes. */
void model_outpoint(uint8_t op[36], int k)
{
	struct rand r;
	int i;

	rand_seed(&r, (uint64_t)(k / 8));
	for (i = 0; i < 32; i += 8)
		le64_put(op + i, rand_u64(&r));
	if (k % 16 >= 8) {
		rand_seed(&r, (uint64_t)(k / 8 - 1));
		le32_put(op, (uint32_t)rand_u64(&r));
	}
	le32_put(op + 32, (uint32_t)(k % 8) * 0x01010101u);
}

struct coin model_coin(uint32_t seed, uint8_t *script)
{
	struct coin c = {.value = (int64_t)seed * 37,
			 .height = (int32_t)(seed % 500000),
			 .coinbase = seed & 1};
	size_t n = seed % 11 == 0 ? seed % MODEL_SCRIPT : 25;
	size_t i;

	for (i = 0; i < n; i++)
		script[i] = (uint8_t)(seed + i);
	if (n == 25) {
		memcpy(script, "\x76\xa9\x14", 3);
		memcpy(script + 23, "\x88\xac", 2);
	}
	c.script = slice_of(script, n);
	return c;
}

void model_same(const struct coin *c, uint32_t seed)
{
	uint8_t script[MODEL_SCRIPT];
	struct coin want = model_coin(seed, script);

	ck_assert_int_eq(c->value, want.value);
	ck_assert_int_eq(c->height, want.height);
	ck_assert_int_eq(c->coinbase, want.coinbase);
	ck_assert(slice_eq(c->script, want.script));
}

struct coin_marker model_marker(const struct model *m, int block)
{
	struct coin_marker at = {.height = m->blocks[block].height};

	le32_put(at.hash.b, (uint32_t)block);
	return at;
}

int model_block_of(const struct coin_marker *at)
{
	return (int)le32_get(at->hash.b);
}

/* A child of parent: coins made, spent, made and spent at once, overwritten. */
static int add_block(struct model *m, struct rand *r, int parent)
{
	struct model_block *b, *p;
	int i;

	ck_assert_int_lt(m->n, m->cap);
	b = &m->blocks[m->n];
	p = &m->blocks[parent];
	b->parent = parent;
	b->height = p->height + 1;
	memcpy(b->map, p->map, sizeof b->map);
	b->n_ops = 1 + (int)rand_below(r, MODEL_OPS);
	for (i = 0; i < b->n_ops; i++) {
		struct model_op *o = &b->ops[i];

		o->k = (int)rand_below(r, MODEL_OUTPOINTS);
		/* Now and then the coin that was just made. */
		if (i && rand_below(r, 4) == 0)
			o->k = b->ops[i - 1].k;
		o->before = b->map[o->k];
		o->after = 0;
		if (!o->before || rand_below(r, 20) == 0)
			o->after = 1 + (uint32_t)rand_below(r, 1000000000);
		b->map[o->k] = o->after;
	}
	return m->n++;
}

void model_init(struct model *m, uint64_t seed, int steps)
{
	struct rand r;
	int at = 0, i, back = 0;

	rand_seed(&r, seed);
	m->cap = steps + 1;
	m->blocks = xcalloc((size_t)m->cap, sizeof *m->blocks);
	m->walk = xcalloc((size_t)steps, sizeof *m->walk);
	m->blocks[0].parent = -1;
	m->blocks[0].height = -1;
	m->n = 1;
	m->n_walk = steps;
	for (i = 0; i < steps; i++) {
		/* A reorganisation goes some blocks back, then forward. */
		if (back == 0 && rand_below(&r, 12) == 0)
			back = 1 + (int)rand_below(&r, 6);
		if (back && m->blocks[at].parent >= 0) {
			back--;
			at = m->blocks[at].parent;
		} else {
			back = 0;
			at = add_block(m, &r, at);
		}
		m->walk[i] = at;
	}
}

void model_fini(struct model *m)
{
	free(m->blocks);
	free(m->walk);
}

static void spend(struct coinview *v, const uint8_t *op, uint32_t was)
{
	struct coin c;

	ck_assert_int_eq(coinview_spend(v, &c, op), 0);
	model_same(&c, was);
}

static void connect(struct coinview *v, const struct model_op *o)
{
	uint8_t op[36], script[MODEL_SCRIPT];
	struct coin c;

	model_outpoint(op, o->k);
	coinview_touch(v, op);
	if (o->after) {
		c = model_coin(o->after, script);
		ck_assert_int_eq(coinview_add(v, op, &c, !o->before), 0);
	} else {
		spend(v, op, o->before);
	}
}

static void disconnect(struct coinview *v, const struct model_op *o)
{
	uint8_t op[36], script[MODEL_SCRIPT];
	struct coin c;

	model_outpoint(op, o->k);
	if (o->after)
		spend(v, op, o->after);
	if (o->before) {
		c = model_coin(o->before, script);
		ck_assert_int_eq(coinview_add(v, op, &c, false), 0);
	}
}

void model_move(const struct model *m, struct coinview *v, int from, int to)
{
	const struct model_block *b;
	int i;

	if (m->blocks[to].parent == from) {
		b = &m->blocks[to];
		for (i = 0; i < b->n_ops; i++)
			connect(v, &b->ops[i]);
		return;
	}
	b = &m->blocks[from];
	ck_assert_int_eq(b->parent, to);
	for (i = b->n_ops; i-- > 0;)
		disconnect(v, &b->ops[i]);
}

static void force(struct coinview *v, int k, uint32_t seed)
{
	uint8_t op[36], script[MODEL_SCRIPT];
	struct coin c;

	model_outpoint(op, k);
	if (seed)
		c = model_coin(seed, script);
	ck_assert_int_eq(coinview_force(v, op, seed ? &c : NULL), 0);
}

static void boundary(const struct model *m, struct coinview *v, int block)
{
	struct coin_marker at = model_marker(m, block);

	ck_assert_int_eq(coinview_boundary(v, &at), 0);
}

void model_replay(const struct model *m, struct coinview *v, int from, int to)
{
	int path[4096];
	int n = 0, a = from, b = to, i;

	while (a != b) {
		if (m->blocks[a].height >= m->blocks[b].height) {
			const struct model_block *x = &m->blocks[a];

			for (i = x->n_ops; i-- > 0;)
				force(v, x->ops[i].k, x->ops[i].before);
			a = x->parent;
			boundary(m, v, a);
		} else {
			ck_assert_int_lt(n, 4096);
			path[n++] = b;
			b = m->blocks[b].parent;
		}
	}
	while (n-- > 0) {
		const struct model_block *x = &m->blocks[path[n]];

		for (i = 0; i < x->n_ops; i++)
			force(v, x->ops[i].k, x->ops[i].after);
		boundary(m, v, path[n]);
	}
	if (from == to)
		boundary(m, v, to);
}

void model_check(const struct model *m, struct coinview *v, int block)
{
	uint8_t op[36];
	struct coin c;
	int k;

	for (k = 0; k < MODEL_OUTPOINTS; k++) {
		uint32_t want = m->blocks[block].map[k];

		model_outpoint(op, k);
		ck_assert_int_eq(coinview_get(v, &c, op),
				 want ? 0 : E_NOTFOUND);
		if (want)
			model_same(&c, want);
	}
}

static int outpoint_index(const uint8_t *op)
{
	uint8_t want[36];
	int k;

	for (k = 0; k < MODEL_OUTPOINTS; k++) {
		model_outpoint(want, k);
		if (memcmp(op, want, 36) == 0)
			return k;
	}
	return -1;
}

void model_check_disk(const struct model *m, struct coinview *v, int block)
{
	bool seen[MODEL_OUTPOINTS] = {false};
	struct coin_snapshot *s;
	uint8_t op[36];
	struct coin c;
	int rc, k;

	ck_assert_int_eq(coin_snapshot_open(&s, v), 0);
	while ((rc = coin_snapshot_next(s, op, &c)) == 1) {
		k = outpoint_index(op);
		ck_assert_int_ge(k, 0);
		ck_assert(!seen[k]);
		seen[k] = true;
		ck_assert_uint_ne(m->blocks[block].map[k], 0);
		model_same(&c, m->blocks[block].map[k]);
	}
	ck_assert_int_eq(rc, 0);
	coin_snapshot_close(s);
	for (k = 0; k < MODEL_OUTPOINTS; k++)
		ck_assert_int_eq(seen[k], m->blocks[block].map[k] != 0);
}
