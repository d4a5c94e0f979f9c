/*
 * Rows of the basic block filter: 100,000 random elements of 32 bytes, as in
 * Bitcoin Core's GCSFilter benchmarks; the key is zero, the query empty.
 */
#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/filter/gcs.h>

#include <stdlib.h>

enum { ELEMENTS = 100000, SIZE = 32 };

static const struct hash256 key;

struct input {
	uint8_t *elements;
	struct buf *filter;
};

static struct buf *build(const uint8_t *p)
{
	struct gcs_builder b;
	struct buf *f = NULL;

	gcs_builder_init(&b, &key);
	for (size_t i = 0; i < ELEMENTS; i++)
		gcs_add(&b, slice_of(p + i * SIZE, SIZE));
	if (gcs_build(&f, &b) != 0)
		f = NULL;
	gcs_builder_fini(&b);
	return f;
}

static void fini(struct bench *b)
{
	struct input *in = b->data;

	buf_unref(in->filter);
	free(in->elements);
	free(in);
}

static bool setup(struct bench *b)
{
	struct input *in = calloc(1, sizeof *in);

	b->data = in;
	b->why = "out of memory";
	if (!in)
		return false;
	in->elements = malloc(ELEMENTS * SIZE);
	if (in->elements) {
		bench_fill(in->elements, ELEMENTS * SIZE, 7);
		in->filter = build(in->elements);
	}
	if (in->filter)
		return true;
	fini(b);
	return false;
}

static uint64_t construct(struct bench *b, uint64_t n)
{
	struct input *in = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		struct buf *f = build(in->elements);

		sum += f ? f->n : 0;
		buf_unref(f);
	}
	return sum;
}

static uint64_t decode(struct bench *b, uint64_t n)
{
	struct input *in = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(in);
		sum += gcs_valid(buf_payload(in->filter));
	}
	return sum;
}

static uint64_t match(struct bench *b, uint64_t n)
{
	struct input *in = b->data;
	struct slice query = slice_of("", 0);
	uint64_t sum = 0;
	bool bad;

	for (; n > 0; n--) {
		bench_barrier(in);
		sum += gcs_match_any(&bad, buf_payload(in->filter), &key,
				     &query, 1);
		sum += bad ? 2 : 0;
	}
	return sum;
}

static const struct bench_row rows[] = {
    {.name = "GCSFilterConstruct",
     .setup = setup,
     .run = construct,
     .fini = fini},
    {.name = "GCSFilterDecode", .setup = setup, .run = decode, .fini = fini},
    {.name = "GCSFilterMatch", .setup = setup, .run = match, .fini = fini},
};
BENCH_ROWS(rows);
