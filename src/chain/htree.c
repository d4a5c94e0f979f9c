/*
 * The header tree: checks headers, links them to their parents and knows the
 * one with most work. The loop adds and looks up; what walks from node to node
 * is in hnode.c and open to every thread. Nodes live in slabs, so they never
 * move. The tree does not write to disk and knows nothing of block data.
 */
#include <cairn/chain/htree.h>

#include <cairn/base/hmap.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/consensus/headers.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdlib.h>

#define SLAB_NODES 2048

struct entry {
	struct hnode node; /* first, so that a node's pointer is its entry's */
	bool bad; /* failed or below a failed one; scratch of the search
		     for the best */
};

struct htree {
	const struct params *params;
	struct hmap by_hash;
	struct entry **slabs;
	size_t n_slabs, cap_slabs;
	size_t n; /* nodes */
	struct hnode *best;
	struct hnode *last; /* added last: likely the next one's parent */
	struct u256 min_work;
	/* Work of the bits seen last: it changes every 2016 headers. */
	uint32_t work_bits;
	struct u256 work;
};

static struct entry *entry_at(const struct htree *t, size_t i)
{
	return &t->slabs[i / SLAB_NODES][i % SLAB_NODES];
}

static struct hnode *new_node(struct htree *t)
{
	struct entry *e;

	if (t->n == t->n_slabs * SLAB_NODES) {
		arr_grow(&t->slabs, &t->cap_slabs, t->n_slabs + 1,
			 sizeof(struct entry *));
		t->slabs[t->n_slabs++] =
		    xmalloc(SLAB_NODES * sizeof(struct entry));
	}
	e = entry_at(t, t->n++);
	memset(e, 0, sizeof *e);
	e->node.data_file = -1;
	e->node.undo_file = -1;
	return &e->node;
}

/* Jump pointers of a skew-binary list: two jumps of equal length in a row are
 * joined to one, so that any ancestor is reached in O(log height). */
static const struct hnode *skip_of(const struct hnode *prev)
{
	const struct hnode *one = prev->skip, *two;

	if (!one || !(two = one->skip))
		return prev;
	return prev->height - one->height == one->height - two->height ? two
								       : prev;
}

static uint32_t mtp_of(const struct hnode *n)
{
	uint32_t times[MTP_WINDOW];
	unsigned count, i;

	count =
	    n->height + 1 < MTP_WINDOW ? (unsigned)n->height + 1 : MTP_WINDOW;
	for (i = count; i > 0; i--, n = n->prev)
		times[i - 1] = n->time;
	return median_time(times, count);
}

static struct u256 work_with(struct htree *t, const struct hnode *prev,
			     uint32_t bits)
{
	if (bits != t->work_bits) {
		t->work_bits = bits;
		t->work = work_of_bits(bits);
	}
	return prev ? u256_add(&prev->work, &t->work) : t->work;
}

/* The entry around a node of the tree. */
static const struct entry *entry_of(const struct hnode *n)
{
	return (const struct entry *)(const void *)n;
}

/* Failed by its own mark, or by one above it that the last search found; the
 * chain thread may still be marking the nodes below. */
static bool is_failed(const struct hnode *n)
{
	return (hnode_status(n) & HN_FAILED_ANY) != 0 || entry_of(n)->bad;
}

static struct hnode *add(struct htree *t, const struct hnode *prev,
			 const struct header *h, const struct hash256 *hash,
			 const struct u256 *work)
{
	struct hnode *n = new_node(t);

	n->hash = *hash;
	n->prev = prev;
	n->skip = prev ? skip_of(prev) : NULL;
	n->work = *work;
	n->merkle = h->merkle;
	n->height = prev ? prev->height + 1 : 0;
	n->version = h->version;
	n->time = h->time;
	n->bits = h->bits;
	n->nonce = h->nonce;
	n->time_max =
	    prev && prev->time_max > h->time ? prev->time_max : h->time;
	n->mtp = mtp_of(n);
	hmap_put(&t->by_hash, &n->hash, n);
	t->last = n;
	if (!t->best || u256_cmp(&n->work, &t->best->work) > 0)
		t->best = n;
	return n;
}

struct htree *htree_new(const struct params *p)
{
	struct htree *t = xcalloc(1, sizeof *t);
	struct header h;
	struct u256 work;

