/*
 * The signature of a signet block (BIP325): the solution is taken out of the
 * coinbase's witness commitment, and must spend an output with the network's
 * challenge in a transaction made up from the rest of the block. Pure, any
 * thread; allocates one buffer. The magic is in signet.c.
 */
#include <cairn/consensus/signet.h>

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/rd.h>
#include <cairn/consensus/check.h>
#include <cairn/params/params.h>
#include <cairn/script/interp.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdlib.h>

#define FLAGS                                                                  \
	(SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_DERSIG |   \
	 SCRIPT_VERIFY_NULLDUMMY)
#define BLOCK_DATA 72u /* version, parent, changed root, time */

static const uint8_t mark[4] = {0xec, 0xc7, 0xda, 0xa2};

/* The commitment output's script without the solution, which is given apart.
 * Writes at most script.n + 9 bytes per push, so twice the script and 16 has
 * room. */
static size_t cut_solution(uint8_t *out, struct slice *solution,
			   struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op, *p = out;

	*solution = slice_of(NULL, 0);
	script_iter_init(&it, script);
	while (script_next(&it, &op, &data)) {
		if (data.n == 0) {
			*p++ = op;
			continue;
		}
		if (!solution->p && data.n > sizeof mark &&
		    memcmp(data.p, mark, sizeof mark) == 0) {
			*solution = slice_of(data.p + sizeof mark,
					     data.n - sizeof mark);
			data.n = sizeof mark;
		}
		p = script_put_push(p, data);
	}
	return (size_t)(p - out);
}

/* The id of the coinbase with another script in its output at index. */
static void changed_txid(struct hash256 *out, const struct tx_view *tx,
			 int32_t index, struct slice script)
{
	struct sha256 h;
	struct tx_iter it;
	struct txout_view o;
	uint8_t b[32], once[32];

	sha256_init(&h);
	sha256_put(&h, tx->p, 4);
	/* From the input count to the output count: as it stands. */
	sha256_put(&h, tx->p + tx->in_off - compact_size(tx->n_in),
		   tx->out_off - tx->in_off + compact_size(tx->n_in));
	txouts(&it, tx);
	for (int32_t i = 0; txout_next(&it, &o); i++) {
		struct slice s = i == index ? script : o.script;
		uint8_t *p = compact_put(le64_put(b, (uint64_t)o.value), s.n);
		sha256_put(&h, b, (size_t)(p - b));
		sha256_put(&h, s.p, s.n);
	}
	le32_put(b, tx->lock_time);
	sha256_put(&h, b, 4);
	sha256_end(&h, once);
	sha256_once(out->b, once, 32);
}

/* What the solution signs, in place of the block. */
static bool block_data(uint8_t out[BLOCK_DATA], const struct block_view *b,
		       const struct hash256 *coinbase)
{
	struct hash256 *leaves = malloc(b->n_tx * sizeof *leaves), root;
	uint8_t *p;

	if (!leaves)
		return false;
	memcpy(leaves, b->txid, b->n_tx * sizeof *leaves);
	leaves[0] = *coinbase;
	merkle_root(&root, NULL, leaves, b->n_tx, leaves);
	free(leaves);
	p = bytes_put(out, b->header, 36);
	p = bytes_put(p, root.b, 32);
	bytes_put(p, b->header + 68, 4);
	return true;
}

/* The id of the transaction that offers the challenge. */
static void offer_txid(struct hash256 *out, const uint8_t data[BLOCK_DATA],
		       struct slice challenge)
{
	uint8_t head[4 + 1 + 36 + 1 + 2 + BLOCK_DATA + 4 + 1 + 8 + 9] = {0};
	uint8_t tail[4] = {0}, *p = head + 4;
	struct slice parts[3];

