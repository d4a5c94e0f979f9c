/*
 * Rules of a block that need no coins: alone, and in its place above a parent.
 * Any thread; workers run these before a block is handed to the chain thread.
 * Order, reasons and the kind of each failure are Bitcoin Core's, because they
 * decide whether a header is blamed for its block. Nothing is stored here.
 */
#include <cairn/consensus/check.h>

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/consensus/deploy.h>
#include <cairn/consensus/signet.h>
#include <cairn/consensus/work.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>

/* OP_RETURN, a push of 36 bytes, and the four that mark a commitment. */
static const uint8_t commitment_head[] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
#define COMMITMENT_SIZE (sizeof commitment_head + 32)

static struct verdict consensus(const char *reject, const char *detail)
{
	return verdict_invalid(INV_CONSENSUS, reject, detail);
}

static struct verdict mutated(const char *reject, const char *detail)
{
	return verdict_invalid(INV_MUTATED, reject, detail);
}

static struct verdict check_pow(const struct block_view *b,
				const struct params *p)
{
	struct hash256 hash;

	sha256d(&hash, b->header, HEADER_SIZE);
	if (!pow_ok(&hash, le32_get(b->header + 72), p))
		return verdict_invalid(INV_HEADER, "high-hash",
				       "proof of work failed");
	return verdict_valid();
}

/* Root of n leaves. False when out of memory. */
static bool root_of(struct hash256 *root, bool *repeats,
		    const struct hash256 *leaves, uint32_t n)
{
	struct buf *mem = buf_new(((size_t)n + 1) / 2 * sizeof *leaves);

	if (!mem)
		return false;
	merkle_root(root, repeats, leaves, n,
		    (struct hash256 *)(void *)buf_data(mem));
	buf_unref(mem);
	return true;
}

static struct verdict check_merkle(const struct block_view *b)
{
	struct hash256 root;
	bool repeats;

	if (!root_of(&root, &repeats, b->txid, b->n_tx))
		return verdict_unknown(E_NOMEM);
	if (!hash256_eq(&root, header_merkle(b->header)))
		return mutated("bad-txnmrklroot", "hashMerkleRoot mismatch");
	/* The same root belongs to a list without the repetition
	 * (CVE-2012-2459). */
	if (repeats)
		return mutated("bad-txns-duplicate", "duplicate transaction");
	return verdict_valid();
}

static struct verdict check_shape(const struct block_view *b)
{
	uint32_t i;

	if (b->n_tx == 0 || b->n_tx > MAX_BLOCK_WEIGHT / WITNESS_SCALE ||
	    b->base_size > MAX_BLOCK_WEIGHT / WITNESS_SCALE)
		return consensus("bad-blk-length", "size limits failed");
	if (!tx_is_coinbase(&b->tx[0]))
		return consensus("bad-cb-missing", "first tx is not coinbase");
	for (i = 1; i < b->n_tx; i++)
		if (tx_is_coinbase(&b->tx[i]))
			return consensus("bad-cb-multiple",
					 "more than one coinbase");
	return verdict_valid();
}

static struct verdict check_txs(const struct block_view *b)
{
	char txid[HASH256_STR];
	struct verdict v;
	uint32_t i;

	for (i = 0; i < b->n_tx; i++) {
		v = tx_check(&b->tx[i]);
		if (v.kind == V_INVALID)
			verdict_add(&v,
				    "Transaction check failed (tx hash %s) ",
				    hash256_fmt(txid, &b->txid[i]));
		if (!verdict_ok(&v))
			return v;
	}
	/* Sigops of P2SH and witnesses come on top when coins are known. */
	if (block_legacy_sigops(b) > MAX_BLOCK_SIGOPS_COST / WITNESS_SCALE)
		return consensus("bad-blk-sigops", "out-of-bounds SigOpCount");
	return verdict_valid();
}

struct verdict block_check(const struct block_view *b, const struct params *p,
			   bool skip_pow)
{
	struct verdict v = verdict_valid();

	if (!skip_pow)
		v = check_pow(b, p);
	if (verdict_ok(&v) && !skip_pow && p->signet_challenge.n &&
	    (b->n_tx == 0 || !signet_block_signed(b, p)))
		v = consensus("bad-signet-blksig",
			      "signet block signature validation failure");
	if (verdict_ok(&v))
		v = check_merkle(b);
	if (verdict_ok(&v))
		v = check_shape(b);
	if (verdict_ok(&v))
		v = check_txs(b);
	return v;
}

/* The script of the last output of tx that is a commitment; its index, or -1.
 */
