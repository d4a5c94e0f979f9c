/* The noting peers and chain of world.h. Main thread, save what readers run. */
#include "world.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/thread.h>
#include <cairn/consensus/work.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/cfilter.h>
#include <cairn/wire/frame.h>
#include <cairn/wire/header.h>

#include <stdlib.h>

struct world W;

static void post(void *arg, struct task t)
{
	(void)arg;
	ck_assert(queue_put(&W.posted, t));
}

void world_start(void)
{
	struct sync_cfg cfg = {.params = &W.params,
			       .clock = &W.clock,
			       .max_tip_age_s = 86400,
			       .serve_filters = true,
			       .ask_checkpoints = true,
			       .min_relay_rate = 100,
			       .incremental_rate = 100,
			       .post = post};

	memset(&W, 0, sizeof W);
	W.params = *params_get(CHAIN_REGTEST);
	clock_set_mock(&W.clock, W.params.genesis_time + 400 * 86400);
	W.tree = htree_new(&W.params);
	W.tip = htree_genesis(W.tree);
	tip_set(W.tip);
	W.ibd = true;
	W.cf_differs = -1;
	W.readers = pool_new("readers", 1);
	queue_init(&W.posted);
	cfg.readers = W.readers;
	W.sync = sync_new(&cfg);
	sync_attach(W.sync, (struct chain *)&W, (struct net *)&W);
	sync_on_chain_event(W.sync,
			    &(struct chain_event){.type = CHAIN_EV_LOADED});
}

/* Whatever is still with the chain or on its way back. */
static void finish(void)
{
	struct task t;

	for (size_t i = 0; i < W.n_txjobs; i++)
		if (W.txjobs[i].done)
			txjob_answer(i, TX_FAILED);
	while (queue_try_get(&W.posted, &t))
		t.run(t.arg);
}

void world_stop(void)
{
	finish();
	pool_free(W.readers);
	sync_free(W.sync);
	for (size_t i = 0; i < PEERS_MAX; i++)
		for (size_t k = 0; k < W.peers[i].n_sent; k++)
			free(W.peers[i].sent[k].body);
	for (size_t i = 0; i < W.n_jobs; i++)
		buf_unref(W.jobs[i].buf);
	for (size_t i = 0; i < W.n_txjobs; i++)
		buf_unref(W.txjobs[i].buf);
	queue_fini(&W.posted);
	htree_free(W.tree);
}

void header_make(uint8_t out[80], const struct hnode *prev, uint32_t salt)
{
	struct header h = {.version = 0x20000000,
			   .prev = prev->hash,
			   .time = prev->time + 600,
			   .bits = prev->bits};
	struct hash256 hash;

	memcpy(h.merkle.b, &salt, sizeof salt);
	do {
		header_put(out, &h);
		sha256d(&hash, out, 80);
		h.nonce++;
	} while (!pow_ok(&hash, h.bits, &W.params));
}

uint8_t *headers_make(const struct hnode *prev, size_t n, uint32_t salt)
{
	uint8_t *h = xmalloc(n * 80);
	struct hnode at = *prev;

	for (size_t i = 0; i < n; i++) {
		header_make(h + i * 80, &at, salt);
		sha256d(&at.hash, h + i * 80, 80);
		at.time += 600;
	}
	return h;
}

struct hnode *grow(struct hnode *prev, size_t n, uint32_t salt)
{
	uint8_t *h = headers_make(prev, n, salt);
	struct verdict v;
	bool fresh;

	for (size_t i = 0; i < n; i++) {
		v = htree_accept(W.tree, &prev, &fresh, h + i * 80,
				 clock_now(&W.clock), true);
		ck_assert_msg(verdict_ok(&v), "%s", v.reject);
	}
	free(h);
	return prev;
}

void tip_set(struct hnode *n)
{
	for (struct hnode *a = n; a; a = htree_find(W.tree, &a->prev->hash)) {
		a->status |= HN_DATA | HN_UNDO | HN_CONNECTED;
		a->data_size = 200;
		if (!a->prev)
			break;
	}
	W.tip = n;
}

