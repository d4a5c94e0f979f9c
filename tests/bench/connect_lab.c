/* A chain for benchmarks; see connect.h. The benchmark's thread is its loop. */
#include "connect.h"

#include <cairn/base/buf.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/chain/mining.h>
#include <cairn/params/params.h>

#include <stdlib.h>

static void post(void *arg, struct task t)
{
	struct lab *l = arg;

	if (!queue_put(&l->tasks, t))
		abort();
}

static void on_event(void *arg, const struct chain_event *e)
{
	struct lab *l = arg;

	l->up |= e->type == CHAIN_EV_LOADED;
	l->down |= e->type == CHAIN_EV_STOPPED;
	l->failed |= e->type == CHAIN_EV_FATAL;
}

static void until(struct lab *l, const bool *flag)
{
	struct task t;

	while (!*flag && !l->failed && queue_get(&l->tasks, &t))
		t.run(t.arg);
}

static void clear(struct lab *l)
{
	queue_fini(&l->tasks);
	if (dir_remove(l->dir) != 0)
		l->failed = true; /* nothing more can be done about it */
	free(l->blocks_dir);
	free(l->dir);
}

bool lab_open(struct lab *l, const struct chain_cfg *cfg)
{
	static const struct chain_ops ops = {post, on_event};
	const char *tmp = getenv("TMPDIR");

	*l = (struct lab){.cfg = *cfg};
	l->dir = path_join(tmp ? tmp : "/tmp", "cairn-bench-XXXXXX");
	if (!mkdtemp(l->dir)) {
		free(l->dir);
		return false;
	}
	l->blocks_dir = path_join(l->dir, "blocks");
	queue_init(&l->tasks);
	l->cfg.params = params_get(CHAIN_REGTEST);
	l->cfg.data_dir = l->dir;
	l->cfg.blocks_dir = l->blocks_dir;
	l->cfg.dbcache = 64 << 20;
	l->cfg.clock = &l->clock;
	l->cfg.max_tip_age_s = INT64_MAX / 2;
	l->c = chain_new(&l->cfg, &ops, l);
	chain_start(l->c);
	until(l, &l->up);
	if (!l->failed)
		return true;
	chain_free(l->c);
	clear(l);
	return false;
}

void lab_close(struct lab *l)
{
	chain_stop(l->c);
	until(l, &l->down);
	chain_free(l->c);
	clear(l);
}

struct call {
	struct lab *l;
	task_fn fn;
	void *arg;
	bool done;
};

static void call_done(void *arg)
{
	struct call *k = arg;

	k->done = true;
}

static void call_run(void *arg)
{
	struct call *k = arg;

	k->fn(k->arg);
	post(k->l, (struct task){call_done, k});
}

void lab_run(struct lab *l, task_fn fn, void *arg)
{
	struct call k = {l, fn, arg, false};

	if (!chain_run(l->c, (struct task){call_run, &k}))
		abort();
	until(l, &k.done);
}

struct making {
	struct chain *c;
	struct slice script;
	struct buf *const *txs;
	size_t n;
	struct buf *block;
};

static void make(void *arg)
{
	struct making *m = arg;

	if (chain_make_block(m->c, &m->block, m->script, m->txs, m->n) != 0 ||
	    !mine_block(m->block, params_get(CHAIN_REGTEST), UINT64_MAX))
		abort();
}

struct buf *lab_make(struct lab *l, struct slice script, struct buf *const *txs,
		     size_t n)
{
	struct making m = {l->c, script, txs, n, NULL};

	lab_run(l, make, &m);
	return m.block;
}

struct waiting {
	struct lab *l;
	enum block_outcome outcome;
};

static void on_answer(void *arg, const struct block_result *r)
{
	struct waiting *w = arg;

	w->outcome = r->outcome;
	w->l->answered = true;
}

bool lab_connect(struct lab *l, struct buf *block)
{
	struct waiting w = {l, BLOCK_REFUSED};
	struct block_job job = {.buf = buf_ref(block),
				.requested = true,
				.peer = PEER_NONE,
				.done = on_answer,
				.arg = &w};
	bool is_new = false;
	struct verdict v =
	    htree_accept(chain_tree(l->c), &job.node, &is_new, buf_data(block),
			 clock_now(&l->clock), true);

	if (!verdict_ok(&v)) {
		buf_unref(job.buf);
		return false;
	}
	if (is_new)
		chain_note_headers(l->c, &job.node, 1);
	l->answered = false;
	chain_submit_block(l->c, &job);
	until(l, &l->answered);
	return w.outcome == BLOCK_CONNECTED;
}
