/*
 * Tendermint's vote written by hand: the example of a message that is written
 * often. Unit tests compare it with protobuf-c and with published bytes,
 * cairn-bench measures it.
 */
#ifndef CAIRN_TESTS_PROTO_VOTE_H
#define CAIRN_TESTS_PROTO_VOTE_H

#include <cairn/base/pb.h>

struct vote {
	int32_t type, round, nanos, validator_index;
	int64_t height, seconds;
	struct slice block_hash, parts_hash, validator, chain_id;
	uint32_t parts_total;
};

static inline uint64_t vote_u64(int64_t v)
{
	return (uint64_t)v;
}

static inline size_t parts_size(const struct vote *v)
{
	return pb_varint_size(1, v->parts_total) +
	       pb_bytes_size(2, v->parts_hash.n);
}

static inline size_t block_id_size(const struct vote *v, size_t parts)
{
	return pb_bytes_size(1, v->block_hash.n) + pb_message_size(2, parts);
}

static inline uint8_t *block_id_put(uint8_t *p, const struct vote *v, size_t n,
				    size_t parts)
{
	p = pb_message_head_put(p, 4, n);
	p = pb_bytes_put(p, 1, v->block_hash);
	p = pb_message_head_put(p, 2, parts);
	p = pb_varint_put(p, 1, v->parts_total);
	return pb_bytes_put(p, 2, v->parts_hash);
}

static inline size_t time_size(const struct vote *v)
{
	return pb_varint_size(1, vote_u64(v->seconds)) +
	       pb_varint_size(2, vote_u64(v->nanos));
}

static inline uint8_t *time_put(uint8_t *p, const struct vote *v, size_t n)
{
	p = pb_message_head_put(p, 5, n);
	p = pb_varint_put(p, 1, vote_u64(v->seconds));
	return pb_varint_put(p, 2, vote_u64(v->nanos));
}

/* A vote for no block has no block id in the canonical form. */
static inline bool vote_is_nil(const struct vote *v)
{
	return v->block_hash.n == 0 && v->parts_hash.n == 0 &&
	       v->parts_total == 0;
}

/* Sizes of the parts, computed once and used by both functions of a form. */
struct vote_sizes {
	size_t parts, block_id, time, body;
};

static inline struct vote_sizes canonical_sizes(const struct vote *v)
{
	struct vote_sizes s = {.parts = parts_size(v), .time = time_size(v)};

	s.block_id = block_id_size(v, s.parts);
	s.body = pb_varint_size(1, vote_u64(v->type)) +
		 pb_fixed64_size(2, vote_u64(v->height)) +
		 pb_fixed64_size(3, vote_u64(v->round)) +
		 pb_message_size(5, s.time) + pb_bytes_size(6, v->chain_id.n);
	if (!vote_is_nil(v))
		s.body += pb_message_size(4, s.block_id);
	return s;
}

/* The canonical form as a record of delimited_size(s->body) bytes. */
static inline uint8_t *canonical_put(uint8_t *p, const struct vote *v,
				     const struct vote_sizes *s)
{
	p = delimited_head_put(p, s->body);
	p = pb_varint_put(p, 1, vote_u64(v->type));
	p = pb_fixed64_put(p, 2, vote_u64(v->height));
	p = pb_fixed64_put(p, 3, vote_u64(v->round));
	if (!vote_is_nil(v))
		p = block_id_put(p, v, s->block_id, s->parts);
	p = time_put(p, v, s->time);
	return pb_bytes_put(p, 6, v->chain_id);
}

static inline struct vote_sizes vote_sizes(const struct vote *v)
{
	struct vote_sizes s = {.parts = parts_size(v), .time = time_size(v)};

	s.block_id = block_id_size(v, s.parts);
	s.body = pb_varint_size(1, vote_u64(v->type)) +
		 pb_varint_size(2, vote_u64(v->height)) +
		 pb_varint_size(3, vote_u64(v->round)) +
		 pb_message_size(4, s.block_id) + pb_message_size(5, s.time) +
		 pb_bytes_size(6, v->validator.n) +
		 pb_varint_size(7, vote_u64(v->validator_index));
	return s;
}

/* The form that is sent, as a record. */
static inline uint8_t *vote_put(uint8_t *p, const struct vote *v,
				const struct vote_sizes *s)
{
	p = delimited_head_put(p, s->body);
	p = pb_varint_put(p, 1, vote_u64(v->type));
	p = pb_varint_put(p, 2, vote_u64(v->height));
	p = pb_varint_put(p, 3, vote_u64(v->round));
	p = block_id_put(p, v, s->block_id, s->parts);
	p = time_put(p, v, s->time);
	p = pb_bytes_put(p, 6, v->validator);
	return pb_varint_put(p, 7, vote_u64(v->validator_index));
}

#endif
