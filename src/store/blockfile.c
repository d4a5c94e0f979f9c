/*
 * blk and rev files. One writer appends; any thread reads with pread, through a
 * small cache of descriptors that are counted while they are used, so that the
 * lock is held over look-ups and opens, never over reads, writes or syncs. Does
 * not know what a record means, does not preallocate, maps no file into memory.
 */
#include <cairn/store/blockfile.h>

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_HEAD 8u
#define FDS         16
#define FILE_LAST   99999

/* An open file. Entries in use are never closed; a free one has file -1. */
struct fd_slot {
	int32_t file;
	int fd;
	unsigned users;
	uint64_t used; /* time stamp for the choice of a victim */
};

struct blockfile {
	pthread_mutex_t mu;
	pthread_cond_t synced; /* syncing became false */
	char *dir;
	const char *prefix;
	uint8_t magic[4];
	struct fd_slot fds[FDS];
	uint64_t clock;
	/* The cursor: written by the writer under the lock. */
	int32_t file;
	uint32_t end;
	bool cut; /* what lies behind the cursor is gone */
	/* Files from dirty_from to the cursor's hold unsynced bytes; -1 none.
	 */
	int32_t dirty_from;
	bool dir_dirty;
	bool syncing;
	int failed; /* first failure of a sync: never retried */
	uint64_t bytes;
};

char *blockfile_path(const struct blockfile *f, int32_t file)
{
	return xasprintf("%s/%s%05d.dat", f->dir, f->prefix, (int)file);
}

/* Number of a file's name, -1 when it is none of ours. */
static int32_t file_number(const struct blockfile *f, const char *name)
{
	int32_t v = 0;
	int i;

	if (strlen(name) != 12 || memcmp(name, f->prefix, 3) != 0 ||
	    strcmp(name + 8, ".dat") != 0)
		return -1;
	for (i = 3; i < 8; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		v = v * 10 + (name[i] - '0');
	}
	return v;
}

typedef int (*file_fn)(struct blockfile *f, int32_t file, const char *path);

/* Call fn for each of our files; the first failure ends it. */
static int each_file(struct blockfile *f, file_fn fn)
{
	DIR *d = opendir(f->dir);
	const struct dirent *e;
	int rc = 0;

	if (!d)
		return -errno;
	while (rc == 0 && (e = readdir(d))) {
		int32_t file = file_number(f, e->d_name);
		char *path;

		if (file < 0)
			continue;
		path = blockfile_path(f, file);
		rc = fn(f, file, path);
		free(path);
	}
	closedir(d);
	return rc;
}

static int count_bytes(struct blockfile *f, int32_t file, const char *path)
{
	struct stat st;

	(void)file;
	if (stat(path, &st) != 0)
		return -errno;
	f->bytes += (uint64_t)st.st_size;
	return 0;
}

static const char *prefix_of(enum blockfile_kind kind)
{
	return kind == BLOCKFILE_BLK ? "blk" : "rev";
}

static int note_last(struct blockfile *f, int32_t file, const char *path)
{
	struct stat st;

	if (file < f->file)
		return 0;
	if (stat(path, &st) != 0)
		return -errno;
	if ((uint64_t)st.st_size > UINT32_MAX / 2)
		return E_LIMIT;
	f->file = file;
	f->end = (uint32_t)st.st_size;
	return 0;
}

int blockfile_find_end(int32_t *file, uint32_t *end, const char *dir,
		       enum blockfile_kind kind)
{
	struct blockfile f = {.file = -1, .prefix = prefix_of(kind)};
	int rc;

	f.dir = xstrdup(dir);
	rc = each_file(&f, note_last);
	free(f.dir);
	if (rc)
		return rc;
	*file = f.file;
	*end = f.end;
	return 0;
}

int32_t blockfile_last(struct blockfile *f)
{
	int32_t file;

	pthread_mutex_lock(&f->mu);
	file = f->file;
	pthread_mutex_unlock(&f->mu);
	return file;
}

int blockfile_open(struct blockfile **give, const char *dir,
		   enum blockfile_kind kind, const uint8_t magic[4],
		   int32_t last_file, uint32_t last_end)
{
	struct blockfile *f = xcalloc(1, sizeof *f);
	int i, rc;

	must(pthread_mutex_init(&f->mu, NULL) == 0);
	must(pthread_cond_init(&f->synced, NULL) == 0);
	f->dir = xstrdup(dir);
	f->prefix = prefix_of(kind);
	memcpy(f->magic, magic, 4);
	for (i = 0; i < FDS; i++)
		f->fds[i].file = -1;
	f->file = last_file > 0 ? last_file : 0;
	f->end = last_file >= 0 ? last_end : 0;
	f->dirty_from = -1;
	rc = each_file(f, count_bytes);
	if (rc) {
		blockfile_close(f);
		return rc;
	}
	*give = f;
	return 0;
}

