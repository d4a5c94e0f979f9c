/*
 * The header tree against a plain model under random growth, forks, failures
 * and reconsiderations; every refusal by its reason; real headers and the mined
 * tree of BIP54's authors.
 */
#include "../testdata.h"
#include "miner.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/base/text.h>
#include <cairn/consensus/headers.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/locator.h>

#include <stdio.h>
#include <stdlib.h>

#define MODEL_MAX 1500
#define NOW_S     INT32_MAX

/* What the tree must know of a node, kept without any cleverness. */
struct plain {
	int parent; /* index, -1 for genesis */
	int32_t height;
	struct u256 work;
	uint32_t time;
	bool failed; /* itself */
	struct hnode *node;
	uint8_t header[80];
};

struct model {
	struct params params;
	struct htree *tree;
	struct plain *all;
	int n;
	struct rand r;
};

static void model_init(struct model *m, uint64_t seed)
{
	m->params = miner_params();
	m->tree = htree_new(&m->params);
	m->all = xcalloc(MODEL_MAX, sizeof *m->all);
	m->n = 1;
	m->all[0].parent = -1;
	m->all[0].work = work_of_bits(m->params.genesis_bits);
	m->all[0].time = m->params.genesis_time;
	m->all[0].node = htree_genesis(m->tree);
	memcpy(m->all[0].header, m->params.genesis_block.p, 80);
	rand_seed(&m->r, seed);
}

static void model_fini(struct model *m)
{
	htree_free(m->tree);
	free(m->all);
}

static int pick(struct model *m)
{
	return (int)rand_below(&m->r, (uint64_t)m->n);
}

static bool below_failed(const struct model *m, int i)
{
	for (; i >= 0; i = m->all[i].parent)
		if (m->all[i].failed)
			return true;
	return false;
}

static int plain_ancestor(const struct model *m, int i, int32_t height)
{
	if (height < 0)
		return -1;
	while (i >= 0 && m->all[i].height > height)
		i = m->all[i].parent;
	return i >= 0 && m->all[i].height == height ? i : -1;
}

static int plain_best(const struct model *m)
{
	int i, best = 0;

	for (i = 1; i < m->n; i++)
		if (!below_failed(m, i) &&
		    u256_cmp(&m->all[i].work, &m->all[best].work) > 0)
			best = i;
	return best;
}

static uint32_t plain_mtp(const struct model *m, int i)
{
	uint32_t t[11], x;
	int n = 0, a, b;

	for (; i >= 0 && n < 11; i = m->all[i].parent)
		t[n++] = m->all[i].time;
	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++)
			if (t[b] < t[a]) {
				x = t[a];
				t[a] = t[b];
				t[b] = x;
			}
	return t[n / 2];
}

static uint32_t plain_time_max(const struct model *m, int i)
{
	uint32_t max = 0;

	for (; i >= 0; i = m->all[i].parent)
		if (m->all[i].time > max)
			max = m->all[i].time;
	return max;
}

static void assert_node(const struct model *m, int i)
{
	const struct plain *p = &m->all[i];
	const struct hnode *n = p->node;
	uint8_t header[80];

	ck_assert_int_eq(n->height, p->height);
	ck_assert_uint_eq(n->time, p->time);
	ck_assert_int_eq(u256_cmp(&n->work, &p->work), 0);
	ck_assert_ptr_eq(n->prev,
			 p->parent < 0 ? NULL : m->all[p->parent].node);
	ck_assert_uint_eq(n->mtp, plain_mtp(m, i));
	ck_assert_int_eq(median_time_past(&hnode_reader, n), n->mtp);
	ck_assert_uint_eq(n->time_max, plain_time_max(m, i));
	ck_assert_int_eq(n->data_file, -1);
	ck_assert_int_eq(n->undo_file, -1);
	hnode_header_put(header, n);
	ck_assert_mem_eq(header, p->header, 80);
	ck_assert_ptr_eq(htree_find(m->tree, &n->hash), p->node);
}

