/* What the commands that take descriptors share. */
#ifndef CAIRN_NODE_RPC_DESCRIPTORS_H
#define CAIRN_NODE_RPC_DESCRIPTORS_H

#include "rpc_util.h"

/* The one script that coins are sent to by a descriptor; of combo that is
 * P2WPKH, or P2PKH when the key is not compressed. 0 and the script appended to
 * out; or an RPC error's code with a sentence in err: RPC_BAD_ADDRESS when it
 * is none, RPC_BAD_PARAM when it stands for several. Any thread. */
int descriptor_payee(struct text *out, struct text *err, struct slice desc,
		     const struct params *p) must_check;
/* Indexes as a number (the last one) or [first, last], at most a million. On
 * false the call was failed and finished. */
bool descriptor_range(struct rpc_call *c, int64_t *first, int64_t *last,
		      const struct json *j) must_check;

#endif
