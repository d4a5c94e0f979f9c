/*
 * What makes transactions a package: their number and size, each once, parents
 * before children, no two that spend the same. Needs no pool. Any thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_PACKAGE_H
#define CAIRN_SRC_MEMPOOL_PACKAGE_H

#include <cairn/mempool/mempool.h>

/* Judge the form of n transactions, whose ids r gets: package-too-many-
 * transactions, package-too-large, package-contains-duplicates,
 * package-not-sorted, conflict-in-package and, where a child with its parents
 * is asked for, package-not-child-with-parents. V_UNKNOWN with E_PARSE when one
 * is no transaction: r tells which. */
struct verdict package_form(struct mempool_result *r, struct buf *const *txs,
			    size_t n, bool child_with_parents);

#endif
