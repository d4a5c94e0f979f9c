/*
 * Reads varints and the framing of records. Any thread. Knows nothing of what a
 * record holds; messages through protobuf-c are delimited_pb.c's matter.
 */
#include <cairn/base/delimited.h>

/* The last byte of a varint is the first without its high bit. It is zero only
 * in the varint of zero, and the tenth has one bit left to give. */
enum delimited_rc uvarint_get(uint64_t *v, size_t *n, struct slice in)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < UVARINT_MAX; i++) {
		uint8_t b;
		if (i == in.n)
			return DELIMITED_MORE;
		b = in.p[i];
		if (i == UVARINT_MAX - 1 && b > 1)
			return DELIMITED_BAD;
		sum |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b & 0x80)
			continue;
		if (b == 0 && i > 0)
			return DELIMITED_BAD;
		*v = sum;
		*n = i + 1;
		return DELIMITED_OK;
	}
	return DELIMITED_BAD;
}

enum delimited_rc delimited_next(struct slice *msg, size_t *need,
				 struct slice *in, size_t max)
{
	enum delimited_rc rc;
	size_t head;
	uint64_t n;

	rc = uvarint_get(&n, &head, *in);
	if (rc == DELIMITED_MORE)
		*need = in->n + 1;
	if (rc != DELIMITED_OK)
		return rc;
	if (n > max || n > SIZE_MAX - head)
		return DELIMITED_TOO_LARGE;
	if (n > in->n - head) {
		*need = head + (size_t)n;
		return DELIMITED_MORE;
	}
	*msg = slice_of(in->p + head, (size_t)n);
	in->p += head + (size_t)n;
	in->n -= head + (size_t)n;
	return DELIMITED_OK;
}
