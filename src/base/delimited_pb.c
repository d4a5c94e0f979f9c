/*
 * Records that are protobuf messages in general, through protobuf-c. Any
 * thread. Only what calls these functions links with that library.
 */
#include <cairn/base/delimited_pb.h>

#include <cairn/base/arena.h>
#include <cairn/base/buf.h>

#include <protobuf-c/protobuf-c.h>

size_t delimited_message_size(const struct ProtobufCMessage *m)
{
	return delimited_size(protobuf_c_message_get_packed_size(m));
}

uint8_t *delimited_message_put(uint8_t *p, const struct ProtobufCMessage *m)
{
	p = delimited_head_put(p, protobuf_c_message_get_packed_size(m));
	return p + protobuf_c_message_pack(m, p);
}

struct buf *delimited_message_new(const struct ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);
	struct buf *b = buf_new(delimited_size(n));
	uint8_t *p;

	if (!b)
		return NULL;
	p = delimited_head_put(buf_data(b), n);
	b->n = (size_t)(p - buf_data(b)) + protobuf_c_message_pack(m, p);
	return b;
}

static void *from_arena(void *arena, size_t n)
{
	return arena_alloc(arena, n);
}

static void keep(void *arena, void *p)
{
	(void)arena;
	(void)p;
}

struct ProtobufCMessage *
delimited_message_get(struct arena *a,
		      const struct ProtobufCMessageDescriptor *d,
		      struct slice msg)
{
	ProtobufCAllocator from = {
	    .alloc = from_arena, .free = keep, .allocator_data = a};
	static const uint8_t none;

	return protobuf_c_message_unpack(d, &from, msg.n,
					 msg.n ? msg.p : &none);
}
