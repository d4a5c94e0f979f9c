/*
 * The commit order: a node that mines, reorganises and flushes at random is
 * killed at any moment, again and again on the same folder. What it finds at
 * the next start has to be some chain of whole blocks whose coins are exactly
 * those that a plain walk over these blocks leaves, with filters to match.
 */
#include "rig.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/chain/mining.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>
#include <cairn/wire/block.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS   24
#define MATURITY 100

/* The model: every unspent output, in no order. */
struct entry {
	uint8_t op[36];
	struct coin coin; /* script is the model's own copy */
};

struct model {
	struct entry *e;
	size_t n, cap;
};

static void model_spend(struct model *m, const uint8_t *op)
{
	size_t i;

	for (i = 0; memcmp(m->e[i].op, op, 36) != 0; i++)
		ck_assert_uint_lt(i + 1, m->n);
	free((void *)(uintptr_t)m->e[i].coin.script.p);
	m->e[i] = m->e[--m->n];
}

static void model_make(struct model *m, const struct block_view *v, uint32_t t,
		       int32_t height)
{
	struct txout_view out;
	struct tx_iter it;
	uint32_t o;

	txouts(&it, &v->tx[t]);
	for (o = 0; txout_next(&it, &out); o++) {
		uint8_t *script;
		struct entry *e;

		if (script_is_unspendable(out.script))
			continue;
		arr_grow(&m->e, &m->cap, m->n + 1, sizeof *m->e);
		e = &m->e[m->n++];
		memcpy(e->op, v->txid[t].b, 32);
		le32_put(e->op + 32, o);
		script = xmalloc(out.script.n + 1);
		memcpy(script, out.script.p, out.script.n);
		e->coin = (struct coin){.value = out.value,
					.height = height,
					.coinbase = t == 0,
					.script = {script, out.script.n}};
	}
}

static void model_connect(struct model *m, struct slice block, int32_t height)
{
	struct block_view v;
	struct txin_view in;
	struct tx_iter it;
	size_t trailing;
	uint32_t t;

	ck_assert_int_eq(block_view_parse(&v, &trailing, block), 0);
	block_hash_txs(&v);
	for (t = 0; t < v.n_tx; t++) {
		txins(&it, &v.tx[t]);
		while (t > 0 && txin_next(&it, &in))
			model_spend(m, in.prevout);
		model_make(m, &v, t, height);
	}
	block_view_fini(&v);
}

/* In the database's order: txid, then index as a number. */
static int by_outpoint(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = memcmp(x->op, y->op, 32);
	uint32_t i = le32_get(x->op + 32), k = le32_get(y->op + 32);

	return c ? c : i < k ? -1 : i > k;
}

static struct hash256 model_hash(struct model *m)
{
	struct hash256 out;
	struct sha256 h;
	size_t i;

	qsort(m->e, m->n, sizeof *m->e, by_outpoint);
	sha256_init(&h);
	for (i = 0; i < m->n; i++)
		rig_put_coin(&h, m->e[i].op, &m->e[i].coin);
	sha256_end(&h, out.b);
	return out;
}

static void model_fini(struct model *m)
{
	while (m->n)
		free((void *)(uintptr_t)m->e[--m->n].coin.script.p);
	free(m->e);
}

static void configure(struct rig *r, const char *dir)
{
	rig_init(r, CHAIN_REGTEST, dir);
	r->cfg.block_filter_index = true;
	r->cfg.max_unflushed = 7;
	r->cfg.dbcache = 1 << 20;
}

