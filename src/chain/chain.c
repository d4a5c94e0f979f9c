/*
 * The pipeline as a whole: made and freed here, its threads started and
 * stopped, and the chain thread's own round: control work first, then one
 * block, then whatever can be done while nothing waits. Rules, disk and
 * reorganisation are in the files beside.
 */
#include "internal.h"
#include "script_pool.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/store/kv.h>

#include <stdio.h>
#include <stdlib.h>

struct control {
	struct work w; /* first */
	void (*run)(struct chain *c, void *arg);
	void *arg;
	struct task task; /* with run_task */
};

struct notes {
	size_t n;
	struct hnode *nodes[];
};

struct chain *chain_new(const struct chain_cfg *cfg,
			const struct chain_ops *ops, void *arg)
{
	struct chain *c = xcalloc(1, sizeof *c);

	must(cfg->workers > 0);
	c->cfg = *cfg;
	c->cfg.blocks_dir = xstrdup(cfg->blocks_dir);
	c->cfg.data_dir = xstrdup(cfg->data_dir);
	c->ops = *ops;
	c->ops_arg = arg;
	c->ibd = true;
	c->precious_seq = -1;
	c->tree = htree_new(cfg->params);
	htree_set_min_work(c->tree, &cfg->min_work);
	workq_init(&c->q);
	workq_init(&c->prepare);
	workq_init(&c->append);
	outbox_init(&c->out);
	must(pthread_mutex_init(&c->batch_mu, NULL) == 0);
	c->batch = kv_batch_new();
	hmap_init(&c->inflight);
	pendings_init(&c->pend);
	c->cfc = cfcheckpts_new();
	verified_init(c);
	scripts_init(c);
	unconfirmed_init(c);
	return c;
}

static void free_cfg(struct chain *c)
{
	free((void *)(uintptr_t)c->cfg.blocks_dir);
	free((void *)(uintptr_t)c->cfg.data_dir);
}

void chain_free(struct chain *c)
{
	if (!c)
		return;
	if (c->started)
		pthread_join(c->thread, NULL);
	must(c->inflight.n == 0);
	chain_close_files(c);
	script_pool_free(c->scripts);
	unconfirmed_fini(c);
	verified_fini(c);
	cfcheckpts_free(c->cfc);
	pendings_fini(&c->pend);
	hmap_fini(&c->inflight);
	kv_batch_free(c->batch);
	pthread_mutex_destroy(&c->batch_mu);
	outbox_fini(&c->out);
	workq_fini(&c->append);
	workq_fini(&c->prepare);
	workq_fini(&c->q);
	htree_free(c->tree);
	free(c->workers);
	free(c->ring);
	free(c->nodes);
	free(c->heap);
	free(c->dirty);
	free(c->fatal_text);
	free_cfg(c);
	free(c);
}

bool chain_control(struct chain *c, void (*run)(struct chain *c, void *arg),
		   void *arg)
{
	struct control *k = xcalloc(1, sizeof *k);
	struct worklist one = {&k->w, &k->w};

	k->run = run;
	k->arg = arg;
	if (workq_put(&c->q, LANE_CONTROL, &one))
		return true;
	free(k);
	return false;
}

static void run_task(struct chain *c, void *arg)
{
	struct task *t = arg;

	/* Whoever asks the chain finds the coins at the published tip, and gets
	 * an answer behind all that it has said. */
	ahead_drain(c);
	outbox_flush(c);
	c->in_task = true;
	t->run(t->arg);
	c->in_task = false;
	free(t);
}

bool chain_run(struct chain *c, struct task t)
{
	struct task *copy;

	if (chain_stopping(c))
		return false;
	copy = xmalloc(sizeof *copy);
	*copy = t;
	if (chain_control(c, run_task, copy))
		return true;
	free(copy);
	return false;
}

static void run_notes(struct chain *c, void *arg)
{
	struct notes *notes = arg;

	receive_headers(c, notes->nodes, notes->n);
	free(notes);
}

