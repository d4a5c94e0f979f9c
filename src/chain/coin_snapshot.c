/*
 * A walk over the coins database as it was when the walk was opened. Opened on
 * the chain thread, read on any one thread. Does not see what is not flushed.
 */
#include <cairn/chain/coins.h>

#include "coinview_int.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

struct coin_snapshot {
	struct kv *kv;
	struct kv_iter *it;
	bool begun;
	uint8_t scratch[COIN_SCRATCH];
};

int coin_snapshot_open(struct coin_snapshot **give, struct coinview *v)
{
	struct coin_snapshot *s = xcalloc(1, sizeof *s);

	s->kv = v->kv;
	s->it = kv_iter_new(v->kv);
	*give = s;
	return 0;
}

void coin_snapshot_close(struct coin_snapshot *s)
{
	if (!s)
		return;
	kv_iter_free(s->it);
	free(s);
}

int coin_snapshot_next(struct coin_snapshot *s, uint8_t outpoint[36],
		       struct coin *c)
{
	struct slice key, value;
	const uint8_t *end;

	/* The pair read last is borrowed until now: only now move on. */
	if (s->begun)
		kv_iter_next(s->it);
	else
		kv_iter_seek(s->it, slice_of("C", 1));
	if (!kv_iter_at(s->it, &key, &value)) {
		s->begun = false;
		return kv_iter_rc(s->it);
	}
	s->begun = key.n > 0 && key.p[0] == 'C';
	if (!s->begun)
		return 0;
	end = value.p + value.n;
	if (key.n != COIN_KEY || coin_get(c, s->scratch, value.p, end) != end)
		return E_CORRUPT;
	memcpy(outpoint, key.p + 1, 32);
	le32_put(outpoint + 32, be32_get(key.p + 33));
	return 1;
}

uint64_t coin_snapshot_disk_size(struct coin_snapshot *s)
{
	return kv_disk_size(s->kv, slice_of("C", 1), slice_of("D", 1));
}
