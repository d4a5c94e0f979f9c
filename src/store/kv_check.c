/*
 * Reads a LevelDB manifest far enough to know which tables there should be and
 * how large. Start only. Does not check keys or checksums: LevelDB does both,
 * but it trusts the size of a file that it maps.
 */
#include "kv_check.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/rd.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NAME_MAX_BYTES 64u
#define MANIFEST_MAX   (256u << 20)

/* The log format: blocks of 32 KiB, records that never cross one. */
#define BLOCK       32768u
#define RECORD_HEAD 7u /* checksum, le16 length, type */

enum record_type { RECORD_FULL = 1, RECORD_FIRST, RECORD_MIDDLE, RECORD_LAST };

/* Fields of an edit. */
enum edit_tag {
	EDIT_COMPARATOR = 1,
	EDIT_LOG,
	EDIT_NEXT_FILE,
	EDIT_LAST_SEQUENCE,
	EDIT_COMPACT_POINTER,
	EDIT_DELETED,
	EDIT_NEW,
	EDIT_PREV_LOG = 9
};

struct table {
	uint64_t number, size;
};

struct tables {
	struct table *at;
	size_t n, cap;
};

static void tables_add(struct tables *t, uint64_t number, uint64_t size)
{
	arr_grow(&t->at, &t->cap, t->n + 1, sizeof *t->at);
	t->at[t->n++] = (struct table){number, size};
}

/* Backwards: what is deleted was mostly added lately. */
static void tables_del(struct tables *t, uint64_t number)
{
	size_t i = t->n;

	while (i-- > 0) {
		if (t->at[i].number == number) {
			t->at[i] = t->at[--t->n];
			return;
		}
	}
}

/* LevelDB's varint: base 128, least significant first. */
static uint64_t rd_leb(struct rd *r)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		uint8_t b = rd_u8(r);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	rd_fail(r);
	return 0;
}

static void skip_string(struct rd *r)
{
	uint64_t n = rd_leb(r);

	if (n > rd_left(r))
		rd_fail(r);
	else
		rd_bytes(r, (size_t)n);
}

static void read_new(struct tables *t, struct rd *r)
{
	uint64_t number, size;

	rd_leb(r); /* level */
	number = rd_leb(r);
	size = rd_leb(r);
	skip_string(r);
	skip_string(r);
	if (rd_ok(r))
		tables_add(t, number, size);
}

static void read_field(struct tables *t, struct rd *r)
{
	switch (rd_leb(r)) {
	case EDIT_COMPARATOR:
		skip_string(r);
		break;
	case EDIT_LOG:
	case EDIT_NEXT_FILE:
	case EDIT_LAST_SEQUENCE:
	case EDIT_PREV_LOG:
		rd_leb(r);
		break;
	case EDIT_COMPACT_POINTER:
		rd_leb(r); /* level */
		skip_string(r);
		break;
	case EDIT_DELETED:
		rd_leb(r); /* level */
		tables_del(t, rd_leb(r));
		break;
	case EDIT_NEW:
		read_new(t, r);
		break;
	default:
		rd_fail(r);
	}
}

static bool read_edit(struct tables *t, struct slice edit)
{
	struct rd r;

	rd_init(&r, edit);
	while (rd_ok(&r) && rd_left(&r))
		read_field(t, &r);
	return rd_ok(&r);
}

/* Put the pieces of each record together and read the edits: false when this is
 * no manifest that we know. A record cut off at the end is none. */
static bool read_log(struct tables *t, struct slice log)
{
	uint8_t *whole = xmalloc(log.n);
	size_t n = 0, at = 0;
	bool ok = true;

	while (ok && log.n - at >= RECORD_HEAD) {
		size_t left = BLOCK - at % BLOCK;
		const uint8_t *p = log.p + at;
		size_t len = le16_get(p + 4);

		if (left < RECORD_HEAD) {
			at += left < log.n - at ? left : log.n - at;
			continue;
		}
		if (p[6] < RECORD_FULL || p[6] > RECORD_LAST)
			break;
		if (RECORD_HEAD + len > left || RECORD_HEAD + len > log.n - at)
			break;
		if (p[6] == RECORD_FULL || p[6] == RECORD_FIRST)
			n = 0;
		memcpy(whole + n, p + RECORD_HEAD, len);
		n += len;
		if (p[6] == RECORD_FULL || p[6] == RECORD_LAST)
			ok = read_edit(t, slice_of(whole, n));
		at += RECORD_HEAD + len;
	}
	free(whole);
	return ok;
}

/* The manifest that CURRENT names: gives its contents, NULL when it cannot be
 * had. */
static struct buf *manifest(const char *path)
{
	char *current = path_join(path, "CURRENT");
	struct buf *name = NULL, *log = NULL;
	char *file = NULL;
	size_t n;

	if (file_read(&name, current, NAME_MAX_BYTES) == 0) {
		n = name->n;
		while (n && buf_data(name)[n - 1] == '\n')
			n--;
		file = xasprintf("%s/%.*s", path, (int)n,
				 (const char *)buf_data(name));
		if (file_read(&log, file, MANIFEST_MAX) != 0)
			log = NULL;
	}
	free(file);
	buf_unref(name);
	free(current);
	return log;
}

static int check_table(const char *path, const struct table *t)
{
	static const char *const ends[] = {"ldb", "sst"};
	struct stat st;
	int i, rc = -1;

	for (i = 0; i < 2 && rc != 0; i++) {
		char *file = xasprintf("%s/%06llu.%s", path,
				       (unsigned long long)t->number, ends[i]);

		rc = stat(file, &st);
		free(file);
	}
	/* A table that is not there is found out by LevelDB itself. */
	if (rc != 0 || (uint64_t)st.st_size == t->size)
		return 0;
	log_error(LOG_LEVELDB,
		  "database %s table %llu has %llu bytes instead of %llu", path,
		  (unsigned long long)t->number, (unsigned long long)st.st_size,
		  (unsigned long long)t->size);
	return E_CORRUPT;
}

int kv_check_tables(const char *path)
{
	struct buf *log = manifest(path);
	struct tables t = {NULL, 0, 0};
	int rc = 0;
	size_t i;

	if (!log)
		return 0;
	if (read_log(&t, buf_payload(log))) {
		for (i = 0; rc == 0 && i < t.n; i++)
			rc = check_table(path, &t.at[i]);
	}
	free(t.at);
	buf_unref(log);
	return rc;
}
