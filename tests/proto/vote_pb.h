/* The same vote as messages of protobuf-c, made from vote.proto. */
#ifndef CAIRN_TESTS_PROTO_VOTE_PB_H
#define CAIRN_TESTS_PROTO_VOTE_PB_H

#include "vote.h"

#include <cairn/base/delimited_pb.h>

#include <vote.pb-c.h>

/* A vote's messages point into each other and into the vote. */
struct vote_pb {
	Cairn__Test__PartSetHeader parts;
	Cairn__Test__BlockID block_id;
	Cairn__Test__Timestamp time;
	Cairn__Test__CanonicalVote canonical;
	Cairn__Test__Vote vote;
	char chain_id[64];
};

/* protobuf-c does not say that it only reads. */
static inline ProtobufCBinaryData vote_pb_bytes(struct slice s)
{
	return (ProtobufCBinaryData){s.n, (uint8_t *)(uintptr_t)s.p};
}

static inline void vote_pb_parts(struct vote_pb *b, const struct vote *v)
{
	cairn__test__part_set_header__init(&b->parts);
	cairn__test__block_id__init(&b->block_id);
	cairn__test__timestamp__init(&b->time);
	b->parts.total = v->parts_total;
	b->parts.hash = vote_pb_bytes(v->parts_hash);
	b->block_id.hash = vote_pb_bytes(v->block_hash);
	b->block_id.part_set_header = &b->parts;
	b->time.seconds = v->seconds;
	b->time.nanos = v->nanos;
}

static inline void vote_pb_init(struct vote_pb *b, const struct vote *v)
{
	vote_pb_parts(b, v);
	cairn__test__canonical_vote__init(&b->canonical);
	b->canonical.type = v->type;
	b->canonical.height = v->height;
	b->canonical.round = v->round;
	b->canonical.block_id = vote_is_nil(v) ? NULL : &b->block_id;
	b->canonical.timestamp = &b->time;
	memset(b->chain_id, 0, sizeof b->chain_id);
	if (v->chain_id.n && v->chain_id.n < sizeof b->chain_id)
		memcpy(b->chain_id, v->chain_id.p, v->chain_id.n);
	b->canonical.chain_id = b->chain_id;
	cairn__test__vote__init(&b->vote);
	b->vote.type = v->type;
	b->vote.height = v->height;
	b->vote.round = v->round;
	b->vote.block_id = &b->block_id;
	b->vote.timestamp = &b->time;
	b->vote.validator_address = vote_pb_bytes(v->validator);
	b->vote.validator_index = v->validator_index;
}

#endif
