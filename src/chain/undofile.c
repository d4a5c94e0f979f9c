/*
 * Undo records in the rev files. The chain thread appends them as it connects;
 * any thread reads. A block that spends nothing has no record on disk: its
 * position is "none" and its record is made on the spot. A block that is
 * connected again keeps the record it has.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/chain/undo.h>

static int append(struct chain *c, struct hnode *n, struct slice record)
{
	struct blockfile_pos pos;
	struct buf *b;
	int rc;

	b = buf_new(record.n);
	if (!b)
		return E_NOMEM;
	b->n = record.n;
	memcpy(buf_data(b), record.p, record.n);
	chain_stamp_record(b, c->cfg.params);
	rc = blockfile_append(c->rev, &pos, b);
	buf_unref(b);
	if (rc)
		return rc;
	n->undo_file = pos.file;
	n->undo_off = pos.off;
	n->undo_size = pos.size;
	return 0;
}

int undo_store(struct chain *c, struct hnode *n, struct slice record)
{
	int rc = 0;

	if (hnode_status(n) & HN_UNDO)
		return 0;
	n->undo_file = -1;
	if (n->n_tx > 1)
		rc = append(c, n, record);
	if (rc == 0)
		hnode_set(n, HN_UNDO);
	return rc;
}

static int make_empty(struct buf **give)
{
	struct undo_writer w;
	struct buf *b;

	undo_writer_init(&w);
	b = buf_new(w.n);
	if (b) {
		b->n = w.n;
		memcpy(buf_data(b), w.p, w.n);
	}
	undo_writer_fini(&w);
	*give = b;
	return b ? 0 : E_NOMEM;
}

int undo_load(struct chain *c, struct buf **give, const struct hnode *n)
{
	struct blockfile_pos pos;

	if (!(hnode_status(n) & HN_UNDO))
		return E_NOTFOUND;
	if (n->undo_file < 0)
		return make_empty(give);
	pos.file = n->undo_file;
	pos.off = n->undo_off;
	pos.size = n->undo_size;
	return blockfile_read(c->rev, give, &pos);
}

int chain_read_undo(struct chain *c, struct buf **give, const struct hnode *n)
{
	return undo_load(c, give, n);
}
