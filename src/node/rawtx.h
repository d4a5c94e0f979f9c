/*
 * Raw transactions of RPC parameters: what bytes they are, and transactions by
 * value that are written out again. Any thread.
 */
#ifndef CAIRN_NODE_RAWTX_H
#define CAIRN_NODE_RAWTX_H

#include "rpc_util.h"

#include <cairn/wire/txparts.h>

/* Which forms bytes may have: BIP 144's, and the one without a witness. */
enum rawtx_form { RAWTX_WITNESS = 1, RAWTX_BASE = 2, RAWTX_ANY = 3 };

/* Read a whole transaction; borrows b. Where both forms fit, the one whose
 * scripts make sense is taken, else BIP 144's. */
bool rawtx_decode(struct tx_view *tx, struct slice b,
		  enum rawtx_form form) must_check;

/* The same from a string of JSON, whose bytes are in *give then. False when it
 * is no hex or no transaction. */
bool rawtx_parse(struct tx_view *tx, struct buf **give, const struct json *v,
		 enum rawtx_form form) must_check;

/* The bytes of a string of JSON, at least one, in a fresh buffer; NULL when it
 * is no hex (or out of memory). */
struct buf *hex_buf(const struct json *v) must_check;

/* Only opcodes that were known before tapscript, and pushes that are whole and
 * not too large. */
bool script_ops_valid(struct slice script);

#endif
