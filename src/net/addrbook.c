/*
 * The address book: what may be dialled, in memory, bounded in all, by network
 * group and by who told us. Runs on the loop. Resolves no names, dials nothing,
 * and is forgotten when the node stops.
 */
#include "addrbook.h"

#include "netaddr.h"

#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

#define BUCKETS      16384u /* a power of two */
#define GROUP_SLOTS  1024u
#define SOURCE_SLOTS 256u
#define NO_SOURCE    UINT16_MAX

#define DAY_S        86400
#define HORIZON_S    (30 * DAY_S) /* older than this is not worth keeping */
#define FAILS_NEW    3            /* after which the never reached is dropped */
#define FAILS_OLD    10
#define PENALTY_S    7200
#define RETRY_S      600
#define PICK_DRAWS   100
#define PICK_PATIENT 30 /* draws that insist on RETRY_S */
#define EVICT_DRAWS  16

struct entry {
	struct addr_entry e;
	int64_t tried_s, ok_s; /* 0: never */
	uint32_t next;         /* index + 1 in the same bucket; 0: none */
	uint16_t group, source;
	uint8_t fails;
};

struct addrbook {
	uint64_t key[2];
	struct rand rand;
	struct entry *entries;
	size_t n, cap;
	uint32_t *heads; /* index + 1; NULL until something is added */
	uint16_t groups[GROUP_SLOTS], sources[SOURCE_SLOTS];
};

struct addrbook *addrbook_new(void)
{
	struct addrbook *b = xcalloc(1, sizeof *b);

	rand_os(b->key, sizeof b->key);
	rand_init(&b->rand);
	return b;
}

void addrbook_free(struct addrbook *b)
{
	if (!b)
		return;
	free(b->entries);
	free(b->heads);
	free(b);
}

size_t addrbook_count(const struct addrbook *b)
{
	return b->n;
}

static uint32_t *bucket_of(struct addrbook *b, const struct netaddr *a)
{
	uint8_t k[36];

	k[0] = a->net;
	memcpy(k + 1, &a->port, 2);
	memcpy(k + 3, a->b, sizeof a->b);
	return &b->heads[siphash(b->key, k, 3u + a->n) % BUCKETS];
}

static struct entry *find(struct addrbook *b, const struct netaddr *a)
{
	uint32_t i;

	if (!b->heads)
		return NULL;
	for (i = *bucket_of(b, a); i; i = b->entries[i - 1].next) {
		if (netaddr_eq(&b->entries[i - 1].e.addr, a))
			return &b->entries[i - 1];
	}
	return NULL;
}

static uint16_t slot_of(const struct addrbook *b, const struct netaddr *a,
			uint64_t slots)
{
	uint64_t g = netaddr_group(a);

	return (uint16_t)(siphash(b->key, &g, sizeof g) % slots);
}

/* The link that points to entry i. */
static uint32_t *link_to(struct addrbook *b, uint32_t i)
{
	uint32_t *l = bucket_of(b, &b->entries[i].e.addr);

	while (*l != i + 1)
		l = &b->entries[*l - 1].next;
	return l;
}

/* Take entry i out; the last one moves into its place. */
static void del(struct addrbook *b, uint32_t i)
{
	uint32_t last = (uint32_t)b->n - 1;
	struct entry *en = &b->entries[i];

	*link_to(b, i) = en->next;
	b->groups[en->group]--;
	if (en->source != NO_SOURCE)
		b->sources[en->source]--;
	if (i != last) {
		*link_to(b, last) = i + 1;
		b->entries[i] = b->entries[last];
	}
	b->n--;
}

/* Not worth an attempt: too old, or it failed too often. */
static bool is_hopeless(const struct entry *en, int64_t now_s)
{
	if ((int64_t)en->e.time_s < now_s - HORIZON_S)
		return true;
	return en->fails >= (en->ok_s ? FAILS_OLD : FAILS_NEW);
}

/* A full book gives up the first hopeless entry that a few draws find. */
static bool make_room(struct addrbook *b, int64_t now_s)
{
	uint32_t i, d;

	if (b->n < ADDRBOOK_MAX)
		return true;
	for (d = 0; d < EVICT_DRAWS; d++) {
		i = (uint32_t)rand_below(&b->rand, b->n);
		if (is_hopeless(&b->entries[i], now_s)) {
			del(b, i);
			return true;
		}
	}
	return false;
}

