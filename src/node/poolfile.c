/*
 * Reading and writing mempool.dat, a window at a time. Judges nothing but the
 * form. Blocks on the disk, so never on the loop or the chain thread, but for
 * taking a dump there.
 */
#include "poolfile.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/base/rd.h>
#include <cairn/consensus/check.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY       8u
#define FORM_XOR  2u
#define ITEM_MAX  (MAX_BLOCK_WEIGHT + 16u) /* bytes of the largest item */
#define WINDOW    (2 * ITEM_MAX)
#define OUT_CHUNK 65536u

struct pool_dump *pooldump_take(const struct mempool *m)
{
	struct pool_dump *d = xcalloc(1, sizeof *d);
	struct pool_delta x;
	size_t i = 0;

	d->copy = poolcopy_all(m);
	while (mempool_delta_next(m, &i, &x.txid, &x.delta)) {
		if (mempool_find(m, &x.txid))
			continue;
		arr_grow(&d->deltas, &d->cap, d->n + 1, sizeof x);
		d->deltas[d->n++] = x;
	}
	return d;
}

void pooldump_free(struct pool_dump *d)
{
	if (!d)
		return;
	poolcopy_free(d->copy);
	free(d->deltas);
	free(d);
}

/* Mix bytes that lie at off of the file with the key. */
static void mix(uint8_t *p, size_t n, uint64_t off, const uint8_t key[KEY])
{
	for (size_t i = 0; i < n; i++)
		p[i] ^= key[(off + i) % KEY];
}

struct out {
	int fd, rc;
	uint64_t off; /* of what is buffered */
	size_t n;
	uint8_t key[KEY];
	uint8_t bytes[OUT_CHUNK];
};

static void flush(struct out *o)
{
	mix(o->bytes, o->n, o->off, o->key);
	if (o->rc == 0)
		o->rc = pwrite_all(o->fd, o->bytes, o->n, o->off);
	o->off += o->n;
	o->n = 0;
}

static void put(struct out *o, const void *p, size_t n)
{
	const uint8_t *at = p;

	while (n && o->rc == 0) {
		size_t room = OUT_CHUNK - o->n, part = n < room ? n : room;

		memcpy(o->bytes + o->n, at, part);
		o->n += part;
		at += part;
		n -= part;
		if (o->n == OUT_CHUNK)
			flush(o);
	}
}

static void put_u64(struct out *o, uint64_t v)
{
	uint8_t b[8];

	le64_put(b, v);
	put(o, b, sizeof b);
}

static void put_count(struct out *o, uint64_t v)
{
	uint8_t b[9];

	put(o, b, (size_t)(compact_put(b, v) - b));
}

/* The key, from where on everything is mixed with it. */
static void put_form(struct out *o, unsigned form)
{
	put_u64(o, form);
	if (form != FORM_XOR)
		return;
	put_count(o, KEY);
	flush(o);
	rand_os(o->key, sizeof o->key);
	o->rc = o->rc ? o->rc : pwrite_all(o->fd, o->key, KEY, o->off);
	o->off += KEY;
}

static void put_all(struct out *o, const struct pool_dump *d)
{
	const struct pool_copy *p = d->copy;
	uint64_t unsent = 0;

	put_u64(o, p->n);
	for (size_t i = 0; i < p->n; i++) {
		const struct pool_row *r = &p->rows[i];
		struct slice tx = buf_payload(r->buf);

		put(o, tx.p, tx.n);
		put_u64(o, (uint64_t)r->time_s);
		put_u64(o, (uint64_t)r->delta);
		unsent += r->unbroadcast;
	}
	put_count(o, d->n);
	for (size_t i = 0; i < d->n; i++) {
		put(o, &d->deltas[i].txid, 32);
		put_u64(o, (uint64_t)d->deltas[i].delta);
	}
	put_count(o, unsent);
	for (size_t i = 0; i < p->n; i++)
		if (p->rows[i].unbroadcast)
			put(o, &p->rows[i].txid, 32);
}

static int write_to(int fd, const struct pool_dump *d, unsigned form,
		    uint64_t *size)
{
	struct out *o = xcalloc(1, sizeof *o);
	int rc;

	o->fd = fd;
	put_form(o, form);
	put_all(o, d);
	flush(o);
	rc = o->rc ? o->rc : fd_sync(fd);
	*size = o->off;
	free(o);
	return rc;
}

int poolfile_write(const char *path, const struct pool_dump *d, unsigned form,
		   uint64_t *size)
{
	char *tmp = xasprintf("%s.new", path);
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = fd < 0 ? file_error(errno) : write_to(fd, d, form, size);

	if (fd >= 0)
		close(fd);
	if (rc == 0 && rename(tmp, path) != 0)
		rc = file_error(errno);
	if (rc && fd >= 0)
		unlink(tmp);
	free(tmp);
	return rc;
}

