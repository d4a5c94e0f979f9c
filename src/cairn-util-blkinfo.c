/*
 * cairn-util blkinfo: walks a file of block records (blkNNNNN.dat,
 * bootstrap.dat) of any network and says what is in it. One thread; judges no
 * rule beyond the form of a block.
 */
#include "cairn-util.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/wire/block.h>
#include <cairn/wire/frame.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_HEAD 8u /* magic, length */
#define RECORD_MIN  (HEADER_SIZE + 1)
#define WINDOW      ((size_t)16 << 20)
#define XOR_KEY     8u

/* A file seen through a window that moves forward. */
struct window {
	int fd;
	struct buf *buf;
	size_t at;     /* of the window's bytes, how many are behind us */
	uint64_t read; /* bytes of the file read so far */
	uint8_t key[XOR_KEY]; /* zero: stored as they are */
};

struct blkinfo {
	struct window w;
	const struct params *net; /* NULL until the first record */
	uint64_t blocks, bytes, junk, cut;
	struct hash256 first, last;
};

static uint64_t window_offset(const struct window *w)
{
	return w->read - (w->buf->n - w->at);
}

static const uint8_t *window_p(const struct window *w)
{
	return buf_data(w->buf) + w->at;
}

static size_t window_left(const struct window *w)
{
	return w->buf->n - w->at;
}

/* Bitcoin Core stores its files under an 8-byte key that repeats. */
static void window_unmask(struct window *w, uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] ^= w->key[(w->read + i) % XOR_KEY];
	w->read += n;
}

/* Have n bytes (n <= WINDOW) at window_p, or as many as the file still has. */
static int window_need(struct window *w, size_t n)
{
	uint8_t *base = buf_data(w->buf);

	if (window_left(w) >= n)
		return 0;
	memmove(base, base + w->at, window_left(w));
	w->buf->n -= w->at;
	w->at = 0;
	while (w->buf->n < WINDOW) {
		uint8_t *end = base + w->buf->n;
		ssize_t got = read(w->fd, end, WINDOW - w->buf->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		window_unmask(w, end, (size_t)got);
		w->buf->n += (size_t)got;
	}
	return 0;
}

/* The key in xor.dat beside the file; none where there is no such file. */
static int key_read(uint8_t key[XOR_KEY], const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir =
	    slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	struct buf *b = NULL;
	char *name;
	int rc;

	if (!dir)
		return E_NOMEM;
	name = path_join(dir, "xor.dat");
	rc = file_read(&b, name, XOR_KEY);
	if (rc == 0 && b->n == XOR_KEY)
		memcpy(key, buf_data(b), XOR_KEY);
	else if (rc == 0)
		rc = E_CORRUPT;
	buf_unref(b);
	free(name);
	free(dir);
	return rc == -ENOENT ? 0 : rc;
}

/* The network whose magic stands at p: any before the first record, the first
 * record's afterwards. */
static const struct params *net_at(const struct blkinfo *info, const uint8_t *p)
{
	if (info->net)
		return memcmp(p, info->net->magic, 4) == 0 ? info->net : NULL;
	for (int i = 0; i < CHAIN_COUNT; i++) {
		const struct params *net = params_get((enum chain_id)i);
		if (memcmp(p, net->magic, 4) == 0)
			return net;
	}
	return NULL;
}

static int complain(const struct blkinfo *info, const char *what)
{
	fprintf(stderr, "cairn-util: offset %llu: %s\n",
		(unsigned long long)window_offset(&info->w), what);
	return E_PARSE;
}

/* The record at the window, of which all bytes are there. */
static int record_take(struct blkinfo *info, uint32_t len)
{
	struct slice body = slice_of(window_p(&info->w) + RECORD_HEAD, len);
	struct block_view v;
	size_t trailing;
	int rc = block_view_parse(&v, &trailing, body);

	if (rc == E_NOMEM)
		return rc;
	if (rc)
		return complain(info, "malformed block");
	sha256d(&info->last, v.header, HEADER_SIZE);
	block_view_fini(&v);
	if (trailing)
		return complain(info, "record is longer than its block");
	if (info->blocks++ == 0)
		info->first = info->last;
	info->bytes += RECORD_HEAD + len;
	info->w.at += RECORD_HEAD + len;
	return 0;
}

/* Take a record, or step over one byte that begins none. *more is false at the
 * end of the file. */
static int step(struct blkinfo *info, bool *more)
{
	const struct params *net;
	uint32_t len;
	int rc = window_need(&info->w, RECORD_HEAD);

	*more = rc == 0 && window_left(&info->w) >= RECORD_HEAD;
	if (!*more) {
		info->junk += window_left(&info->w);
		return rc;
	}
	net = net_at(info, window_p(&info->w));
	len = le32_get(window_p(&info->w) + 4);
	if (!net || len < RECORD_MIN || len > FRAME_MAX_PAYLOAD) {
		info->w.at++;
		info->junk++;
		return 0;
	}
	rc = window_need(&info->w, RECORD_HEAD + (size_t)len);
	*more = rc == 0 && window_left(&info->w) >= RECORD_HEAD + (size_t)len;
	if (!*more) {
		info->cut = window_left(&info->w);
		return rc;
	}
	info->net = net;
	return record_take(info, len);
}

static void report(const struct blkinfo *info)
{
	char first[HASH256_STR], last[HASH256_STR];

	printf("network=%s\n", info->net ? info->net->names->name : "none");
	printf("blocks=%llu\n", (unsigned long long)info->blocks);
	if (info->blocks) {
		printf("first=%s\n", hash256_fmt(first, &info->first));
		printf("last=%s\n", hash256_fmt(last, &info->last));
	}
	printf("bytes=%llu\n", (unsigned long long)info->bytes);
	printf("junk=%llu\n", (unsigned long long)info->junk);
	printf("truncated=%llu\n", (unsigned long long)info->cut);
}

static int blkinfo_run(struct blkinfo *info, const char *path)
{
	bool more = true;
	int rc = key_read(info->w.key, path);

	if (rc) {
		fprintf(stderr, "cairn-util: xor.dat beside %s: %s\n", path,
			err_str(rc));
		return rc;
	}
	info->w.buf = buf_new(WINDOW);
	if (!info->w.buf)
		rc = E_NOMEM;
	while (rc == 0 && more)
		rc = step(info, &more);
	if (rc && rc != E_PARSE)
		fprintf(stderr, "cairn-util: %s: %s\n", path, err_str(rc));
	if (rc == 0)
		report(info);
	buf_unref(info->w.buf);
	return rc;
}

int util_blkinfo(int argc, char **argv)
{
	struct blkinfo info = {0};
	const char *path = argv[0];
	int rc;

	if (argc != 1)
		return UTIL_USAGE;
	info.w.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (info.w.fd < 0) {
		fprintf(stderr, "cairn-util: %s: %s\n", path, err_str(-errno));
		return EXIT_FAILURE;
	}
	rc = blkinfo_run(&info, path);
	close(info.w.fd);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