/* Grow by one: mostly on the newest node, else anywhere. Times go back too. */
static void op_add(struct model *m)
{
	int parent = rand_below(&m->r, 4) ? m->n - 1 : pick(m);
	struct plain *p = &m->all[m->n], *up = &m->all[parent];
	struct hnode *node = NULL;
	struct hash256 hash;
	struct verdict v;
	struct u256 w;
	bool is_new;

	mine_child(p->header, &hash, up->node,
		   (uint32_t)rand_below(&m->r, 28) - 6, (uint32_t)m->n,
		   &m->params);
	v = htree_accept_hashed(m->tree, &node, &is_new, p->header, &hash,
				NOW_S, true);
	if (below_failed(m, parent)) {
		ck_assert_str_eq(v.reject, "bad-prevblk");
		return;
	}
	ck_assert_msg(v.kind == V_VALID, "%s", v.reject);
	ck_assert(is_new);
	p->parent = parent;
	p->height = up->height + 1;
	p->time = le32_get(p->header + 68);
	w = work_of_bits(le32_get(p->header + 72));
	p->work = u256_add(&up->work, &w);
	p->failed = false;
	p->node = node;
	assert_node(m, m->n++);
}

static void op_again(struct model *m)
{
	int i = pick(m);
	struct plain *p = &m->all[i];
	struct hnode *node = NULL;
	struct verdict v;
	bool is_new = true;

	v = htree_accept(m->tree, &node, &is_new, p->header, NOW_S, true);
	if (below_failed(m, i)) {
		ck_assert_str_eq(v.reject, "duplicate-invalid");
		ck_assert_int_eq(v.reason, INV_CACHED);
		return;
	}
	ck_assert_int_eq(v.kind, V_VALID);
	ck_assert_ptr_eq(node, p->node);
	ck_assert(!is_new);
}

static void op_ancestors(struct model *m)
{
	int i = pick(m), k = pick(m), a, b;
	int32_t h = (int32_t)rand_below(&m->r, (uint64_t)m->n + 2) - 1;
	const struct hnode *n = m->all[i].node;

	a = plain_ancestor(m, i, h);
	ck_assert_ptr_eq(hnode_ancestor(n, h), a < 0 ? NULL : m->all[a].node);
	ck_assert_int_eq(hnode_is_ancestor(m->all[k].node, n),
			 plain_ancestor(m, i, m->all[k].height) == k);
	for (a = i, b = k; a != b;) {
		if (m->all[a].height > m->all[b].height)
			a = m->all[a].parent;
		else
			b = m->all[b].parent;
	}
	ck_assert_ptr_eq(hnode_fork(n, m->all[k].node), m->all[a].node);
	ck_assert_ptr_eq(hnode_fork(m->all[k].node, n), m->all[a].node);
}

/* Eleven steps of one, then of 2, 4, 8 ..., genesis last. */
static void op_locator(struct model *m)
{
	struct hash256 got[LOCATOR_MAX];
	int i = pick(m), at = i;
	uint32_t n = hnode_locator(got, m->all[i].node), k;
	int32_t step = 1, h;

	for (k = 0; k < n; k++) {
		ck_assert(hash256_eq(&got[k], &m->all[at].node->hash));
		h = m->all[at].height - step;
		if (k >= 10)
			step *= 2;
		at = plain_ancestor(m, i, h < 0 ? 0 : h);
	}
	ck_assert(hash256_eq(&got[n - 1], &m->all[0].node->hash));
	ck_assert(n < 2 || !hash256_eq(&got[n - 2], &got[n - 1]));
}

static void set_status(struct hnode *n, uint32_t bits, bool on)
{
	if (on)
		__atomic_fetch_or(&n->status, bits, __ATOMIC_RELEASE);
	else
		__atomic_fetch_and(&n->status, ~bits, __ATOMIC_RELEASE);
}

/* The chain thread's part: mark a node, and now and then those below it too. */
static void op_fail(struct model *m)
{
	int i = 1 + (int)rand_below(&m->r, (uint64_t)m->n), k;
	bool mark_below = rand_below(&m->r, 2);

	if (i >= m->n || rand_below(&m->r, 3) == 0)
		return;
	m->all[i].failed = true;
	set_status(m->all[i].node, HN_FAILED, true);
	for (k = i + 1; k < m->n && mark_below; k++)
		if (plain_ancestor(m, k, m->all[i].height) == i)
			set_status(m->all[k].node, HN_FAILED_PARENT, true);
	htree_recompute_best(m->tree);
}

static void op_reconsider(struct model *m)
{
	int i;

	for (i = 1; i < m->n; i++) {
		if (m->all[i].failed && rand_below(&m->r, 2)) {
			m->all[i].failed = false;
			set_status(m->all[i].node, HN_FAILED, false);
		}
	}
	for (i = 1; i < m->n; i++)
		set_status(m->all[i].node, HN_FAILED_PARENT, false);
	htree_recompute_best(m->tree);
}