void blockfile_close(struct blockfile *f)
{
	int i;

	if (!f)
		return;
	for (i = 0; i < FDS; i++) {
		must(f->fds[i].users == 0);
		if (f->fds[i].file >= 0)
			close(f->fds[i].fd);
	}
	pthread_cond_destroy(&f->synced);
	pthread_mutex_destroy(&f->mu);
	free(f->dir);
	free(f);
}

/* The slot that has file open, or else the best one to reuse; NULL when all are
 * in use. The lock is held. */
static struct fd_slot *slot_find(struct blockfile *f, int32_t file)
{
	struct fd_slot *victim = NULL;
	int i;

	for (i = 0; i < FDS; i++) {
		struct fd_slot *s = &f->fds[i];

		if (s->file == file)
			return s;
		if (s->users == 0 && (!victim || s->used < victim->used))
			victim = s;
	}
	return victim;
}

/* A descriptor kept nowhere, for the case that all slots are in use. */
static int open_file(const struct blockfile *f, int32_t file, bool create)
{
	char *path = blockfile_path(f, file);
	int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0);
	int fd = open(path, flags, 0600);

	if (fd < 0)
		fd = errno == ENOENT ? E_CORRUPT : file_error(errno);
	free(path);
	return fd;
}

/* Borrow a descriptor for file: *slot says where it came from (NULL: it is the
 * caller's to close). fd or a failure. */
static int fd_take(struct blockfile *f, struct fd_slot **slot, int32_t file,
		   bool create)
{
	struct fd_slot *s;
	int fd;

	pthread_mutex_lock(&f->mu);
	s = slot_find(f, file);
	if (!s || s->file != file) {
		fd = open_file(f, file, create);
		if (fd >= 0 && s) {
			if (s->file >= 0)
				close(s->fd);
			s->file = file;
			s->fd = fd;
		}
	} else {
		fd = s->fd;
	}
	if (fd >= 0 && s) {
		s->users++;
		s->used = ++f->clock;
	}
	pthread_mutex_unlock(&f->mu);
	*slot = s;
	return fd;
}

static void fd_give(struct blockfile *f, struct fd_slot *slot, int fd)
{
	if (!slot) {
		close(fd);
		return;
	}
	pthread_mutex_lock(&f->mu);
	slot->users--;
	pthread_mutex_unlock(&f->mu);
}

/* Cut file to size bytes and keep the count of bytes right. Writer. */
static int cut_file(struct blockfile *f, int fd, uint32_t size)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || ftruncate(fd, (off_t)size) != 0)
		return file_error(errno);
	pthread_mutex_lock(&f->mu);
	f->bytes += size;
	f->bytes -= (uint64_t)st.st_size;
	pthread_mutex_unlock(&f->mu);
	return 0;
}

/* Files behind the cursor's hold nothing that the index knows. */
static int remove_behind(struct blockfile *f, int32_t file, const char *path)
{
	struct stat st;

	if (file <= f->file)
		return 0;
	if (stat(path, &st) != 0 || unlink(path) != 0)
		return -errno;
	pthread_mutex_lock(&f->mu);
	f->bytes -= (uint64_t)st.st_size;
	pthread_mutex_unlock(&f->mu);
	return 0;
}

/* What an interrupted run left behind the cursor goes before the first append:
 * a reader by number must never meet an old record behind a new one. */
static int cut_behind(struct blockfile *f)
{
	struct fd_slot *slot;
	struct stat st;
	int fd, rc;

	if (f->cut)
		return 0;
	rc = each_file(f, remove_behind);
	if (rc)
		return rc;
	fd = fd_take(f, &slot, f->file, true);
	if (fd < 0)
		return fd;
	/* A file shorter than the cursor lost records the index still names;
	 * each is found out when it is read. */
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size > f->end)
		rc = cut_file(f, fd, f->end);
	fd_give(f, slot, fd);
	f->cut = rc == 0;
	return rc;
}

/* Begin the next file when the record does not fit. A record that is larger
 * than any file has one of its own. */
static int make_room(struct blockfile *f, size_t n)
{
	if (f->end == 0 || n + f->end <= BLOCKFILE_MAX)
		return 0;
	if (f->file == FILE_LAST)
		return E_LIMIT;
	pthread_mutex_lock(&f->mu);
	f->file++;
	f->end = 0;
	pthread_mutex_unlock(&f->mu);
	return 0;
}

static int write_record(struct blockfile *f, const uint8_t *p, size_t n)
{
	struct fd_slot *slot;
	int fd = fd_take(f, &slot, f->file, true);
	int rc, cut;

	if (fd < 0)
		return fd;
	rc = pwrite_all(fd, p, n, f->end);
	if (rc) {
		/* A full disk is no harm: what fitted is taken back. */
		cut = ftruncate(fd, (off_t)f->end) == 0 ? 0 : E_IO;
		if (cut)
			log_error(LOG_BLOCKSTORAGE,
				  "cannot cut file=%s%05d: %s", f->prefix,
				  (int)f->file, err_str(cut));
	}
	fd_give(f, slot, fd);
	return rc;
}