struct peer *peer_in(enum peer_conn conn, uint64_t services)
{
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct peer *p = &W.peers[i];
		if (p->used)
			continue;
		p->used = true;
		p->id = i;
		p->conn = conn;
		p->services = services;
		p->open = true;
		sync_on_ready(W.sync, p);
		return p;
	}
	ck_abort_msg("no more peers");
	return NULL;
}

void peer_gone(struct peer *p)
{
	p->open = false;
	sync_on_closed(W.sync, p);
}

static void deliver(struct peer *p, struct net_msg *m)
{
	m->time_us = clock_now_us(&W.clock);
	sync_on_message(W.sync, p, m);
}

void recv_msg(struct peer *p, enum msg_type t, const void *body, size_t n)
{
	struct net_msg m = {
	    .type = t, .body = slice_of(body, n), .sum_checked = true};

	deliver(p, &m);
}

void recv_headers(struct peer *p, const uint8_t *h, size_t n)
{
	uint8_t *body = xmalloc(headers_size((uint32_t)n));
	uint8_t *end = headers_put(body, h, 80, (uint32_t)n);

	recv_msg(p, MSG_HEADERS, body, (size_t)(end - body));
	free(body);
}

void recv_inv(struct peer *p, enum msg_type t, uint32_t type,
	      const struct hash256 *hashes, size_t n)
{
	uint8_t *body = xmalloc(inv_size((uint32_t)n));
	uint8_t *at = inv_count_put(body, (uint32_t)n);

	for (size_t i = 0; i < n; i++)
		at = inv_item_put(at, type, &hashes[i]);
	recv_msg(p, t, body, (size_t)(at - body));
	free(body);
}

static uint8_t *le32_put_next(uint8_t *p, uint32_t v)
{
	le32_put(p, v);
	return p + 4;
}

/* A coinbase-like transaction that parses: one input, one empty output. */
static const uint8_t tx_tail[] = {
    1, 1, 0, 0, 0, 1, 0,    0,    0,    0,    0, 0,    0,    0,    0,    0,
    0, 0, 0, 0, 0, 0, 0,    0,    0,    0,    0, 0,    0,    0,    0,    0,
    0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0xff, 1,
    0, 0, 0, 0, 0, 0, 0,    0,    0,    0,    0, 0,    0};

void recv_block_raw(struct peer *p, const uint8_t header[80], uint32_t sum_xor)
{
	struct buf *b = buf_new(80 + sizeof tx_tail);
	struct net_msg m = {.type = MSG_BLOCK, .buf = b};

	memcpy(buf_data(b), header, 80);
	memcpy(buf_data(b) + 80, tx_tail, sizeof tx_tail);
	b->n = 80 + sizeof tx_tail;
	m.body = buf_payload(b);
	m.frame_sum = frame_checksum(m.body) ^ sum_xor;
	deliver(p, &m);
	buf_unref(b);
}

void recv_block(struct peer *p, const struct hnode *n)
{
	uint8_t h[80];

	hnode_header_put(h, n);
	recv_block_raw(p, h, 0);
}

struct buf *tx_make(const struct hash256 *parents, size_t n, uint32_t salt,
		    bool witness)
{
	struct hash256 own = {{0xee}};
	struct buf *b = buf_new(200 + n * 50);
	uint8_t *p = buf_data(b);
	size_t n_in = n ? n : 1;

	ck_assert_uint_lt(n_in, 253);
	le32_put(own.b + 4, salt);
	p = le32_put_next(p, 2);
	if (witness)
		p = bytes_put(p, "\0\1", 2);
	*p++ = (uint8_t)n_in;
	for (size_t i = 0; i < n_in; i++) {
		p = bytes_put(p, n ? parents[i].b : own.b, 32);
		p = le32_put_next(p, 0);
		*p++ = 0;
		p = le32_put_next(p, salt);
	}
	p = bytes_put(p, "\2\1\0\0\0\0\0\0\0\1\x51", 11);
	p = bytes_put(p, "\1\0\0\0\0\0\0\0\1\x51", 10);
	for (size_t i = 0; witness && i < n_in; i++)
		p = bytes_put(p, "\1\1\x51", 3);
	p = le32_put_next(p, 0);
	b->n = (size_t)(p - buf_data(b));
	return b;
}

