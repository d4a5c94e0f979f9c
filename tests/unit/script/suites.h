/* The suites of this folder's test binary. */
#ifndef TESTS_UNIT_SCRIPT_SUITES_H
#define TESTS_UNIT_SCRIPT_SUITES_H

#include <check.h>

Suite *asm_suite(void);
Suite *batch_suite(void);
Suite *cache_suite(void);
Suite *flags_suite(void);
Suite *iter_suite(void);
Suite *limits_suite(void);
Suite *multisig_suite(void);
Suite *op_suite(void);
Suite *script_vectors_suite(void);
Suite *sighash_suite(void);
Suite *tagset_suite(void);
Suite *taproot_vectors_suite(void);
Suite *taptree_suite(void);
Suite *template_suite(void);
Suite *verify_suite(void);

#endif
