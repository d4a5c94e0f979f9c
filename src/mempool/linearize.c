/*
 * An order for the transactions of one cluster: the best one, or where that
 * takes too long a good one. For this a first order takes, again and
 * again, the transaction that pays best together with the ancestors that it
 * still needs. Two passes over it, from the back and from the front, then move
 * or merge groups until neighbours that do not depend on each other stand by
 * rate. Sets are masks of 64 bits; the work is bounded by LIN_MAX. Pure.
 */
#include "linearize.h"

__extension__ typedef __int128 wide;

struct group {
	uint64_t txs, deps; /* deps: what it must stand behind (or before) */
	int64_t fee, size;
	uint8_t first, last; /* of its list */
};

struct work {
	const struct lin_tx *tx;
	uint32_t n;                           /* that are ordered */
	uint64_t anc[LIN_MAX], desc[LIN_MAX]; /* with itself */
	int64_t fee[LIN_MAX], size[LIN_MAX];  /* of what is needed for it */
	struct group g[LIN_MAX];
	uint32_t n_g;
	uint8_t next[LIN_MAX]; /* in a group's list */
};

int lin_rate_cmp(int64_t fee_a, int64_t size_a, int64_t fee_b, int64_t size_b)
{
	wide a = (wide)fee_a * size_b, b = (wide)fee_b * size_a;

	return a < b ? -1 : a > b;
}

/* Of set: whoever needs k needs what k needs. */
static void close_sets(struct work *w, uint64_t set)
{
	for (uint64_t s = set; s; s &= s - 1) {
		uint32_t i = lin_first(s);

		w->anc[i] = (w->tx[i].parents & set) | lin_bit(i);
		w->desc[i] = 0;
	}
	for (uint64_t s = set; s; s &= s - 1) {
		uint32_t k = lin_first(s);

		for (uint64_t r = set; r; r &= r - 1) {
			if (w->anc[lin_first(r)] & lin_bit(k))
				w->anc[lin_first(r)] |= w->anc[k];
		}
	}
	for (uint64_t r = set; r; r &= r - 1) {
		for (uint64_t s = w->anc[lin_first(r)]; s; s &= s - 1)
			w->desc[lin_first(s)] |= r & -r;
	}
}

static void sum_needs(struct work *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		w->fee[i] = w->size[i] = 0;
		for (uint64_t s = w->anc[i]; s; s &= s - 1) {
			w->fee[i] += w->tx[lin_first(s)].fee;
			w->size[i] += w->tx[lin_first(s)].size;
		}
	}
}

/* Which of left pays best with all that it needs; of equals the smaller set. */
static uint32_t best_of(const struct work *w, uint64_t left)
{
	uint32_t best = lin_first(left);

	for (left &= left - 1; left; left &= left - 1) {
		uint32_t i = lin_first(left);
		int cmp = lin_rate_cmp(w->fee[i], w->size[i], w->fee[best],
				       w->size[best]);

		if (cmp > 0 || (cmp == 0 && w->size[i] < w->size[best]))
			best = i;
	}
	return best;
}

/* Append set, each after what it needs of it. */
static uint32_t append(uint8_t *order, uint32_t n, const struct work *w,
		       uint64_t set)
{
	while (set) {
		for (uint64_t s = set; s; s &= s - 1) {
			uint32_t i = lin_first(s);

			if ((w->anc[i] & set) != lin_bit(i))
				continue;
			order[n++] = (uint8_t)i;
			set &= ~lin_bit(i);
		}
	}
	return n;
}

/* What is in set is needed no longer. */
static void take_off(struct work *w, uint64_t left, uint64_t set)
{
	for (; left; left &= left - 1) {
		uint32_t i = lin_first(left);

		for (uint64_t s = w->anc[i] & set; s; s &= s - 1) {
			w->fee[i] -= w->tx[lin_first(s)].fee;
			w->size[i] -= w->tx[lin_first(s)].size;
		}
	}
}

static void order_by_needs(uint8_t *order, struct work *w)
{
	uint64_t left = w->n == 64 ? UINT64_MAX : lin_bit(w->n) - 1;
	uint32_t n = 0;

	sum_needs(w);
	while (left) {
		uint64_t set = w->anc[best_of(w, left)] & left;

		n = append(order, n, w, set);
		left &= ~set;
		take_off(w, left, set);
	}
}

/* The last group, k, moves forward while it pays more than the one before: past
 * it, or into it where it depends on it. */
