/*
 * Lines of text from a descriptor, each of a bounded length. One thread; may
 * block in read. Looks at nothing but line ends.
 */
#include "cairn-util.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define STEP ((size_t)64 << 10)

int util_lines_init(struct util_lines *l, int fd, size_t max)
{
	*l = (struct util_lines){.fd = fd, .max = max, .buf = buf_new(STEP)};
	return l->buf ? 0 : E_NOMEM;
}

void util_lines_fini(struct util_lines *l)
{
	buf_unref(l->buf);
}

/* Room for more behind what is there; what was given out is dropped. */
static int make_room(struct util_lines *l)
{
	uint8_t *base = buf_data(l->buf);

	if (l->at > 0) {
		memmove(base, base + l->at, l->buf->n - l->at);
		l->buf->n -= l->at;
		l->at = 0;
	}
	if (l->buf->n < l->buf->cap)
		return 0;
	return buf_reserve(&l->buf, l->buf->cap * 2);
}

/* Read something, or find the end. */
static int more(struct util_lines *l)
{
	int rc = make_room(l);
	ssize_t got;

	if (rc)
		return rc;
	/* Who asks line by line waits for the answers. */
	fflush(stdout);
	do {
		got = read(l->fd, buf_data(l->buf) + l->buf->n,
			   l->buf->cap - l->buf->n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	l->ended = got == 0;
	l->buf->n += (size_t)got;
	return 0;
}

/* Where the next line ends, from the byte of index from on; NULL if it does not
 * end in what was read. */
static const uint8_t *find_end(const struct util_lines *l, size_t from)
{
	return memchr(buf_data(l->buf) + from, '\n', l->buf->n - from);
}

/* Give the n bytes that are next, and step over them and a line end. */
static int give(struct util_lines *l, struct slice *line, size_t n)
{
	*line = slice_of(buf_data(l->buf) + l->at, n);
	l->at += n;
	if (l->at < l->buf->n)
		l->at++;
	return 1;
}

int util_lines_next(struct util_lines *l, struct slice *line)
{
	size_t seen = 0; /* bytes of the line that have no end in them */
	int rc = 0;

	l->too_long = false;
	while (rc == 0) {
		const uint8_t *end = find_end(l, l->at + seen);

		seen = l->buf->n - l->at;
		if (end)
			seen = (size_t)(end - buf_data(l->buf)) - l->at;
		if (seen > l->max) {
			/* Only its end is wanted any more. */
			l->too_long = true;
			l->at += seen;
			seen = 0;
		}
		if (end || (l->ended && (seen > 0 || l->too_long)))
			return give(l, line, seen);
		if (l->ended)
			return 0;
		rc = more(l);
	}
	return rc;
}