void chain_note_headers(struct chain *c, struct hnode *const *nodes, size_t n)
{
	struct notes *notes = xmalloc(sizeof *notes + n * sizeof *nodes);

	notes->n = n;
	memcpy(notes->nodes, nodes, n * sizeof *nodes);
	if (!chain_control(c, run_notes, notes))
		free(notes);
}

struct checksum_note {
	struct hnode *node;
	uint32_t checksum;
};

static void run_checksum(struct chain *c, void *arg)
{
	struct checksum_note *note = arg;

	if (!(hnode_status(note->node) & HN_CHECKSUM)) {
		note->node->checksum = note->checksum;
		hnode_set(note->node, HN_CHECKSUM);
		index_dirty(c, note->node);
	}
	free(note);
}

void chain_note_checksum(struct chain *c, struct hnode *n, uint32_t checksum)
{
	struct checksum_note *note = xmalloc(sizeof *note);

	note->node = n;
	note->checksum = checksum;
	if (!chain_control(c, run_checksum, note))
		free(note);
}

void chain_fatal(struct chain *c, int rc, const char *what)
{
	struct chain_event e = {.type = CHAIN_EV_FATAL, .rc = rc};

	if (c->fatal_rc)
		return;
	c->fatal_rc = rc;
	if (rc == E_NOSPACE)
		c->fatal_text = xasprintf("The disk is full: %s; free some "
					  "space and start again",
					  what);
	else if (what[strlen(what) - 1] == '.')
		c->fatal_text = xstrdup(what);
	else
		c->fatal_text = xasprintf("%s: %s", what, err_str(rc));
	e.text = c->fatal_text;
	outbox_event(c, &e);
}

static void serve_control(struct chain *c)
{
	struct work *w;

	while ((w = worklist_pop(&c->control))) {
		struct control *k = (struct control *)w;

		if (k->run)
			k->run(c, k->arg);
		free(k);
	}
}

void chain_serve(struct chain *c, uint64_t wait_ns)
{
	struct worklist in[LANES] = {{NULL, NULL}, {NULL, NULL}};
	int rc;

	workq_take(&c->q, in, wait_ns);
	worklist_join(&c->control, &in[LANE_CONTROL]);
	worklist_join(&c->blocks, &in[LANE_BLOCK]);
	serve_control(c);
	rc = __atomic_load_n(&c->io_rc, __ATOMIC_ACQUIRE);
	if (rc)
		chain_fatal(c, rc, "block data could not be written");
}

/* What became of a stored block, now that nothing better is to be had. */
static void settle(struct chain *c, struct block_work *bw)
{
	struct hnode *n = bw->job.node;
	struct pending *p;

	if (hnode_is_ancestor(n, c->tip)) {
		bw->outcome = BLOCK_CONNECTED;
	} else if (hnode_status(n) & HN_FAILED) {
		bw->outcome = BLOCK_FAILED;
		bw->verdict =
		    c->bad == n ? c->bad_verdict : hnode_failed_verdict(n);
	} else {
		/* Also where an ancestor turned out to be bad: whoever sent
		 * this one is not to blame. */
		bw->outcome = BLOCK_STORED;
		p = pending_find(c, n);
		/* A side branch: only a reorganisation will want it. */
		if (p && !p->unlinked)
			pending_forget_body(c, p);
	}
}

void block_answer(struct chain *c, struct block_work *bw)
{
	if (bw->accepted)
		settle(c, bw);
	outbox_answer(c, bw);
}

static void on_block(struct chain *c, struct block_work *bw)
{
	struct hnode *n = bw->job.node;

	if (bw->accepted) {
		receive_block(c, bw);
		activate(c);
	} else if (bw->blame && !hnode_failed(n)) {
		mark_failed(c, n, &bw->verdict, bw->job.peer);
	}
	ahead_answer(c, bw);
}