void tx_ids(struct hash256 *txid, struct hash256 *wtxid, const struct buf *tx)
{
	struct tx_view v;
	struct rd r;

	rd_init(&r, buf_payload(tx));
	ck_assert(tx_view_parse(&v, &r));
	tx_txid(txid, &v);
	tx_wtxid(wtxid, &v);
}

struct hash256 tx_id(const struct buf *tx)
{
	struct hash256 a, b;

	tx_ids(&a, &b, tx);
	return a;
}

struct hash256 tx_wid(const struct buf *tx)
{
	struct hash256 a, b;

	tx_ids(&a, &b, tx);
	return b;
}

static void tx_event(enum chain_event_type t, struct buf *tx, int64_t fee,
		     bool ours, enum mempool_reason why)
{
	static uint64_t sequence = 1;
	struct chain_event e = {.type = t, .buf = tx};

	tx_ids(&e.tx.txid, &e.tx.wtxid, tx);
	e.tx.fee = fee;
	e.tx.vsize = 100;
	e.tx.sequence = ++sequence;
	e.tx.ours = ours;
	e.tx.reason = why;
	sync_on_chain_event(W.sync, &e);
}

void tx_added(struct buf *tx, int64_t fee, bool ours)
{
	tx_event(CHAIN_EV_TX_ADDED, tx, fee, ours, MEMPOOL_BLOCK);
}

void tx_removed(struct buf *tx, enum mempool_reason why)
{
	tx_event(CHAIN_EV_TX_REMOVED, tx, 0, false, why);
}

void recv_tx(struct peer *p, const struct buf *tx)
{
	struct slice s = buf_payload(tx);

	recv_msg(p, MSG_TX, s.p, s.n);
}

void txjob_answer(size_t i, enum tx_outcome o)
{
	struct tx_job *j = &W.txjobs[i];
	struct mempool_result r = {.outcome = o};
	tx_done_fn done;

	ck_assert_uint_lt(i, W.n_txjobs);
	tx_ids(&r.txid, &r.wtxid, j->buf);
	if (o == TX_ACCEPTED)
		tx_added(j->buf, 1000, false);
	done = j->done;
	j->done = NULL;
	done(j->arg, &r);
}

struct sent *next_sent(struct peer *p, enum msg_type t)
{
	for (size_t i = p->read; i < p->n_sent; i++) {
		if (p->sent[i].type != t)
			continue;
		p->read = i + 1;
		return &p->sent[i];
	}
	return NULL;
}

size_t asked(struct peer *p, struct hash256 *out, size_t max)
{
	return told(p, MSG_GETDATA, out, max);
}

size_t told(struct peer *p, enum msg_type t, struct hash256 *out, size_t max)
{
	struct sent *s;
	struct inv_view v;
	size_t n = 0;

	while ((s = next_sent(p, t))) {
		ck_assert(inv_view_parse(&v, slice_of(s->body, s->n)));
		for (uint32_t i = 0; i < v.n; i++, n++)
			if (n < max)
				out[n] = *inv_hash(&v, i);
	}
	return n;
}

void world_run(size_t tasks)
{
	struct task t;

	while (tasks-- && queue_get(&W.posted, &t))
		t.run(t.arg);
}

void tick_at(int64_t s)
{
	clock_set_mock(&W.clock, s);
	sync_on_tick(W.sync, s);
}

void job_answer(size_t i, enum block_outcome o, struct verdict v)
{
	struct block_job *j = &W.jobs[i];
	struct block_result r = {j->node, v, o, j->peer, j->requested};

	if (verdict_ok(&v) && o != BLOCK_REFUSED)
		j->node->status |= HN_DATA;
	j->done(j->arg, &r);
}

/* net/net.h */
static void note(struct peer *p, enum msg_type t, struct slice body)
{
	struct sent *s = &p->sent[p->n_sent];

	ck_assert_uint_lt(p->n_sent, MSGS_MAX);
	s->type = t;
	s->n = body.n;
	s->body = xmalloc(body.n + 1);
	bytes_put(s->body, body.p, body.n);
	p->n_sent++;
}

bool peer_send(struct peer *p, enum msg_type t, struct slice body)
{
	note(p, t, body);
	return true;
}

