/* Inside of address: base 58 without a checksum. */
#ifndef CAIRN_ADDRESS_BASE58_H
#define CAIRN_ADDRESS_BASE58_H

#include <cairn/base/bytes.h>

#define BASE58_MAX 260 /* bytes: payload and checksum */

/* Digits and NUL into dst, which has room for 2 * in.n + 2 characters; in has
 * at most BASE58_MAX bytes. */
void base58_put(char *dst, struct slice in);
/* Up to max bytes into dst; false for other characters and longer numbers, dst
 * is then partly written. White space around the digits is skipped. */
bool base58_parse(uint8_t *dst, size_t *n, size_t max, const char *s);

#endif
