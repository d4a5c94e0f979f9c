/* What the files of this folder's test binary share. One suite per line, in the
 * order in which main.c runs them. */
#ifndef TESTS_UNIT_CHAIN_SUITES_H
#define TESTS_UNIT_CHAIN_SUITES_H

#include <check.h>

Suite *coin_codec_suite(void);
Suite *coinview_suite(void);
Suite *coinview_prefetch_suite(void);
Suite *coinview_model_suite(void);
Suite *takenoff_suite(void);
Suite *unconfirmed_suite(void);
Suite *undo_suite(void);
Suite *htree_suite(void);
Suite *presync_suite(void);
Suite *chain_suite(void);
Suite *fullblocks_suite(void);
Suite *filters_suite(void);
Suite *import_suite(void);
Suite *crash_suite(void);
Suite *mining_suite(void);
Suite *workq_suite(void);
Suite *rules_suite(void);
Suite *scripts_suite(void);
Suite *verified_suite(void);
Suite *script_pool_suite(void);
Suite *ahead_suite(void);
Suite *ahead_faults_suite(void);
Suite *ahead_crash_suite(void);
Suite *ahead_child_suite(void);
Suite *cfcheckpt_suite(void);

/* A fresh folder below $TMPDIR, /dev/shm or /tmp; the caller removes it and
 * frees. */
char *scratch_new(void);
void scratch_free(char *dir);

/* The other end of a test that kills a process: the suite that it runs, where
 * the environment variable is set. */
#define COINVIEW_CHILD "CAIRN_TEST_COINVIEW"
Suite *coinview_child_suite(void);
#define CRASH_CHILD "CAIRN_TEST_CRASH"
#define AHEAD_CHILD "CAIRN_TEST_AHEAD"
Suite *crash_child_suite(void);

#endif
