/* The desk: coins, transactions, answers. */
#include "desk.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/secret.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/script/flags.h>
#include <cairn/script/sighash.h>

#include <check.h>
#include <stdlib.h>

static const uint8_t op_1[] = {0x51};

struct slice script_easy(void)
{
	static uint8_t s[34] = {0x00, 0x20};
	struct sha256 h;

	sha256_init(&h);
	sha256_put(&h, op_1, sizeof op_1);
	sha256_end(&h, s + 2);
	return slice_of(s, sizeof s);
}

struct slice script_anchor(void)
{
	static const uint8_t s[] = {0x51, 0x02, 0x4e, 0x73};

	return slice_of(s, sizeof s);
}

struct slice script_none(void)
{
	static const uint8_t s[] = {0x6a};

	return slice_of(s, sizeof s);
}

struct slice script_wpkh(void)
{
	static const uint8_t s[] = {
	    0x00, 0x14, 0x75, 0x1e, 0x76, 0xe8, 0x19, 0x91, 0x96, 0xd4, 0x54,
	    0x94, 0x1c, 0x45, 0xd1, 0xb3, 0xa3, 0x23, 0xf1, 0x43, 0x3b, 0xd6};

	return slice_of(s, sizeof s);
}

static int get_coin(void *arg, struct coin *out, const uint8_t *outpoint)
{
	struct desk *d = arg;

	d->asked++;
	if (d->fails && (!d->fails_at || d->fails_at == d->asked))
		return d->fails;
	for (size_t i = 0; i < d->n_coins; i++) {
		const struct desk_coin *c = &d->coins[i];

		if (c->at.index != outpoint_index(outpoint) ||
		    memcmp(c->at.txid.b, outpoint, 32) != 0)
			continue;
		*out = c->coin;
		/* Lent until the next call: what was lent before is gone. */
		memset(d->script, 0xee, sizeof d->script);
		memcpy(d->script, c->coin.script.p, c->coin.script.n);
		out->script.p = d->script;
		return 0;
	}
	return E_NOTFOUND;
}

/* Blocks are 600 seconds apart. */
static int64_t get_mtp(void *arg, int32_t height)
{
	(void)arg;
	ck_assert_int_ge(height, 0);
	ck_assert_int_le(height, DESK_HEIGHT);
	return DESK_MTP - 600 * (DESK_HEIGHT - height);
}

static void on_added(void *arg, const struct mempool_tx *tx)
{
	struct desk *d = arg;

	(void)tx;
	d->added++;
}

static void on_removed(void *arg, const struct mempool_tx *tx,
		       enum mempool_reason why)
{
	struct desk *d = arg;

	(void)tx;
	d->removed++;
	d->replaced += why == MEMPOOL_REPLACED;
}

static bool count_ecdsa(void *arg, struct slice der, struct slice key,
			const uint8_t hash[32])
{
	struct desk *d = arg;
	struct sig_verifier v;

	d->signatures++;
	sig_verifier_library(&v, NULL);
	return v.ecdsa(v.arg, der, key, hash);
}

void desk_init_sized(struct desk *d, const struct policy *policy,
		     int64_t max_bytes)
{
	static const uint8_t salt[32] = {1};
	/* At this height relative locks are no rule of blocks here. */
	struct mempool_cfg cfg = {.params = params_get(CHAIN_MAIN),
				  .policy = policy ? *policy : policy_default,
				  .max_bytes = max_bytes,
				  .expiry_s = 336 * 3600};
	struct mempool_ops ops = {.coin = get_coin,
				  .mtp = get_mtp,
				  .added = on_added,
				  .removed = on_removed};
	struct mempool_tip tip = {.height = DESK_HEIGHT,
				  .mtp = DESK_MTP,
				  .script_flags = SCRIPT_VERIFY_P2SH |
						  SCRIPT_VERIFY_WITNESS |
						  SCRIPT_VERIFY_TAPROOT};

	memset(d, 0, sizeof *d);
	sig_verifier_library(&d->verifier, NULL);
	d->verifier.ecdsa = count_ecdsa;
	d->verifier.arg = d;
	d->cache = script_cache_new(1 << 20, salt);
	cfg.verifier = &d->verifier;
	cfg.verified = d->cache;
	d->m = mempool_new(&cfg, &ops, d);
	mempool_set_tip(d->m, &tip);
}

void desk_init(struct desk *d, const struct policy *policy)
{
	desk_init_sized(d, policy, 300000000);
}

void desk_fini(struct desk *d)
{
	mempool_result_fini(&d->r);
	mempool_free(d->m);
	script_cache_free(d->cache);
	free(d->coins);
}

struct point desk_coin(struct desk *d, int64_t value, struct slice script)
{
	struct desk_coin *c;

	arr_grow(&d->coins, &d->cap_coins, d->n_coins + 1, sizeof *d->coins);
	c = &d->coins[d->n_coins++];
	memset(c, 0, sizeof *c);
	le32_put(c->at.txid.b, (uint32_t)d->n_coins);
	c->at.value = value;
	c->coin =
	    (struct coin){.value = value, .height = 100, .script = script};
	return c->at;
}

void desk_coin_at(struct desk *d, int32_t height, bool coinbase)
{
	struct coin *c = &d->coins[d->n_coins - 1].coin;

	c->height = height;
	c->coinbase = coinbase;
}

void slip_init(struct slip *f)
{
	memset(f, 0, sizeof *f);
	f->version = 2;
}

void slip_fini(struct slip *f)
{
	free(f->in);
	free(f->n_items);
	free(f->prevout);
	free(f->out);
	free(f->items);
	free(f->from);
}

