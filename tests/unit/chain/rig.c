/* The rig: see its header. */
#include "rig.h"

#include "../testdata.h"
#include "gate.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/chain/mining.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_NS 60000000000u

static void post(void *arg, struct task t)
{
	struct rig *r = arg;

	ck_assert(queue_put(&r->tasks, t));
}

static void on_event(void *arg, const struct chain_event *e)
{
	struct rig *r = arg;
	struct rig_event *log;

	arr_grow(&r->events, &r->cap_events, r->n_events + 1,
		 sizeof *r->events);
	log = &r->events[r->n_events++];
	*log = (struct rig_event){e->type, e->node, e->fork, e->verdict,
				  e->peer, e->buf,  e->rc};
	if (e->type == CHAIN_EV_LOADED)
		r->loaded = true;
	if (e->type == CHAIN_EV_STOPPED)
		r->stopped = true;
	if (e->type == CHAIN_EV_INVALID || e->type == CHAIN_EV_REVALIDATED)
		htree_recompute_best(chain_tree(r->c));
	if (e->type != CHAIN_EV_FATAL)
		return;
	r->fatal = true;
	snprintf(r->fatal_text, sizeof r->fatal_text, "%s", e->text);
}

static struct verdict script_check(void *arg, const struct hnode *n)
{
	struct rig *r = arg;

	__atomic_fetch_add(&r->script_calls, 1, __ATOMIC_RELAXED);
	if (hash256_eq(&n->hash, &r->script_fails))
		return verdict_invalid(INV_CONSENSUS,
				       "block-script-verify-flag-failed", NULL);
	return verdict_valid();
}

static void script_begin(void *arg, const struct hnode *n)
{
	struct rig *r = arg;

	if (r->gate)
		gate_pass(r->gate, n);
}

void rig_init(struct rig *r, enum chain_id id, const char *dir)
{
	memset(r, 0, sizeof *r);
	r->params = *params_get(id);
	r->own_dir = dir == NULL;
	r->dir = dir ? xstrdup(dir) : scratch_new();
	r->blocks_dir = path_join(r->dir, "blocks");
	r->cfg.params = &r->params;
	r->cfg.dbcache = 16 << 20;
	r->cfg.sig_cache = 1 << 20;
	r->cfg.workers = 2;
	r->cfg.clock = &r->clock;
	r->cfg.script_check = script_check;
	r->cfg.script_begin = script_begin;
	r->cfg.max_tip_age_s = 24 * 60 * 60;
	r->cfg.policy = policy_default;
	r->cfg.policy.require_standard = false;
	r->cfg.mempool_bytes = 300000000;
	r->cfg.mempool_expiry_s = 336 * 60 * 60;
	queue_init(&r->tasks);
}

void rig_start(struct rig *r)
{
	static const struct chain_ops ops = {post, on_event};

	r->cfg.data_dir = r->dir;
	r->cfg.blocks_dir = r->blocks_dir;
	r->cfg.script_arg = r;
	r->loaded = r->fatal = r->stopped = false;
	r->n_events = 0;
	r->c = chain_new(&r->cfg, &ops, r);
	chain_start(r->c);
	while (!r->loaded && !r->fatal)
		rig_poll(r);
}

void rig_stop(struct rig *r)
{
	chain_stop(r->c);
	rig_until(r, &r->stopped);
	ck_assert_uint_eq(r->unanswered, 0);
	chain_free(r->c);
	r->c = NULL;
}

void rig_fini(struct rig *r)
{
	if (r->c)
		rig_stop(r);
	queue_fini(&r->tasks);
	free(r->events);
	free(r->blocks_dir);
	if (r->own_dir)
		scratch_free(r->dir);
	else
		free(r->dir);
}

void rig_restart(struct rig *r)
{
	rig_stop(r);
	rig_start(r);
	ck_assert_msg(r->loaded, "%s", r->fatal_text);
}

void rig_poll(struct rig *r)
{
	struct timespec nap = {0, 20000};
	struct task t;

	if (!queue_try_get(&r->tasks, &t)) {
		nanosleep(&nap, NULL);
		return;
	}
	do
		t.run(t.arg);
	while (queue_try_get(&r->tasks, &t));
}

void rig_until(struct rig *r, const bool *flag)
{
	uint64_t end = mono_ns() + DEADLINE_NS;

	while (!*flag) {
		rig_poll(r);
		ck_assert_msg(mono_ns() < end, "waited for a minute");
	}
}

void rig_settle(struct rig *r)
{
	uint64_t end = mono_ns() + DEADLINE_NS;

	while (r->unanswered) {
		rig_poll(r);
		ck_assert_msg(mono_ns() < end, "unanswered for a minute");
	}
}

struct call {
	struct rig *r;
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
	post(k->r, (struct task){call_done, k});
}

void rig_run(struct rig *r, task_fn fn, void *arg)
{
	struct call k = {r, fn, arg, false};

	ck_assert(chain_run(r->c, (struct task){call_run, &k}));
	rig_until(r, &k.done);
}

