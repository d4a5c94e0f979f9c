/*
 * Finding block records in a file that somebody else wrote: sequentially, with
 * whatever lies between them passed over. One thread. Inside src/chain only.
 */
#ifndef CAIRN_SRC_CHAIN_BLOCKSCAN_H
#define CAIRN_SRC_CHAIN_BLOCKSCAN_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct buf;
struct params;

struct blockscan {
	const struct params *params;
	int fd;
	uint64_t size; /* when it was opened */
	uint64_t pos;  /* the search goes on here */
	uint8_t key[8];
	bool obfuscated;
	uint8_t *win; /* bytes win_at..win_at + win_n of the file, plain */
	uint64_t win_at;
	size_t win_n;
	uint64_t read; /* bytes, since the last call began */
};

/* 0 or -errno. A folder is no file: -EISDIR. */
int blockscan_open(struct blockscan *s, const char *path,
		   const struct params *p) must_check;
void blockscan_close(struct blockscan *s);
/* The next record that has proof of work and parses as a block: gives its
 * buffer, stamped and without trailing bytes, and where it lies. 1, 0 at the
 * end, or a failure; SCAN_MORE after much has been read in vain, so that
 * whoever waits for the end of the search is not waiting for the end of the
 * file. */
#define SCAN_MORE 2
int blockscan_next(struct blockscan *s, struct buf **give,
		   uint64_t *off) must_check;
/* The block of n bytes at off again. E_CORRUPT when the file was cut since. */
int blockscan_at(struct blockscan *s, struct buf **give, uint64_t off,
		 uint32_t n) must_check;

#endif
