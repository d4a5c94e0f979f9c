/*
 * Messages signed with the key of a P2PKH address, as Bitcoin Core's
 * signmessage does: a signature of 65 bytes from which the key is recovered.
 */
#ifndef CAIRN_ADDRESS_MESSAGE_H
#define CAIRN_ADDRESS_MESSAGE_H

#include <cairn/base/bytes.h>

struct privkey;
struct secret_ctx;

#define MESSAGE_SIG_SIZE 65

void message_sign(uint8_t sig[MESSAGE_SIG_SIZE], const struct secret_ctx *ctx,
		  const struct privkey *key, struct slice message);
/* Whether sig (of any size) was made with the key of this hash. */
bool message_verify(struct slice sig, const uint8_t key_hash[20],
		    struct slice message);

#endif
