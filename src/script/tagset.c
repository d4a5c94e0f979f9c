/*
 * Lines of eight tags; the first word of a tag says which line, and there it
 * may be anywhere. A full line gives up one of them. Words are read and written
 * relaxed: of a tag that is half overwritten the two words belong to different
 * tags, which is a tag that nobody has.
 *
 * Few lines are in use at first. Once they are three eighths full, twice as
 * many are used, so that memory is taken as it is needed; who brings that about
 * moves the tags to their new lines while others go on. What they miss or lose
 * by that is verified once more.
 */
#include "tagset.h"

#include <cairn/base/mem.h>

#define WAYS        8u
#define LINES_FIRST 32u /* a page */

struct tagset_line {
	uint64_t w[WAYS][2]; /* atomic */
};

void tagset_init(struct tagset *s, size_t bytes)
{
	*s = (struct tagset){.n = bytes / sizeof *s->lines};
	if (s->n >= LINES_FIRST)
		s->lines = pages_new(s->n * sizeof *s->lines);
}

void tagset_fini(struct tagset *s)
{
	pages_free(s->lines, s->n * sizeof *s->lines);
}

/* Lines in use at a level; the last level's are all. */
static size_t lines_at(const struct tagset *s, unsigned level)
{
	size_t n = (size_t)LINES_FIRST << level;

	return n < s->n ? n : s->n;
}

static struct tagset_line *line_of(const struct tagset *s, const struct tag *t,
				   unsigned level)
{
	size_t n = lines_at(s, level);

	return &s->lines[(__extension__(unsigned __int128) t->w[0] * n) >> 64];
}

static struct tag tag_in(const struct tagset_line *l, unsigned way)
{
	struct tag t;

	t.w[0] = __atomic_load_n(&l->w[way][0], __ATOMIC_RELAXED);
	t.w[1] = __atomic_load_n(&l->w[way][1], __ATOMIC_RELAXED);
	return t;
}

static void set_tag(struct tagset_line *l, unsigned way, const struct tag *t)
{
	__atomic_store_n(&l->w[way][0], t->w[0], __ATOMIC_RELAXED);
	__atomic_store_n(&l->w[way][1], t->w[1], __ATOMIC_RELAXED);
}

static bool same(const struct tag *a, const struct tag *b)
{
	return a->w[0] == b->w[0] && a->w[1] == b->w[1];
}

static bool is_none(const struct tag *t)
{
	return !(t->w[0] | t->w[1]);
}

bool tagset_has(const struct tagset *s, const struct tag *t)
{
	unsigned level = __atomic_load_n(&s->level, __ATOMIC_RELAXED);
	const struct tagset_line *l;
	struct tag at;

	if (!s->lines)
		return false;
	l = line_of(s, t, level);
	for (unsigned i = 0; i < WAYS; i++) {
		at = tag_in(l, i);
		if (same(&at, t))
			return true;
	}
	return false;
}

/* The tag's own place, a free one, or any. */
static unsigned way_for(const struct tagset_line *l, const struct tag *t)
{
	unsigned way = (unsigned)(t->w[1] / 2 % WAYS);
	struct tag at;

	for (unsigned i = 0; i < WAYS; i++) {
		at = tag_in(l, i);
		if (same(&at, t))
			return i;
		if (is_none(&at))
			way = i;
	}
	return way;
}

static void put(struct tagset *s, const struct tag *t, unsigned level)
{
	struct tagset_line *l = line_of(s, t, level);

	set_tag(l, way_for(l, t), t);
}

/* A line's tags move to higher lines or stay, so begin with the highest. */
static void spread(struct tagset *s, unsigned level)
{
	static const struct tag none;
	struct tag t;

	for (size_t i = lines_at(s, level - 1); i-- > 0;) {
		for (unsigned way = 0; way < WAYS; way++) {
			t = tag_in(&s->lines[i], way);
			if (is_none(&t) ||
			    line_of(s, &t, level) == &s->lines[i])
				continue;
			set_tag(&s->lines[i], way, &none);
			put(s, &t, level);
		}
	}
}

/* One of those who see that it is time goes a level up. */
static void count_put(struct tagset *s, unsigned level)
{
	size_t puts = __atomic_add_fetch(&s->puts, 1, __ATOMIC_RELAXED);
	size_t lines = lines_at(s, level);

	if (puts < lines * WAYS / 8 * 3 || lines == s->n)
		return;
	if (__atomic_compare_exchange_n(&s->level, &level, level + 1, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		spread(s, level + 1);
}

void tagset_put(struct tagset *s, const struct tag *t)
{
	unsigned level = __atomic_load_n(&s->level, __ATOMIC_RELAXED);

	if (!s->lines)
		return;
	put(s, t, level);
	count_put(s, level);
}
