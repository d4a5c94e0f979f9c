/*
 * The best order of a cluster, found exactly. Of a set of transactions the part
 * that pays more than the whole, and needs nothing outside it, is a maximum
 * closure: what surplus over the average rate the transactions have flows to
 * the parents that fall short, and where no more can flow, those who still have
 * some are that part. It goes first, and both parts are treated likewise, until
 * nothing pays more than its whole; what then pays alike and does not need each
 * other is taken apart. The flow goes along shortest paths; work is counted and
 * bounded. Pure.
 */
#include "linearize.h"

#include <cairn/base/must.h>

__extension__ typedef __int128 wide;

struct flow {
	const struct lin_tx *tx;
	uint64_t set;
	uint32_t steps;           /* that may still be taken */
	wide left[LIN_MAX];       /* above 0: surplus; below: shortage */
	uint64_t from[LIN_MAX];   /* children that something flows from */
	wide f[LIN_MAX][LIN_MAX]; /* from a child to a parent, where it does */
	uint8_t prev[LIN_MAX];    /* on the path that is looked for */
};

static void flow_begin(struct flow *fl, uint64_t set)
{
	int64_t fee = 0, size = 0;

	fl->set = set;
	for (uint64_t s = set; s; s &= s - 1) {
		fee += fl->tx[lin_first(s)].fee;
		size += fl->tx[lin_first(s)].size;
	}
	for (uint64_t s = set; s; s &= s - 1) {
		const struct lin_tx *t = &fl->tx[lin_first(s)];

		fl->left[lin_first(s)] =
		    (wide)t->fee * size - (wide)t->size * fee;
		fl->from[lin_first(s)] = 0;
	}
}

static uint64_t with_surplus(const struct flow *fl)
{
	uint64_t set = 0;

	for (uint64_t s = fl->set; s; s &= s - 1) {
		if (fl->left[lin_first(s)] > 0)
			set |= s & -s;
	}
	return set;
}

/* Look from all in level at once for one with a shortage. Gives it, or -1 and
 * all that were reached. */
static int path(struct flow *fl, uint64_t level, uint64_t *reached)
{
	uint64_t next;

	for (*reached = level; level; level = next) {
		next = 0;
		for (; level; level &= level - 1) {
			uint32_t i = lin_first(level);
			uint64_t to = fl->tx[i].parents & fl->set;

			for (to = (to | fl->from[i]) & ~*reached; to;
			     to &= to - 1) {
				fl->prev[lin_first(to)] = (uint8_t)i;
				if (fl->left[lin_first(to)] < 0)
					return (int)lin_first(to);
				*reached |= to & -to;
				next |= to & -to;
			}
			fl->steps -= fl->steps > 0;
		}
	}
	return -1;
}

/* What can flow along the path to end, and where it begins. */
static wide along(const struct flow *fl, uint32_t end, uint64_t sources,
		  uint32_t *start)
{
	wide most = -fl->left[end];
	uint32_t i = end;

	while (!(sources & lin_bit(i))) {
		uint32_t p = fl->prev[i];

		/* Back towards a child: no more than came from it. */
		if ((fl->from[p] & lin_bit(i)) && fl->f[i][p] < most)
			most = fl->f[i][p];
		i = p;
	}
	*start = i;
	return fl->left[i] < most ? fl->left[i] : most;
}

static void push(struct flow *fl, uint32_t end, uint64_t sources)
{
	uint32_t start, i, p;
	wide n = along(fl, end, sources, &start);

	fl->left[start] -= n;
	fl->left[end] += n;
	for (i = end; i != start; i = p) {
		p = fl->prev[i];
		if (fl->from[p] & lin_bit(i)) {
			fl->f[i][p] -= n;
			if (fl->f[i][p] == 0)
				fl->from[p] &= ~lin_bit(i);
		} else if (fl->from[i] & lin_bit(p)) {
			fl->f[p][i] += n;
		} else {
			fl->f[p][i] = n;
			fl->from[i] |= lin_bit(p);
		}
	}
}

/* The part of set that pays more than the whole; 0 when there is none. */
static uint64_t better_part(struct flow *fl, uint64_t set)
{
	uint64_t sources, reached;

	flow_begin(fl, set);
	while ((sources = with_surplus(fl)) && fl->steps) {
		int end = path(fl, sources, &reached);

		if (end < 0)
			return reached;
		push(fl, (uint32_t)end, sources);
	}
	return 0;
}

/* After a flow that left no surplus: what is bound together, by need or because
 * one pays for the other, cannot be taken apart. bound[i]: all that i is bound
 * to. */
