/*
 * The scanner for foreign block files: looks for the network's magic, believes
 * a length only if it can be and a record only if it has proof of work and
 * parses, and otherwise goes on one byte behind the magic, so that junk which
 * looks like a record swallows nothing and costs little. Undoes Bitcoin Core's
 * obfuscation. Does not judge blocks beyond that.
 */
#include "blockscan.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/chain/chain.h>
#include <cairn/consensus/work.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/wire/block.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW    (1u << 20)
#define HEAD      8u
#define BLOCK_MIN 81u
#define BLOCK_MAX 4000000u
#define READ_MAX  (32u << 20) /* in one search */

/* Read and make plain. */
static int read_at(const struct blockscan *s, uint8_t *p, size_t n,
		   uint64_t off)
{
	int rc = pread_all(s->fd, p, n, off);
	size_t i;

	for (i = 0; rc == 0 && s->obfuscated && i < n; i++)
		p[i] ^= s->key[(off + i) % sizeof s->key];
	return rc;
}

/* The key beside the file; a file that begins like a plain one is one. */
static void find_key(struct blockscan *s, const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/'), *name;
	struct buf *b = NULL;
	uint8_t first[4];

	if (slash)
		slash[slash == dir] = '\0';
	name = path_join(slash ? dir : ".", "xor.dat");
	if (file_read(&b, name, sizeof s->key) == 0 && b->n == sizeof s->key &&
	    !(s->size >= sizeof first &&
	      pread_all(s->fd, first, sizeof first, 0) == 0 &&
	      memcmp(first, s->params->magic, sizeof first) == 0)) {
		memcpy(s->key, buf_data(b), sizeof s->key);
		s->obfuscated = true;
	}
	buf_unref(b);
	free(name);
	free(dir);
}

int blockscan_open(struct blockscan *s, const char *path,
		   const struct params *p)
{
	struct stat st;
	int rc = 0;

	memset(s, 0, sizeof *s);
	s->params = p;
	/* A pipe would otherwise keep us until somebody writes to it. */
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0)
		return -errno;
	if (fstat(s->fd, &st) != 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (rc) {
		close(s->fd);
		return rc;
	}
	s->size = (uint64_t)st.st_size;
	s->win = xmalloc(WINDOW);
	find_key(s, path);
	return 0;
}

void blockscan_close(struct blockscan *s)
{
	free(s->win);
	s->win = NULL;
	close(s->fd);
}

/* Make the window begin at or before off and hold n bytes from there, n well
 * below its size. False at the end of the file. */
static int fill(struct blockscan *s, uint64_t off, size_t n)
{
	uint64_t left;

	if (off >= s->win_at && off + n <= s->win_at + s->win_n)
		return 1;
	if (off + n > s->size)
		return 0;
	left = s->size - off;
	s->win_at = off;
	s->win_n = left < WINDOW ? (size_t)left : WINDOW;
	s->read += s->win_n;
	return read_at(s, s->win, s->win_n, off) == 0 ? 1 : E_IO;
}

/* Move pos to the next magic with a length behind it. 1, 0 at the end,
 * SCAN_MORE. */
static int find_magic(struct blockscan *s)
{
	const uint8_t *magic = s->params->magic, *p, *hit;
	size_t n;
	int rc;

	while ((rc = fill(s, s->pos, HEAD)) > 0) {
		p = s->win + (s->pos - s->win_at);
		n = s->win_n - (size_t)(s->pos - s->win_at) - (HEAD - 1);
		hit = memchr(p, magic[0], n);
		s->pos += hit ? (uint64_t)(hit - p) : n;
		if (hit && memcmp(hit, magic, 4) == 0)
			return 1;
		if (hit)
			s->pos++;
		else if (s->read > READ_MAX)
			return SCAN_MORE;
	}
	return rc;
}

static int read_block(struct blockscan *s, struct buf **give, uint64_t off,
		      uint32_t n)
{
	struct buf *b = buf_new(n);
	int rc = 0;

	if (!b)
		return E_NOMEM;
	s->read += n;
	if (off >= s->win_at && off + n <= s->win_at + s->win_n)
		memcpy(buf_data(b), s->win + (off - s->win_at), n);
	else
		rc = read_at(s, buf_data(b), n, off);
	if (rc) {
		buf_unref(b);
		return rc;
	}
	b->n = n;
	*give = b;
	return 0;
}

/* Does the header at off have the work that it claims? 1, 0, or a failure. */
static int has_work(struct blockscan *s, uint64_t off)
{
	struct hash256 hash;
	const uint8_t *h;
	int rc = fill(s, off, HEADER_SIZE);

	if (rc <= 0)
		return rc;
	h = s->win + (off - s->win_at);
	sha256d(&hash, h, HEADER_SIZE);
	return pow_ok(&hash, le32_get(h + 72), s->params);
}

/* Cut b to the block it starts with. False when it starts with none. */
static bool trim(struct buf *b)
{
	struct block_view v;
	size_t trailing;

	if (block_view_parse(&v, &trailing, buf_payload(b)))
		return false;
	b->n = v.size;
	block_view_fini(&v);
	return true;
}

/* The record whose magic is at pos. 1, 0 when it is none, or a failure. */
static int take_record(struct blockscan *s, struct buf **give)
{
	uint32_t n = le32_get(s->win + (s->pos - s->win_at) + 4);
	uint64_t at = s->pos + HEAD;
	struct buf *b;
	int rc;

	if (n < BLOCK_MIN || n > BLOCK_MAX || at + n > s->size)
		return 0;
	rc = has_work(s, at);
	if (rc > 0)
		rc = read_block(s, &b, at, n) == 0 ? 1 : E_IO;
	if (rc <= 0)
		return rc;
	if (!trim(b)) {
		buf_unref(b);
		return 0;
	}
	*give = b;
	return 1;
}

int blockscan_next(struct blockscan *s, struct buf **give, uint64_t *off)
{
	int rc;

	s->read = 0;
	while ((rc = find_magic(s)) == 1) {
		rc = take_record(s, give);
		if (rc == 1) {
			*off = s->pos + HEAD;
			s->pos = *off + (*give)->n;
			chain_stamp_record(*give, s->params);
			return 1;
		}
		if (rc < 0)
			return rc;
		s->pos++;
		if (s->read > READ_MAX)
			return SCAN_MORE;
	}
	return rc;
}

int blockscan_at(struct blockscan *s, struct buf **give, uint64_t off,
		 uint32_t n)
{
	int rc = read_block(s, give, off, n);

	if (rc == 0)
		chain_stamp_record(*give, s->params);
	return rc;
}
