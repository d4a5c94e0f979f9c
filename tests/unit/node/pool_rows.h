/* Copies of the pool made by hand, for tests of what is done with them. */
#ifndef CAIRN_TESTS_UNIT_NODE_POOL_ROWS_H
#define CAIRN_TESTS_UNIT_NODE_POOL_ROWS_H

#include "../../../src/node/poolcopy.h"

/* A copy with room for n rows. */
struct pool_copy *rows_new(size_t n);
/* Add a transaction that spends output 0 of each of these rows (ended by -1)
 * and one coin of its own, with pad bytes of script. Its number. */
size_t rows_add(struct pool_copy *p, const int *parents, size_t pad);

#endif
