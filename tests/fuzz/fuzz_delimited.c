/*
 * A stream of records: taken one after another, their framing written again,
 * and each read as a message of protobuf-c.
 */
#include "fuzz.h"

#include "proto/vote_pb.h"

#include <cairn/base/arena.h>

#define MAX 2000u

/* What protobuf-c understood it writes in a form that it understands the same
 * way: the second writing is as the first. */
static void message(struct slice msg)
{
	const ProtobufCMessageDescriptor *d =
	    &cairn__test__canonical_vote__descriptor;
	struct ProtobufCMessage *m;
	uint8_t *once, *twice;
	struct arena a;
	size_t n;

	arena_init(&a, 100000);
	m = delimited_message_get(&a, d, msg);
	if (m) {
		n = delimited_message_size(m);
		once = fuzz_new(n);
		fuzz_check(delimited_message_put(once, m) == once + n);
		msg.n = protobuf_c_message_get_packed_size(m);
		msg.p = once + n - msg.n;
		m = delimited_message_get(&a, d, msg);
		if (m) {
			fuzz_check(delimited_message_size(m) == n);
			twice = fuzz_new(n);
			fuzz_same(twice, delimited_message_put(twice, m), n,
				  once);
		}
		free(once);
	}
	arena_fini(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = slice_of(data, size), msg, was;
	enum delimited_rc rc;
	size_t need = 0;
	uint8_t *out;

	do {
		was = in;
		rc = delimited_next(&msg, &need, &in, MAX);
		if (rc != DELIMITED_OK)
			break;
		fuzz_touch(msg);
		fuzz_check(msg.n <= MAX && msg.p + msg.n == in.p);
		out = fuzz_new(delimited_size(msg.n));
		fuzz_same(
		    out,
		    bytes_put(delimited_head_put(out, msg.n), msg.p, msg.n),
		    (size_t)(in.p - was.p), was.p);
		message(msg);
	} while (in.n);
	fuzz_check(rc == DELIMITED_OK || slice_eq(in, was));
	if (rc == DELIMITED_MORE)
		fuzz_check(need > in.n && need <= MAX + 2);
	return 0;
}
