/* What the files of cairn-util share: its commands, and what they read. One
 * thread. */
#ifndef CAIRN_UTIL_H
#define CAIRN_UTIL_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>
#include <cairn/consensus/coin.h>
#include <cairn/wire/block.h>
#include <cairn/wire/command.h>

struct arena;
struct buf;
struct jw;
struct params;

/* What a command returns, besides EXIT_SUCCESS and EXIT_FAILURE, when its
 * arguments make no sense. */
#define UTIL_USAGE 2

/* argv holds the argc arguments behind the command's word. */
int util_blkinfo(int argc, char **argv);
int util_decode(int argc, char **argv);
int util_verify_block(int argc, char **argv);
int util_verify_tx(int argc, char **argv);

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

/* The network of a name as -chain= has it, also "mainnet", "testnet3"; or NULL.
 */
const struct params *util_chain_find(const char *name);

/* Lines of text from a descriptor, at most max bytes each. */
struct util_lines {
	int fd;
	size_t max;
	struct buf *buf;
	size_t at;     /* where the next line begins in buf */
	bool too_long; /* the line given is the beginning of one */
	bool ended;
};
/* E_NOMEM. */
int util_lines_init(struct util_lines *l, int fd, size_t max) must_check;
void util_lines_fini(struct util_lines *l);
/* 1 and the next line without its end, borrowed until the next call; 0 at the
 * end; -errno or E_NOMEM. Of a line longer than max bytes only the beginning is
 * given, and too_long is set. Flushes standard output before it waits. */
int util_lines_next(struct util_lines *l, struct slice *line) must_check;

/* A request of verify-tx. Everything lives in the arena that it was parsed
 * with. */
struct util_request {
	struct tx_view *tx;
	struct txout_view *spent; /* one for each input */
	unsigned flags;
	bool one;       /* one input is asked for, or all of them */
	uint32_t input; /* which one */
	char why[160];  /* where it is malformed: the member and the reason */
};
/* Memory that a line of util_request_line_max bytes may take. */
#define UTIL_REQUEST_MEMORY ((size_t)256 << 20)
/* A transaction of 4 MB, its prevouts, and witnesses that replace its own, as
 * JSON. */
#define UTIL_REQUEST_LINE_MAX ((size_t)32 << 20)
/* Parse a line. False when malformed, with why. */
bool util_request_parse(struct util_request *r, struct arena *a,
			struct slice line);

/* A coin from a file beside a block. */
struct util_prevout {
	struct coin coin; /* its script points into the file */
	bool known;       /* height and coinbase; else 0 and false */
};
struct util_prevouts {
	struct buf *file, *mem;
	struct util_prevout *at; /* one for each input behind the coinbase's */
	uint32_t n;
	uint32_t missing; /* see util_prevouts_match */
};
/* Read the coins of the block with that hash, into pv, which is all zero; fini
 * in any case. NULL, or what is wrong with the file. */
const char *util_prevouts_read(struct util_prevouts *pv, const char *path,
			       const struct hash256 *block);
/* The same from the file's bytes. */
const char *util_prevouts_parse(struct util_prevouts *pv, struct buf *take,
				const struct hash256 *block);
void util_prevouts_fini(struct util_prevouts *pv);
/* Hold the coins against the block at height, whose transactions are hashed:
 * coins that it makes itself must be those of the file, and become known where
 * they are not. Sets missing to the first transaction that spends what is spent
 * already, comes later or is not there; UINT32_MAX: none does. NULL, or what is
 * wrong with the file. */
const char *util_prevouts_match(struct util_prevouts *pv,
				const struct block_view *b, int32_t height);

#endif