bool peer_send_buf(struct peer *p, enum msg_type t, struct buf *keep,
		   uint32_t checksum)
{
	ck_assert_uint_eq(checksum, frame_checksum(buf_payload(keep)));
	note(p, t, buf_payload(keep));
	return true;
}

bool peer_send_full(const struct peer *p)
{
	return p->full;
}

void peer_hold(struct peer *p)
{
	p->held++;
}

void peer_release(struct peer *p)
{
	p->held--;
}

void peer_pause(struct peer *p)
{
	p->paused++;
}

void peer_resume(struct peer *p)
{
	p->paused--;
}

void peer_disconnect(struct peer *p, const char *why)
{
	p->disconnected = why;
}

void peer_misbehaving(struct peer *p, const char *why)
{
	p->misbehaved = why;
}

void peer_set_data(struct peer *p, void *data)
{
	p->data = data;
}

void *peer_data(const struct peer *p)
{
	return p->data;
}

void peer_get_info(const struct peer *p, struct peer_info *i)
{
	memset(i, 0, sizeof *i);
	i->id = p->id;
	i->send_headers = p->send_headers;
	i->cmpct = p->cmpct;
	i->cmpct_hb_from = p->cmpct_hb;
	i->relay_txs = !p->no_relay;
	i->wtxid_relay = !p->by_txid;
}

uint64_t peer_id(const struct peer *p)
{
	return p->id;
}

enum peer_state peer_get_state(const struct peer *p)
{
	return p->open ? PEER_READY : PEER_CLOSING;
}

bool peer_is_inbound(const struct peer *p)
{
	return p->conn == CONN_INBOUND;
}

enum peer_conn peer_conn_type(const struct peer *p)
{
	return p->conn;
}

uint64_t peer_services(const struct peer *p)
{
	return p->services;
}

int32_t peer_version(const struct peer *p)
{
	(void)p;
	return PROTOCOL_VERSION;
}

uint32_t peer_perms(const struct peer *p)
{
	return p->perms;
}

int64_t peer_fee_filter(const struct peer *p)
{
	return p->fee_filter;
}

void peer_note_block(struct peer *p, int64_t now_s)
{
	(void)p;
	(void)now_s;
}

struct peer *net_peer(struct net *n, uint64_t id)
{
	struct peer *p = id < PEERS_MAX ? &W.peers[id] : NULL;

	(void)n;
	return p && p->open ? p : NULL;
}

size_t net_count(const struct net *n, bool inbound, bool outbound)
{
	(void)n;
	(void)inbound;
	(void)outbound;
	return 1;
}

/* chain/chain.h */
struct htree *chain_tree(struct chain *c)
{
	(void)c;
	return W.tree;
}

struct hnode *chain_tip(struct chain *c)
{
	(void)c;
	return W.tip;
}

struct hnode *chain_at(struct chain *c, int32_t height)
{
	const struct hnode *n = hnode_ancestor(W.tip, height);

	(void)c;
	return n ? htree_find(W.tree, &n->hash) : NULL;
}

bool chain_has(struct chain *c, const struct hnode *node)
{
	(void)c;
	return hnode_is_ancestor(node, W.tip);
}

bool chain_reindexing(struct chain *c)
{
	(void)c;
	return W.reindexing;
}

bool chain_in_ibd(struct chain *c)
{
	(void)c;
	return W.ibd;
}

void chain_backlog(struct chain *c, size_t *blocks, size_t *bytes)
{
	(void)c;
	*blocks = W.backlog_blocks;
	*bytes = W.backlog_bytes;
}

void chain_note_headers(struct chain *c, struct hnode *const *nodes, size_t n)
{
	(void)c;
	(void)nodes;
	W.n_noted += n;
}

void chain_note_checksum(struct chain *c, struct hnode *n, uint32_t checksum)
{
	(void)c;
	(void)n;
	(void)checksum;
}

void chain_stamp_record(struct buf *b, const struct params *p)
{
	le32_put(buf_data(b) - 8, p->magic[0]);
}

void chain_submit_block(struct chain *c, struct block_job *take)
{
	(void)c;
	ck_assert_uint_lt(W.n_jobs, JOBS_MAX);
	W.jobs[W.n_jobs++] = *take;
}

