/*
 * Output descriptors (BIP 380 and following): pk, pkh, wpkh, raw, addr with their
 * checksum, over plain hex public keys.
 */
#ifndef CAIRN_ADDRESS_DESCRIPTOR_H
#define CAIRN_ADDRESS_DESCRIPTOR_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;
struct text;

/* The script of a descriptor. need_checksum: refuse one without. E_PARSE with
 * Core's sentence in err, else 0 and the script appended to out. */
int descriptor_script(struct text *out, struct text *err, const char *desc,
		      bool need_checksum, const struct params *p) must_check;
/* 8 characters + NUL into dst[9]; false for characters outside the set. */
bool descriptor_checksum(char dst[9], const char *desc, size_t n);
/* The descriptor that names a script, with checksum, as getblock's "desc":
 * addr(...), pk(...) or raw(...) (Core's InferDescriptor without keys). */
void descriptor_of_script(struct text *out, struct slice script,
			  const struct params *p);

#endif
