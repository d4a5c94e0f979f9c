/*
 * The bytes of a block, from memory while they are there, otherwise from disk,
 * parsed and hashed. body_* on the chain thread; chain_read_* on any thread
 * that may block. Judges nothing: a block on disk was judged before it was
 * written.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>

int chain_read_block(struct chain *c, struct buf **give, const struct hnode *n)
{
	struct blockfile_pos pos;

	if (!(hnode_status(n) & HN_DATA))
		return E_NOTFOUND;
	pos.file = n->data_file;
	pos.off = n->data_off;
	pos.size = n->data_size;
	return blockfile_read(c->blk, give, &pos);
}

int body_parse(struct body *b, struct buf *buf)
{
	size_t trailing;
	int rc = block_view_parse(&b->view, &trailing, buf_payload(buf));

	if (rc)
		return rc == E_PARSE ? E_CORRUPT : rc;
	block_hash_txs(&b->view);
	b->buf = buf_ref(buf);
	return 0;
}

/* Moves the body out: whoever asks is about to use it up. */
static void from_memory(struct chain *c, struct body *b, struct pending *p)
{
	b->buf = p->buf;
	b->view = p->view;
	c->pend.bytes -= p->bytes;
	p->buf = NULL;
	p->view = (struct block_view){0};
	p->bytes = 0;
}

int body_get(struct chain *c, struct body *b, const struct hnode *n)
{
	struct pending *p = pending_find(c, n);
	uint8_t header[HEADER_SIZE];
	struct buf *buf;
	int rc;

	memset(b, 0, sizeof *b);
	if (p && p->buf) {
		from_memory(c, b, p);
		return 0;
	}
	rc = chain_read_block(c, &buf, n);
	if (rc)
		return rc == E_NOTFOUND ? E_CORRUPT : rc;
	rc = body_parse(b, buf);
	buf_unref(buf);
	if (rc)
		return rc;
	hnode_header_put(header, n);
	if (memcmp(header, b->view.header, HEADER_SIZE) == 0)
		return 0;
	body_fini(b);
	return E_CORRUPT;
}

void body_fini(struct body *b)
{
	block_view_fini(&b->view);
	buf_unref(b->buf);
	b->buf = NULL;
}