	*p++ = 1;
	p += 32;
	p = le32_put(p, UINT32_MAX);
	*p++ = 2 + BLOCK_DATA;
	*p++ = OP_0;
	*p++ = BLOCK_DATA;
	p = bytes_put(p, data, BLOCK_DATA);
	p += 4; /* sequence */
	*p++ = 1;
	p += 8; /* value */
	p = compact_put(p, challenge.n);
	parts[0] = slice_of(head, (size_t)(p - head));
	parts[1] = challenge;
	parts[2] = slice_of(tail, sizeof tail);
	sha256d_parts(out, parts, 3);
}

/* The spending transaction around the solution's script and witness bytes. */
static struct buf *spend_of(const struct hash256 *offer, struct slice script,
			    struct slice witness)
{
	struct buf *b = buf_new(128 + script.n + witness.n);
	uint8_t *p;

	if (!b)
		return NULL;
	p = le32_put(buf_data(b), 0);
	if (witness.n > 1) { /* more than an empty stack */
		*p++ = 0;
		*p++ = 1;
	}
	*p++ = 1;
	p = bytes_put(p, offer->b, 32);
	p = le32_put(p, 0);
	p = compact_put(p, script.n);
	p = bytes_put(p, script.p, script.n);
	p = le32_put(p, 0);
	*p++ = 1;
	p = le64_put(p, 0);
	*p++ = 1;
	*p++ = OP_RETURN;
	if (witness.n > 1)
		p = bytes_put(p, witness.p, witness.n);
	p = le32_put(p, 0);
	b->n = (size_t)(p - buf_data(b));
	return b;
}

/* script and witness as they stand in the solution; an empty one is for
 * challenges that need none. */
static bool split(struct slice *script, struct slice *witness,
		  struct slice solution)
{
	struct rd r;
	uint32_t n;

	*script = *witness = slice_of(NULL, 0);
	if (!solution.p)
		return true;
	rd_init(&r, solution);
	*script = rd_varbytes(&r);
	witness->p = r.p;
	n = rd_compact(&r);
	for (uint32_t i = 0; i < n && rd_ok(&r); i++)
		rd_varbytes(&r);
	witness->n = rd_ok(&r) ? (size_t)(r.p - witness->p) : 0;
	return rd_ok(&r) && rd_left(&r) == 0;
}

static bool spends(const struct buf *raw, struct slice challenge)
{
	struct txout_view spent = {.value = 0, .script = challenge};
	struct script_failure why;
	struct tx_sighash shared;
	struct tx_view tx;
	struct rd r;

	rd_init(&r, buf_payload(raw));
	if (!tx_view_parse(&tx, &r))
		return false;
	tx_sighash_init(&shared, &tx, &spent);
	return script_verify_inputs(&why, &shared, 0, 1, FLAGS, NULL);
}

static bool solved(const struct block_view *b, struct slice script,
		   uint8_t *scratch, struct slice challenge, int32_t index)
{
	struct slice solution, sig, witness;
	uint8_t data[BLOCK_DATA];
	struct hash256 id;
	struct buf *raw;
	size_t n = cut_solution(scratch, &solution, script);
	bool ok;

	if (!split(&sig, &witness, solution))
		return false;
	/* Without a solution the commitment stays as it is. */
	changed_txid(&id, &b->tx[0], index,
		     solution.p ? slice_of(scratch, n) : script);
	if (!block_data(data, b, &id))
		return false;
	offer_txid(&id, data, challenge);
	raw = spend_of(&id, sig, witness);
	ok = raw && spends(raw, challenge);
	buf_unref(raw);
	return ok;
}

bool signet_block_signed(const struct block_view *b, const struct params *p)
{
	int32_t index = witness_commitment_index(b);
	struct tx_iter it;
	struct txout_view o;
	uint8_t *scratch;
	bool ok;

	if (hash256_is_zero(header_prev(b->header)))
		return true; /* the first block */
	if (index < 0)
		return false;
	txouts(&it, &b->tx[0]);
	for (int32_t i = 0; txout_next(&it, &o) && i < index; i++)
		continue;
	scratch = malloc(2 * o.script.n + 16);
	if (!scratch)
		return false;
	ok = solved(b, o.script, scratch, p->signet_challenge, index);
	free(scratch);
	return ok;
}
