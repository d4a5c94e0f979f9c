/*
 * A library to be preloaded: lets calls that change files fail. Which files, by
 * their folder: FAULT_DIR; what, FAULT_OP: write, sync, short or create; from
 * which call on, FAULT_AT, counted from 1 over all threads (0: never);
 * FAULT_ONCE lets only that one fail; FAULT_ERRNO is the number to fail with
 * (28, no space). The number of calls seen is kept in the file FAULT_COUNT, as
 * a long, so that it outlives a kill. Logs are spared: they are not what a node
 * must keep.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long own;
static long *calls = &own; /* atomic; in FAULT_COUNT where that is given */

static const char *var(const char *name)
{
	const char *v = getenv(name);

	return v ? v : "";
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && strcmp(s + n - m, with) == 0;
}

static bool is_ours(const char *path)
{
	const char *dir = var("FAULT_DIR");

	return *dir && strncmp(path, dir, strlen(dir)) == 0 &&
	       path[strlen(dir)] == '/' && !ends(path, ".log") &&
	       !ends(path, "/LOG");
}

static bool fd_is_ours(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return is_ours(path);
}

/* Count one call of this kind; must it fail? */
static bool fails(const char *op)
{
	long n, at = strtol(var("FAULT_AT"), NULL, 10);

	if (strcmp(op, var("FAULT_OP")) != 0)
		return false;
	n = __atomic_add_fetch(calls, 1, __ATOMIC_SEQ_CST);
	if (at == 0 || n < at || (*var("FAULT_ONCE") && n > at))
		return false;
	errno = *var("FAULT_ERRNO") ? (int)strtol(var("FAULT_ERRNO"), NULL, 10)
				    : ENOSPC;
	return true;
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

/* What of n bytes a call may write: none (-1), some, or all. */
static ssize_t allowed(int fd, size_t n)
{
	int was = errno;

	if (!fd_is_ours(fd))
		return (ssize_t)n;
	if (fails("write"))
		return -1;
	if (n > 1 && fails("short"))
		n /= 2;
	errno = was;
	return (ssize_t)n;
}

ssize_t write(int fd, const void *p, size_t n)
{
	ssize_t (*f)(int, const void *, size_t) = next("write");
	ssize_t may = allowed(fd, n);

	return may < 0 ? -1 : f(fd, p, (size_t)may);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t off)
{
	ssize_t (*f)(int, const void *, size_t, off_t) = next("pwrite");
	ssize_t may = allowed(fd, n);

	return may < 0 ? -1 : f(fd, p, (size_t)may, off);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t off)
{
	ssize_t (*f)(int, const void *, size_t, off64_t) = next("pwrite64");
	ssize_t may = allowed(fd, n);

	return may < 0 ? -1 : f(fd, p, (size_t)may, off);
}

int fsync(int fd)
{
	int (*f)(int) = next("fsync");

	return fd_is_ours(fd) && fails("sync") ? -1 : f(fd);
}

int fdatasync(int fd)
{
	int (*f)(int) = next("fdatasync");

	return fd_is_ours(fd) && fails("sync") ? -1 : f(fd);
}

static bool creation_fails(const char *path, int flags)
{
	return (flags & O_CREAT) && is_ours(path) && access(path, F_OK) != 0 &&
	       fails("create");
}

int open(const char *path, int flags, ...)
{
	int (*f)(const char *, int, ...) = next("open");
	va_list ap;
	mode_t mode = 0;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return creation_fails(path, flags) ? -1 : f(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	int (*f)(const char *, int, ...) = next("open64");
	va_list ap;
	mode_t mode = 0;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return creation_fails(path, flags) ? -1 : f(path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
	int (*f)(const char *, mode_t) = next("mkdir");

	return is_ours(path) && access(path, F_OK) != 0 && fails("create")
		   ? -1
		   : f(path, mode);
}

int rename(const char *from, const char *to)
{
	int (*f)(const char *, const char *) = next("rename");

	return is_ours(to) && fails("create") ? -1 : f(from, to);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = var("FAULT_COUNT");
	int fd = *path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	void *p;

	if (fd < 0 || ftruncate(fd, sizeof *calls) != 0)
		return;
	p = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 0);
	if (p != MAP_FAILED)
		calls = p;
	close(fd);
}
