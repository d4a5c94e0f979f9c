/* What the files of cairn-util share: its commands. One thread. */
#ifndef CAIRN_UTIL_H
#define CAIRN_UTIL_H

#include <cairn/base/text.h>
#include <cairn/wire/command.h>

struct jw;

/* What a command returns, besides EXIT_SUCCESS and EXIT_FAILURE, when its
 * arguments make no sense. */
#define UTIL_USAGE 2

/* argv holds the argc arguments behind the command's word. */
int util_blkinfo(int argc, char **argv);
int util_decode(int argc, char **argv);

/* The members of a message's JSON, into an object that is open. body was found
 * well formed; version is the peer's protocol version. */
void util_msg_members(struct jw *w, enum msg_type t, struct slice body,
		      uint32_t version);

/* Those that hold headers and transactions (cairn-util-block.c). */
void util_header_members(struct jw *w, const uint8_t *header);
void util_tx(struct jw *w, struct slice body, uint32_t version);
void util_block(struct jw *w, struct slice body, uint32_t version);
void util_headers(struct jw *w, struct slice body, uint32_t version);
void util_cmpctblock(struct jw *w, struct slice body, uint32_t version);
void util_blocktxn(struct jw *w, struct slice body, uint32_t version);
void util_merkleblock(struct jw *w, struct slice body, uint32_t version);

#endif
