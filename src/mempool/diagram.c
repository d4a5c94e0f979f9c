/*
 * Comparison of two fee-rate diagrams: the fee that is earned by the best bytes
 * so far, over the number of bytes; lines between the ends of chunks, level
 * behind the last. Pure.
 */
#include "linearize.h"

/* How far a walk along one diagram has come. */
struct walk {
	const struct lin_chunk *c;
	uint32_t left;
	int64_t fee, size; /* of what was passed */
};

static void step(struct walk *w)
{
	w->fee += w->c->fee;
	w->size += w->c->size;
	w->c++;
	w->left--;
}

/* Where the next corner of w lies to the line along which o goes on: above 0
 * when higher. Both begin at sizes no larger than that corner's, and o's next
 * corner is not before it. */
static int corner_cmp(const struct walk *w, const struct walk *o)
{
	int64_t fee = w->fee + w->c->fee - o->fee;
	int64_t size = w->size + w->c->size - o->size;

	if (o->left == 0)
		return fee < 0 ? -1 : fee > 0;
	return lin_rate_cmp(fee, size, o->c->fee, o->c->size);
}

bool lin_diagram_better(const struct lin_chunk *a, uint32_t n_a,
			const struct lin_chunk *b, uint32_t n_b)
{
	struct walk wa = {a, n_a, 0, 0}, wb = {b, n_b, 0, 0};
	bool above = false;

	while (wa.left || wb.left) {
		int64_t at_a = wa.left ? wa.size + wa.c->size : INT64_MAX;
		int64_t at_b = wb.left ? wb.size + wb.c->size : INT64_MAX;
		int cmp =
		    at_a <= at_b ? corner_cmp(&wa, &wb) : -corner_cmp(&wb, &wa);

		if (cmp < 0)
			return false;
		above |= cmp > 0;
		if (at_a <= at_b)
			step(&wa);
		if (at_b <= at_a)
			step(&wb);
	}
	return above;
}
