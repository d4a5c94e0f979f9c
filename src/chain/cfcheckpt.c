/*
 * Filter checkpoints as peers claim them (BIP 157), one set of claims for every
 * 1,000th height of the best header chain, and what our own filters say about
 * each. Loop only. Memory is bounded by claims a height and peers a claim; who
 * lied is the caller's affair.
 */
#include "internal.h"

#include <cairn/base/mem.h>
#include <cairn/wire/cfilter.h>

#include <stdlib.h>

#define CLAIMS_MAX 4
#define PEERS_MAX  8

struct claim {
	struct hash256 header;
	size_t n_peers;
	uint64_t peers[PEERS_MAX];
};

struct interval {
	const struct hnode *node; /* the block that the claims speak of */
	unsigned n;
	struct claim claims[CLAIMS_MAX];
};

struct cfcheckpts {
	struct interval *at; /* height 1,000 * (i + 1) */
	size_t n, cap;
};

struct cfcheckpts *cfcheckpts_new(void)
{
	return xcalloc(1, sizeof(struct cfcheckpts));
}

void cfcheckpts_free(struct cfcheckpts *f)
{
	if (!f)
		return;
	free(f->at);
	free(f);
}

static void add_peer(struct claim *claim, uint64_t peer)
{
	size_t i;

	for (i = 0; i < claim->n_peers; i++)
		if (claim->peers[i] == peer)
			return;
	if (claim->n_peers < PEERS_MAX)
		claim->peers[claim->n_peers++] = peer;
}

/* Beyond the bound a claim is not kept: four different headers for one height
 * are quarrel enough. */
static void add_claim(struct interval *iv, const struct hash256 *header,
		      uint64_t peer)
{
	unsigned i;

	for (i = 0; i < iv->n; i++) {
		if (hash256_eq(&iv->claims[i].header, header)) {
			add_peer(&iv->claims[i], peer);
			return;
		}
	}
	if (iv->n == CLAIMS_MAX)
		return;
	iv->claims[iv->n] = (struct claim){.header = *header};
	add_peer(&iv->claims[iv->n++], peer);
}

/* The claims about n; what was said of another block at its height is dropped.
 */
static struct interval *interval_of(struct cfcheckpts *f, const struct hnode *n,
				    size_t i)
{
	struct interval *iv;

	if (i >= f->n) {
		arr_grow(&f->at, &f->cap, i + 1, sizeof *f->at);
		memset(f->at + f->n, 0, (i + 1 - f->n) * sizeof *f->at);
		f->n = i + 1;
	}
	iv = &f->at[i];
	if (iv->node != n) {
		memset(iv, 0, sizeof *iv);
		iv->node = n;
	}
	return iv;
}

static int32_t height_of(size_t i)
{
	return (int32_t)(i + 1) * CFCHECKPT_INTERVAL;
}

int32_t chain_cfcheckpt_note(struct chain *c, uint64_t peer,
			     const struct hnode *stop, const uint8_t *headers,
			     uint32_t n)
{
	const struct hnode *best = htree_best(c->tree);
	uint32_t most = (uint32_t)stop->height / CFCHECKPT_INTERVAL, i;
	int32_t first_wrong = -1;

	if (n > most)
		n = most;
	for (i = 0; i < n; i++) {
		const struct hnode *at = hnode_ancestor(stop, height_of(i));
		const struct hash256 *header = hash256_at(headers + 32 * i);
		struct hash256 own;

		if (first_wrong < 0 && filters_checkpoint(c, &own, at) &&
		    !hash256_eq(&own, header))
			first_wrong = at->height;
		/* A side chain's checkpoints are compared, not kept. */
		if (hnode_is_ancestor(at, best))
			add_claim(interval_of(c->cfc, at, i), header, peer);
	}
	return first_wrong;
}

static enum cfcheckpt_state state_of(struct chain *c, const struct interval *iv,
				     const struct claim *claim)
{
	struct hash256 own;

	if (filters_checkpoint(c, &own, iv->node))
		return hash256_eq(&own, &claim->header) ? CFC_VALIDATED
							: CFC_REFUTED;
	return iv->n == 1 && claim->n_peers > 1 ? CFC_AGREED : CFC_CLAIMED;
}

bool chain_cfcheckpt_at(struct chain *c, struct cfcheckpt_row *row, size_t i)
{
	const struct cfcheckpts *f = c->cfc;
	const struct claim *claim;
	size_t k;

	/* Bounded by one entry per thousand blocks. */
	for (k = 0; k < f->n && i >= f->at[k].n; k++)
		i -= f->at[k].n;
	if (k == f->n)
		return false;
	claim = &f->at[k].claims[i];
	memset(row, 0, sizeof *row);
	row->height = height_of(k);
	row->block = f->at[k].node->hash;
	row->header = claim->header;
	row->state = state_of(c, &f->at[k], claim);
	row->n_peers = claim->n_peers;
	memcpy(row->peers, claim->peers, sizeof row->peers);
	return true;
}
