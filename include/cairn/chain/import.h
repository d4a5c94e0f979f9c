/*
 * Reading block files that are not ours (-loadblock): blk files of any node and
 * bootstrap files, on a thread of its own. Blocks go through the same pipeline
 * as those of peers, and no faster than it takes them.
 */
#ifndef CAIRN_CHAIN_IMPORT_H
#define CAIRN_CHAIN_IMPORT_H

#include <cairn/base/attr.h>
#include <stddef.h>
#include <stdint.h>

struct chain;
struct import;

struct import_result {
	uint64_t files;   /* read to their end */
	uint64_t blocks;  /* found and new */
	uint64_t known;   /* found and stored before */
	uint64_t orphans; /* parent found nowhere */
	uint64_t refused; /* invalid header or block */
	int rc; /* 0, or what went wrong first; E_STOPPING after import_stop */
	const char *path; /* of the file that could not be read, or NULL */
};

/* Loop; r is borrowed. */
typedef void (*import_done_fn)(void *arg, const struct import_result *r);

/* Read n files one after another; paths are copied. A file holds records (magic
 * of the network, le32 length, block) with anything between them; a record that
 * is cut off or broken or has no proof of work is passed over, and so is a file
 * that cannot be read. If `xor.dat` lies beside a file, its key
 * is applied (Bitcoin Core's obfuscation). Blocks may come in any order within
 * one import: those whose parent is missing are read again when it has come, up
 * to a bound on their number. done is called once, after every block handed
 * over has been answered. After LOADED; loop. */
struct import *import_start(struct chain *c, const char *const *paths, size_t n,
			    import_done_fn done, void *arg) must_check;
/* The same with the chain's own block files, whose blocks stay where they lie;
 * ends chain_reindexing once all were read. */
struct import *import_own_files(struct chain *c, import_done_fn done,
				void *arg) must_check;
/* End early: done is called soon, with E_STOPPING. Loop. */
void import_stop(struct import *i);
/* Blocks found so far and the share of bytes read, 0..1. Loop. */
void import_progress(struct import *i, uint64_t *blocks, double *done);
/* After done was called. NULL is fine. */
void import_free(struct import *i);

#endif