/* A known address was named again: believe the newer time, collect services. */
static void refresh(struct entry *en, const struct addr_entry *e)
{
	if (e->time_s > en->e.time_s)
		en->e.time_s = e->time_s;
	en->e.services |= e->services;
}

static bool has_share(const struct addrbook *b, uint16_t group, uint16_t source)
{
	if (b->groups[group] >= ADDRBOOK_GROUP_MAX)
		return false;
	return source == NO_SOURCE || b->sources[source] < ADDRBOOK_SOURCE_MAX;
}

static bool add(struct addrbook *b, const struct addr_entry *e, uint16_t source,
		int64_t now_s)
{
	uint16_t group = slot_of(b, &e->addr, GROUP_SLOTS);
	struct entry *en = find(b, &e->addr);
	uint32_t *head;

	if (en)
		refresh(en, e);
	if (en || !netaddr_is_routable(&e->addr) || e->addr.port == 0 ||
	    !has_share(b, group, source) || !make_room(b, now_s))
		return false;
	if (!b->heads)
		b->heads = xcalloc(BUCKETS, sizeof *b->heads);
	arr_grow(&b->entries, &b->cap, b->n + 1, sizeof *b->entries);
	head = bucket_of(b, &e->addr);
	b->entries[b->n] = (struct entry){
	    .e = *e, .next = *head, .group = group, .source = source};
	*head = (uint32_t)++b->n;
	b->groups[group]++;
	if (source != NO_SOURCE)
		b->sources[source]++;
	return true;
}

bool addrbook_add(struct addrbook *b, const struct addr_entry *e, int64_t now_s)
{
	return add(b, e, NO_SOURCE, now_s);
}

bool addrbook_learn(struct addrbook *b, const struct addr_entry *e,
		    const struct netaddr *source, int64_t now_s)
{
	struct addr_entry t = *e;

	/* Whoever speaks of himself knows how old that is. */
	if (!netaddr_same_host(&e->addr, source))
		t.time_s = e->time_s > PENALTY_S ? e->time_s - PENALTY_S : 0;
	return add(b, &t, slot_of(b, source, SOURCE_SLOTS), now_s);
}

void addrbook_tried(struct addrbook *b, const struct netaddr *a, int64_t now_s)
{
	struct entry *en = find(b, a);

	if (!en)
		return;
	en->tried_s = now_s;
	if (en->fails < UINT8_MAX)
		en->fails++;
}

void addrbook_good(struct addrbook *b, const struct netaddr *a,
		   uint64_t services, int64_t now_s)
{
	struct entry *en = find(b, a);

	if (!en)
		return;
	en->e.time_s = (uint32_t)now_s;
	en->e.services = services;
	en->ok_s = now_s;
	en->fails = 0;
}

/* Each failure makes an entry a third less likely. */
static bool is_lucky(struct addrbook *b, const struct entry *en)
{
	unsigned i;

	for (i = 0; i < en->fails && i < 8; i++) {
		if (rand_below(&b->rand, 3) == 0)
			return false;
	}
	return true;
}

bool addrbook_pick(struct addrbook *b, struct addr_entry *e, int64_t now_s,
		   addr_ok_fn ok, void *arg)
{
	const struct entry *en;
	unsigned d;

	for (d = 0; d < PICK_DRAWS && b->n; d++) {
		en = &b->entries[rand_below(&b->rand, b->n)];
		if (en->tried_s > now_s - RETRY_S && d < PICK_PATIENT)
			continue;
		if (!is_lucky(b, en) || !ok(arg, &en->e))
			continue;
		*e = en->e;
		return true;
	}
	return false;
}

size_t addrbook_sample(struct addrbook *b, struct addr_entry *e, size_t max)
{
	uint32_t *ix = xmalloc((b->n + 1) * sizeof *ix);
	size_t i, j, n = 0;
	uint32_t t;

	for (i = 0; i < b->n; i++)
		ix[i] = (uint32_t)i;
	/* Shuffle only as far as entries are taken. */
	for (i = 0; i < b->n && n < max; i++) {
		const struct entry *en;

		j = i + rand_below(&b->rand, b->n - i);
		t = ix[i];
		ix[i] = ix[j];
		ix[j] = t;
		en = &b->entries[ix[i]];
		if (en->fails < FAILS_NEW || en->ok_s)
			e[n++] = en->e;
	}
	free(ix);
	return n;
}
