/*
 * Rows of the block files: writing a block as it came from the wire, reading it
 * back. Files lie below $TMPDIR or /tmp and in the page cache; nothing is
 * synced.
 */
#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/store/blockfile.h>

#include <stdlib.h>

static const uint8_t magic[4] = {0xf9, 0xbe, 0xb4, 0xd9};

struct files {
	char *dir;
	struct blockfile *f;
	struct buf *block; /* stamped */
	struct blockfile_pos pos;
};

static bool files_open(struct files *s)
{
	return blockfile_open(&s->f, s->dir, BLOCKFILE_BLK, magic, -1, 0) == 0;
}

static bool setup(struct bench *b)
{
	const char *tmp = getenv("TMPDIR");
	struct buf *block = bench_file(b);
	struct files *s;

	if (!block)
		return false;
	s = xcalloc(1, sizeof *s);
	s->block = block;
	memcpy(buf_data(block) - 8, magic, 4);
	le32_put(buf_data(block) - 4, (uint32_t)block->n);
	s->dir = path_join(tmp ? tmp : "/tmp", "cairn-bench-XXXXXX");
	b->data = s;
	b->bytes = block->n;
	b->why = "no scratch folder";
	return mkdtemp(s->dir) && files_open(s) &&
	       blockfile_append(s->f, &s->pos, block) == 0;
}

static void fini(struct bench *b)
{
	struct files *s = b->data;

	blockfile_close(s->f);
	if (dir_remove(s->dir) != 0)
		b->why = "scratch folder left behind";
	free(s->dir);
	buf_unref(s->block);
	free(s);
}

/* One file is written over and over, so that a run leaves no gigabytes. */
static uint64_t write_block(struct bench *b, uint64_t n)
{
	struct files *s = b->data;
	struct blockfile_pos pos = {0, 0, 0};
	uint64_t sum = 0, i;

	for (i = 0; i < n; i++) {
		if (pos.file > 0) {
			blockfile_close(s->f);
			if (!files_open(s))
				abort();
		}
		if (blockfile_append(s->f, &pos, s->block) != 0)
			abort();
		sum += pos.off;
	}
	return sum;
}

static uint64_t read_block(struct bench *b, uint64_t n)
{
	struct files *s = b->data;
	uint64_t sum = 0, i;
	struct buf *got;

	for (i = 0; i < n; i++) {
		if (blockfile_read(s->f, &got, &s->pos) != 0)
			abort();
		sum += buf_data(got)[got->n - 1];
		buf_unref(got);
	}
	return sum;
}

static const struct bench_row rows[] = {
    {.name = "WriteBlock",
     .setup = setup,
     .run = write_block,
     .fini = fini,
     .file = "prevouts/mainnet/mainnet-413567.bin"},
    {.name = "ReadRawBlock",
     .setup = setup,
     .run = read_block,
     .fini = fini,
     .file = "prevouts/mainnet/mainnet-413567.bin"},
};
BENCH_ROWS(rows);