static void assert_all(struct model *m)
{
	struct hnode *n;
	size_t i = 0;
	int k;

	ck_assert_uint_eq(htree_count(m->tree), (size_t)m->n);
	for (k = 0; (n = htree_next(m->tree, &i)) != NULL; k++) {
		ck_assert_ptr_eq(n, m->all[k].node);
		assert_node(m, k);
	}
	ck_assert_int_eq(k, m->n);
}

START_TEST(htree_equals_a_plain_model_under_random_operations)
{
	struct model m;
	int step;

	model_init(&m, (uint64_t)_i + 100);
	for (step = 0; step < 6000 && m.n < MODEL_MAX - 1; step++) {
		switch (rand_below(&m.r, 40)) {
		case 0:
			op_again(&m);
			break;
		case 1:
			op_locator(&m);
			break;
		case 2:
			if (rand_below(&m.r, 8) == 0)
				op_fail(&m);
			break;
		case 3:
			if (rand_below(&m.r, 8) == 0)
				op_reconsider(&m);
			break;
		default:
			if (step % 3)
				op_ancestors(&m);
			else
				op_add(&m);
		}
		if (step % 50 == 0 || rand_below(&m.r, 30) == 0)
			ck_assert_ptr_eq(htree_best(m.tree),
					 m.all[plain_best(&m)].node);
	}
	assert_all(&m);
	model_fini(&m);
}
END_TEST

/* Far back or near: by the jumps, the steps grow with the logarithm only. */
START_TEST(any_ancestor_is_a_few_steps_away)
{
	struct hnode *all = xcalloc(100001, sizeof *all);
	struct rand r;
	int i, steps, most = 0;

	/* The jump rule as the tree has it is checked through real nodes
	 * above; here its shape alone, for a chain too long to mine. */
	for (i = 1; i <= 100000; i++) {
		const struct hnode *p = &all[i - 1], *a = p->skip;

		all[i].height = i;
		all[i].prev = p;
		all[i].skip =
		    a && a->skip &&
			    p->height - a->height == a->height - a->skip->height
			? a->skip
			: p;
	}
	rand_seed(&r, 5);
	for (i = 0; i < 20000; i++) {
		const struct hnode *n = &all[rand_below(&r, 100001)];
		int32_t h = (int32_t)rand_below(&r, (uint64_t)n->height + 1);

		ck_assert_ptr_eq(hnode_ancestor(n, h), &all[h]);
		for (steps = 0; n->height > h; steps++)
			n = n->skip->height >= h ? n->skip : n->prev;
		if (steps > most)
			most = steps;
	}
	ck_assert_int_le(most, 60);
	free(all);
}
END_TEST

START_TEST(htree_jumps_follow_the_joining_rule)
{
	struct params p = miner_params();
	struct htree *t = htree_new(&p);
	struct mined m;
	size_t i;

	mine_chain(&m, t, htree_genesis(t), 300, MINER_SPACING, 1);
	for (i = 0; i < m.n; i++) {
		const struct hnode *n = htree_find(t, &m.hashes[i]);
		const struct hnode *a = n->prev->skip;

		if (a && a->skip &&
		    n->prev->height - a->height == a->height - a->skip->height)
			ck_assert_ptr_eq(n->skip, a->skip);
		else
			ck_assert_ptr_eq(n->skip, n->prev);
	}
	mined_fini(&m);
	htree_free(t);
}
END_TEST

struct place {
	struct params p;
	struct htree *t;
	struct hnode *node;
	bool is_new;
	uint8_t header[80];
	struct hash256 hash;
};

static void place_init(struct place *x)
{
	x->p = miner_params();
	x->t = htree_new(&x->p);
	x->node = NULL;
	mine_child(x->header, &x->hash, htree_genesis(x->t), 8, 0, &x->p);
}

static void assert_refuses(struct place *x, int64_t now_s, bool force,
			   enum invalid_reason reason, const char *reject)
{
	size_t n = htree_count(x->t);
	struct hnode *before = x->node;
	struct verdict v;

