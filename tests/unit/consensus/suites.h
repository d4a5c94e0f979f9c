/* The suites of consensus. */
#ifndef CAIRN_TESTS_UNIT_CONSENSUS_SUITES_H
#define CAIRN_TESTS_UNIT_CONSENSUS_SUITES_H

#include <check.h>

Suite *block_check_suite(void);
Suite *check_suite(void);
Suite *deploy_suite(void);
Suite *flags_suite(void);
Suite *fullblocks_suite(void);
Suite *headers_suite(void);
Suite *headers_real_suite(void);
Suite *scripts_real_suite(void);
Suite *signet_suite(void);
Suite *sigops_suite(void);
Suite *spend_suite(void);
Suite *tx_vectors_suite(void);
Suite *verdict_suite(void);
Suite *versionbits_suite(void);
Suite *work_suite(void);

#endif
