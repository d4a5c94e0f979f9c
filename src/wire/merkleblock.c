/*
 * merkleblock (BIP 37): the view, the walk along a partial merkle tree, and the
 * making of one. Any thread. Knows no bloom filter: what matches is the
 * caller's to say.
 */
#include <cairn/wire/merkleblock.h>

#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>

bool merkleblock_view_parse(struct merkleblock_view *v, struct slice body)
{
	struct merkleblock_view t;
	struct rd r;

	rd_init(&r, body);
	t.header = rd_take(&r, HEADER_SIZE);
	t.n_tx = rd_u32(&r);
	t.n_hashes = rd_count(&r, 32);
	t.hashes = rd_take(&r, (size_t)t.n_hashes * 32);
	t.flags = rd_varbytes(&r);
	if (!rd_ok(&r))
		return false;
	*v = t;
	return true;
}

size_t merkleblock_size(uint32_t n_hashes, size_t flags_n)
{
	return HEADER_SIZE + 4 + compact_size(n_hashes) +
	       (size_t)n_hashes * 32 + compact_size(flags_n) + flags_n;
}

uint8_t *merkleblock_put(uint8_t *p, const struct merkleblock_view *v)
{
	p = bytes_put(p, v->header, HEADER_SIZE);
	p = le32_put(p, v->n_tx);
	p = compact_put(p, v->n_hashes);
	p = bytes_put(p, v->hashes, (size_t)v->n_hashes * 32);
	p = compact_put(p, v->flags.n);
	return bytes_put(p, v->flags.p, v->flags.n);
}

/* Nodes of the row at this height above n leaves. */
static uint32_t row_width(uint32_t n, uint32_t height)
{
	return (uint32_t)(((uint64_t)n + (1u << height) - 1) >> height);
}

static uint8_t tree_height(uint32_t n)
{
	uint8_t h = 0;

	while (row_width(n, h) > 1)
		h++;
	return h;
}

static void hash_pair(struct hash256 *out, const struct hash256 *a,
		      const struct hash256 *b)
{
	struct hash256 pair[2] = {*a, *b};

	sha256d64(out->b, pair[0].b, 1);
}

void merkle_walk_init(struct merkle_walk *w, const struct merkleblock_view *v)
{
	w->v = v;
	w->bits = w->hashes = w->pos = 0;
	w->bad = v->n_tx == 0 || v->n_tx > MERKLEBLOCK_TX_MAX ||
		 v->n_hashes > v->n_tx || v->flags.n * 8 < v->n_hashes;
	w->going = !w->bad;
	w->top = w->bad ? 0 : tree_height(v->n_tx);
	w->height = w->top;
}

static void stop(struct merkle_walk *w, bool bad)
{
	w->bad |= bad;
	w->going = false;
}

static bool next_bit(struct merkle_walk *w, bool *bit)
{
	uint32_t i = w->bits++;

	if (i / 8 >= w->v->flags.n)
		return false;
	*bit = w->v->flags.p[i / 8] >> (i % 8) & 1;
	return true;
}

/* The node at hand has this hash: go up as far as both children are known, or
 * over to the sibling on the right. */
static void climb(struct merkle_walk *w, struct hash256 h)
{
	for (; w->height < w->top; w->height++, w->pos /= 2) {
		struct hash256 *left = &w->left[w->height];

		if (w->pos & 1) {
			/* Transactions differ, so their hashes must. */
			w->bad |= hash256_eq(left, &h);
			hash_pair(&h, left, &h);
		} else if (w->pos + 1 < row_width(w->v->n_tx, w->height)) {
			*left = h;
			w->pos++;
			return;
		} else {
			hash_pair(&h, &h, &h);
		}
	}
	w->root = h;
	stop(w, false);
}

bool merkle_walk_next(struct merkle_walk *w, struct merkle_leaf *leaf)
{
	while (w->going) {
		const struct hash256 *h;
		bool bit = false, matched;

		if (!next_bit(w, &bit)) {
			stop(w, true);
			return false;
		}
		if (bit && w->height > 0) {
			w->height--;
			w->pos *= 2;
			continue;
		}
		if (w->hashes == w->v->n_hashes) {
			stop(w, true);
			return false;
		}
		h = merkleblock_hash(w->v, w->hashes++);
		matched = bit;
		if (matched)
			*leaf = (struct merkle_leaf){h, w->pos};
		climb(w, *h);
		if (matched)
			return true;
	}
	return false;
}

bool merkle_walk_end(const struct merkle_walk *w, struct hash256 *root)
{
	if (w->bad || w->going || w->hashes != w->v->n_hashes ||
	    (w->bits + 7) / 8 != w->v->flags.n)
		return false;
	*root = w->root;
	return true;
}

/* Making one: the tree is walked in the same order, once to count and once to
 * write. */
struct making {
	const struct merkle_pick *m;
	struct hash256 *scratch; /* NULL: only count */
	uint8_t *hashes, *flags;
	uint32_t n_bits, n_hashes;
};

static bool any_match(const struct merkle_pick *m, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (m->match[i])
			return true;
	return false;
}

/* The hash of the node above the leaves from..to, height rows up. */
static void subtree_root(struct making *k, uint32_t from, uint32_t to,
			 uint32_t height)
{
	struct hash256 *row = k->scratch;
	uint32_t n = to - from;

	memcpy(row, &k->m->txid[from], n * sizeof *row);
	for (; height > 0; height--) {
		uint32_t half = n / 2;
		struct hash256 last = row[n - 1];

		sha256d64(row->b, row->b, half);
		if (n & 1)
			hash_pair(&row[half++], &last, &last);
		n = half;
	}
}

static void make_node(struct making *k, uint32_t height, uint32_t pos)
{
	uint32_t from = pos << height, to = (pos + 1) << height;
	bool match;

	if (to > k->m->n)
		to = k->m->n;
	match = any_match(k->m, from, to);
	if (match && k->scratch)
		k->flags[k->n_bits / 8] |= (uint8_t)(1u << (k->n_bits % 8));
	k->n_bits++;
	if (match && height > 0) {
		make_node(k, height - 1, pos * 2);
		if (pos * 2 + 1 < row_width(k->m->n, height - 1))
			make_node(k, height - 1, pos * 2 + 1);
		return;
	}
	if (k->scratch) {
		subtree_root(k, from, to, height);
		memcpy(k->hashes + (size_t)k->n_hashes * 32, k->scratch, 32);
	}
	k->n_hashes++;
}

static void make(struct making *k)
{
	must(k->m->n > 0 && k->m->n <= MERKLEBLOCK_TX_MAX);
	k->n_bits = k->n_hashes = 0;
	make_node(k, tree_height(k->m->n), 0);
}

size_t merkle_pick_size(const struct merkle_pick *m)
{
	struct making k = {.m = m};

	make(&k);
	return merkleblock_size(k.n_hashes, (k.n_bits + 7) / 8);
}

uint8_t *merkle_pick_put(uint8_t *p, const uint8_t *header,
			 const struct merkle_pick *m, struct hash256 *scratch)
{
	struct making k = {.m = m};
	uint32_t flags_n;

	make(&k);
	flags_n = (k.n_bits + 7) / 8;
	p = bytes_put(p, header, HEADER_SIZE);
	p = le32_put(p, m->n);
	p = compact_put(p, k.n_hashes);
	k.hashes = p;
	p = compact_put(p + (size_t)k.n_hashes * 32, flags_n);
	k.flags = p;
	memset(p, 0, flags_n);
	k.scratch = scratch;
	make(&k);
	return p + flags_n;
}
