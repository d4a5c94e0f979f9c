/*
 * Checks that every codec owes: each proper prefix refused, bytes behind
 * treated as stated, counts refused that are not minimal or out of bounds. The
 * input always lies directly before a guard page.
 */
#ifndef CAIRN_TESTS_UNIT_WIRE_WIRETEST_H
#define CAIRN_TESTS_UNIT_WIRE_WIRETEST_H

#include "testdata.h"

#include <check.h>

/* Parse a body and use everything of it; false when refused. */
typedef bool (*body_fn)(struct slice body);

/* body is accepted and none of its proper prefixes is. Bodies over 8 KiB are
 * cut at their first and last 1,000 bytes and at every 97th in between. */
void check_cuts(body_fn parse, struct slice body);
/* body is accepted; with any byte behind it, it is accepted or not as stated.
 */
void check_extra(body_fn parse, struct slice body, bool accepted);
/* Between head and tail_n zero bytes, no count is accepted that is not minimal,
 * above the largest size or around 2^32. */
void check_counts(body_fn parse, struct slice head, size_t tail_n);

/* Fill p with n bytes that differ from each other and from run to run not. */
void fill(uint8_t *p, size_t n, uint32_t seed);

Suite *compact_suite(void);
Suite *frame_suite(void);
Suite *command_suite(void);
Suite *messages_suite(void);
Suite *header_suite(void);
Suite *inv_suite(void);
Suite *locator_suite(void);
Suite *cfilter_suite(void);
Suite *addr_suite(void);
Suite *version_suite(void);
Suite *tx_suite(void);
Suite *txvectors_suite(void);
Suite *txparts_suite(void);
Suite *block_suite(void);
Suite *merkle_suite(void);
Suite *bloom_suite(void);
Suite *merkleblock_suite(void);
Suite *cmpctblock_suite(void);
Suite *feature_suite(void);
Suite *obsolete_suite(void);
Suite *fault_suite(void);
Suite *every_suite(void);

#endif
