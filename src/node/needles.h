/*
 * The scripts of descriptors as a set, for looking coins up by their script.
 * Owned by one call, one thread at a time.
 */
#ifndef CAIRN_NODE_NEEDLES_H
#define CAIRN_NODE_NEEDLES_H

#include "rpc_util.h"

struct needle {
	struct slice script;
	const char *desc; /* of this script */
};

struct needles;

/* NULL is fine. */
void needles_free(struct needles *s);
/* From scantxoutset's scan objects. NULL: the call was failed and finished. */
struct needles *needles_take(struct rpc_call *c,
			     const struct json *list) must_check;
/* The one with this script, or NULL. */
const struct needle *needles_find(const struct needles *s, struct slice script);

#endif
