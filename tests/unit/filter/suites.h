/* What the files of this folder's test binary share. */
#ifndef TESTS_UNIT_FILTER_SUITES_H
#define TESTS_UNIT_FILTER_SUITES_H

#include <cairn/base/bytes.h>

#include <check.h>

struct gcs_builder;

Suite *gcs_suite(void);
Suite *header_suite(void);
Suite *match_suite(void);
Suite *sort_suite(void);

/* Add the scripts of every output of a block; gives the block's hash and the
 * number of inputs behind the coinbase. */
size_t add_block(struct gcs_builder *b, struct hash256 *hash, struct slice raw);

#endif
