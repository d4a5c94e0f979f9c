/* The suites of params. */
#ifndef CAIRN_TESTS_UNIT_PARAMS_SUITES_H
#define CAIRN_TESTS_UNIT_PARAMS_SUITES_H

#include <check.h>

Suite *names_suite(void);
Suite *params_suite(void);

#endif
