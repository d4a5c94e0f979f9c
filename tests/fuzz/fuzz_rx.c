/*
 * The receive machine of a v1 connection, against a plain loop over the frames
 * of one contiguous stream: fed at once and in pieces it must give the same
 * messages. So that the fuzzer gets past magic and checksum, it may have them
 * put right: where a frame is due, bits of the first byte say which.
 */
#include "fuzz.h"
#include "net/rx.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>

static const uint8_t magic[4] = {0xfa, 0xbf, 0xb5, 0xda};

#define FIX_MAGIC 3 /* either bit */
#define KEEP_SUM  4
#define CLAMP     8 /* the length is at most what is left */

/* Put frames right in place, as the input asks. */
static void fix_frames(uint8_t *p, size_t n)
{
	while (n >= FRAME_HEADER) {
		uint8_t how = p[0];
		uint32_t len = le32_get(p + 16);
		if (how & FIX_MAGIC)
			memcpy(p, magic, 4);
		if ((how & CLAMP) && len > n - FRAME_HEADER)
			len = (uint32_t)(n - FRAME_HEADER);
		le32_put(p + 16, len);
		if (len > n - FRAME_HEADER)
			return;
		if (!(how & KEEP_SUM))
			le32_put(p + 20, frame_checksum(
					     slice_of(p + FRAME_HEADER, len)));
		p += FRAME_HEADER + len;
		n -= FRAME_HEADER + len;
	}
}

/* What comes next on the stream: RX_MSG and RX_DROP move s behind it. */
static enum rx_rc model(struct rx_msg *m, struct slice *s)
{
	struct frame_view v;
	enum frame_rc rc;

	if (s->n < FRAME_HEADER)
		return RX_MORE;
	rc = frame_view_parse(&v, s->p, magic);
	if (rc == FRAME_BAD_MAGIC)
		return RX_BAD_MAGIC;
	if (rc == FRAME_TOO_LARGE)
		return RX_TOO_LARGE;
	if (v.len > s->n - FRAME_HEADER)
		return RX_MORE;
	*m = (struct rx_msg){.type = v.type,
			     .body = slice_of(s->p + FRAME_HEADER, v.len),
			     .sum = v.checksum,
			     .size = FRAME_HEADER + v.len};
	s->p += m->size;
	s->n -= m->size;
	if (rc == FRAME_BAD_COMMAND)
		return RX_DROP;
	if (v.type == MSG_BLOCK || frame_checksum(m->body) == v.checksum)
		return RX_MSG;
	return RX_DROP;
}

static void compare(const struct rx_msg *got, const struct rx_msg *want,
		    enum rx_rc rc)
{
	fuzz_check(got->size == want->size);
	if (rc == RX_DROP) {
		fuzz_check(got->drop);
		return;
	}
	fuzz_check(got->type == want->type && got->sum == want->sum);
	fuzz_check(slice_eq(got->body, want->body));
	fuzz_touch(got->body);
	if (got->type != MSG_BLOCK) {
		fuzz_check(got->sum_checked);
		return;
	}
	fuzz_check(got->buf && !got->sum_checked);
	fuzz_check(memcmp(got->body.p - 8, magic, 4) == 0);
	fuzz_check(le32_get(got->body.p - 4) == got->body.n);
}

/* The pieces: their lengths come from a generator that the input seeds. */
struct feed {
	uint32_t seed;
	bool whole;
	uint8_t *piece; /* of exact size, so that reading on is a report */
};

static struct slice next_piece(struct feed *f, struct slice *in)
{
	size_t n = in->n;
	struct slice s;

	if (!f->whole) {
		f->seed = f->seed * 1664525u + 1013904223u;
		n = (f->seed >> 8) % ((f->seed >> 29) ? 40 : 9000) + 1;
		if (n > in->n)
			n = in->n;
	}
	free(f->piece);
	f->piece = fuzz_new(n);
	memcpy(f->piece, in->p, n);
	s = slice_of(f->piece, n);
	in->p += n;
	in->n -= n;
	return s;
}

/* Take the messages of one piece; false when the stream is over. */
static bool drain(struct rx *r, struct slice piece, struct slice *want,
		  bool hold)
{
	struct rx_msg m, w;
	enum rx_rc rc, expect;
	bool blocks_only = hold;

	for (;;) {
		rc = rx_next(r, &m, &piece, blocks_only);
		if (rc == RX_MORE) {
			fuzz_check(piece.n == 0);
			return true;
		}
		if (rc == RX_HELD) {
			fuzz_check(blocks_only);
			blocks_only = false;
			continue;
		}
		if (rc == RX_STARVED) {
			r->overdraw = true;
			continue;
		}
		expect = model(&w, want);
		fuzz_check(rc == expect);
		if (rc != RX_MSG && rc != RX_DROP)
			return false;
		compare(&m, &w, rc);
		if (rc == RX_MSG) {
			fuzz_check(!blocks_only || m.type == MSG_BLOCK);
			rx_done(r);
		}
		blocks_only = hold;
	}
}

static void run(struct slice stream, struct feed f, bool hold, size_t budget)
{
	struct rx_budget b = {.max = budget};
	struct slice in = stream, want = stream;
	struct rx_msg w;
	bool more = true;
	struct rx r;

	rx_init(&r, magic, &b);
	do {
		more = drain(&r, next_piece(&f, &in), &want, hold);
	} while (more && in.n);
	if (more) /* and nothing whole is left behind */
		fuzz_check(model(&w, &want) == RX_MORE);
	rx_fini(&r);
	fuzz_check(b.used == 0);
	free(f.piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice stream;
	uint8_t *copy;
	uint32_t seed;

	if (size < 4)
		return 0;
	copy = fuzz_new(size);
	memcpy(copy, data, size);
	fix_frames(copy, size);
	stream = slice_of(copy, size);
	seed = le32_get(data + size - 4);
	run(stream, (struct feed){.whole = true}, false, SIZE_MAX / 2);
	run(stream, (struct feed){.seed = seed}, false, SIZE_MAX / 2);
	run(stream, (struct feed){.seed = ~seed}, true, 10000);
	free(copy);
	return 0;
}