static int32_t find_commitment(struct slice *script, const struct tx_view *tx)
{
	struct tx_iter it;
	struct txout_view out;
	int32_t i, found = -1;

	txouts(&it, tx);
	for (i = 0; txout_next(&it, &out); i++) {
		if (out.script.n < COMMITMENT_SIZE ||
		    memcmp(out.script.p, commitment_head,
			   sizeof commitment_head) != 0)
			continue;
		*script = out.script;
		found = i;
	}
	return found;
}

int32_t witness_commitment_index(const struct block_view *b)
{
	struct slice script;

	return b->n_tx ? find_commitment(&script, &b->tx[0]) : -1;
}

void witness_commitment(struct hash256 *out, const struct hash256 *witness_root,
			const uint8_t nonce[32])
{
	uint8_t both[64];

	memcpy(both, witness_root->b, 32);
	memcpy(both + 32, nonce, 32);
	sha256d(out, both, sizeof both);
}

/* The reserved value: the only item of the coinbase's witness. NULL if it is
 * not that. */
static const uint8_t *reserved_value(const struct tx_view *coinbase)
{
	struct tx_iter it, stack;
	struct slice first, more;

	txwits(&it, coinbase);
	if (!txwit_next(&it, &stack) || !witem_next(&stack, &first) ||
	    witem_next(&stack, &more) || first.n != 32)
		return NULL;
	return first.p;
}

static struct verdict check_commitment(const struct block_view *b,
				       struct slice script)
{
	const uint8_t *nonce = reserved_value(&b->tx[0]);
	struct hash256 root, want;
	bool repeats;

	if (!nonce)
		return mutated("bad-witness-nonce-size",
			       "CheckWitnessMalleation : invalid witness "
			       "reserved value size");
	/* Repetitions were found in the tree of txids already. */
	if (!root_of(&root, &repeats, b->wtxid, b->n_tx))
		return verdict_unknown(E_NOMEM);
	witness_commitment(&want, &root, nonce);
	if (memcmp(script.p + sizeof commitment_head, want.b, 32) != 0)
		return mutated("bad-witness-merkle-match",
			       "CheckWitnessMalleation : witness merkle "
			       "commitment mismatch");
	return verdict_valid();
}

static struct verdict check_witness(const struct block_view *b, bool segwit)
{
	struct slice script;

	if (segwit && b->n_tx && find_commitment(&script, &b->tx[0]) >= 0)
		return check_commitment(b, script);
	/* Nobody pays for bytes that nothing commits to. */
	if (b->has_witness)
		return mutated("unexpected-witness",
			       "CheckWitnessMalleation : unexpected witness "
			       "data found");
	return verdict_valid();
}

bool block_is_mutated(const struct block_view *b, bool check_witness_root)
{
	struct verdict v = check_merkle(b);
	uint32_t i;

	if (!verdict_ok(&v))
		return v.kind == V_INVALID;
	if (b->n_tx == 0 || !tx_is_coinbase(&b->tx[0])) {
		/* 64 bytes may be two hashes of the tree, not a transaction. */
		for (i = 0; i < b->n_tx; i++)
			if (b->tx[i].base_size == 64)
				return true;
		return false;
	}
	v = check_witness(b, check_witness_root);
	return v.kind == V_INVALID;
}

/* BIP34: the coinbase's script starts with a push of the height. */
static bool height_stated(const struct tx_view *coinbase, int32_t height)
{
	uint8_t push[10];
	size_t n = (size_t)(script_put_num(push, height) - push);
	struct tx_iter it;
	struct txin_view in;

	txins(&it, coinbase);
	return txin_next(&it, &in) && in.script.n >= n &&
	       memcmp(in.script.p, push, n) == 0;
}

struct verdict block_check_context(const struct block_view *b,
				   const struct block_context *c,
				   const struct params *p)
{
	/* BIP113: once CSV is active, time locks go by median time past. */
	int64_t cutoff = deploy_active(p, DEPLOY_CSV, c->height)
			     ? c->mtp_prev
			     : (int64_t)le32_get(b->header + 68);
	struct verdict v;
	uint32_t i;

	for (i = 0; i < b->n_tx; i++)
		if (!tx_is_final(&b->tx[i], c->height, cutoff))
			return consensus("bad-txns-nonfinal",
					 "non-final transaction");
	if (deploy_active(p, DEPLOY_BIP34, c->height) &&
	    (b->n_tx == 0 || !height_stated(&b->tx[0], c->height)))
		return consensus("bad-cb-height",
				 "block height mismatch in coinbase");
	v = check_witness(b, deploy_active(p, DEPLOY_SEGWIT, c->height));
	if (!verdict_ok(&v))
		return v;
	/* Only now: before, a swollen witness of the coinbase would have made a
	 * good header look bad. */
	if (block_weight(b) > MAX_BLOCK_WEIGHT)
		return consensus("bad-blk-weight",
				 "ContextualCheckBlock : weight limit failed");
	return verdict_valid();
}
