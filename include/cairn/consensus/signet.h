/* Signet (BIP325): what follows from a network's challenge script. Pure. */
#ifndef CAIRN_CONSENSUS_SIGNET_H
#define CAIRN_CONSENSUS_SIGNET_H

#include <cairn/base/bytes.h>

struct block_view;
struct params;

/* The network's magic: the first 4 bytes of the double SHA-256 of the challenge
 * behind its length. */
void signet_magic(uint8_t magic[4], struct slice challenge);

/* Whether a block carries a solution to the network's challenge in its witness
 * commitment; the first block needs none. Needs txids. False as well when out
 * of memory. */
bool signet_block_signed(const struct block_view *b, const struct params *p);

#endif
