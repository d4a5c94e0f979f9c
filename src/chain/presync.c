/*
 * Pre-sync of a peer's headers below the minimum work. First reading: only
 * work, the last header and one salted bit per period are kept. Second reading:
 * headers wait in a buffer until enough of those bits lie above them, then they
 * are handed out. Loop; one per peer. Does not touch the header tree, and does
 * not check times or versions: that is done when headers are accepted.
 */
#include <cairn/chain/presync.h>

#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>
#include <cairn/consensus/headers.h>
#include <cairn/crypto/siphash.h>
#include <cairn/params/params.h>
#include <cairn/wire/locator.h>

#include <stdlib.h>

/* Six blocks a second is the most that the median-time rule allows for long. */
#define MAX_BLOCKS_PER_S 6

/* A chain being read: where it stands. */
struct reading {
	struct hash256 hash; /* of the last header */
	int32_t height;
	uint32_t bits;
	struct u256 work;
};

struct presync {
	const struct params *params;
	const struct hnode *start;
	struct u256 min_work;
	bool again;    /* the second reading */
	bool reached;  /* it has shown the work: hand everything out */
	bool finished; /* only to be freed */
	struct reading first, second;

	/* Commitments: a bit for each height = offset (mod period). */
	uint64_t key[2];
	int32_t offset;
	uint8_t *bits;
	size_t cap_bytes;
	uint64_t n_bits, used_bits, max_bits;

	/* Second reading: headers [head, tail) wait, in 80-byte units. */
	uint8_t *buffer;
	uint32_t cap, head, tail;

	/* Work of the bits seen last. */
	uint32_t work_bits;
	struct u256 work;
};

static struct reading reading_from(const struct hnode *n)
{
	return (struct reading){n->hash, n->height, n->bits, n->work};
}

struct presync *presync_new(const struct params *p, const struct hnode *start,
			    const struct u256 *min_work, int64_t now_s)
{
	struct presync *s = xcalloc(1, sizeof *s);
	int64_t span = now_s - (int64_t)start->mtp + MAX_FUTURE_BLOCK_TIME_S;
	struct rand r;

	s->params = p;
	s->start = start;
	s->min_work = *min_work;
	s->first = reading_from(start);
	s->max_bits = span <= 0 ? 0
				: (uint64_t)span * MAX_BLOCKS_PER_S /
				      p->presync_commitment_period;
	rand_os(s->key, sizeof s->key);
	rand_init(&r);
	s->offset = (int32_t)rand_below(&r, p->presync_commitment_period);
	return s;
}

void presync_free(struct presync *s)
{
	if (!s)
		return;
	free(s->bits);
	free(s->buffer);
	free(s);
}

static bool is_committed(const struct presync *s, int32_t height)
{
	return height % (int32_t)s->params->presync_commitment_period ==
	       s->offset;
}

static bool commitment(const struct presync *s, const struct hash256 *hash)
{
	return siphash(s->key, hash->b, sizeof hash->b) & 1;
}

static bool bit_get(const struct presync *s, uint64_t i)
{
	return s->bits[i / 8] >> (i % 8) & 1;
}

static void bit_add(struct presync *s, bool bit)
{
	uint64_t i = s->n_bits++;

	arr_grow(&s->bits, &s->cap_bytes, (size_t)(i / 8 + 1), 1);
	if (i % 8 == 0)
		s->bits[i / 8] = 0;
	s->bits[i / 8] |= (uint8_t)(bit << (i % 8));
}

/* What holds for a header in both readings: it continues the chain, has its
 * proof of work and a difficulty that may stand there. Moves r onto it. */
static enum presync_rc read_one(struct presync *s, struct reading *r,
				const uint8_t *h, const struct hash256 *hash)
{
	uint32_t bits = le32_get(h + 72);

	if (!hash256_eq(header_prev(h), &r->hash) ||
	    !pow_ok(hash, bits, s->params) ||
	    !bits_transition_ok(s->params, r->height + 1, r->bits, bits))
		return PRESYNC_BAD;
	if (bits != s->work_bits) {
		s->work_bits = bits;
		s->work = work_of_bits(bits);
	}
	r->work = u256_add(&r->work, &s->work);
	r->bits = bits;
	r->hash = *hash;
	r->height++;
	return PRESYNC_MORE;
}

static void begin_again(struct presync *s)
{
	s->again = true;
	s->second = reading_from(s->start);
	/* What must wait, what comes in one message, and room to move up in. */
	s->cap = s->params->presync_redownload_buffer + 2 * HEADERS_MAX;
	s->buffer = xmalloc((size_t)s->cap * HEADER_SIZE);
}