	v = htree_accept(x->t, &x->node, &x->is_new, x->header, now_s, force);
	ck_assert_int_eq(v.kind, V_INVALID);
	ck_assert_str_eq(v.reject, reject);
	ck_assert_int_eq(v.reason, reason);
	ck_assert_ptr_eq(x->node, before);
	ck_assert_uint_eq(htree_count(x->t), n);
}

static void remine(struct place *x, struct header *h)
{
	mine(x->header, &x->hash, h, &x->p);
}

START_TEST(htree_accept_refuses_for_the_first_broken_rule)
{
	struct place x;
	struct header h;
	struct verdict v;

	place_init(&x);
	header_get(&h, x.header);
	/* No work; the parent, unknown besides, is not asked for. */
	h.prev.b[0] ^= 1;
	for (h.nonce = 0;; h.nonce++) {
		header_put(x.header, &h);
		sha256d(&x.hash, x.header, 80);
		if (!pow_ok(&x.hash, h.bits, &x.p))
			break;
	}
	assert_refuses(&x, NOW_S, true, INV_HEADER, "high-hash");
	remine(&x, &h);
	assert_refuses(&x, NOW_S, true, INV_MISSING_PREV, "prev-blk-not-found");
	h.prev.b[0] ^= 1;
	set_status(htree_genesis(x.t), HN_FAILED_PARENT, true);
	remine(&x, &h);
	assert_refuses(&x, NOW_S, true, INV_PREV, "bad-prevblk");
	set_status(htree_genesis(x.t), HN_FAILED_PARENT, false);
	h.bits--;
	remine(&x, &h);
	assert_refuses(&x, NOW_S, true, INV_HEADER, "bad-diffbits");
	h.bits++;
	h.time = x.p.genesis_time;
	remine(&x, &h);
	assert_refuses(&x, NOW_S, true, INV_HEADER, "time-too-old");
	h.time++;
	remine(&x, &h);
	assert_refuses(&x, (int64_t)h.time - 7201, true, INV_TIME_FUTURE,
		       "time-too-new");
	h.version = 3;
	remine(&x, &h);
	assert_refuses(&x, NOW_S, true, INV_HEADER, "bad-version(0x00000003)");
	h.version = 4;
	remine(&x, &h);
	v = htree_accept(x.t, &x.node, &x.is_new, x.header,
			 (int64_t)h.time - 7200, true);
	ck_assert_int_eq(v.kind, V_VALID);
	ck_assert(x.is_new);
	set_status(x.node, HN_FAILED, true);
	assert_refuses(&x, NOW_S, true, INV_CACHED, "duplicate-invalid");
	htree_free(x.t);
}
END_TEST

START_TEST(htree_accept_refuses_chains_below_the_minimum_work)
{
	struct place x;
	struct u256 need, step;
	struct verdict v;

	place_init(&x);
	ck_assert(u256_is_zero(htree_min_work(x.t)));
	step = work_of_bits(x.p.genesis_bits);
	need = u256_add(&step, &step);
	need = u256_add(&need, &step);
	htree_set_min_work(x.t, &need);
	ck_assert_int_eq(u256_cmp(htree_min_work(x.t), &need), 0);
	assert_refuses(&x, NOW_S, false, INV_LOW_WORK, "too-little-chainwork");
	v = htree_accept(x.t, &x.node, &x.is_new, x.header, NOW_S, true);
	ck_assert_int_eq(v.kind, V_VALID);
	/* Known, so asked no more; and its child reaches the work. */
	v = htree_accept(x.t, &x.node, &x.is_new, x.header, NOW_S, false);
	ck_assert_int_eq(v.kind, V_VALID);
	ck_assert(!x.is_new);
	mine_child(x.header, &x.hash, x.node, 8, 0, &x.p);
	v = htree_accept(x.t, &x.node, &x.is_new, x.header, NOW_S, false);
	ck_assert_int_eq(v.kind, V_VALID);
	ck_assert(x.is_new);
	htree_free(x.t);
}
END_TEST

START_TEST(htree_new_takes_the_minimum_work_from_the_table)
{
	struct htree *t = htree_new(params_get(CHAIN_MAIN));
	struct u256 want = u256_from_be(params_get(CHAIN_MAIN)->min_chain_work);
	struct hnode *g = htree_genesis(t);

	ck_assert_int_eq(u256_cmp(htree_min_work(t), &want), 0);
	ck_assert_ptr_eq(htree_params(t), params_get(CHAIN_MAIN));
	ck_assert(hash256_eq(&g->hash, &htree_params(t)->genesis_hash));
	ck_assert_ptr_eq(htree_best(t), g);
	ck_assert_ptr_null(g->prev);
	ck_assert_ptr_null(g->skip);
	htree_free(t);
}
END_TEST

