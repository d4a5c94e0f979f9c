/*
 * Undo records: written as coins are spent, read back to restore them. Pure,
 * any thread. Does not know files; which block a record belongs to is the
 * index's word, and the caller compares the number of coins with the block's
 * inputs.
 */
#include <cairn/chain/undo.h>

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

#define HEAD     12u
#define CAP      4096u
#define COIN_MIN 3u /* height, amount, length of an empty script */

/* The checksum is chained coin by coin, so that the record is whole at any
 * time; the number of the coin goes in too. It finds rot, not malice. */
static uint64_t sum_next(uint64_t sum, uint32_t i, const uint8_t *p, size_t n)
{
	uint64_t key[2] = {sum, i};

	return siphash(key, p, n);
}

void undo_writer_init(struct undo_writer *w)
{
	w->cap = CAP;
	w->p = xmalloc(CAP);
	undo_writer_reset(w);
}

void undo_writer_fini(struct undo_writer *w)
{
	free(w->p);
	w->p = NULL;
	w->n = w->cap = 0;
}

void undo_writer_reset(struct undo_writer *w)
{
	w->coins = 0;
	w->n = HEAD;
	memset(w->p, 0, HEAD);
}

/* The size follows from blocks that peers send: growing may fail. */
static int reserve(struct undo_writer *w, size_t n)
{
	size_t cap = w->cap;
	uint8_t *p;

	while (cap - w->n < n)
		cap *= 2;
	if (cap == w->cap)
		return 0;
	p = realloc(w->p, cap);
	if (!p)
		return E_NOMEM;
	w->p = p;
	w->cap = cap;
	return 0;
}

int undo_writer_add(struct undo_writer *w, const struct coin *c)
{
	size_t n = coin_size(c);
	uint8_t *end;
	int rc = reserve(w, n);

	if (rc)
		return rc;
	end = coin_put(w->p + w->n, c);
	must(end == w->p + w->n + n);
	le64_put(w->p + 4,
		 sum_next(le64_get(w->p + 4), w->coins, w->p + w->n, n));
	w->n += n;
	w->coins++;
	le32_put(w->p, w->coins);
	return 0;
}

static bool whole(const struct undo_reader *r, uint64_t want)
{
	uint8_t scratch[COIN_SCRATCH];
	const uint8_t *p = r->p, *next;
	uint64_t sum = 0;
	struct coin c;
	uint32_t i;

	for (i = 0; i < r->left; i++) {
		next = coin_get(&c, scratch, p, r->end);
		if (!next)
			return false;
		sum = sum_next(sum, i, p, (size_t)(next - p));
		p = next;
	}
	return p == r->end && sum == want;
}

bool undo_reader_init(struct undo_reader *r, struct slice record)
{
	if (record.n < HEAD)
		return false;
	r->p = record.p + HEAD;
	r->end = record.p + record.n;
	r->left = le32_get(record.p);
	if (r->left > (record.n - HEAD) / COIN_MIN)
		return false;
	return whole(r, le64_get(record.p + 4));
}

bool undo_next(struct undo_reader *r, struct coin *c, bool *bad)
{
	const uint8_t *next;

	*bad = false;
	if (r->left == 0)
		return false;
	next = coin_get(c, r->scratch, r->p, r->end);
	if (!next) {
		*bad = true;
		return false;
	}
	r->p = next;
	r->left--;
	return true;
}
