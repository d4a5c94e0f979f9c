/*
 * Rows of records that carry protobuf: Tendermint's vote, signed form and sent
 * form, by hand and, as _general, through protobuf-c. One op is one message in
 * a buffer of its own; a commit is ten.
 */
#include "bench.h"

#include "proto/vote_pb.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

#define COMMIT 10

/* The example vote of Tendermint's tests; ten that differ make a commit. */
struct votes {
	uint8_t block[32], parts[32], validator[20];
	struct vote v[COMMIT];
	struct vote_pb m[COMMIT];
};

static void vote_fill(struct votes *t, struct vote *v, int32_t i)
{
	static const char chain[] = "test_chain_id";

	*v = (struct vote){.type = 2,
			   .height = 12345,
			   .round = 2,
			   .block_hash = slice_of(t->block, 32),
			   .parts_total = 1000000,
			   .parts_hash = slice_of(t->parts, 32),
			   .seconds = 1514170801,
			   .nanos = 234000000 + i,
			   .validator = slice_of(t->validator, 20),
			   .validator_index = 56789 + i,
			   .chain_id = slice_of(chain, sizeof chain - 1)};
}

static bool setup(struct bench *b)
{
	struct votes *t = malloc(sizeof *t);

	b->why = "out of memory";
	if (!t)
		return false;
	bench_fill(t->block, 32, 1);
	bench_fill(t->parts, 32, 2);
	bench_fill(t->validator, 20, 3);
	for (int32_t i = 0; i < COMMIT; i++) {
		vote_fill(t, &t->v[i], i);
		vote_pb_init(&t->m[i], &t->v[i]);
	}
	b->data = t;
	return true;
}

static void fini(struct bench *b)
{
	free(b->data);
}

static uint64_t done(struct buf *out)
{
	uint64_t n;

	if (!out)
		abort();
	bench_barrier(out);
	n = out->n;
	buf_unref(out);
	return n;
}

static struct buf *canonical(const struct vote *v)
{
	struct vote_sizes s = canonical_sizes(v);
	struct buf *out = buf_new(delimited_size(s.body));

	if (out)
		out->n = (size_t)(canonical_put(buf_data(out), v, &s) -
				  buf_data(out));
	return out;
}

static struct buf *sent(const struct vote *v)
{
	struct vote_sizes s = vote_sizes(v);
	struct buf *out = buf_new(delimited_size(s.body));

	if (out)
		out->n =
		    (size_t)(vote_put(buf_data(out), v, &s) - buf_data(out));
	return out;
}

static uint64_t sign(struct bench *b, uint64_t n)
{
	const struct votes *t = b->data;
	const struct vote *v = t->v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(v);
		sum += done(canonical(v));
	}
	return sum;
}

static uint64_t sign_general(struct bench *b, uint64_t n)
{
	struct votes *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		vote_pb_init(&t->m[0], &t->v[0]);
		sum += done(delimited_message_new(&t->m[0].canonical.base));
	}
	return sum;
}

static uint64_t sign_commit(struct bench *b, uint64_t n)
{
	const struct votes *t = b->data;
	const struct vote *v = t->v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(v);
		for (int i = 0; i < COMMIT; i++)
			sum += done(canonical(&v[i]));
	}
	return sum;
}

static uint64_t marshal(struct bench *b, uint64_t n)
{
	const struct votes *t = b->data;
	const struct vote *v = t->v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(v);
		sum += done(sent(v));
	}
	return sum;
}

static uint64_t marshal_general(struct bench *b, uint64_t n)
{
	const struct votes *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--)
		sum += done(delimited_message_new(&t->m[0].vote.base));
	return sum;
}

#define ROW(name, run)                                                         \
	{                                                                      \
		name, setup, run, fini, 0, NULL, 0, NULL                       \
	}

static const struct bench_row rows[] = {
    ROW("VoteSignBytes", sign),
    ROW("VoteSignBytes_general", sign_general),
    ROW("CommitVoteSignBytes", sign_commit),
    ROW("MarshalDelimited", marshal),
    ROW("MarshalDelimited_general", marshal_general),
};
BENCH_ROWS(rows);
