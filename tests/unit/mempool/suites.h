/* The suites of this folder's test binary. */
#ifndef TESTS_UNIT_MEMPOOL_SUITES_H
#define TESTS_UNIT_MEMPOOL_SUITES_H

#include <check.h>

Suite *accept_again_suite(void);
Suite *accept_package_suite(void);
Suite *accept_family_suite(void);
Suite *accept_replace_suite(void);
Suite *accept_suite(void);
Suite *accept_truc_suite(void);
Suite *fee_suite(void);
Suite *linearize_suite(void);
Suite *policy_inputs_suite(void);
Suite *policy_suite(void);
Suite *policy_witness_suite(void);
Suite *pool_suite(void);
Suite *reorg_suite(void);
Suite *room_suite(void);
Suite *select_suite(void);
Suite *table_suite(void);
Suite *try_suite(void);

#endif
