/* Block headers: 80 bytes as they stand, and the vector of `headers`. */
#ifndef CAIRN_WIRE_HEADER_H
#define CAIRN_WIRE_HEADER_H

#include <cairn/base/endian.h>
#include <cairn/base/rd.h>

#define HEADER_SIZE 80u
#define HEADERS_MAX 2000u

struct header {
	int32_t version;
	struct hash256 prev;
	struct hash256 merkle;
	uint32_t time, bits, nonce;
};

static inline const struct hash256 *header_prev(const uint8_t *h)
{
	return hash256_at(h + 4);
}

static inline const struct hash256 *header_merkle(const uint8_t *h)
{
	return hash256_at(h + 36);
}

/* Decode 80 bytes. */
static inline void header_get(struct header *h, const uint8_t *p)
{
	h->version = (int32_t)le32_get(p);
	memcpy(h->prev.b, p + 4, 32);
	memcpy(h->merkle.b, p + 36, 32);
	h->time = le32_get(p + 68);
	h->bits = le32_get(p + 72);
	h->nonce = le32_get(p + 76);
}

/* Encode into 80 bytes; returns the byte after. */
static inline uint8_t *header_put(uint8_t *p, const struct header *h)
{
	p = le32_put(p, (uint32_t)h->version);
	p = bytes_put(p, h->prev.b, 32);
	p = bytes_put(p, h->merkle.b, 32);
	p = le32_put(p, h->time);
	p = le32_put(p, h->bits);
	return le32_put(p, h->nonce);
}

/* headers (BIP 130 and before): n headers, each with a transaction count that
 * is read and not judged. Borrows body. */
struct headers_view {
	uint32_t n;
	const uint8_t *first;
	uint32_t stride; /* 81 when every count is one byte, else 0: walk */
	const uint8_t *end;
};

/* Parse the body of headers. False when malformed, and when the count exceeds
 * HEADERS_MAX: as in Core that is misbehaviour whatever follows, so *over
 * (always written) tells the two apart. Bytes behind the vector are ignored. */
bool headers_view_parse(struct headers_view *v, bool *over, struct slice body);
/* The i-th header's 80 bytes, i < n; O(1) with a stride, else walks from the
 * start. */
const uint8_t *headers_at(const struct headers_view *v, uint32_t i);
/* What headers_next does where counts take more than one byte. */
const uint8_t *headers_step(const struct headers_view *v, const uint8_t *h);
/* The header behind h, which came from v; NULL at the end. O(1). */
static inline const uint8_t *headers_next(const struct headers_view *v,
					  const uint8_t *h)
{
	h = v->stride ? h + v->stride : headers_step(v, h);
	return h < v->end ? h : NULL;
}

/* Size and put of n headers given as 80-byte strings at h, stride bytes apart.
 */
size_t headers_size(uint32_t n);
uint8_t *headers_put(uint8_t *p, const uint8_t *h, size_t stride, uint32_t n);

#endif
