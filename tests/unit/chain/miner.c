/* The miner of the header tests. */
#include "miner.h"

#include <cairn/base/mem.h>
#include <cairn/consensus/headers.h>
#include <cairn/crypto/sha256.h>

#include <check.h>
#include <stdlib.h>

#define MINER_BITS 0x1f7fffffu

/* The product of a target and four timespans must stay below 2^256, as it does
 * on every real network: hence short periods and a limit of 2^247. */
struct params miner_params(void)
{
	static uint8_t genesis[HEADER_SIZE];
	struct params p = *params_get(CHAIN_REGTEST);
	struct u256 limit = {
	    {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x007fffffffffffff}};

	u256_to_be(p.pow_limit, &limit);
	p.pow_limit_bits = MINER_BITS;
	p.retarget_interval = 8;
	p.target_timespan_s = 7 * MINER_SPACING;
	p.target_spacing_s = MINER_SPACING;
	p.min_difficulty_blocks = false;
	p.no_retarget = false;
	memcpy(genesis, p.genesis_block.p, HEADER_SIZE);
	le32_put(genesis + 72, MINER_BITS);
	p.genesis_bits = MINER_BITS;
	p.genesis_block = slice_of(genesis, HEADER_SIZE);
	sha256d(&p.genesis_hash, genesis, HEADER_SIZE);
	p.presync_commitment_period = 5;
	p.presync_redownload_buffer = 40;
	return p;
}

void mine(uint8_t out[80], struct hash256 *hash, struct header *h,
	  const struct params *p)
{
	for (h->nonce = 0;; h->nonce++) {
		header_put(out, h);
		sha256d(hash, out, HEADER_SIZE);
		if (pow_ok(hash, h->bits, p))
			return;
		/* Not an assert for each: check writes a line for every one. */
		if (h->nonce == 1000000)
			ck_abort_msg("the test's difficulty ran away");
	}
}

void mine_child(uint8_t out[80], struct hash256 *hash, const struct hnode *prev,
		uint32_t spacing, uint32_t salt, const struct params *p)
{
	struct header h = {.version = 0x20000000, .prev = prev->hash};

	h.time = prev->time + spacing;
	if (h.time <= prev->mtp)
		h.time = prev->mtp + 1;
	le32_put(h.merkle.b, salt);
	h.bits = next_bits(&hnode_reader, prev, h.time, p);
	mine(out, hash, &h, p);
}

void mine_chain(struct mined *m, struct htree *t, const struct hnode *from,
		size_t n, uint32_t spacing, uint32_t salt)
{
	const struct hnode *prev = from;
	size_t i;

	m->headers = xcalloc(n, sizeof *m->headers);
	m->hashes = xcalloc(n, sizeof *m->hashes);
	m->n = n;
	for (i = 0; i < n; i++) {
		struct hnode *node;
		struct verdict v;
		bool is_new;

		mine_child(m->headers[i], &m->hashes[i], prev, spacing, salt,
			   htree_params(t));
		v = htree_accept_hashed(t, &node, &is_new, m->headers[i],
					&m->hashes[i], INT32_MAX, true);
		ck_assert_msg(v.kind == V_VALID && is_new, "header %zu: %s", i,
			      v.reject);
		prev = node;
	}
}

void mined_fini(struct mined *m)
{
	free(m->headers);
	free(m->hashes);
}