struct pool_reader {
	int fd;
	uint64_t off, size; /* of what was read; of the file */
	uint8_t key[KEY];
	uint64_t txs, left; /* transactions; items of the current kind */
	enum pool_item_kind kind;
	struct rd rd; /* what was read and not taken */
	uint8_t *window;
};

/* Have the largest item in the window, or all that is left. */
static int fill(struct pool_reader *r)
{
	size_t have = rd_left(&r->rd), want = WINDOW - have;
	int rc;

	if (have >= ITEM_MAX || r->off == r->size)
		return 0;
	memmove(r->window, r->rd.p, have);
	if (want > r->size - r->off)
		want = (size_t)(r->size - r->off);
	rc = pread_all(r->fd, r->window + have, want, r->off);
	if (rc)
		return rc;
	mix(r->window + have, want, r->off, r->key);
	r->off += want;
	rd_init(&r->rd, slice_of(r->window, have + want));
	return 0;
}

/* What stands in front, unmixed. */
static int read_form(struct pool_reader *r)
{
	uint8_t b[8 + 1 + KEY];
	int rc = pread_all(r->fd, b, 8, 0);

	if (rc)
		return rc;
	r->off = 8;
	if (le64_get(b) == 1)
		return 0;
	if (le64_get(b) != FORM_XOR)
		return E_PARSE;
	rc = pread_all(r->fd, b, sizeof b, 0);
	if (rc || b[8] != KEY)
		return rc ? rc : E_PARSE;
	memcpy(r->key, b + 9, KEY);
	r->off = sizeof b;
	return 0;
}

static int read_head(struct pool_reader *r)
{
	struct stat st;
	int rc;

	if (fstat(r->fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return E_INVALID;
	r->size = (uint64_t)st.st_size;
	rc = read_form(r);
	if (rc == 0)
		rc = fill(r);
	r->left = r->txs = rd_u64(&r->rd);
	return rc || rd_ok(&r->rd) ? rc : E_CORRUPT;
}

int poolfile_open(struct pool_reader **give, const char *path)
{
	struct pool_reader *r;
	/* What is no file, a pipe say, must not keep a thread waiting. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd < 0)
		return -errno;
	r = xcalloc(1, sizeof *r);
	r->fd = fd;
	r->window = xmalloc(WINDOW);
	rd_init(&r->rd, slice_of(r->window, 0));
	rc = read_head(r);
	if (rc)
		poolfile_close(r);
	else
		*give = r;
	return rc;
}

uint64_t poolfile_count(const struct pool_reader *r)
{
	return r->txs;
}

void poolfile_close(struct pool_reader *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r->window);
	free(r);
}

static int take_tx(struct pool_reader *r, struct pool_item *item)
{
	const uint8_t *from = r->rd.p;
	struct tx_view tx;

	if (!tx_view_parse(&tx, &r->rd) || tx.size > MAX_BLOCK_WEIGHT)
		return E_PARSE;
	item->time_s = (int64_t)rd_u64(&r->rd);
	item->delta = (int64_t)rd_u64(&r->rd);
	if (!rd_ok(&r->rd))
		return E_CORRUPT;
	item->buf = buf_new(tx.size);
	if (!item->buf)
		return E_NOMEM;
	memcpy(buf_data(item->buf), from, tx.size);
	item->buf->n = tx.size;
	return 1;
}

/* The next kind of items, if this one is at its end. */
static int next_kind(struct pool_reader *r)
{
	int rc;

	while (r->left == 0 && r->kind != POOL_ITEM_UNBROADCAST) {
		r->kind++;
		rc = fill(r);
		if (rc)
			return rc;
		r->left = rd_compact(&r->rd);
		if (!rd_ok(&r->rd))
			return E_CORRUPT;
	}
	return 0;
}

int poolfile_next(struct pool_reader *r, struct pool_item *item)
{
	struct slice id;
	int rc = next_kind(r);

	if (rc || r->left == 0)
		return rc;
	rc = fill(r);
	if (rc)
		return rc;
	r->left--;
	*item = (struct pool_item){.kind = r->kind};
	if (r->kind == POOL_ITEM_TX)
		return take_tx(r, item);
	id = rd_bytes(&r->rd, 32);
	if (r->kind == POOL_ITEM_DELTA)
		item->delta = (int64_t)rd_u64(&r->rd);
	if (!rd_ok(&r->rd))
		return E_CORRUPT;
	memcpy(&item->txid, id.p, 32);
	return 1;
}
