/* Golomb-coded sets and the basic block filter (BIP 158). One thread a call. */
#ifndef CAIRN_FILTER_GCS_H
#define CAIRN_FILTER_GCS_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct buf;

#define GCS_P 19
#define GCS_M 784931
/* More elements than any block has outputs and inputs, and as many as a reader
 * takes (the largest CompactSize). */
#define GCS_ELEMENTS_MAX 0x02000000u

/* Collects elements: add scripts, then build. Duplicates count once. */
struct gcs_builder {
	uint64_t *hashes;
	size_t n, cap;
	uint64_t key[2];
};

/* The key comes from the first 16 bytes of the block hash. */
void gcs_builder_init(struct gcs_builder *b, const struct hash256 *block_hash);
void gcs_builder_fini(struct gcs_builder *b);
/* Add an output's or a spent coin's script; empty scripts and those that start
 * with OP_RETURN are left out, as the basic filter wants it (outputs and coins
 * alike: OP_RETURN coins cannot exist). */
void gcs_add_script(struct gcs_builder *b, struct slice script);
/* Add any element (vectors, benches). */
void gcs_add(struct gcs_builder *b, struct slice element);
/* Gives the encoded filter: CompactSize of n, then the coded set; an empty set
 * is one zero byte. 0, E_NOMEM, or E_LIMIT above GCS_ELEMENTS_MAX. Sorts the
 * builder's hashes; it may be built again after more were added. */
int gcs_build(struct buf **out, struct gcs_builder *b) must_check;

/* Whether a filter holds exactly as many elements as it says, and not a byte
 * more. Reads it whole. */
bool gcs_valid(struct slice filter);

/* Whether the filter (with its count) matches any of n elements. Stops at the
 * first match; false also when it is malformed up to there, with *bad set. The
 * caller bounds n. */
bool gcs_match_any(bool *bad, struct slice filter,
		   const struct hash256 *block_hash,
		   const struct slice *elements, size_t n);

/* filter hash = sha256d(filter); header = sha256d(filter hash, previous). */
void filter_hash(struct hash256 *out, struct slice filter);
void filter_header(struct hash256 *out, const struct hash256 *hash,
		   const struct hash256 *prev_header);

#endif
