/* Runs the suites of one folder's test binary. */
#ifndef TESTS_UNIT_RUNNER_H
#define TESTS_UNIT_RUNNER_H

#include <check.h>
#include <stddef.h>

typedef Suite *(*suite_fn)(void);

/* Run all n suites, each test in a process of its own unless CK_FORK says no;
 * the exit code of the binary. */
int run_suites(const suite_fn *suites, size_t n);

#define RUN_SUITES(a) run_suites(a, sizeof(a) / sizeof *(a))

#endif
