/* Inside of filter: sorting 64-bit hashes. */
#ifndef CAIRN_FILTER_SORT_H
#define CAIRN_FILTER_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sort n values ascending; tmp has room for n more. Time does not depend on the
 * values, so nobody can make it slow. */
void sort_u64(uint64_t *v, uint64_t *tmp, size_t n);

#endif
