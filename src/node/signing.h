/* A transaction while it is signed by RPC: what the files of it share. */
#ifndef CAIRN_NODE_SIGNING_H
#define CAIRN_NODE_SIGNING_H

#include "rpc_value.h"

#include <cairn/address/sign.h>
#include <cairn/base/arena.h>
#include <cairn/base/hmap.h>

/* What a transaction spends, by outpoint. */
struct spent {
	struct hash256 key; /* hash of the outpoint */
	const uint8_t *outpoint;
	struct txout_view out; /* script at NULL: not known */
};

/* One call. */
struct signing {
	struct node *node;
	struct signer *signer;
	struct buf **raw; /* n forms of the transaction */
	struct tx_view *tx;
	size_t n;
	struct arena mem;
	struct hmap spent;
	struct spent **inputs; /* in the order of the inputs */
	uint32_t at;           /* inputs whose coins were looked up */
	rpc_fn then;
};

/* The entry of an outpoint (borrowed), new ones not known; NULL when out of
 * memory. */
struct spent *signing_spent(struct signing *s, const uint8_t *outpoint);
/* What an entry is of, copied; false when out of memory. */
bool signing_set(struct signing *s, struct spent *p, int64_t value,
		 struct slice script) must_check;

/* Take outputs and scripts of a list that the client gives; NULL: none. False:
 * failed and finished. */
bool signing_take_prevouts(struct rpc_call *c, struct signing *s,
			   const struct json *list) must_check;
/* Fail for want of memory, and finish. */
void signing_no_memory(struct rpc_call *c);

#endif
