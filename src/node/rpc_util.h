/*
 * Helpers that the files of RPC commands share: parameters read with bitcoind's
 * sentences, and the JSON of headers, scripts and transactions. Where a
 * function must run is said; none blocks.
 */
#ifndef CAIRN_NODE_RPC_UTIL_H
#define CAIRN_NODE_RPC_UTIL_H

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/chain/coins.h>
#include <cairn/chain/undo.h>
#include <cairn/node/node.h>
#include <cairn/wire/block.h>

static inline struct node *rpc_node(const struct rpc_call *c)
{
	return rpc_arg_of(c);
}

/* Fail the call since the node ends, and finish it. */
void rpc_end_stopping(struct rpc_call *c);
/* Fail the call and finish it. */
void rpc_end(struct rpc_call *c, int code, const char *fmt, ...)
    printf_like(3, 4);
/* The verdict of a block as an error, or null as the result; finishes. */
void rpc_end_verdict(struct rpc_call *c, int code, const struct verdict *v);

/* Parameter i as a hash; on false the call was failed and finished. */
bool param_hash(struct rpc_call *c, size_t i, const char *name,
		struct hash256 *h) must_check;
/* Parameter i as an integer within lo..hi, dflt when absent; -8 beyond. */
bool param_i64(struct rpc_call *c, size_t i, int64_t *v, int64_t dflt,
	       int64_t lo, int64_t hi) must_check;
bool param_bool(const struct rpc_call *c, size_t i, bool dflt);
/* Parameter i as text, or NULL. */
const char *param_str(const struct rpc_call *c, size_t i);
/* Parameter i as hex bytes in a fresh buffer; -22 with sentence when it is not.
 */
bool param_hex(struct rpc_call *c, size_t i, struct buf **give,
	       const char *sentence) must_check;
/* The node of parameter i's hash, or failed with "Block not found". Loop. */
struct hnode *param_block(struct rpc_call *c, size_t i) must_check;

/* The fields of a header that getblockheader and getblock share, as seen from
 * tip, which stays the same over both passes of a stream. Any thread. */
void header_json(struct jw *w, const struct hnode *h, const struct hnode *tip);
/* "bits", "target", "difficulty"; the target last where bitcoind has it so. */
void bits_json(struct jw *w, uint32_t bits, bool target_last);
void target_json(struct jw *w, uint32_t bits);
void work_json(struct jw *w, const char *key, const struct u256 *work);
/* The members of a scriptPubKey object. */
void script_json(struct jw *w, struct slice script, const struct params *p);
/* The same where scripts are known that its hashes may be of, "hex" if asked.
 */
void script_json_known(struct jw *w, struct slice script, bool hex,
		       const struct slice *known, size_t n,
		       const struct params *p);
/* One transaction as an object. undo: reader placed at its first spent coin,
 * NULL without; prevouts adds what verbosity 3 shows. */
void tx_json(struct jw *w, const struct tx_view *tx, const struct hash256 *txid,
	     const struct hash256 *wtxid, struct undo_reader *undo,
	     bool prevouts, const struct params *p);
/* Its members but "hex", so that more can follow in the same object. */
void tx_fields_json(struct jw *w, const struct tx_view *tx,
		    const struct hash256 *txid, const struct hash256 *wtxid,
		    struct undo_reader *undo, bool prevouts,
		    const struct params *p);
/* "warnings": the array of node_warning. */
void warnings_json(struct jw *w, const struct node *n);
/* "localservicesnames" and "servicesnames". */
void services_json(struct jw *w, const char *key, uint64_t services);

#endif
