/*
 * The receive machine. Runs on the loop, without sockets. It judges framing and
 * checksums only; what a message means, and how often a peer may send garbage,
 * is decided above. Checksums of blocks are left to the workers.
 */
#include "rx.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/must.h>

#define GROW_MIN 4096u /* the least a collecting buffer holds */

void rx_init(struct rx *r, const uint8_t magic[4], struct rx_budget *budget)
{
	*r = (struct rx){.state = RX_HEAD, .budget = budget};
	memcpy(r->magic, magic, sizeof r->magic);
}

static void uncharge(struct rx *r)
{
	must(r->budget->used >= r->charged);
	r->budget->used -= r->charged;
	r->charged = 0;
	r->overdraw = false;
}

void rx_fini(struct rx *r)
{
	uncharge(r);
	buf_unref(r->body);
	buf_unref(r->given);
	r->body = r->given = NULL;
}

void rx_done(struct rx *r)
{
	buf_unref(r->given);
	r->given = NULL;
}

static void advance(struct slice *in, size_t n)
{
	in->p += n;
	in->n -= n;
}

/* The header at p is complete: what comes behind it? */
static enum rx_rc begin(struct rx *r, const uint8_t *p)
{
	struct frame_view v;

	switch (frame_view_parse(&v, p, r->magic)) {
	case FRAME_BAD_MAGIC:
		return RX_BAD_MAGIC;
	case FRAME_TOO_LARGE:
		return RX_TOO_LARGE;
	case FRAME_BAD_COMMAND:
		r->state = RX_SKIP;
		break;
	case FRAME_OK:
		r->state = RX_BODY;
		break;
	}
	r->have = 0;
	r->type = v.type;
	r->len = r->left = v.len;
	r->sum = v.checksum;
	return RX_MSG;
}

/* Gather a header. RX_MSG: it is complete and the state has moved on. */
static enum rx_rc take_head(struct rx *r, struct slice *in)
{
	size_t n = FRAME_HEADER - r->have;
	const uint8_t *p = in->p;

	if (r->have == 0 && in->n >= FRAME_HEADER) {
		advance(in, FRAME_HEADER);
		return begin(r, p);
	}
	if (n > in->n)
		n = in->n;
	if (n)
		memcpy(r->head + r->have, in->p, n);
	advance(in, n);
	r->have += (uint32_t)n;
	return r->have == FRAME_HEADER ? begin(r, r->head) : RX_MORE;
}

/* How large the buffer becomes so that n bytes fit: it doubles, but never goes
 * beyond the message. */
static size_t grown(const struct rx *r, size_t n)
{
	size_t cap = r->body ? 2 * r->body->cap : GROW_MIN;

	if (cap < n)
		cap = n;
	return cap < r->len ? cap : r->len;
}

/* Make room for n collected bytes in all. RX_MSG: there is. */
static enum rx_rc make_room(struct rx *r, size_t n)
{
	size_t cap, more;

	if (r->body && n <= r->body->cap)
		return RX_MSG;
	cap = grown(r, n);
	more = cap - r->charged;
	if (!r->overdraw && r->budget->used + more > r->budget->max)
		return RX_STARVED;
	if (!r->body) {
		r->body = buf_new(cap);
		if (!r->body)
			return RX_NOMEM;
	} else if (buf_reserve(&r->body, cap) != 0) {
		return RX_NOMEM;
	}
	r->budget->used += more;
	r->charged = cap;
	return RX_MSG;
}

/* Move payload bytes into the buffer. RX_MSG: it is complete. */
static enum rx_rc collect(struct rx *r, struct slice *in)
{
	size_t have = r->body ? r->body->n : 0;
	size_t n = r->len - have;
	enum rx_rc rc;

	if (n > in->n)
		n = in->n;
	if (n == 0 && r->len)
		return RX_MORE;
	rc = make_room(r, have + n);
	if (rc != RX_MSG)
		return rc;
	if (n)
		memcpy(buf_data(r->body) + have, in->p, n);
	advance(in, n);
	r->body->n = have + n;
	return r->body->n == r->len ? RX_MSG : RX_MORE;
}

/* Magic and length before the payload make it a record of a block file. */
static void stamp(const struct rx *r, struct buf *b)
{
	uint8_t *p = buf_data(b) - 8;

	p = bytes_put(p, r->magic, sizeof r->magic);
	le32_put(p, r->len);
}

/* Fill m with the message whose payload is body; a wrong checksum drops it. */
static enum rx_rc finish(struct rx *r, struct rx_msg *m, struct slice body)
{
	bool block = r->type == MSG_BLOCK;

	r->state = RX_HEAD;
	*m = (struct rx_msg){.type = r->type,
			     .body = body,
			     .buf = r->given,
			     .sum = r->sum,
			     .sum_checked = !block,
			     .size = FRAME_HEADER + r->len};
	if (block) {
		stamp(r, r->given);
		return RX_MSG;
	}
	if (frame_checksum(body) == r->sum)
		return RX_MSG;
	rx_done(r);
	m->drop = "bad checksum";
	return RX_DROP;
}

/* The payload lies whole in *in and needs no buffer. */
static enum rx_rc take_in_place(struct rx *r, struct rx_msg *m,
				struct slice *in, bool blocks_only)
{
	struct slice body = slice_of(in->p, r->len);

	if (blocks_only)
		return RX_HELD;
	advance(in, r->len);
	return finish(r, m, body);
}

static enum rx_rc take_collected(struct rx *r, struct rx_msg *m,
				 bool blocks_only)
{
	if (blocks_only && r->type != MSG_BLOCK)
		return RX_HELD;
	uncharge(r);
	r->given = r->body;
	r->body = NULL;
	return finish(r, m, buf_payload(r->given));
}

static enum rx_rc skip(struct rx *r, struct rx_msg *m, struct slice *in)
{
	uint32_t n = r->left;

	if (n > in->n)
		n = (uint32_t)in->n;
	advance(in, n);
	r->left -= n;
	if (r->left)
		return RX_MORE;
	r->state = RX_HEAD;
	*m = (struct rx_msg){.type = MSG_UNKNOWN,
			     .size = FRAME_HEADER + r->len,
			     .drop = "bad command"};
	return RX_DROP;
}

enum rx_rc rx_next(struct rx *r, struct rx_msg *m, struct slice *in,
		   bool blocks_only)
{
	enum rx_rc rc;

	must(!r->given);
	if (r->state == RX_HEAD) {
		rc = take_head(r, in);
		if (rc != RX_MSG)
			return rc;
	}
	if (r->state == RX_SKIP)
		return skip(r, m, in);
	if (r->state == RX_BODY) {
		if (!r->body && in->n >= r->len && r->type != MSG_BLOCK)
			return take_in_place(r, m, in, blocks_only);
		rc = collect(r, in);
		if (rc != RX_MSG)
			return rc;
		r->state = RX_READY;
	}
	return take_collected(r, m, blocks_only);
}
