/*
 * Taproot spends as the witness tells them: key or script path, annex, and the
 * commitment of the output key to a script (BIP 341). Runs nothing. Any thread.
 */
#include "taproot.h"

#define ANNEX_TAG     0x50u
#define LEAF_MASK     0xfeu
#define CONTROL_BASE  33u
#define CONTROL_NODE  32u
#define WEIGHT_OFFSET 50 /* BIP 342: added to the witness' size */

static void hash_annex(struct tap_context *tap, struct slice annex)
{
	struct sha256 h;

	sha256_init(&h);
	sha256_compact(&h, annex.n);
	sha256_put(&h, annex.p, annex.n);
	sha256_end(&h, tap->annex);
	tap->has_annex = true;
}

void tap_spend_read(struct tap_spend *t, struct tap_context *tap,
		    struct tx_iter witness)
{
	struct slice last[3] = {{0}}; /* the last item first */
	struct tx_iter it = witness;
	struct slice item, *top = last;
	uint32_t n = witness.left;

	while (witem_next(&it, &item)) {
		last[2] = last[1];
		last[1] = last[0];
		last[0] = item;
	}
	if (n >= 2 && top->n && top->p[0] == ANNEX_TAG) {
		hash_annex(tap, *top++);
		n--;
	}
	t->key_path = n == 1;
	t->sig = top[0];
	if (t->key_path)
		return;
	t->control = top[0];
	t->script = top[1];
	t->items = n - 2;
	t->weight = (int64_t)(it.p - witness.p) +
		    (int64_t)compact_size(witness.left) + WEIGHT_OFFSET;
}

enum script_err tap_commitment(struct tap_spend *t, struct tap_context *tap,
			       const struct sig_checker *checker,
			       struct slice program)
{
	struct slice c = t->control;
	uint8_t k[32], tweak[32];

	if (c.n < CONTROL_BASE ||
	    c.n > CONTROL_BASE + CONTROL_NODE * TAP_DEPTH_MAX ||
	    (c.n - CONTROL_BASE) % CONTROL_NODE != 0)
		return SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE;
	t->leaf_version = c.p[0] & LEAF_MASK;
	tap_leaf_hash(tap->leaf, t->leaf_version, t->script);
	tap->has_leaf = true;
	memcpy(k, tap->leaf, 32);
	for (size_t at = CONTROL_BASE; at < c.n; at += CONTROL_NODE)
		tap_branch_hash(k, k, c.p + at);
	tap_tweak_hash(tweak, c.p + 1, k);
	if (!checker_tweak(checker, program.p, c.p[0] & 1, c.p + 1, tweak))
		return SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH;
	return SCRIPT_ERR_OK;
}

bool tap_op_success(uint8_t op)
{
	return op == 80 || op == 98 || (op >= 126 && op <= 129) ||
	       (op >= 131 && op <= 134) || op == 137 || op == 138 ||
	       op == 141 || op == 142 || (op >= 149 && op <= 153) ||
	       (op >= 187 && op <= 254);
}
