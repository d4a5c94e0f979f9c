/*
 * Version bits: the state machine of BIP9 over whole periods, what a block of
 * ours signals, and signals for rules that are not known here. Pure, any
 * thread; statuses are kept in the caller's cache. Which rules hold in a block
 * is not decided here: all of them are buried (deploy.h).
 */
#include <cairn/consensus/versionbits.h>

#include <cairn/base/must.h>

#define TOP_MASK    0xe0000000u
#define TOP_BITS    0x20000000u
#define MAIN_PERIOD 2016
#define MAIN_ENOUGH 1815 /* 90 %, as BIP341 */

/* A deployment on a chain. */
struct machine {
	const struct vb_rule *d;
	const struct chain_reader *r;
	struct vb_cache *cache;
	/* Not NULL: blocks that signal for no rule of these networks. */
	const struct params *unknown;
	struct vb_caches *caches; /* with unknown */
};

static bool has_bit(int32_t version, unsigned bit)
{
	uint32_t v = (uint32_t)version;

	return (v & TOP_MASK) == TOP_BITS && (v >> bit & 1) != 0;
}

const char *vb_state_name(enum vb_state s)
{
	static const char *const names[] = {
	    [VB_DEFINED] = "defined",     [VB_STARTED] = "started",
	    [VB_LOCKED_IN] = "locked_in", [VB_ACTIVE] = "active",
	    [VB_FAILED] = "failed",
	};

	must((size_t)s < sizeof names / sizeof *names);
	return names[s];
}

static bool signals(const struct machine *m, const void *node)
{
	int32_t ours;

	if (!has_bit(m->r->version(node), m->d->bit))
		return false;
	if (!m->unknown)
		return true;
	if (m->r->height(node) < m->unknown->vb_unknown_height)
		return false;
	ours = block_version_for(m->unknown, m->r, m->r->prev(node), m->caches);
	return !has_bit(ours, m->d->bit);
}

static int64_t mtp_of(const struct machine *m, const void *node)
{
	return m->r->mtp ? m->r->mtp(node) : median_time_past(m->r, node);
}

static size_t slot_of(const struct machine *m, const void *last)
{
	return (size_t)(m->r->height(last) / m->d->period) % VB_CACHE_SLOTS;
}

static bool cached(struct vb_status *s, const struct machine *m,
		   const void *last)
{
	size_t i = slot_of(m, last);

	if (!m->cache || m->cache->slot[i].last != last)
		return false;
	*s = m->cache->slot[i].status;
	return true;
}

static void keep(const struct machine *m, const void *last, struct vb_status s)
{
	size_t i = slot_of(m, last);

	if (!m->cache)
		return;
	m->cache->slot[i].last = last;
	m->cache->slot[i].status = s;
}

/* How many of the period that ends in last signal. */
static int32_t count_period(const struct machine *m, const void *last)
{
	int32_t i, count = 0;

	for (i = 0; i < m->d->period; i++) {
		count += signals(m, last);
		last = m->r->prev(last);
	}
	return count;
}

/* From the state of the period that ends in last to the state of the next. */
static enum vb_state step(const struct machine *m, enum vb_state s,
			  const void *last)
{
	switch (s) {
	case VB_DEFINED:
		return mtp_of(m, last) >= m->d->start_s ? VB_STARTED : s;
	case VB_STARTED:
		if (count_period(m, last) >= m->d->threshold)
			return VB_LOCKED_IN;
		return mtp_of(m, last) >= m->d->timeout_s ? VB_FAILED : s;
	case VB_LOCKED_IN:
		return m->r->height(last) + 1 >= m->d->min_activation_height
			   ? VB_ACTIVE
			   : s;
	case VB_ACTIVE:
	case VB_FAILED:
		break;
	}
	return s;
}

/* The last block of the period before the one that the child of prev is in. */
static const void *period_parent(const struct machine *m, const void *prev)
{
	int32_t height = prev ? m->r->height(prev) : -1;
	int32_t at = height - (height + 1) % m->d->period;

	return at < 0 ? NULL : m->r->ancestor(prev, at);
}

static struct vb_status status_after(const struct machine *m, const void *prev)
{
	struct vb_status s = {VB_DEFINED, 0};
	const void *last = period_parent(m, prev), *n;
	int32_t height, end = last ? m->r->height(last) : -1;

	/* Down to a period whose status is known: before the start time there
	 * is but one, and genesis has it by definition. */
	for (height = end; height >= 0; height -= m->d->period) {
		n = m->r->ancestor(last, height);
		if (cached(&s, m, n) || mtp_of(m, n) < m->d->start_s)
			break;
	}
	for (height += m->d->period; height <= end; height += m->d->period) {
		enum vb_state was = s.state;

		n = m->r->ancestor(last, height);
		s.state = step(m, was, n);
		if (s.state != was)
			s.since = height + 1;
		keep(m, n, s);
	}
	return s;
}

struct vb_status vb_status_after(const struct vb_rule *d,
				 const struct chain_reader *r, const void *prev,
				 struct vb_cache *cache)
{
	struct machine m = {.d = d, .r = r, .cache = cache};

	if (d->start_s == VB_ALWAYS_ACTIVE)
		return (struct vb_status){VB_ACTIVE, 0};
	if (d->start_s == VB_NEVER_ACTIVE)
		return (struct vb_status){VB_FAILED, 0};
	return status_after(&m, prev);
}

struct vb_tally vb_tally(char *marks, const struct vb_rule *d,
			 const struct chain_reader *r, const void *node)
{
	struct machine m = {.d = d, .r = r};
	struct vb_tally t = {.elapsed = r->height(node) % d->period + 1};
	int32_t i;

	must(t.elapsed <= VB_PERIOD_MAX);
	for (i = t.elapsed - 1; i >= 0; i--) {
		bool yes = signals(&m, node);

		t.count += yes;
		if (marks)
			marks[i] = yes ? '#' : '-';
		node = r->prev(node);
	}
	if (marks)
		marks[t.elapsed] = '\0';
	t.possible = d->period - d->threshold >= t.elapsed - t.count;
	return t;
}

int32_t block_version_for(const struct params *p, const struct chain_reader *r,
			  const void *prev, struct vb_caches *caches)
{
	uint32_t version = TOP_BITS;
	int i;

	for (i = 0; i < VB_COUNT; i++) {
		struct vb_status s = vb_status_after(
		    &p->vb[i], r, prev, caches ? &caches->known[i] : NULL);

		if (s.state == VB_STARTED || s.state == VB_LOCKED_IN)
			version |= UINT32_C(1) << p->vb[i].bit;
	}
	return (int32_t)version;
}

enum vb_state vb_unknown_after(unsigned bit, const struct params *p,
			       const struct chain_reader *r, const void *prev,
			       struct vb_caches *caches)
{
	struct vb_rule d = {.bit = bit,
			    .timeout_s = VB_NO_TIMEOUT,
			    .period = MAIN_PERIOD,
			    .threshold = MAIN_ENOUGH};
	struct machine m = {.d = &d,
			    .r = r,
			    .cache = &caches->unknown[bit],
			    .unknown = p,
			    .caches = caches};

	must(bit < VB_UNKNOWN_BITS);
	if (p->is_test_chain) {
		d.period = p->retarget_interval;
		d.threshold = d.period / 4 * 3;
	}
	return status_after(&m, prev).state;
}
