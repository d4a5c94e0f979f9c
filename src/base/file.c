/*
 * Files and folders: whole reads and writes, atomic replacement, locks. Runs on
 * whatever thread may block, never on the loop after start. Does not retry a
 * failed sync (the kernel has dropped the pages) and does not log.
 */
#include <cairn/base/file.h>

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_FIRST 4096u
#define WALK_FDS   16

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);
	const char *sep = n && dir[n - 1] == '/' ? "" : "/";

	return xasprintf("%s%s%s", dir, sep, name);
}

bool path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool path_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A limit on the size of files is a full disk for whoever writes one. */
int file_error(int e)
{
	if (e == ENOSPC || e == EDQUOT || e == EFBIG)
		return E_NOSPACE;
	return e == EIO ? E_IO : -e;
}

/* What was written is not there, whatever the reason: no space, or E_IO. */
static int write_error(int e)
{
	return file_error(e) == E_NOSPACE ? E_NOSPACE : E_IO;
}

static int make_one(const char *path)
{
	int e;

	if (mkdir(path, 0700) == 0)
		return 0;
	e = errno;
	if (path_is_dir(path))
		return 0;
	return e == EEXIST ? -ENOTDIR : file_error(e);
}

int dir_make(const char *path)
{
	char *copy = xstrdup(path);
	char *p;
	int rc = 0;

	for (p = copy + (*copy == '/'); rc == 0 && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		rc = make_one(copy);
		*p = '/';
	}
	if (rc == 0)
		rc = make_one(copy);
	free(copy);
	return rc;
}

int dir_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) == 0 ? 0 : write_error(errno);
	close(fd);
	return rc;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path) == 0 ? 0 : -errno;
}

int dir_remove(const char *path)
{
	int rc = nftw(path, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS);

	return rc == -1 ? -errno : rc;
}

/* read(2) that an interruption does not end. */
static ssize_t read_some(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Read to the end; one byte of room beyond max tells a larger file. */
static int read_into(struct buf **out, int fd, size_t max)
{
	struct buf *b = *out;

	while (b->n <= max) {
		size_t want = b->cap > max / 2 ? max + 1 : b->cap * 2;
		ssize_t got;

		if (b->n == b->cap) {
			if (buf_reserve(out, want) != 0)
				return E_NOMEM;
			b = *out;
		}
		got = read_some(fd, buf_data(b) + b->n, b->cap - b->n);
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		b->n += (size_t)got;
	}
	return E_LIMIT;
}

/* The first guess at a file's size; devices and /proc state none. */
static size_t size_guess(int fd, size_t max)
{
	struct stat st;
	uint64_t n = READ_FIRST;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		n = (uint64_t)st.st_size;
	return n < max ? (size_t)n : max;
}

int file_read(struct buf **b, const char *path, size_t max)
{
	struct buf *out = NULL;
	int fd, rc = E_NOMEM;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (max < SIZE_MAX / 2)
		out = buf_new(size_guess(fd, max) + 1);
	if (out)
		rc = read_into(&out, fd, max);
	close(fd);
	if (rc) {
		buf_unref(out);
		return rc;
	}
	*b = out;
	return 0;
}

static int write_tmp(const char *tmp, struct slice s, unsigned mode)
{
	int fd, rc;

	/* A leftover may have readers who kept it open. */
	if (unlink(tmp) != 0 && errno != ENOENT)
		return -errno;
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_error(errno);
	rc = fchmod(fd, (mode_t)mode) == 0 ? 0 : file_error(errno);
	if (rc == 0)
		rc = pwrite_all(fd, s.p, s.n, 0);
	if (rc == 0 && fsync(fd) != 0)
		rc = write_error(errno);
	if (close(fd) != 0 && rc == 0)
		rc = write_error(errno);
	return rc;
}

static int parent_sync(const char *path)
{
	char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');
	int rc;

	if (slash)
		slash[slash == dir] = '\0';
	rc = dir_sync(slash ? dir : ".");
	free(dir);
	return rc;
}

int file_replace(const char *path, struct slice s, unsigned mode)
{
	char *tmp = xasprintf("%s.tmp", path);
	int rc = write_tmp(tmp, s, mode);

	if (rc == 0 && rename(tmp, path) != 0)
		rc = file_error(errno);
	if (rc)
		unlink(tmp);
	else
		rc = parent_sync(path);
	free(tmp);
	return rc;
}

int pread_all(int fd, void *p, size_t n, uint64_t off)
{
	uint8_t *at = p;

	while (n) {
		ssize_t got = pread(fd, at, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EIO ? E_IO : -errno;
		if (got == 0)
			return E_CORRUPT;
		at += got;
		off += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

int pwrite_all(int fd, const void *p, size_t n, uint64_t off)
{
	const uint8_t *at = p;

	while (n) {
		ssize_t did = pwrite(fd, at, n, (off_t)off);

		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return did < 0 ? write_error(errno) : E_IO;
		at += did;
		off += (uint64_t)did;
		n -= (size_t)did;
	}
	return 0;
}

int fd_sync(int fd)
{
	int rc;

	/* An interruption is no failure: nothing was dropped. */
	do
		rc = fdatasync(fd);
	while (rc != 0 && errno == EINTR);
	return rc == 0 ? 0 : write_error(errno);
}

int lock_take(int *fd, const char *path)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int e;

	if (f < 0)
		return file_error(errno);
	if (fcntl(f, F_SETLK, &fl) == 0) {
		*fd = f;
		return 0;
	}
	e = errno;
	close(f);
	return e == EAGAIN || e == EACCES ? E_LOCKED : -e;
}