void chain_tx_backlog(struct chain *c, size_t *n, size_t *bytes)
{
	(void)c;
	*n = W.backlog_txs;
	*bytes = W.backlog_tx_bytes;
}

void chain_submit_tx(struct chain *c, struct tx_job *take)
{
	(void)c;
	ck_assert_uint_lt(W.n_txjobs, TXJOBS_MAX);
	W.txjobs[W.n_txjobs++] = *take;
}

bool chain_run(struct chain *c, struct task t)
{
	(void)c;
	t.run(t.arg);
	return true;
}

struct mempool *chain_mempool(struct chain *c)
{
	(void)c;
	return NULL;
}

void mempool_stats(const struct mempool *m, struct mempool_stats *s,
		   int64_t now_s)
{
	(void)m;
	(void)now_s;
	*s = (struct mempool_stats){.min_rate = W.min_rate,
				    .unbroadcast = W.n_unbroadcast};
}

const struct mempool_tx *mempool_next(const struct mempool *m, size_t *i)
{
	(void)m;
	return *i < W.n_unbroadcast ? &W.unbroadcast[(*i)++] : NULL;
}

void mempool_broadcast(struct mempool *m, const struct hash256 *txid)
{
	(void)m;
	(void)txid;
	W.n_broadcast++;
}

struct verdict mempool_accept_package(struct mempool *m,
				      struct mempool_result *r,
				      struct buf *const *txs, size_t n,
				      int64_t max_rate, unsigned flags,
				      int64_t now_s)
{
	bool ok = true;

	(void)m;
	(void)max_rate;
	(void)flags;
	(void)now_s;
	ck_assert_uint_eq(n, 2);
	W.n_packages++;
	for (size_t i = 0; i < n; i++) {
		r[i].outcome = W.package[i];
		ok = ok && r[i].outcome == TX_ACCEPTED;
		if (r[i].outcome == TX_ACCEPTED)
			tx_added(txs[i], 1000, false);
	}
	return ok ? verdict_valid()
		  : verdict_invalid(INV_CONSENSUS, "transaction failed", NULL);
}

void mempool_result_fini(struct mempool_result *r)
{
	(void)r;
}

int chain_read_block(struct chain *c, struct buf **give, const struct hnode *n)
{
	struct buf *b = buf_new(80 + sizeof tx_tail);

	(void)c;
	hnode_header_put(buf_data(b), n);
	memcpy(buf_data(b) + 80, tx_tail, sizeof tx_tail);
	b->n = 80 + sizeof tx_tail;
	*give = b;
	return 0;
}

bool chain_filters_ready(struct chain *c)
{
	(void)c;
	return W.filters;
}

/* A filter header that says its height, so that answers can be told apart. */
bool chain_filter_header(struct chain *c, struct hash256 *header,
			 const struct hnode *n)
{
	(void)c;
	memset(header, 0, sizeof *header);
	le32_put(header->b, (uint32_t)n->height);
	return true;
}

bool chain_filter_hash(struct chain *c, struct hash256 *hash,
		       const struct hnode *n)
{
	return chain_filter_header(c, hash, n);
}

int chain_filter_read(struct chain *c, struct buf **give, const struct hnode *n)
{
	struct buf *b = buf_new(4);

	(void)c;
	le32_put(buf_data(b), (uint32_t)n->height);
	b->n = 4;
	*give = b;
	return 0;
}

int32_t chain_cfcheckpt_note(struct chain *c, uint64_t peer,
			     const struct hnode *stop, const uint8_t *headers,
			     uint32_t n)
{
	(void)c;
	(void)peer;
	(void)stop;
	(void)headers;
	W.cf_noted += n;
	return W.cf_differs;
}

bool chain_cfcheckpt_at(struct chain *c, struct cfcheckpt_row *row, size_t i)
{
	(void)c;
	if (i > 0 || W.cf_differs < 0)
		return false;
	*row = (struct cfcheckpt_row){.height = W.cf_differs,
				      .state = CFC_REFUTED,
				      .n_peers = 1,
				      .peers = {0}};
	return true;
}