static enum presync_rc feed_first(struct presync *s, const uint8_t *h,
				  size_t stride, const struct hash256 *hashes,
				  uint32_t n, bool full)
{
	enum presync_rc rc;
	uint32_t i;

	for (i = 0; i < n; i++) {
		rc = read_one(s, &s->first, h + i * stride, &hashes[i]);
		if (rc != PRESYNC_MORE)
			return rc;
		if (!is_committed(s, s->first.height))
			continue;
		if (s->n_bits == s->max_bits)
			return PRESYNC_GIVE_UP;
		bit_add(s, commitment(s, &hashes[i]));
	}
	if (u256_cmp(&s->first.work, &s->min_work) >= 0)
		begin_again(s);
	return full || s->again ? PRESYNC_MORE : PRESYNC_GIVE_UP;
}

/* The second reading must agree with the first until the work is reached; from
 * there on the chain may have grown. */
static bool agrees(struct presync *s, const struct hash256 *hash)
{
	if (u256_cmp(&s->second.work, &s->min_work) >= 0)
		s->reached = true;
	if (s->reached || !is_committed(s, s->second.height))
		return true;
	return s->used_bits < s->n_bits &&
	       bit_get(s, s->used_bits++) == commitment(s, hash);
}

static void keep(struct presync *s, const uint8_t *h)
{
	if (s->tail == s->cap) {
		must(s->head > 0);
		memmove(s->buffer, s->buffer + (size_t)s->head * HEADER_SIZE,
			(size_t)(s->tail - s->head) * HEADER_SIZE);
		s->tail -= s->head;
		s->head = 0;
	}
	memcpy(s->buffer + (size_t)s->tail++ * HEADER_SIZE, h, HEADER_SIZE);
}

/* Headers with enough commitments above them are safe to keep for good. */
static void hand_out(struct presync *s, struct presync_out *out)
{
	uint32_t waiting = s->tail - s->head, stay;

	stay = s->reached ? 0 : s->params->presync_redownload_buffer;
	if (waiting <= stay)
		return;
	out->headers = s->buffer + (size_t)s->head * HEADER_SIZE;
	out->n = waiting - stay;
	s->head += out->n;
}

static enum presync_rc feed_again(struct presync *s, struct presync_out *out,
				  const uint8_t *h, size_t stride,
				  const struct hash256 *hashes, uint32_t n,
				  bool full)
{
	enum presync_rc rc;
	uint32_t i;

	for (i = 0; i < n; i++) {
		rc = read_one(s, &s->second, h + i * stride, &hashes[i]);
		if (rc != PRESYNC_MORE)
			return rc;
		if (!agrees(s, &hashes[i]))
			return PRESYNC_GIVE_UP;
		keep(s, h + i * stride);
	}
	hand_out(s, out);
	if (s->reached)
		return PRESYNC_DONE;
	/* It showed the work once and does not serve it now. */
	return full ? PRESYNC_MORE : PRESYNC_GIVE_UP;
}

enum presync_rc presync_feed(struct presync *s, struct presync_out *out,
			     const uint8_t *h, size_t stride,
			     const struct hash256 *hashes, uint32_t n,
			     bool full)
{
	const struct reading *r = s->again ? &s->second : &s->first;
	enum presync_rc rc;

	out->headers = NULL;
	out->n = 0;
	must(!s->finished && n > 0 && n <= HEADERS_MAX);
	if (!hash256_eq(header_prev(h), &r->hash))
		rc = PRESYNC_GIVE_UP;
	else if (s->again)
		rc = feed_again(s, out, h, stride, hashes, n, full);
	else
		rc = feed_first(s, h, stride, hashes, n, full);
	s->finished = rc != PRESYNC_MORE;
	return rc;
}

uint32_t presync_locator(const struct presync *s, struct hash256 *out)
{
	struct hash256 rest[LOCATOR_MAX];
	uint32_t n = hnode_locator(rest, s->start);

	if (n == LOCATOR_MAX)
		n--;
	out[0] = s->again ? s->second.hash : s->first.hash;
	memcpy(out + 1, rest, n * sizeof *rest);
	return n + 1;
}

size_t presync_memory(const struct presync *s)
{
	return sizeof *s + s->cap_bytes + (size_t)s->cap * HEADER_SIZE;
}

int32_t presync_height(const struct presync *s)
{
	return s->first.height;
}

bool presync_in_redownload(const struct presync *s)
{
	return s->again;
}
