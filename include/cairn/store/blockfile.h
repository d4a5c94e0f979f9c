/*
 * blkNNNNN.dat and revNNNNN.dat: append-only files of records (magic, le32 length,
 * payload). The block writer appends, any thread reads.
 */
#ifndef CAIRN_STORE_BLOCKFILE_H
#define CAIRN_STORE_BLOCKFILE_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct buf;
struct blockfile;

#define BLOCKFILE_MAX 0x8000000u /* bytes; a new file is begun above */

enum blockfile_kind { BLOCKFILE_BLK, BLOCKFILE_REV };

struct blockfile_pos {
	int32_t file;
	uint32_t off;  /* of the payload */
	uint32_t size; /* of the payload */
};

/* Open the files of one kind in dir. last is where the index says the last
 * record ends; what lies behind it is cut when the first record is appended. */
int blockfile_open(struct blockfile **give, const char *dir,
		   enum blockfile_kind kind, const uint8_t magic[4],
		   int32_t last_file, uint32_t last_end) must_check;
void blockfile_close(struct blockfile *f);

/* Append b's payload with the 8 bytes in front of it, already stamped: one
 * pwrite. The cursor moves only when it succeeded. Writer thread. */
int blockfile_append(struct blockfile *f, struct blockfile_pos *pos,
		     const struct buf *b) must_check;
/* fdatasync of everything appended, and of the directory when files are new. Any
 * thread. */
int blockfile_sync(struct blockfile *f) must_check;
/* Read a record's payload: gives a buffer; the 8 bytes in front are read and
 * compared (E_CORRUPT). Any thread. */
int blockfile_read(struct blockfile *f, struct buf **give,
		   const struct blockfile_pos *pos) must_check;
/* Bytes of all files. Any thread. */
uint64_t blockfile_disk_size(struct blockfile *f);

#endif