static void find_bound(const struct flow *fl, uint64_t bound[LIN_MAX])
{
	for (uint64_t s = fl->set; s; s &= s - 1) {
		uint32_t i = lin_first(s);

		bound[i] =
		    (fl->tx[i].parents & fl->set) | fl->from[i] | lin_bit(i);
	}
	for (uint64_t s = fl->set; s; s &= s - 1) {
		uint32_t k = lin_first(s);

		for (uint64_t r = fl->set; r; r &= r - 1) {
			if (bound[lin_first(r)] & lin_bit(k))
				bound[lin_first(r)] |= bound[k];
		}
	}
}

struct order {
	const struct lin_tx *tx;
	uint8_t *at;
	struct lin_chunk *chunks;
	uint32_t n, n_chunks;
};

/* Of two that could come next: more a byte, the smaller, the lower. */
static bool goes_before(const struct lin_tx *a, const struct lin_tx *b)
{
	int cmp = lin_rate_cmp(a->fee, a->size, b->fee, b->size);

	if (cmp || a->size != b->size)
		return cmp ? cmp > 0 : a->size < b->size;
	return a->tie < b->tie;
}

/* A chunk, whose parents outside it have come. */
static void put_chunk(struct order *o, uint64_t set)
{
	struct lin_chunk *c = &o->chunks[o->n_chunks++];

	*c = (struct lin_chunk){.n = 0};
	while (set) {
		uint32_t best = LIN_MAX;

		for (uint64_t s = set; s; s &= s - 1) {
			uint32_t i = lin_first(s);

			if (!(o->tx[i].parents & set) &&
			    (best == LIN_MAX ||
			     goes_before(&o->tx[i], &o->tx[best])))
				best = i;
		}
		must(best < LIN_MAX);
		o->at[o->n++] = (uint8_t)best;
		set &= ~lin_bit(best);
		c->fee += o->tx[best].fee;
		c->size += o->tx[best].size;
		c->n++;
	}
}

/* Of two chunks that pay alike the smaller goes first; of the same size the one
 * whose highest is lower. */
static bool chunk_goes_before(const struct lin_tx *tx, uint64_t a, uint64_t b)
{
	int64_t size = 0;
	uint64_t high_a = 0, high_b = 0, s;

	for (s = a; s; s &= s - 1) {
		size += tx[lin_first(s)].size;
		if (tx[lin_first(s)].tie > high_a)
			high_a = tx[lin_first(s)].tie;
	}
	for (s = b; s; s &= s - 1) {
		size -= tx[lin_first(s)].size;
		if (tx[lin_first(s)].tie > high_b)
			high_b = tx[lin_first(s)].tie;
	}
	return size ? size < 0 : high_a < high_b;
}

/* The chunks of a set in which nothing pays more than the whole: the smallest
 * of those that need none of the others, again and again. */
static void put_alike(struct order *o, const struct flow *fl)
{
	uint64_t bound[LIN_MAX], left = fl->set;

	find_bound(fl, bound);
	while (left) {
		uint64_t best = 0, seen = 0;

		for (uint64_t s = left; s; s &= s - 1) {
			uint64_t all = bound[lin_first(s)] & left;

			/* What it is bound to needs it as well? */
			for (uint64_t r = all; r; r &= r - 1) {
				if (!(bound[lin_first(r)] & s & -s))
					all = 0;
			}
			if (!all || (seen & all))
				continue;
			seen |= all;
			if (!best || chunk_goes_before(o->tx, all, best))
				best = all;
		}
		must(best);
		put_chunk(o, best);
		left &= ~best;
	}
}

bool lin_optimal(uint8_t order[LIN_MAX], struct lin_chunk chunks[LIN_MAX],
		 uint32_t *n_chunks, const struct lin_tx *tx, uint32_t n,
		 uint32_t *steps)
{
	struct order o = {.tx = tx, .at = order, .chunks = chunks};
	uint64_t stack[LIN_MAX];
	struct flow fl = {.tx = tx, .steps = *steps};
	uint32_t depth = 0;

	stack[depth++] = n == LIN_MAX ? UINT64_MAX : lin_bit(n) - 1;
	while (depth > 0) {
		uint64_t set = stack[--depth];
		uint64_t part = better_part(&fl, set);

		*steps = fl.steps;
		if (fl.steps == 0)
			return false;
		if (part) {
			stack[depth++] = set & ~part;
			stack[depth++] = part;
		} else {
			put_alike(&o, &fl);
		}
	}
	*n_chunks = o.n_chunks;
	return true;
}
