/*
 * Rules of a header in its place: difficulty, times, version. Pure: ancestors
 * come through a struct of functions, so the header tree need not be known
 * here.
 */
#ifndef CAIRN_CONSENSUS_HEADERS_H
#define CAIRN_CONSENSUS_HEADERS_H

#include <cairn/consensus/verdict.h>
#include <cairn/wire/header.h>

struct params;

#define MAX_FUTURE_BLOCK_TIME_S 7200
#define MAX_TIMEWARP_S          600 /* BIP94 */
#define MTP_WINDOW              11

/* What a rule may ask of the chain that ends in the parent. node is opaque. */
struct chain_reader {
	/* The parent, or NULL for genesis. */
	const void *(*prev)(const void *node);
	/* The ancestor at height of the chain ending in node. */
	const void *(*ancestor)(const void *node, int32_t height);
	int32_t (*height)(const void *node);
	uint32_t (*time)(const void *node);
	uint32_t (*bits)(const void *node);
	int32_t (*version)(const void *node);
	/* The median time past where nodes keep it; NULL: it is computed. */
	int64_t (*mtp)(const void *node);
};

/* The bits that the child of prev with this time must have. */
uint32_t next_bits(const struct chain_reader *r, const void *prev,
		   uint32_t time, const struct params *p);
/* Median of the last 11 times (fewer near genesis) ending in node. */
int64_t median_time_past(const struct chain_reader *r, const void *node);
/* The median of n times, 1 <= n <= MTP_WINDOW; destroys their order. */
uint32_t median_time(uint32_t *times, unsigned n);
/* The least time that a block of ours above prev may state: behind the median,
 * and by BIP94's bound on the first block of a period whether or not it is a
 * rule here. */
int64_t least_time(const struct chain_reader *r, const void *prev,
		   const struct params *p);
/* All contextual rules, in Core's order: bad-diffbits, time-too-old,
 * time-timewarp-attack, time-too-new (now_s), bad-version. All are INV_HEADER
 * but time-too-new, which is INV_TIME_FUTURE. Does not check proof of work. */
struct verdict header_check_context(const struct header *h,
				    const struct chain_reader *r,
				    const void *prev, int64_t now_s,
				    const struct params *p);
/* Whether bits may follow old_bits at height by the network's retarget bounds
 * (Core's PermittedDifficultyTransition), for pre-sync. */
bool bits_transition_ok(const struct params *p, int32_t height,
			uint32_t old_bits, uint32_t new_bits);

#endif