/* A block with a few spends on the tip. */
static void mine_one(struct rig *r, struct rand *rnd)
{
	int32_t top = chain_tip(r->c)->height - MATURITY;
	unsigned salt = (unsigned)rand_u64(rnd), k;
	struct buf *txs[4], *b;
	struct block_result res;
	size_t n = 0;

	for (k = 0; top > 1 && k < 3; k++) {
		int32_t h = 1 + (int32_t)rand_below(rnd, (uint64_t)top);

		txs[n] = rig_spend(r, h, salt + k,
				   1 + (unsigned)rand_below(rnd, 12));
		/* The same coin twice would make the block invalid. */
		if (txs[n] && n &&
		    memcmp(buf_data(txs[n]) + 5, buf_data(txs[n - 1]) + 5,
			   36) == 0)
			buf_unref(txs[n]);
		else if (txs[n])
			n++;
	}
	if (n == 3 &&
	    memcmp(buf_data(txs[2]) + 5, buf_data(txs[0]) + 5, 36) == 0)
		buf_unref(txs[--n]);
	b = rig_make(r, salt, txs, n);
	res = rig_block(r, buf_payload(b));
	ck_assert_msg(res.outcome == BLOCK_CONNECTED, "outcome %d %s",
		      res.outcome, res.verdict.reject);
	buf_unref(b);
	while (n)
		buf_unref(txs[--n]);
}

static void flush(void *arg)
{
	struct rig *r = arg;

	ck_assert_int_eq(chain_flush(r->c), 0);
}

/* Up to eight blocks back, then another branch that is longer. */
static void reorganise(struct rig *r, struct rand *rnd)
{
	int32_t back = 1 + (int32_t)rand_below(rnd, 8);
	int32_t h = chain_tip(r->c)->height - back + 1;
	struct hnode *old;

	if (h <= MATURITY + 2)
		return;
	old = chain_at(r->c, h);
	rig_invalidate(r, old);
	while (back-- >= 0)
		mine_one(r, rnd);
	/* Forgiven, it is a side branch like any other. */
	if (rand_below(rnd, 2))
		rig_reconsider(r, old);
}

static void live(const char *dir, uint64_t seed)
{
	struct rand rnd;
	struct rig r;

	rand_seed(&rnd, seed);
	configure(&r, dir);
	rig_start(&r);
	while (r.loaded) {
		switch (rand_below(&rnd, 12)) {
		case 0:
			reorganise(&r, &rnd);
			break;
		case 1:
			rig_run(&r, flush, &r);
			break;
		case 2:
			if (rand_below(&rnd, 4) == 0)
				rig_restart(&r);
			break;
		default:
			mine_one(&r, &rnd);
		}
	}
	_exit(1);
}

/* A process of its own: LevelDB's threads do not survive a fork. */
static void become_child(const char *dir, uint64_t seed)
{
	int null = open("/dev/null", O_WRONLY);
	char number[24];

	dup2(null, STDOUT_FILENO);
	snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
	setenv(CRASH_CHILD, dir, 1);
	setenv(CRASH_CHILD "_SEED", number, 1);
	unsetenv("CK_RUN_SUITE");
	unsetenv("CK_RUN_CASE");
	execl("/proc/self/exe", "chain", (char *)NULL);
	_exit(1);
}

/* Let a child live on dir and kill it after a while. */
static void live_and_die(const char *dir, uint64_t seed, uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000),
			     (long)(ns % 1000000000)};
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		become_child(dir, seed);
	nanosleep(&t, NULL);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		      "seed %llu: the child ended by itself",
		      (unsigned long long)seed);
}

START_TEST(child)
{
	live(getenv(CRASH_CHILD),
	     strtoull(getenv(CRASH_CHILD "_SEED"), NULL, 10));
}
END_TEST

Suite *crash_child_suite(void)
{
	Suite *s = suite_create("child of crash");
	TCase *tc = tcase_create("child");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, child);
	suite_add_tcase(s, tc);
	return s;
}

static void until_filtered(struct rig *r)
{
	uint64_t end = mono_ns() + 60000000000u;

	while (!chain_filters_ready(r->c)) {
		rig_poll(r);
		ck_assert_uint_lt(mono_ns(), end);
	}
}

