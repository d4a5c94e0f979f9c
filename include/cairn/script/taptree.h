/* Hashes of taproot's script trees (BIP 341). Pure. */
#ifndef CAIRN_SCRIPT_TAPTREE_H
#define CAIRN_SCRIPT_TAPTREE_H

#include <cairn/base/bytes.h>

#define TAP_LEAF_SCRIPT 0xc0u /* leaf version of tapscript (BIP 342) */
#define TAP_DEPTH_MAX   128u  /* steps from a leaf to the root */

void tap_leaf_hash(uint8_t out[32], uint8_t version, struct slice script);
/* The parent of two nodes, in either order. out may be a or b. */
void tap_branch_hash(uint8_t out[32], const uint8_t a[32], const uint8_t b[32]);
/* What is added to the internal key (x-only); root NULL: there are no scripts.
 */
void tap_tweak_hash(uint8_t out[32], const uint8_t internal[32],
		    const uint8_t *root);

/* Opcodes that make a tapscript valid as soon as they are in it (BIP 342). */
bool tap_op_success(uint8_t op);

#endif
