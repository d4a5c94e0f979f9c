/*
 * The hash that signatures of witness version 0 cover (BIP 143): the same work
 * for every input, as what they share is hashed once. Any thread.
 */
#include "internal.h"

#include <cairn/base/must.h>

static void hash_outputs(uint8_t out[32], const struct script_input *in,
			 uint32_t type)
{
	if (sighash_out(type) == SIGHASH_SINGLE && in->output.n) {
		sha256_once(out, in->output.p, in->output.n);
		sha256_once(out, out, 32);
	} else if (sighash_out(type) == SIGHASH_NONE ||
		   sighash_out(type) == SIGHASH_SINGLE) {
		memset(out, 0, 32);
	} else {
		memcpy(out, in->tx->outputs2, 32);
	}
}

void sighash_v0_state(struct sha256 *h, const struct script_input *in,
		      struct slice code, uint32_t type)
{
	static const uint8_t zero[32];
	const struct tx_sighash *tx = in->tx;
	bool one = sighash_one_input(type);
	bool all = sighash_out(type) != SIGHASH_NONE &&
		   sighash_out(type) != SIGHASH_SINGLE;
	uint8_t b[4 + 32 + 32 + 36 + 9], *p = b;

	must(tx->v0);
	p = le32_put(p, (uint32_t)tx->tx->version);
	p = bytes_put(p, one ? zero : tx->prevouts2, 32);
	p = bytes_put(p, one || !all ? zero : tx->sequences2, 32);
	p = bytes_put(p, in->in.prevout, OUTPOINT_SIZE);
	p = compact_put(p, code.n);
	sha256_init(h);
	sha256_put(h, b, (size_t)(p - b));
	sha256_put(h, code.p, code.n);
	p = le64_put(b, (uint64_t)in->spent->value);
	p = le32_put(p, in->in.sequence);
	hash_outputs(p, in, type);
	p = le32_put(p + 32, tx->tx->lock_time);
	sha256_put(h, b, (size_t)(p - b));
}

void sighash_v0(uint8_t out[32], const struct script_input *in,
		struct slice code, uint32_t type)
{
	struct sha256 h;

	sighash_v0_state(&h, in, code, type);
	sighash_end(&h, type, out);
}
