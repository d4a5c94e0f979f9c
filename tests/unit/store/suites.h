/* What the files of this folder's test binary share. */
#ifndef TESTS_UNIT_STORE_SUITES_H
#define TESTS_UNIT_STORE_SUITES_H

#include <check.h>
#include <sys/resource.h>

Suite *kv_suite(void);
Suite *kv_check_suite(void);
Suite *index_suite(void);
Suite *blockfile_suite(void);
Suite *filterdb_suite(void);
Suite *datadir_suite(void);

/* A fresh folder below $TMPDIR or /tmp, with the log going into it; the caller
 * removes it and frees. */
char *scratch_new(void);
void scratch_free(char *dir);

/* The largest file that may be written: a full disk, played. RLIM_INFINITY ends
 * it. */
void limit_files(rlim_t n);

#endif
