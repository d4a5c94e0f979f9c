/* A package that is put together and offered at a desk. One thread. */
#ifndef TESTS_UNIT_MEMPOOL_PACK_H
#define TESTS_UNIT_MEMPOOL_PACK_H

#include "desk.h"

struct pack {
	struct desk d;
	struct slip f; /* that is being written */
	struct buf *txs[MEMPOOL_PACKAGE_MAX + 1];
	size_t n;
	int64_t max_rate;
	/* Of the last offer. */
	struct mempool_result r[MEMPOOL_PACKAGE_MAX + 1];
	struct verdict v;
};
void pack_init(struct pack *k);
void pack_fini(struct pack *k);
/* Empty it. */
void pack_forget(struct pack *k);

/* An easy coin. */
struct point pack_coin(struct pack *k);
/* One more in the package: its fee is what is not paid on; and what f holds,
 * which is then empty. They give the first output. */
struct point pack_add(struct pack *k, const struct point *p, int32_t version,
		      int64_t fee);
struct point pack_slip(struct pack *k);
/* One with two outputs, alone and into the pool. */
struct point pack_put(struct pack *k, const struct point *p, int32_t version,
		      int64_t fee);
void pack_offer(struct pack *k, unsigned flags);

/* It was refused as such; one was; one of several was. */
void pack_is(const struct pack *k, const char *reject, const char *detail);
void pack_one_is(const struct pack *k, size_t i, enum tx_outcome why,
		 const char *reject);
void pack_failed(const struct pack *k, const char *reject);

#endif
