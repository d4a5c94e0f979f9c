/* Files and folders. Every function may block; never called on the loop after
 * start. Paths are borrowed C strings. Results are 0 or -errno unless stated.
 */
#ifndef CAIRN_BASE_FILE_H
#define CAIRN_BASE_FILE_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <stdio.h>

struct buf;

/* dir + "/" + name; the caller frees. */
char *path_join(const char *dir, const char *name) must_check;
bool path_exists(const char *path);
bool path_is_dir(const char *path);
/* Make path and its missing parents, mode 0700. */
int dir_make(const char *path) must_check;
/* fsync a directory, so that created names last. */
int dir_sync(const char *path) must_check;
/* Remove a folder with all it holds (tests, scratch). */
int dir_remove(const char *path) must_check;

/* The result for errno e of a call that makes or changes a file: E_NOSPACE
 * where the disk, a quota or a limit on sizes is reached, E_IO for EIO, else
 * -e. */
int file_error(int e);

/* Read a whole file of at most max bytes: gives *b. E_LIMIT when larger. */
int file_read(struct buf **b, const char *path, size_t max) must_check;
/* Write to path.tmp with mode, fsync, rename over path. */
int file_replace(const char *path, struct slice s, unsigned mode) must_check;

/* pread/pwrite all n bytes. E_CORRUPT when the file ends before; a disk that
 * cannot read is E_IO. ENOSPC comes as E_NOSPACE, other write failures as E_IO.
 */
int pread_all(int fd, void *p, size_t n, uint64_t off) must_check;
int pwrite_all(int fd, const void *p, size_t n, uint64_t off) must_check;
/* fdatasync; E_NOSPACE or E_IO on failure, which must never be retried. */
int fd_sync(int fd) must_check;

/* Take an advisory lock (fcntl, as bitcoind does) on path, creating it. Gives
 * the descriptor that holds it; E_LOCKED when another process does. */
int lock_take(int *fd, const char *path) must_check;

#endif
