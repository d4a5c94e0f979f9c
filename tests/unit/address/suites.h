/* What the files of this folder's test binary share. */
#ifndef TESTS_UNIT_ADDRESS_SUITES_H
#define TESTS_UNIT_ADDRESS_SUITES_H

#include <cairn/base/bytes.h>

#include <check.h>

struct params;

Suite *address_suite(void);
Suite *base58_suite(void);
Suite *bech32_suite(void);
Suite *desc_checksum_suite(void);
Suite *desc_infer_suite(void);
Suite *key_suite(void);
Suite *descriptor_suite(void);

/* The network called by one of the vectors' names. */
const struct params *params_named(const char *name);
/* The script of an address or descriptor must be the one in hex. */
void check_script(const uint8_t *got, size_t n, const char *hex,
		  const char *what);

#endif
