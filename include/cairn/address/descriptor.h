/*
 * Output descriptors (BIP 380 and following) over plain hexadecimal public
 * keys: pk, pkh, wpkh, multi, rawtr, raw, addr, with their checksum. Pure.
 */
#ifndef CAIRN_ADDRESS_DESCRIPTOR_H
#define CAIRN_ADDRESS_DESCRIPTOR_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;
struct text;

/* Append the script of a descriptor to out. need_checksum: refuse one without.
 * 0, or E_PARSE with a sentence appended to err: Core's where Core refuses it
 * too, else that the function or kind of key is not supported yet. */
int descriptor_script(struct text *out, struct text *err, const char *desc,
		      bool need_checksum, const struct params *p) must_check;
/* 8 characters + NUL into dst[9]; false for characters outside the set. */
bool descriptor_checksum(char dst[9], const char *desc, size_t n);
/* Append the descriptor that names a script, with checksum, as getblock's
 * "desc": Core's InferDescriptor where no keys are known, so pk(...),
 * multi(...), rawtr(...), addr(...) or raw(...). */
void descriptor_of_script(struct text *out, struct slice script,
			  const struct params *p);

#endif
