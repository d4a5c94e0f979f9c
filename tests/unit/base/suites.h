/* What the files of this folder's test binary share: their suites, scratch
 * folders, and whether a test may die on purpose. */
#ifndef TESTS_UNIT_BASE_SUITES_H
#define TESTS_UNIT_BASE_SUITES_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

Suite *arena_suite(void);
Suite *attr_suite(void);
Suite *buf_suite(void);
Suite *bytes_suite(void);
Suite *clock_suite(void);
Suite *conf_suite(void);
Suite *delimited_suite(void);
Suite *endian_suite(void);
Suite *err_suite(void);
Suite *file_suite(void);
Suite *hmap_suite(void);
Suite *log_suite(void);
Suite *mem_suite(void);
Suite *must_suite(void);
Suite *rand_suite(void);
Suite *rd_suite(void);
Suite *small_bytes_suite(void);
Suite *subnet_suite(void);
Suite *text_suite(void);
Suite *thread_suite(void);

/* A fresh folder below $TMPDIR or /tmp; the caller removes it and frees. */
char *scratch_new(void);
void scratch_free(char *dir);
/* Write text as dir/name. */
void scratch_put(const char *dir, const char *name, const char *text);

/* Tests that end in a signal need a process of their own (CK_FORK=no). */
static inline bool tests_fork(void)
{
	const char *s = getenv("CK_FORK");

	return !s || strcmp(s, "no") != 0;
}

#endif