struct verdict rig_try_header(struct rig *r, struct hnode **node,
			      struct slice block)
{
	bool is_new = false;
	struct verdict v;

	v = htree_accept(chain_tree(r->c), node, &is_new, block.p,
			 clock_now(&r->clock), true);
	if (verdict_ok(&v) && is_new)
		chain_note_headers(r->c, node, 1);
	return v;
}

struct hnode *rig_header(struct rig *r, struct slice block)
{
	struct hnode *n = NULL;
	struct verdict v = rig_try_header(r, &n, block);

	ck_assert_msg(verdict_ok(&v), "header refused: %s", v.reject);
	return n;
}

struct waiting {
	struct rig *r;
	struct block_result *out;
};

static void on_answer(void *arg, const struct block_result *res)
{
	struct waiting *w = arg;

	w->r->unanswered--;
	if (w->out)
		*w->out = *res;
	free(w);
}

static void submit(struct rig *r, struct hnode *n, struct slice block,
		   uint64_t peer, bool requested, struct block_result *out)
{
	struct waiting *w = xmalloc(sizeof *w);
	struct block_job job = {.node = n,
				.requested = requested,
				.peer = peer,
				.done = on_answer,
				.arg = w};

	w->r = r;
	w->out = out;
	job.buf = buf_new(block.n);
	ck_assert_ptr_nonnull(job.buf);
	job.buf->n = block.n;
	memcpy(buf_data(job.buf), block.p, block.n);
	chain_stamp_record(job.buf, &r->params);
	r->unanswered++;
	chain_submit_block(r->c, &job);
	ck_assert_ptr_null(job.buf);
}

struct block_result rig_block_from(struct rig *r, struct slice block,
				   uint64_t peer, bool requested)
{
	struct block_result out;

	submit(r, rig_header(r, block), block, peer, requested, &out);
	rig_settle(r);
	return out;
}

struct block_result rig_block(struct rig *r, struct slice block)
{
	return rig_block_from(r, block, 0, true);
}

void rig_send(struct rig *r, struct slice block, struct block_result *out)
{
	submit(r, rig_header(r, block), block, PEER_NONE, true, out);
}

void rig_send_of(struct rig *r, struct hnode *n, struct slice block,
		 struct block_result *out)
{
	submit(r, n, block, PEER_NONE, true, out);
}

struct making {
	struct rig *r;
	struct slice script;
	struct buf *const *txs;
	size_t n;
	struct buf *block;
	int rc;
};

static void make(void *arg)
{
	struct making *m = arg;

	m->rc = chain_make_block(m->r->c, &m->block, m->script, m->txs, m->n);
}

static struct buf *made(struct making *m)
{
	rig_run(m->r, make, m);
	ck_assert_int_eq(m->rc, 0);
	ck_assert(mine_block(m->block, &m->r->params, UINT64_MAX));
	return m->block;
}

struct buf *rig_make(struct rig *r, unsigned salt, struct buf *const *txs,
		     size_t n)
{
	uint8_t script[7] = {4, 0, 0, 0, 0, 0x75, 0x51};
	struct making m = {.r = r, .txs = txs, .n = n};

	le32_put(script + 1, salt);
	m.script = slice_of(script, sizeof script);
	return made(&m);
}

struct buf *rig_make_large(struct rig *r, unsigned salt, size_t bytes)
{
	uint8_t *script = xcalloc(1, bytes);
	struct making m = {.r = r, .script = {script, bytes}};
	struct buf *b;

	script[0] = 0x6a;
	le32_put(script + 1, salt);
	b = made(&m);
	free(script);
	return b;
}

struct hnode *rig_mine(struct rig *r, unsigned salt, unsigned n)
{
	struct block_result res;

	while (n-- > 0) {
		struct buf *b = rig_make(r, salt, NULL, 0);

		res = rig_block(r, buf_payload(b));
		ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
		buf_unref(b);
	}
	return chain_tip(r->c);
}

struct looking {
	struct rig *r;
	uint8_t op[36];
	int64_t value;
	int rc;
};

static void look(void *arg)
{
	struct looking *k = arg;
	struct coin coin;

	k->rc = chain_coin_get(k->r->c, &coin, k->op);
	if (k->rc == 0)
		k->value = coin.value;
}

/* Output i: bare, to a key hash, to a script hash, to a witness program, or
 * unspendable. */
static uint8_t *put_script(uint8_t *p, unsigned i, unsigned salt)
{
	static const uint8_t heads[5][4] = {{7, 4, 0, 0},
					    {25, 0x76, 0xa9, 0x14},
					    {23, 0xa9, 0x14, 0},
					    {22, 0x00, 0x14, 0},
					    {6, 0x6a, 4, 0}};
	static const uint8_t tails[5][3] = {
	    {0x75, 0x51}, {0x88, 0xac}, {0x87}, {0}, {0}};
	static const unsigned n_heads[5] = {2, 4, 3, 3, 3};
	static const unsigned n_data[5] = {4, 20, 20, 20, 4};
	static const unsigned n_tails[5] = {2, 2, 1, 0, 0};
	unsigned k = i % 5;

	p = bytes_put(p, heads[k], n_heads[k]);
	memset(p, (int)(salt % 251), n_data[k]);
	le32_put(p, salt * 31 + i);
	p += n_data[k];
	return bytes_put(p, tails[k], n_tails[k]);
}

