/* What the files of this folder's test binary share. */
#ifndef TESTS_UNIT_ADDRESS_SUITES_H
#define TESTS_UNIT_ADDRESS_SUITES_H

#include <cairn/base/bytes.h>

#include <check.h>

struct params;
struct text;

Suite *address_suite(void);
Suite *base58_suite(void);
Suite *bech32_suite(void);
Suite *desc_checksum_suite(void);
Suite *desc_infer_suite(void);
Suite *desc_scripts_suite(void);
Suite *desc_vectors_suite(void);
Suite *key_suite(void);
Suite *message_suite(void);
Suite *sign_suite(void);
Suite *descriptor_suite(void);

/* The network called by one of the vectors' names. */
const struct params *params_named(const char *name);
/* Append the first script that a descriptor gives at index 0. Errors are those
 * of descriptor_parse and descriptor_walk. */
int desc_script(struct text *out, struct text *err, const char *desc,
		bool need_checksum, const struct params *p);
/* The script of an address or descriptor must be the one in hex. */
void check_script(const uint8_t *got, size_t n, const char *hex,
		  const char *what);

#endif
