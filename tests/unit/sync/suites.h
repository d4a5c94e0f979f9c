/* What the files of this folder's test binary share. */
#ifndef TESTS_UNIT_SYNC_SUITES_H
#define TESTS_UNIT_SYNC_SUITES_H

#include <check.h>

Suite *announce_suite(void);
Suite *blocks_suite(void);
Suite *cfilters_suite(void);
Suite *download_suite(void);
Suite *headers_suite(void);
Suite *rebuild_suite(void);
Suite *serve_suite(void);
Suite *txannounce_suite(void);
Suite *txfeefilter_suite(void);
Suite *txorphans_suite(void);
Suite *txpool_suite(void);
Suite *txrelay_suite(void);
Suite *txrequest_suite(void);
Suite *txserve_suite(void);
Suite *txset_suite(void);

#endif
