/*
 * Rows of the header tree: real mainnet headers from genesis, in messages of
 * 2,000, through every rule (hash, proof of work, difficulty, median time past,
 * version) into a fresh tree; and the searches that peers cause.
 */
#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/base/rand.h>
#include <cairn/chain/htree.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/wire/locator.h>

#include <stdlib.h>

#define REAL_HEADERS 10236u /* behind genesis */
#define NOW_S        2000000000

struct grown {
	struct buf *raw;
	struct htree *tree;
	struct rand r;
};

/* Accept every header of raw behind genesis; gives how many were new. */
static uint64_t accept_all(struct htree *t, struct buf *raw)
{
	struct hash256 hashes[HEADERS_MAX];
	const uint8_t *h = buf_data(raw) + HEADER_SIZE;
	size_t left = raw->n / HEADER_SIZE - 1, n, i;
	uint64_t added = 0;

	for (; left > 0; left -= n, h += n * HEADER_SIZE) {
		n = left < HEADERS_MAX ? left : HEADERS_MAX;
		sha256d80(hashes, h, HEADER_SIZE, n);
		for (i = 0; i < n; i++) {
			struct hnode *node;
			bool is_new = false;
			struct verdict v = htree_accept_hashed(
			    t, &node, &is_new, h + i * HEADER_SIZE, &hashes[i],
			    NOW_S, true);

			added += verdict_ok(&v) && is_new;
		}
	}
	return added;
}

static bool accept_setup(struct bench *b)
{
	struct htree *t;
	struct buf *raw = bench_file(b);

	if (!raw)
		return false;
	t = htree_new(params_get(CHAIN_MAIN));
	if (accept_all(t, raw) != REAL_HEADERS)
		b->why = "not every header is accepted";
	htree_free(t);
	b->data = raw;
	b->bytes = (size_t)REAL_HEADERS * HEADER_SIZE;
	return !b->why;
}

static uint64_t accept_run(struct bench *b, uint64_t n)
{
	uint64_t sum = 0;

	for (; n > 0; n--) {
		struct htree *t = htree_new(params_get(CHAIN_MAIN));

		sum += accept_all(t, b->data);
		htree_free(t);
	}
	return sum;
}

static void accept_fini(struct bench *b)
{
	buf_unref(b->data);
}

static bool grown_setup(struct bench *b)
{
	struct grown *g = calloc(1, sizeof *g);

	b->data = g;
	if (!g) {
		b->why = "out of memory";
		return false;
	}
	g->raw = bench_file(b);
	g->tree = htree_new(params_get(CHAIN_MAIN));
	rand_seed(&g->r, 1);
	return g->raw && accept_all(g->tree, g->raw) == REAL_HEADERS;
}

static void grown_fini(struct bench *b)
{
	struct grown *g = b->data;

	htree_free(g->tree);
	buf_unref(g->raw);
	free(g);
}

static uint64_t again_run(struct bench *b, uint64_t n)
{
	struct grown *g = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--)
		sum += accept_all(g->tree, g->raw) + 1;
	return sum;
}

static uint64_t ancestor_run(struct bench *b, uint64_t n)
{
	struct grown *g = b->data;
	const struct hnode *tip = htree_best(g->tree);
	uint64_t sum = 0;

	for (; n > 0; n--) {
		int32_t h = (int32_t)rand_below(&g->r, REAL_HEADERS);

		sum += hnode_ancestor(tip, h)->nonce;
	}
	return sum;
}

static uint64_t locator_run(struct bench *b, uint64_t n)
{
	struct hash256 loc[LOCATOR_MAX];
	struct grown *g = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--)
		sum += hnode_locator(loc, htree_best(g->tree));
	return sum;
}

#define HEADERS_FILE "headers/mainnet-0-10236.bin"

static const struct bench_row rows[] = {
    {"HeadersAccept", accept_setup, accept_run, accept_fini, 0, HEADERS_FILE,
     REAL_HEADERS, "header"},
    {"HeadersKnown", grown_setup, again_run, grown_fini, 0, HEADERS_FILE,
     REAL_HEADERS, "header"},
    {"HeaderAncestor", grown_setup, ancestor_run, grown_fini, 0, HEADERS_FILE,
     0, NULL},
    {"HeaderLocator", grown_setup, locator_run, grown_fini, 0, HEADERS_FILE, 0,
     NULL},
};

BENCH_ROWS(rows);
