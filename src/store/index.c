/*
 * The block index's records: keys that sort by height, values of fixed fields.
 * Pure but for the database it is given; whoever owns that says on which
 * thread. Does not check a header's hash or work: the tree that loads it does.
 */
#include <cairn/store/index.h>

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/base/rd.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

/* Key: 'b', be32 height, hash. Value: header, status, n_tx, seq, flags, the
 * positions that the flags name, checksum where one is. */
#define RECORD_TAG 'b'
#define RECORD_KEY (1 + 4 + 32)
#define VALUE_MAX  (80 + 4 + 4 + 4 + 1 + 12 + 12 + 4)

#define META_TAG  'm'
#define META_NAME 31

#define HAS_DATA     1u
#define HAS_UNDO     2u
#define HAS_CHECKSUM 4u
#define HAS_ALL      7u

static uint8_t *pos_put(uint8_t *p, const struct blockfile_pos *pos)
{
	p = le32_put(p, (uint32_t)pos->file);
	p = le32_put(p, pos->off);
	return le32_put(p, pos->size);
}

static void pos_get(struct blockfile_pos *pos, struct rd *r)
{
	uint32_t file = rd_u32(r);

	if (file > INT32_MAX)
		rd_fail(r);
	pos->file = (int32_t)(file & INT32_MAX);
	pos->off = rd_u32(r);
	pos->size = rd_u32(r);
}

void index_put(struct kv_batch *b, const struct index_record *r)
{
	uint8_t key[RECORD_KEY], value[VALUE_MAX];
	uint8_t *k = key, *v = value;
	uint8_t has = 0;

	must(r->height >= 0);
	*k++ = RECORD_TAG;
	k = be32_put(k, (uint32_t)r->height);
	k = bytes_put(k, r->hash.b, 32);
	has |= r->data.file >= 0 ? HAS_DATA : 0;
	has |= r->undo.file >= 0 ? HAS_UNDO : 0;
	has |= r->checksum ? HAS_CHECKSUM : 0;
	v = bytes_put(v, r->header, 80);
	v = le32_put(v, r->status);
	v = le32_put(v, r->n_tx);
	v = le32_put(v, (uint32_t)r->seq);
	*v++ = has;
	if (has & HAS_DATA)
		v = pos_put(v, &r->data);
	if (has & HAS_UNDO)
		v = pos_put(v, &r->undo);
	if (has & HAS_CHECKSUM)
		v = le32_put(v, r->checksum);
	kv_batch_put(b, slice_of(key, (size_t)(k - key)),
		     slice_of(value, (size_t)(v - value)));
}

struct kv_iter *index_first(struct kv *kv)
{
	struct kv_iter *it = kv_iter_new(kv);
	uint8_t tag = RECORD_TAG;

	kv_iter_seek(it, slice_of(&tag, 1));
	return it;
}

static bool record_get(struct index_record *r, struct slice key,
		       struct slice value)
{
	static const struct blockfile_pos none = {.file = -1};
	struct rd rd;
	uint8_t has;

	if (key.n != RECORD_KEY || value.n < 80 || key.p[1] & 0x80)
		return false;
	r->height = (int32_t)be32_get(key.p + 1);
	memcpy(r->hash.b, key.p + 5, 32);
	rd_init(&rd, value);
	memcpy(r->header, rd_take(&rd, 80), 80);
	r->status = rd_u32(&rd);
	r->n_tx = rd_u32(&rd);
	r->seq = (int32_t)rd_u32(&rd);
	has = rd_u8(&rd);
	r->data = none;
	r->undo = none;
	if (has & HAS_DATA)
		pos_get(&r->data, &rd);
	if (has & HAS_UNDO)
		pos_get(&r->undo, &rd);
	r->checksum = has & HAS_CHECKSUM ? rd_u32(&rd) : 0;
	return rd_ok(&rd) && rd_left(&rd) == 0 && has <= HAS_ALL;
}

int index_next(struct kv_iter *it, struct index_record *r)
{
	struct index_record got;
	struct slice key, value;

	if (!kv_iter_at(it, &key, &value))
		return kv_iter_rc(it);
	if (key.n == 0 || key.p[0] != RECORD_TAG)
		return 0;
	if (!record_get(&got, key, value))
		return E_CORRUPT;
	*r = got;
	kv_iter_next(it);
	return 1;
}

static struct slice meta_key(uint8_t key[1 + META_NAME], const char *name)
{
	size_t n = strlen(name);

	must(n > 0 && n <= META_NAME);
	key[0] = META_TAG;
	memcpy(key + 1, name, n);
	return slice_of(key, 1 + n);
}

void index_meta_put(struct kv_batch *b, const char *name, struct slice v)
{
	uint8_t key[1 + META_NAME];

	kv_batch_put(b, meta_key(key, name), v);
}

int index_meta_get(struct kv *kv, const char *name, uint8_t *p, size_t max,
		   size_t *n)
{
	uint8_t key[1 + META_NAME];
	uint8_t *v;
	size_t len;
	int rc = kv_get(kv, &v, &len, meta_key(key, name));

	if (rc)
		return rc;
	if (len > max) {
		free(v);
		return E_LIMIT;
	}
	if (len)
		memcpy(p, v, len);
	*n = len;
	free(v);
	return 0;
}