struct buf *rig_spend(struct rig *r, int32_t height, unsigned salt, unsigned n)
{
	struct looking k = {.r = r};
	struct block_view v;
	struct buf *b, *tx;
	size_t trailing;
	uint8_t *p;
	unsigned i;

	ck_assert_int_eq(chain_read_block(r->c, &b, chain_at(r->c, height)), 0);
	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	tx_txid((struct hash256 *)(void *)k.op, &v.tx[0]);
	le32_put(k.op + 32, 0);
	block_view_fini(&v);
	buf_unref(b);
	rig_run(r, look, &k);
	if (k.rc)
		return NULL;
	tx = buf_new(64 + 40 * (size_t)n);
	p = le32_put(buf_data(tx), 2);
	*p++ = 1;
	p = bytes_put(p, k.op, 36);
	*p++ = 0;
	p = le32_put(p, 0xffffffffu);
	*p++ = (uint8_t)n;
	for (i = 0; i < n; i++) {
		p = le64_put(p, (uint64_t)k.value / (n + 1));
		p = put_script(p, i, salt);
	}
	p = le32_put(p, 0);
	tx->n = (size_t)(p - buf_data(tx));
	return tx;
}

struct decision {
	struct rig *r;
	struct hnode *n;
	struct verdict (*fn)(struct chain *c, struct hnode *n);
	struct verdict v;
};

static void decide(void *arg)
{
	struct decision *d = arg;

	d->v = d->fn(d->r->c, d->n);
}

static struct verdict decided(struct rig *r, struct hnode *n,
			      struct verdict (*fn)(struct chain *c,
						   struct hnode *n))
{
	struct decision d = {r, n, fn, verdict_valid()};

	rig_run(r, decide, &d);
	return d.v;
}

struct verdict rig_invalidate(struct rig *r, struct hnode *n)
{
	return decided(r, n, chain_invalidate);
}

struct verdict rig_reconsider(struct rig *r, struct hnode *n)
{
	return decided(r, n, chain_reconsider);
}

struct verdict rig_precious(struct rig *r, struct hnode *n)
{
	return decided(r, n, chain_precious);
}

struct counting {
	struct rig *r;
	struct hash256 hash;
	struct hnode *node;
	size_t n;
};

void rig_put_coin(struct sha256 *h, const uint8_t *op, const struct coin *coin)
{
	uint8_t head[17];

	le64_put(head, (uint64_t)coin->value);
	le32_put(head + 8, (uint32_t)coin->height);
	le32_put(head + 12, (uint32_t)coin->script.n);
	head[16] = coin->coinbase;
	sha256_put(h, op, 36);
	sha256_put(h, head, sizeof head);
	sha256_put(h, coin->script.p, coin->script.n);
}

static void count_coins(void *arg)
{
	struct counting *k = arg;
	struct coin_snapshot *snap;
	struct sha256 h;
	struct coin coin;
	uint8_t op[36];
	int rc = chain_coins_snapshot(k->r->c, &snap, &k->node);

	ck_assert_int_eq(rc, 0);
	sha256_init(&h);
	while ((rc = coin_snapshot_next(snap, op, &coin)) > 0) {
		rig_put_coin(&h, op, &coin);
		k->n++;
	}
	ck_assert_int_eq(rc, 0);
	sha256_end(&h, k->hash.b);
	coin_snapshot_close(snap);
}

struct hash256 rig_coins(struct rig *r, size_t *count)
{
	struct counting k = {.r = r};

	rig_run(r, count_coins, &k);
	if (count)
		*count = k.n;
	return k.hash;
}

struct hash256 rig_coins_at(struct rig *r, struct hnode **node)
{
	struct counting k = {.r = r};

	rig_run(r, count_coins, &k);
	*node = k.node;
	return k.hash;
}

size_t rig_count(const struct rig *r, enum chain_event_type type)
{
	size_t i, n = 0;

	for (i = 0; i < r->n_events; i++)
		n += r->events[i].type == type;
	return n;
}

void blocks_read(struct blockfile_data *d, const char *name)
{
	const uint8_t *p, *end;
	size_t cap = 0;

	memset(d, 0, sizeof *d);
	d->raw = td_read(name);
	p = buf_data(d->raw);
	end = p + d->raw->n;
	while (p < end) {
		uint32_t n = le32_get(p + 4);

		arr_grow(&d->blocks, &cap, d->n + 1, sizeof *d->blocks);
		d->blocks[d->n++] = slice_of(p + 8, n);
		p += 8 + n;
	}
}

void blocks_fini(struct blockfile_data *d)
{
	free(d->blocks);
	buf_unref(d->raw);
}

void block_hash(struct hash256 *out, struct slice block)
{
	sha256d(out, block.p, 80);
}