int blockfile_append(struct blockfile *f, struct blockfile_pos *pos,
		     const struct buf *b)
{
	size_t n = RECORD_HEAD + b->n;
	int rc;

	must(b->n > 0 && n < UINT32_MAX / 2);
	rc = cut_behind(f);
	if (rc == 0)
		rc = make_room(f, n);
	if (rc == 0)
		rc = write_record(f, b->mem + BUF_HEADROOM - RECORD_HEAD, n);
	if (rc)
		return rc;
	pos->file = f->file;
	pos->off = f->end + RECORD_HEAD;
	pos->size = (uint32_t)b->n;
	pthread_mutex_lock(&f->mu);
	if (f->end == 0)
		f->dir_dirty = true;
	if (f->dirty_from < 0)
		f->dirty_from = f->file;
	f->end += (uint32_t)n;
	f->bytes += n;
	pthread_mutex_unlock(&f->mu);
	return 0;
}

static int sync_file(struct blockfile *f, int32_t file)
{
	struct fd_slot *slot;
	int fd = fd_take(f, &slot, file, false);
	int rc;

	if (fd < 0)
		return fd;
	rc = fd_sync(fd);
	fd_give(f, slot, fd);
	return rc;
}

/* What one sync has to do. */
struct sync_job {
	int32_t first, last; /* files; first -1: none */
	bool dir;
};

/* One at a time: who comes second would otherwise return while the first still
 * waits for the disk. False (and the failure) after an earlier failure. */
static bool sync_begin(struct blockfile *f, struct sync_job *job, int *rc)
{
	pthread_mutex_lock(&f->mu);
	while (f->syncing)
		pthread_cond_wait(&f->synced, &f->mu);
	*rc = f->failed;
	if (*rc == 0) {
		f->syncing = true;
		job->first = f->dirty_from;
		job->last = f->file;
		job->dir = f->dir_dirty;
		f->dirty_from = -1;
		f->dir_dirty = false;
	}
	pthread_mutex_unlock(&f->mu);
	return *rc == 0;
}

static void sync_end(struct blockfile *f, int rc)
{
	pthread_mutex_lock(&f->mu);
	f->syncing = false;
	f->failed = rc;
	pthread_cond_broadcast(&f->synced);
	pthread_mutex_unlock(&f->mu);
}

int blockfile_sync(struct blockfile *f)
{
	struct sync_job job = {.first = -1};
	int32_t file;
	int rc;

	if (!sync_begin(f, &job, &rc))
		return rc;
	for (file = job.first; rc == 0 && file >= 0 && file <= job.last; file++)
		rc = sync_file(f, file);
	if (rc == 0 && job.dir)
		rc = dir_sync(f->dir);
	sync_end(f, rc);
	return rc;
}

/* Read head and payload of the record at pos into b, which has the room. */
static int read_record(const struct blockfile *f, int fd, struct buf *b,
		       const struct blockfile_pos *pos)
{
	uint8_t *head = buf_data(b) - RECORD_HEAD;
	int rc;

	rc = pread_all(fd, head, RECORD_HEAD + (size_t)pos->size,
		       pos->off - RECORD_HEAD);
	if (rc)
		return rc;
	if (memcmp(head, f->magic, 4) != 0 || le32_get(head + 4) != pos->size)
		return E_CORRUPT;
	b->n = pos->size;
	return 0;
}

int blockfile_read(struct blockfile *f, struct buf **give,
		   const struct blockfile_pos *pos)
{
	struct fd_slot *slot;
	struct buf *b = NULL;
	struct stat st;
	int fd, rc = 0;

	if (pos->file < 0 || pos->file > FILE_LAST || pos->off < RECORD_HEAD)
		return E_CORRUPT;
	fd = fd_take(f, &slot, pos->file, false);
	if (fd < 0)
		return fd;
	/* The size is the index's word: asked of the file before it is
	 * believed. */
	if (fstat(fd, &st) != 0)
		rc = -errno;
	else if ((uint64_t)pos->off + pos->size > (uint64_t)st.st_size)
		rc = E_CORRUPT;
	if (rc == 0) {
		b = buf_new(pos->size);
		rc = b ? read_record(f, fd, b, pos) : E_NOMEM;
	}
	fd_give(f, slot, fd);
	if (rc) {
		buf_unref(b);
		return rc;
	}
	*give = b;
	return 0;
}

uint64_t blockfile_disk_size(struct blockfile *f)
{
	uint64_t n;

	pthread_mutex_lock(&f->mu);
	n = f->bytes;
	pthread_mutex_unlock(&f->mu);
	return n;
}