/* Walk the chain that r has, in the model and in a second node. */
static void compare(struct rig *r, struct rig *fresh, struct model *m)
{
	struct block_result res;
	struct hash256 a, b;
	struct hnode *tip;
	int32_t h;

	a = rig_coins_at(r, &tip);
	for (h = 1; h <= tip->height; h++) {
		struct buf *block;
		int rc = chain_read_block(r->c, &block, hnode_ancestor(tip, h));

		ck_assert_int_eq(rc, 0);
		model_connect(m, buf_payload(block), h);
		res = rig_block(fresh, buf_payload(block));
		ck_assert_msg(res.outcome == BLOCK_CONNECTED,
			      "height %d of %d: outcome %d %s", h, tip->height,
			      res.outcome, res.verdict.reject);
		buf_unref(block);
	}
	ck_assert_mem_eq(chain_tip(fresh->c)->hash.b, tip->hash.b, 32);
	b = model_hash(m);
	ck_assert_mem_eq(a.b, b.b, 32);
	until_filtered(r);
	ck_assert(chain_filter_header(r->c, &a, tip));
	ck_assert(chain_filter_header(fresh->c, &b, chain_tip(fresh->c)));
	ck_assert_mem_eq(a.b, b.b, 32);
}

static int32_t open_and_check(const char *dir, uint64_t seed)
{
	struct model m = {NULL, 0, 0};
	struct rig r, fresh;
	int32_t height;

	configure(&r, dir);
	configure(&fresh, NULL);
	rig_start(&r);
	ck_assert_msg(r.loaded, "seed %llu: %s", (unsigned long long)seed,
		      r.fatal_text);
	rig_start(&fresh);
	height = chain_tip(r.c)->height;
	compare(&r, &fresh, &m);
	model_fini(&m);
	rig_fini(&fresh);
	rig_fini(&r);
	return height;
}

static void grow(const char *dir)
{
	struct rand rnd;
	struct rig r;
	int i;

	rand_seed(&rnd, 1);
	configure(&r, dir);
	rig_start(&r);
	for (i = 0; i < MATURITY + 10; i++)
		mine_one(&r, &rnd);
	rig_fini(&r);
}

START_TEST(killed_node_finds_whole_blocks_and_their_coins)
{
	char *dir = scratch_new();
	int32_t height = 0;
	struct rand rnd;
	int i;

	grow(dir);
	rand_init(&rnd);
	/* More rounds, with longer lives, where the machine or the build is too
	 * slow to get anywhere. */
	for (i = 0; i < ROUNDS || (height <= MATURITY + 20 && i < 20 * ROUNDS);
	     i++) {
		uint64_t seed = rand_u64(&rnd);
		uint64_t ns = 10000000 + rand_below(&rnd, 80000000);

		live_and_die(dir, seed, ns * (uint64_t)(1 + i / ROUNDS));
		height = open_and_check(dir, seed);
		ck_assert_int_ge(height, MATURITY);
	}
	/* They did live. */
	ck_assert_int_gt(height, MATURITY + 20);
	scratch_free(dir);
}
END_TEST

/* Killed at once, or while it repairs what the last kill left. */
START_TEST(node_killed_while_starting_starts_in_the_end)
{
	char *dir = scratch_new();
	struct rand rnd;
	int i;

	grow(dir);
	rand_init(&rnd);
	for (i = 0; i < ROUNDS; i++)
		live_and_die(dir, rand_u64(&rnd),
			     5000000 + rand_below(&rnd, 20000000));
	ck_assert_int_ge(open_and_check(dir, 0), MATURITY);
	scratch_free(dir);
}
END_TEST

Suite *crash_suite(void)
{
	Suite *s = suite_create("crash");
	TCase *tc = tcase_create("commit order");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, killed_node_finds_whole_blocks_and_their_coins);
	tcase_add_test(tc, node_killed_while_starting_starts_in_the_end);
	suite_add_tcase(s, tc);
	return s;
}
