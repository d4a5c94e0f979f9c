/*
 * Rows of crypto: double SHA-256 of one message and of many, merkle rows, and
 * the small hashes. Sha256d is one message at a time, Sha256dMany the lanes.
 */
#include "bench.h"

#include <cairn/crypto/sha256.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

/* Messages hashed together by one op of a row of many. */
#define BATCH 1024

/* arg bytes for each of per messages, and room for their hashes. */
static bool setup(struct bench *b)
{
	size_t many = b->row->per ? b->row->per : 1;
	size_t n = b->row->arg * many;
	uint8_t *p = malloc(n + 32 * many);

	if (!p) {
		b->why = "out of memory";
		return false;
	}
	bench_fill(p, n, 1);
	b->data = p;
	b->bytes = n;
	return true;
}

static void fini(struct bench *b)
{
	free(b->data);
}

static uint64_t single(struct bench *b, uint64_t n)
{
	uint8_t *p = b->data;
	struct hash256 h;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(p);
		sha256d(&h, p, b->row->arg);
		sum += h.b[0];
	}
	return sum;
}

static uint64_t many(struct bench *b, uint64_t n)
{
	static struct slice in[BATCH];
	uint8_t *p = b->data;
	struct hash256 *out = (void *)(p + b->bytes);
	uint64_t sum = 0;

	for (size_t i = 0; i < BATCH; i++)
		in[i] = slice_of(p + i * b->row->arg, b->row->arg);
	for (; n > 0; n--) {
		bench_barrier(p);
		sha256d_many(out, in, BATCH);
		for (size_t i = 0; i < BATCH; i += 64)
			sum += out[i].b[0];
	}
	return sum;
}

static uint64_t headers(struct bench *b, uint64_t n)
{
	uint8_t *p = b->data;
	struct hash256 *out = (void *)(p + b->bytes);
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(p);
		sha256d80(out, p, 80, BATCH);
		sum += out[0].b[0] + out[BATCH - 1].b[0];
	}
	return sum;
}

/* The input stays as it is, so that every op does the same work. */
static uint64_t merkle_row(struct bench *b, uint64_t n)
{
	uint8_t *p = b->data, *out = p + b->bytes;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(p);
		sha256d64(out, p, BATCH);
		sum += out[0] + out[32 * BATCH - 1];
	}
	return sum;
}

static uint64_t key_hash(struct bench *b, uint64_t n)
{
	uint8_t *p = b->data, out[20];
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(p);
		hash160(out, p, b->row->arg);
		sum += out[0];
	}
	return sum;
}

static uint64_t sip(struct bench *b, uint64_t n)
{
	static const uint64_t key[2] = {1, 2};
	uint8_t *p = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(p);
		sum += siphash(key, p, b->row->arg);
	}
	return sum;
}

static const struct bench_row rows[] = {
    {.name = "Sha256d/64",
     .setup = setup,
     .run = single,
     .fini = fini,
     .arg = 64},
    {.name = "Sha256d/80",
     .setup = setup,
     .run = single,
     .fini = fini,
     .arg = 80},
    {.name = "Sha256d/250",
     .setup = setup,
     .run = single,
     .fini = fini,
     .arg = 250},
    {.name = "Sha256d/1M",
     .setup = setup,
     .run = single,
     .fini = fini,
     .arg = 1000000},
    {.name = "Sha256dMany/64",
     .setup = setup,
     .run = many,
     .fini = fini,
     .arg = 64,
     .per = BATCH,
     .unit = "message"},
    {.name = "Sha256dMany/80",
     .setup = setup,
     .run = headers,
     .fini = fini,
     .arg = 80,
     .per = BATCH,
     .unit = "message"},
    {.name = "Sha256dMany/250",
     .setup = setup,
     .run = many,
     .fini = fini,
     .arg = 250,
     .per = BATCH,
     .unit = "message"},
    {.name = "Sha256dMany/400",
     .setup = setup,
     .run = many,
     .fini = fini,
     .arg = 400,
     .per = BATCH,
     .unit = "message"},
    {.name = "Sha256d64Row",
     .setup = setup,
     .run = merkle_row,
     .fini = fini,
     .arg = 64,
     .per = BATCH,
     .unit = "pair"},
    {.name = "Hash160/33",
     .setup = setup,
     .run = key_hash,
     .fini = fini,
     .arg = 33},
    {.name = "SipHash/36", .setup = setup, .run = sip, .fini = fini, .arg = 36},
};
BENCH_ROWS(rows);
