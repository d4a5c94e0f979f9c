/*
 * Values inside the arrays and objects that parameters may be, read with
 * bitcoind's sentences. A false (or NULL) means that the call was failed and
 * finished. Where the command runs; memory is the call's.
 */
#ifndef CAIRN_NODE_RPC_VALUE_H
#define CAIRN_NODE_RPC_VALUE_H

#include "rpc_util.h"

/* "null", "bool", "number", "string", "array", "object". v may be NULL. */
const char *value_type(const struct json *v);
/* Whether v is of a type; -3 else. */
bool value_is(struct rpc_call *c, const struct json *v,
	      enum json_type type) must_check;
/* A string, as json_str gives it; -3. */
const char *value_str(struct rpc_call *c, const struct json *v) must_check;
/* A number that is an int of 32 bits; -1 else. v is a number. */
bool value_i32(struct rpc_call *c, const struct json *v,
	       int32_t *out) must_check;
/* The hash that member name of an object holds; -3, -8. */
bool value_hash(struct rpc_call *c, const struct json *obj, const char *name,
		struct hash256 *h) must_check;
/* Bytes in hex, none of them refused; -8 with the name, -7. */
bool value_hex(struct rpc_call *c, const struct json *v, const char *name,
	       struct slice *bytes) must_check;
/* An amount of money as a number or a string; -3. */
bool value_amount(struct rpc_call *c, const struct json *v,
		  int64_t *sat) must_check;

#endif