void slip_from(struct slip *f, const struct point *p, uint32_t sequence)
{
	size_t n = f->n_in + 1;

	arr_grow(&f->in, &f->cap_in, n, sizeof *f->in);
	arr_grow(&f->n_items, &f->cap_items, n, sizeof *f->n_items);
	arr_grow(&f->prevout, &f->cap_prevout, n, sizeof *f->prevout);
	arr_grow(&f->from, &f->cap_from, n, sizeof *f->from);
	memcpy(f->prevout[f->n_in], p->txid.b, 32);
	le32_put(f->prevout[f->n_in] + 32, p->index);
	f->in[f->n_in] = (struct txin_view){.sequence = sequence};
	f->n_items[f->n_in] = 0;
	f->from[f->n_in] = *p;
	f->n_in = n;
}

void slip_item(struct slip *f, struct slice item)
{
	arr_grow(&f->items, &f->cap_all, f->n_all + 1, sizeof *f->items);
	f->items[f->n_all++] = item;
	f->n_items[f->n_in - 1]++;
}

void slip_sig(struct slip *f, struct slice script_sig)
{
	f->in[f->n_in - 1].script = script_sig;
}

void slip_easy(struct slip *f, const struct point *p)
{
	slip_from(f, p, 0xfffffffd);
	slip_item(f, slice_of(op_1, sizeof op_1));
}

void slip_pay(struct slip *f, int64_t value, struct slice script)
{
	arr_grow(&f->out, &f->cap_out, f->n_out + 1, sizeof *f->out);
	f->out[f->n_out++] = (struct txout_view){value, script};
}

struct buf *slip_buf(const struct slip *f)
{
	struct tx_msg m = {.version = f->version,
			   .n_in = (uint32_t)f->n_in,
			   .n_out = (uint32_t)f->n_out,
			   .in = f->in,
			   .out = f->out,
			   .n_items = f->n_all ? f->n_items : NULL,
			   .items = f->items,
			   .lock_time = f->lock_time};
	struct buf *b;

	/* The array may have moved since an input was written. */
	for (size_t i = 0; i < f->n_in; i++)
		f->in[i].prevout = f->prevout[i];
	b = buf_new(tx_size(&m));
	ck_assert_ptr_nonnull(b);
	b->n = (size_t)(tx_put(buf_data(b), &m) - buf_data(b));
	return b;
}

static struct tx_view view_of(const struct buf *b)
{
	struct tx_view v;
	struct rd r;

	rd_init(&r, buf_payload(b));
	ck_assert(tx_view_parse(&v, &r));
	return v;
}

struct hash256 slip_txid(const struct slip *f)
{
	struct buf *b = slip_buf(f);
	struct tx_view v = view_of(b);
	struct hash256 txid;

	tx_txid(&txid, &v);
	buf_unref(b);
	return txid;
}

struct point slip_point(const struct slip *f, uint32_t index)
{
	return (struct point){slip_txid(f), index, f->out[index].value};
}

/* The only input that is signed; its items are the signature and the key. */
void slip_sign(struct slip *f, uint32_t i, uint8_t room[2][80])
{
	static const uint8_t key[32] = {[31] = 1};
	struct secret_ctx *c = secret_ctx_new();
	struct txout_view *spent = xcalloc(f->n_in, sizeof *spent);
	uint8_t code[25] = {0x76, 0xa9, 0x14, [23] = 0x88, 0xac}, hash[32];
	struct buf *b = slip_buf(f);
	struct tx_view v = view_of(b);
	struct tx_sighash shared;
	struct script_input in;
	size_t n;

	for (size_t k = 0; k < f->n_in; k++)
		spent[k] = (struct txout_view){f->from[k].value, script_wpkh()};
	memcpy(code + 3, script_wpkh().p + 2, 20);
	tx_sighash_init_all(&shared, &v, spent);
	script_inputs(&in, &shared);
	script_input_seek(&in, i);
	sighash_v0(hash, &in, slice_of(code, sizeof code), SIGHASH_ALL);
	n = secret_sign(c, room[0], key, hash);
	ck_assert_uint_gt(n, 0);
	room[0][n] = SIGHASH_ALL;
	slip_item(f, slice_of(room[0], n + 1));
	n = secret_pubkey(c, room[1], key, true);
	slip_item(f, slice_of(room[1], n));
	buf_unref(b);
	free(spent);
	secret_ctx_free(c);
}

enum tx_outcome desk_offer(struct desk *d, struct buf *tx, unsigned flags)
{
	mempool_result_fini(&d->r);
	mempool_accept(d->m, &d->r, tx, flags, DESK_NOW);
	buf_unref(tx);
	return d->r.outcome;
}

enum tx_outcome desk_slip(struct desk *d, const struct slip *f, unsigned flags)
{
	return desk_offer(d, slip_buf(f), flags);
}

struct buf *desk_pay_many(const struct point *p, int32_t version, int64_t fee,
			  uint32_t n, struct point *out)
{
	struct slip f;
	struct buf *b;

	slip_init(&f);
	f.version = version;
	slip_easy(&f, p);
	for (uint32_t i = 0; i < n; i++)
		slip_pay(&f, (p->value - fee) / n, script_easy());
	f.out[0].value += (p->value - fee) % n;
	b = slip_buf(&f);
	if (out)
		*out = slip_point(&f, 0);
	slip_fini(&f);
	return b;
}

struct buf *desk_pay(const struct point *p, int32_t version, int64_t fee,
		     struct point *out)
{
	return desk_pay_many(p, version, fee, 1, out);
}

size_t desk_count(const struct desk *d)
{
	struct mempool_stats s;

	mempool_stats(d->m, &s, DESK_NOW);
	return s.n;
}