	t->params = p;
	hmap_init(&t->by_hash);
	t->min_work = u256_from_be(p->min_chain_work);
	header_get(&h, p->genesis_block.p);
	work = work_with(t, NULL, h.bits);
	add(t, NULL, &h, &p->genesis_hash, &work);
	return t;
}

void htree_free(struct htree *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n_slabs; i++)
		free(t->slabs[i]);
	free(t->slabs);
	hmap_fini(&t->by_hash);
	free(t);
}

const struct params *htree_params(const struct htree *t)
{
	return t->params;
}

struct hnode *htree_genesis(const struct htree *t)
{
	return &entry_at(t, 0)->node;
}

struct hnode *htree_find(const struct htree *t, const struct hash256 *hash)
{
	return hmap_get(&t->by_hash, hash);
}

size_t htree_count(const struct htree *t)
{
	return t->n;
}

static struct hnode *find_parent(const struct htree *t,
				 const struct hash256 *hash)
{
	if (hash256_eq(&t->last->hash, hash))
		return t->last;
	return htree_find(t, hash);
}

static struct verdict known(struct hnode **node, bool *is_new, struct hnode *n)
{
	if (is_failed(n))
		return hnode_failed_verdict(n);
	*node = n;
	*is_new = false;
	return verdict_valid();
}

struct verdict htree_accept_hashed(struct htree *t, struct hnode **node,
				   bool *is_new, const uint8_t header[80],
				   const struct hash256 *hash, int64_t now_s,
				   bool force_low_work)
{
	struct hnode *n = htree_find(t, hash), *prev;
	struct header h;
	struct u256 work;
	struct verdict v;

	if (n)
		return known(node, is_new, n);
	header_get(&h, header);
	if (!pow_ok(hash, h.bits, t->params))
		return verdict_invalid(INV_HEADER, "high-hash",
				       "proof of work failed");
	prev = find_parent(t, &h.prev);
	if (!prev)
		return verdict_invalid(INV_MISSING_PREV, "prev-blk-not-found",
				       NULL);
	if (is_failed(prev))
		return verdict_invalid(INV_PREV, "bad-prevblk", NULL);
	v = header_check_context(&h, &hnode_reader, prev, now_s, t->params);
	if (!verdict_ok(&v))
		return v;
	work = work_with(t, prev, h.bits);
	if (!force_low_work && u256_cmp(&work, &t->min_work) < 0)
		return verdict_invalid(INV_LOW_WORK, "too-little-chainwork",
				       NULL);
	*node = add(t, prev, &h, hash, &work);
	*is_new = true;
	return verdict_valid();
}

struct verdict htree_accept(struct htree *t, struct hnode **node, bool *is_new,
			    const uint8_t header[80], int64_t now_s,
			    bool force_low_work)
{
	struct hash256 hash;

	sha256d(&hash, header, HEADER_SIZE);
	return htree_accept_hashed(t, node, is_new, header, &hash, now_s,
				   force_low_work);
}

struct hnode *htree_load(struct htree *t, const uint8_t header[80])
{
	struct hash256 hash;
	struct hnode *n, *prev;
	struct header h;
	struct u256 work;

	sha256d(&hash, header, HEADER_SIZE);
	n = htree_find(t, &hash);
	if (n)
		return n;
	header_get(&h, header);
	prev = find_parent(t, &h.prev);
	if (!prev || !pow_ok(&hash, h.bits, t->params))
		return NULL;
	work = work_with(t, prev, h.bits);
	return add(t, prev, &h, &hash, &work);
}

struct hnode *htree_best(const struct htree *t)
{
	return t->best;
}

/* Nodes arrive after their parents, so one pass carries failures down. */
void htree_recompute_best(struct htree *t)
{
	struct entry *e;
	size_t i;

	t->best = htree_genesis(t);
	for (i = 1; i < t->n; i++) {
		e = entry_at(t, i);
		e->bad = (hnode_status(&e->node) & HN_FAILED_ANY) != 0 ||
			 entry_of(e->node.prev)->bad;
		if (!e->bad && u256_cmp(&e->node.work, &t->best->work) > 0)
			t->best = &e->node;
	}
}

void htree_set_min_work(struct htree *t, const struct u256 *w)
{
	t->min_work = *w;
}

const struct u256 *htree_min_work(const struct htree *t)
{
	return &t->min_work;
}

struct hnode *htree_next(const struct htree *t, size_t *i)
{
	return *i < t->n ? &entry_at(t, (*i)++)->node : NULL;
}