START_TEST(htree_load_checks_link_and_work_only)
{
	struct place x;
	struct header h;
	struct hnode *n;

	place_init(&x);
	header_get(&h, x.header);
	h.version = 1; /* breaks a rule that is not asked again */
	remine(&x, &h);
	n = htree_load(x.t, x.header);
	ck_assert_ptr_nonnull(n);
	ck_assert_ptr_eq(n->prev, htree_genesis(x.t));
	ck_assert_ptr_eq(htree_load(x.t, x.header), n);
	ck_assert_ptr_eq(htree_load(x.t, x.p.genesis_block.p),
			 htree_genesis(x.t));
	ck_assert_ptr_eq(htree_best(x.t), n);
	h.prev.b[3] ^= 1;
	remine(&x, &h);
	ck_assert_ptr_null(htree_load(x.t, x.header));
	h.prev.b[3] ^= 1;
	h.bits = 0x1d00ffff;
	header_put(x.header, &h);
	ck_assert_ptr_null(htree_load(x.t, x.header));
	ck_assert_uint_eq(htree_count(x.t), 2);
	htree_free(x.t);
}
END_TEST

START_TEST(the_first_of_equal_headers_stays_best)
{
	struct place x;
	struct hnode *first;
	struct verdict v;

	place_init(&x);
	v = htree_accept(x.t, &first, &x.is_new, x.header, NOW_S, true);
	ck_assert_int_eq(v.kind, V_VALID);
	mine_child(x.header, &x.hash, htree_genesis(x.t), 8, 9, &x.p);
	v = htree_accept(x.t, &x.node, &x.is_new, x.header, NOW_S, true);
	ck_assert_int_eq(v.kind, V_VALID);
	ck_assert_ptr_eq(htree_best(x.t), first);
	set_status(first, HN_FAILED, true);
	htree_recompute_best(x.t);
	ck_assert_ptr_eq(htree_best(x.t), x.node);
	set_status(first, HN_FAILED, false);
	htree_recompute_best(x.t);
	ck_assert_ptr_eq(htree_best(x.t), first);
	htree_free(x.t);
}
END_TEST

START_TEST(hnode_cmp_work_prefers_work_then_seq_then_hash)
{
	struct hnode a = {.seq = 5}, b = {.seq = 5};

	ck_assert_int_eq(hnode_cmp_work(&a, &b), 0);
	b.hash.b[31] = 1;
	ck_assert_int_gt(hnode_cmp_work(&a, &b), 0);
	ck_assert_int_lt(hnode_cmp_work(&b, &a), 0);
	b.seq = 4;
	ck_assert_int_lt(hnode_cmp_work(&a, &b), 0);
	ck_assert_int_gt(hnode_cmp_work(&b, &a), 0);
	a.work.w[3] = 1;
	b.work.w[0] = UINT64_MAX;
	ck_assert_int_gt(hnode_cmp_work(&a, &b), 0);
	ck_assert_int_lt(hnode_cmp_work(&b, &a), 0);
}
END_TEST

/* Feed a file of headers in batches, as messages come. */
static void accept_file(struct htree *t, const char *file)
{
	struct hash256 hashes[HEADERS_MAX];
	struct buf *b = td_read(file);
	size_t n = b->n / HEADER_SIZE, i, k;

	for (i = 0; i < n; i += k) {
		const uint8_t *h = buf_data(b) + i * HEADER_SIZE;
		size_t count = n - i < HEADERS_MAX ? n - i : HEADERS_MAX;

		sha256d80(hashes, h, HEADER_SIZE, count);
		for (k = 0; k < count; k++) {
			struct hnode *node;
			bool is_new;
			struct verdict v = htree_accept_hashed(
			    t, &node, &is_new, h + k * HEADER_SIZE, &hashes[k],
			    NOW_S, true);

			ck_assert_msg(v.kind == V_VALID, "%s height %zu: %s",
				      file, i + k, v.reject);
			ck_assert_int_eq(node->height, (int32_t)(i + k));
		}
	}
	buf_unref(b);
}

