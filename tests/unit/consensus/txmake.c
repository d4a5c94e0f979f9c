/* The transaction writer for tests. */
#include "txmake.h"

#include <cairn/base/mem.h>

#include <check.h>
#include <stdlib.h>

void txmake_init(struct txmake *t)
{
	t->bytes = xmalloc(TXMAKE_MAX);
	t->n = 0;
}

void txmake_fini(struct txmake *t)
{
	free(t->bytes);
}

static uint8_t *room(struct txmake *t, size_t n)
{
	uint8_t *p = t->bytes + t->n;

	ck_assert_uint_le(t->n + n, TXMAKE_MAX);
	t->n += n;
	return p;
}

static void put_count(struct txmake *t, uint64_t n)
{
	compact_put(room(t, compact_size(n)), n);
}

static void put_bytes(struct txmake *t, struct slice s)
{
	put_count(t, s.n);
	bytes_put(room(t, s.n), s.p, s.n);
}

void txmake_begin(struct txmake *t, int32_t version, uint32_t n_in)
{
	t->n = 0;
	le32_put(room(t, 4), (uint32_t)version);
	put_count(t, n_in);
}

void txmake_in(struct txmake *t, uint32_t id, uint32_t index,
	       struct slice script, uint32_t sequence)
{
	uint8_t *op = room(t, OUTPOINT_SIZE);

	memset(op, 0, OUTPOINT_SIZE);
	le32_put(op, id);
	le32_put(op + 32, index);
	put_bytes(t, script);
	le32_put(room(t, 4), sequence);
}

void txmake_outs(struct txmake *t, uint32_t n_out)
{
	put_count(t, n_out);
}

void txmake_out(struct txmake *t, int64_t value, struct slice script)
{
	le64_put(room(t, 8), (uint64_t)value);
	put_bytes(t, script);
}

void txmake_end(struct txmake *t, struct tx_view *v, uint32_t lock_time)
{
	struct rd r;

	le32_put(room(t, 4), lock_time);
	rd_init(&r, slice_of(t->bytes, t->n));
	ck_assert(tx_view_parse(v, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
}
