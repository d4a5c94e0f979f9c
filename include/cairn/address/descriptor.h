/*
 * Output descriptors (BIP 380 to 386, 389, 387): pk, pkh, wpkh, sh, wsh, tr,
 * multi, sortedmulti, multi_a, sortedmulti_a, combo, addr, raw, rawtr, unused,
 * over keys in hex, as WIF and extended (BIP 32), with their checksum. What
 * Bitcoin Core refuses is refused with its sentence; Miniscript and musig() are
 * refused too. Any thread; a parsed descriptor is only read, its walks belong
 * to one thread each.
 */
#ifndef CAIRN_ADDRESS_DESCRIPTOR_H
#define CAIRN_ADDRESS_DESCRIPTOR_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;
struct text;

/* Bounds: characters of a descriptor, and characters of all descriptors that
 * multipath steps make of one. */
#define DESCRIPTOR_MAX          1000000u
#define DESCRIPTOR_VARIANTS_MAX 5000000u

struct descriptor;

/* Parse a descriptor of a network (p is kept). need_checksum: refuse one
 * without. 0, or E_PARSE with a sentence appended to err. */
int descriptor_parse(struct descriptor **give, struct text *err,
		     struct slice text, bool need_checksum,
		     const struct params *p) must_check;
/* Wipes its secrets. NULL is fine. */
void descriptor_free(struct descriptor *d);

/* How many descriptors multipath steps make of it; 1 without. Those are its
 * variants, from 0. */
size_t descriptor_variants(const struct descriptor *d);
/* Whether its scripts depend on an index. */
bool descriptor_is_range(const struct descriptor *d);
/* Whether it says how its scripts are spent. */
bool descriptor_is_solvable(const struct descriptor *d);
bool descriptor_has_private(const struct descriptor *d);
/* Append a variant in canonical form: without private keys, with checksum. */
void descriptor_put(struct text *out, const struct descriptor *d,
		    size_t variant);

/* The scripts of one variant, index by index; borrows d. */
struct descriptor_walk;
#define DESCRIPTOR_SCRIPTS_MAX 4

/* 0, E_NOTFOUND when hardened steps need private keys that d does not have (or,
 * once in 2^127, a step has no key), E_NOMEM. */
int descriptor_walk(struct descriptor_walk **give, const struct descriptor *d,
		    size_t variant) must_check;
/* The scripts at an index below 2^31, which only counts for a range: one, or
 * two or four for combo, none for unused. They are borrowed until the next
 * call. Errors as above. */
int descriptor_walk_at(struct descriptor_walk *w,
		       struct slice script[DESCRIPTOR_SCRIPTS_MAX], size_t *n,
		       uint32_t index) must_check;
/* Wipes its secrets. NULL is fine. */
void descriptor_walk_free(struct descriptor_walk *w);

/* 8 characters + NUL into dst[9]; false for characters outside the set. */
bool descriptor_checksum(char dst[9], const char *desc, size_t n);

/* Append the descriptor that names a script, with checksum, as getblock's
 * "desc": Core's InferDescriptor where no keys are known. known, of n: scripts
 * that its hashes may be of. */
void descriptor_of_script(struct text *out, struct slice script,
			  const struct slice *known, size_t n,
			  const struct params *p);

#endif