/* Refuse what is still queued. */
static void on_block_late(struct chain *c, struct block_work *bw, int rc)
{
	if (bw->accepted) {
		receive_block(c, bw);
		bw->outcome = BLOCK_STORED;
	} else if (bw->outcome == BLOCK_REFUSED &&
		   bw->verdict.kind == V_VALID) {
		bw->verdict = verdict_unknown(rc);
	}
	outbox_answer(c, bw);
}

/* With nothing queued the chain thread verifies scripts; with none of these
 * left it waits until something comes or a block is verified. */
static uint64_t idle_ns(struct chain *c)
{
	if (c->blocks.first || (filters_behind(c) && !c->fatal_rc))
		return 0;
	outbox_flush(c);
	return ahead_help(c) ? 0 : index_wait_ns(c);
}

static void one_round(struct chain *c)
{
	struct block_work *bw;

	chain_serve(c, idle_ns(c));
	if (c->fatal_rc)
		ahead_stop(c);
	else
		activate(c);
	bw = (struct block_work *)worklist_pop(&c->blocks);
	if (bw && c->fatal_rc)
		on_block_late(c, bw, c->fatal_rc);
	else if (bw)
		on_block(c, bw);
	if (!c->fatal_rc) {
		filters_catch_up(c);
		index_tick(c);
	}
	outbox_tick(c);
}

static void start_threads(struct chain *c)
{
	char name[32];
	unsigned i;

	thread_start(&c->writer, "blockwriter", append_main, c);
	c->workers = xcalloc(c->cfg.workers, sizeof *c->workers);
	for (i = 0; i < c->cfg.workers; i++) {
		snprintf(name, sizeof name, "prepare-%u", i);
		thread_start(&c->workers[i], name, prepare_main, c);
	}
}

static void drain_blocks(struct chain *c)
{
	struct work *w;

	while ((w = worklist_pop(&c->blocks)))
		on_block_late(c, (struct block_work *)w, E_STOPPING);
}

/* Downstream in the order of the pipeline: when a stage has ended, nothing more
 * can come from it. */
static void stop_threads(struct chain *c)
{
	unsigned i;
	int rc;

	ahead_stop(c);
	workq_close(&c->prepare);
	for (i = 0; i < c->cfg.workers; i++)
		pthread_join(c->workers[i], NULL);
	/* A commit behind the last block: the writer has passed all on. */
	rc = index_commit_wait(c);
	chain_serve(c, 0);
	drain_blocks(c);
	index_seal(c);
	if (rc == 0)
		rc = index_commit_wait(c);
	if (rc)
		log_warn(LOG_BLOCKSTORAGE, "index not written at stop: %s",
			 err_str(rc));
	chain_unload(c);
	workq_close(&c->append);
	pthread_join(c->writer, NULL);
}

static void say_stopped(struct chain *c)
{
	struct chain_event e = {.type = CHAIN_EV_STOPPED};

	workq_close(&c->q);
	chain_serve(c, 0);
	drain_blocks(c);
	outbox_event(c, &e);
	outbox_flush(c);
}

static void chain_main(void *arg)
{
	struct chain *c = arg;
	struct chain_event e = {.type = CHAIN_EV_LOADED};
	int rc;

	start_threads(c);
	rc = chain_load(c);
	if (rc == 0) {
		__atomic_store_n(&c->loaded, true, __ATOMIC_RELEASE);
		outbox_event(c, &e);
		activate(c);
	}
	outbox_flush(c);
	while (!chain_stopping(c))
		one_round(c);
	stop_threads(c);
	say_stopped(c);
}

void chain_start(struct chain *c)
{
	c->started = true;
	thread_start(&c->thread, "chain", chain_main, c);
}

void chain_stop(struct chain *c)
{
	if (__atomic_exchange_n(&c->stopping, true, __ATOMIC_ACQ_REL))
		return;
	/* It may be waiting for the flusher: that would take too long. */
	if (__atomic_load_n(&c->at_boundary, __ATOMIC_ACQUIRE))
		coinview_interrupt(c->coins);
	chain_control(c, NULL, NULL);
}
