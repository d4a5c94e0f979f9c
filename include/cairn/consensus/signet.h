/* Signet (BIP325): what follows from a network's challenge script. Pure. */
#ifndef CAIRN_CONSENSUS_SIGNET_H
#define CAIRN_CONSENSUS_SIGNET_H

#include <cairn/base/bytes.h>

/* The network's magic: the first 4 bytes of the double SHA-256 of the challenge
 * behind its length. */
void signet_magic(uint8_t magic[4], struct slice challenge);

#endif
