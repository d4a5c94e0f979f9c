/*
 * Version bits (BIP9 with BIP8's least activation height): how blocks agree on
 * a new rule. A block's status is that of its whole period and follows from the
 * blocks before it. Pure: the chain is asked through a chain_reader.
 */
#ifndef CAIRN_CONSENSUS_VERSIONBITS_H
#define CAIRN_CONSENSUS_VERSIONBITS_H

#include <cairn/consensus/headers.h>
#include <cairn/params/params.h>

enum vb_state {
	VB_DEFINED,   /* too early to signal */
	VB_STARTED,   /* blocks may signal */
	VB_LOCKED_IN, /* enough did, within one period */
	VB_ACTIVE,    /* the rule holds, for good */
	VB_FAILED,    /* the time is over, for good */
};

struct vb_status {
	enum vb_state state;
	int32_t since; /* height of the first block that had it, without a
			  break, up to here */
};

/* Statuses found before, of the last periods asked for: the caller's memory, of
 * fixed size, zeroed at first. For one set of params and one chain_reader whose
 * nodes are never freed; used by one thread at a time. */
#define VB_CACHE_SLOTS 32
struct vb_cache {
	struct {
		const void *last; /* block before the period */
		struct vb_status status;
	} slot[VB_CACHE_SLOTS];
};

/* Bits that may mean a rule which this node does not know (BIP323: of those
 * above, miners may make any use). */
#define VB_UNKNOWN_BITS 5
struct vb_caches {
	struct vb_cache known[VB_COUNT], unknown[VB_UNKNOWN_BITS];
};

/* "defined", "started", "locked_in", "active", "failed". */
const char *vb_state_name(enum vb_state s);

/* The status of the child of prev, of genesis for NULL. Without a cache (NULL)
 * this takes a walk over all periods. */
struct vb_status vb_status_after(const struct vb_rule *d,
				 const struct chain_reader *r, const void *prev,
				 struct vb_cache *cache);

/* Signals in the period that node is in, from its first block to node. */
struct vb_tally {
	int32_t elapsed, count;
	bool possible; /* the threshold can still be met in this period */
};
/* marks, unless NULL: room for VB_PERIOD_MAX + 1 bytes; gets '#' or '-' for
 * each of the blocks, the earliest first, and a NUL. */
struct vb_tally vb_tally(char *marks, const struct vb_rule *d,
			 const struct chain_reader *r, const void *node);

/* The version of a block that we make above prev: it signals what can be
 * signalled. caches may be NULL. */
int32_t block_version_for(const struct params *p, const struct chain_reader *r,
			  const void *prev, struct vb_caches *caches);

/* The state of the child of prev of a bit below VB_UNKNOWN_BITS, as if it were
 * a deployment, signalled by those blocks that have it set for no rule of ours.
 * LOCKED_IN or ACTIVE: the network has agreed on something. */
enum vb_state vb_unknown_after(unsigned bit, const struct params *p,
			       const struct chain_reader *r, const void *prev,
			       struct vb_caches *caches);

#endif
