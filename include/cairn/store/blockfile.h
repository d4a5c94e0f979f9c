/*
 * blkNNNNN.dat and revNNNNN.dat: append-only files of records (magic, le32
 * length, payload). The block writer appends, any thread reads. Everything
 * blocks on the disk.
 */
#ifndef CAIRN_STORE_BLOCKFILE_H
#define CAIRN_STORE_BLOCKFILE_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct buf;
struct blockfile;

/* Bytes; a record that would end above begins a new file. A record larger than
 * this (an undo record can be) has a file of its own. */
#define BLOCKFILE_MAX 0x8000000u

enum blockfile_kind { BLOCKFILE_BLK, BLOCKFILE_REV };

struct blockfile_pos {
	int32_t file;  /* -1: no record */
	uint32_t off;  /* of the payload */
	uint32_t size; /* of the payload */
};

/* Open the files of one kind in dir (copied). last_file and last_end are where
 * the index says that the last record ends (-1, 0: no record); what lies behind
 * is cut when the first record is appended, not before. Gives it. -errno. */
int blockfile_open(struct blockfile **give, const char *dir,
		   enum blockfile_kind kind, const uint8_t magic[4],
		   int32_t last_file, uint32_t last_end) must_check;
/* Where the last file of one kind in dir ends, whatever it holds: -1, 0 without
 * files. -errno, E_LIMIT when it is larger than any of ours. */
int blockfile_find_end(int32_t *file, uint32_t *end, const char *dir,
		       enum blockfile_kind kind) must_check;
/* NULL is fine. No call is under way. */
void blockfile_close(struct blockfile *f);

/* Append b's payload with the 8 bytes in front of it, already stamped: one
 * pwrite. On any failure the cursor stays where it was and the file is cut back
 * to it, so that the call may be repeated: E_NOSPACE, E_IO, E_LIMIT (file
 * numbers used up), -errno. Writer thread. */
int blockfile_append(struct blockfile *f, struct blockfile_pos *pos,
		     const struct buf *b) must_check;
/* fdatasync of everything whose append returned before the call, and of the
 * directory when files are new. A failure is final: it is returned by every
 * later call. Any thread. */
int blockfile_sync(struct blockfile *f) must_check;
/* Read a record's payload: gives a buffer whose headroom ends with the record's
 * 8 bytes. E_CORRUPT when the file does not hold such a record there, E_NOMEM,
 * E_IO, -errno. Any thread. */
int blockfile_read(struct blockfile *f, struct buf **give,
		   const struct blockfile_pos *pos) must_check;
/* The number of the file that is appended to; the path of any, which the caller
 * frees. Any thread. */
int32_t blockfile_last(struct blockfile *f);
char *blockfile_path(const struct blockfile *f, int32_t file);
/* Bytes of all files. Any thread. */
uint64_t blockfile_disk_size(struct blockfile *f);

#endif