static void assert_work(const struct hnode *n, const char *hex)
{
	uint8_t be[32];
	char got[65];

	u256_to_be(be, &n->work);
	hex_put(got, slice_of(be, 32));
	ck_assert_str_eq(got, hex);
}

START_TEST(real_headers_are_accepted_with_their_work)
{
	struct htree *t;

	if (td_missing())
		return;
	t = htree_new(params_get(CHAIN_MAIN));
	accept_file(t, "headers/mainnet-0-10236.bin");
	ck_assert_int_eq(htree_best(t)->height, 10236);
	/* All at difficulty 1. */
	assert_work(
	    htree_best(t),
	    "000000000000000000000000000000000000000000000000000027fd27fd27fd");
	htree_free(t);
	t = htree_new(params_get(CHAIN_TEST));
	accept_file(t, "headers/testnet3-0-6047.bin");
	ck_assert_int_eq(htree_best(t)->height, 6047);
	htree_free(t);
	t = htree_new(params_get(CHAIN_SIGNET));
	accept_file(t, "headers/signet-0-1007.bin");
	ck_assert_int_eq(htree_best(t)->height, 1007);
	htree_free(t);
}
END_TEST

/* Published chain work at the checkpoint heights that the file reaches. */
START_TEST(real_headers_have_the_work_of_the_checkpoints)
{
	struct htree *t;
	char *text, *line, *save = NULL, work[65];
	int32_t height;
	int n = 0;

	if (td_missing())
		return;
	t = htree_new(params_get(CHAIN_MAIN));
	accept_file(t, "headers/mainnet-0-10236.bin");
	text = td_read_text("headers/checkpoints-mainnet.csv");
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%d,%*[0-9a-f],%64s", &height, work) != 2 ||
		    height > 10236)
			continue;
		assert_work(hnode_ancestor(htree_best(t), height), work);
		n++;
	}
	ck_assert_int_eq(n, 5);
	free(text);
	htree_free(t);
}
END_TEST

START_TEST(a_mined_tree_of_forks_is_accepted)
{
	struct params p = *params_get(CHAIN_MAIN);
	char *text, *c, hex[161];
	uint8_t header[80];
	struct htree *t;
	struct hnode *node;
	bool is_new;
	int n = 0;

	if (td_missing())
		return;
	t = htree_new(&p);
	text = td_read_text("headers/bip54-timestamps.json");
	for (c = text; (c = strchr(c, '"')) != NULL;) {
		size_t len = strcspn(++c, "\"");
		struct verdict v;

		if (len == 160) {
			memcpy(hex, c, 160);
			hex[160] = '\0';
			ck_assert(hex_parse(header, 80, hex));
			v = htree_accept(t, &node, &is_new, header, NOW_S,
					 true);
			ck_assert_msg(v.kind == V_VALID, "header %d: %s", n,
				      v.reject);
			n++;
		}
		c += len + 1;
	}
	ck_assert_int_eq(n, 4049);
	ck_assert_int_eq(htree_best(t)->height, 4032);
	free(text);
	htree_free(t);
}
END_TEST

Suite *htree_suite(void)
{
	Suite *s = suite_create("htree");
	TCase *m = tcase_create("model"), *r = tcase_create("rules"),
	      *d = tcase_create("real headers");

	tcase_set_timeout(m, 120);
	tcase_set_timeout(d, 60);
	tcase_add_loop_test(
	    m, htree_equals_a_plain_model_under_random_operations, 0, 8);
	tcase_add_test(m, any_ancestor_is_a_few_steps_away);
	tcase_add_test(m, htree_jumps_follow_the_joining_rule);
	tcase_add_test(m, the_first_of_equal_headers_stays_best);
	tcase_add_test(m, hnode_cmp_work_prefers_work_then_seq_then_hash);
	suite_add_tcase(s, m);
	tcase_add_test(r, htree_accept_refuses_for_the_first_broken_rule);
	tcase_add_test(r, htree_accept_refuses_chains_below_the_minimum_work);
	tcase_add_test(r, htree_new_takes_the_minimum_work_from_the_table);
	tcase_add_test(r, htree_load_checks_link_and_work_only);
	suite_add_tcase(s, r);
	tcase_add_test(d, real_headers_are_accepted_with_their_work);
	tcase_add_test(d, real_headers_have_the_work_of_the_checkpoints);
	tcase_add_test(d, a_mined_tree_of_forks_is_accepted);
	suite_add_tcase(s, d);
	return s;
}