static void settle(struct work *w, uint32_t k)
{
	struct group *g = w->g;

	while (k > 0 && lin_rate_cmp(g[k].fee, g[k].size, g[k - 1].fee,
				     g[k - 1].size) > 0) {
		struct group c = g[k];

		if (!(c.deps & g[k - 1].txs)) {
			g[k] = g[k - 1];
			g[--k] = c;
			continue;
		}
		k--;
		w->next[g[k].last] = c.first;
		g[k].last = c.last;
		g[k].txs |= c.txs;
		g[k].deps |= c.deps;
		g[k].fee += c.fee;
		g[k].size += c.size;
		w->n_g--;
		for (uint32_t i = k + 1; i < w->n_g; i++)
			g[i] = g[i + 1];
	}
}

/* One pass; back: from the end, where children stand for parents and fees for
 * their opposites. */
static void pass(uint8_t *order, struct work *w, bool back)
{
	uint32_t n = 0;

	w->n_g = 0;
	for (uint32_t k = 0; k < w->n; k++) {
		uint8_t i = order[back ? w->n - 1 - k : k];

		w->g[w->n_g++] = (struct group){
		    .txs = lin_bit(i),
		    .deps = back ? w->desc[i] : w->anc[i],
		    .fee = back ? -w->tx[i].fee : w->tx[i].fee,
		    .size = w->tx[i].size,
		    .first = i,
		    .last = i,
		};
		settle(w, w->n_g - 1);
	}
	for (uint32_t k = 0; k < w->n_g; k++) {
		uint8_t i = w->g[k].first;

		for (;; i = w->next[i]) {
			order[back ? w->n - 1 - n : n] = i;
			n++;
			if (i == w->g[k].last)
				break;
		}
	}
}

/* What stands behind joins what is before while it pays more. */
static uint32_t cut(struct lin_chunk *chunks, const uint8_t *order,
		    const struct lin_tx *tx, uint32_t n)
{
	uint32_t n_c = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct lin_tx *t = &tx[order[k]];

		chunks[n_c++] = (struct lin_chunk){t->fee, t->size, 1};
		while (n_c > 1) {
			struct lin_chunk *c = &chunks[n_c - 1];

			if (lin_rate_cmp(c->fee, c->size, c[-1].fee,
					 c[-1].size) <= 0)
				break;
			c[-1].fee += c->fee;
			c[-1].size += c->size;
			c[-1].n += c->n;
			n_c--;
		}
	}
	return n_c;
}

uint32_t lin_fast(uint8_t order[LIN_MAX], struct lin_chunk chunks[LIN_MAX],
		  const struct lin_tx *tx, uint32_t n)
{
	struct work w;

	w.tx = tx;
	w.n = n;
	close_sets(&w, n == LIN_MAX ? UINT64_MAX : lin_bit(n) - 1);
	order_by_needs(order, &w);
	pass(order, &w, true);
	pass(order, &w, false);
	return cut(chunks, order, tx, n);
}

/* Within chunks what pays best comes early too, as in Bitcoin Core. No way from
 * one of a chunk to another leads out of it. */
static void order_within(uint8_t *order, const struct lin_chunk *chunks,
			 uint32_t n_chunks, const struct lin_tx *tx)
{
	struct work w;

	w.tx = tx;
	for (uint32_t i = 0; i < n_chunks; order += chunks[i++].n) {
		uint64_t set = 0;

		w.n = chunks[i].n;
		if (w.n < 3)
			continue;
		for (uint32_t k = 0; k < w.n; k++)
			set |= lin_bit(order[k]);
		close_sets(&w, set);
		pass(order, &w, true);
		pass(order, &w, false);
	}
}

struct lin_info linearize(uint8_t order[LIN_MAX],
			  struct lin_chunk chunks[LIN_MAX],
			  const struct lin_tx *tx, uint32_t n)
{
	struct lin_info info = {.n_chunks = 1, .steps = LIN_STEPS};

	if (n == 1) {
		order[0] = 0;
		chunks[0] = (struct lin_chunk){tx->fee, tx->size, 1};
		return (struct lin_info){.n_chunks = 1, .optimal = true};
	}
	info.optimal =
	    lin_optimal(order, chunks, &info.n_chunks, tx, n, &info.steps);
	info.steps = LIN_STEPS - info.steps;
	if (info.optimal)
		order_within(order, chunks, info.n_chunks, tx);
	else
		info.n_chunks = lin_fast(order, chunks, tx, n);
	return info;
}
