/* Records of the block index: round trip, order, refusal. */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/store/index.h>
#include <cairn/store/kv.h>

#include <stdlib.h>
#include <string.h>

static char *dir, *path;
static struct kv *kv;

static void setup(void)
{
	static const struct kv_cfg cfg = {.create = true};

	dir = scratch_new();
	path = path_join(dir, "db");
	ck_assert_int_eq(kv_open(&kv, path, &cfg), 0);
}

static void teardown(void)
{
	kv_close(kv);
	free(path);
	scratch_free(dir);
}

static struct index_record record(int32_t height, uint8_t tag)
{
	struct index_record r = {.height = height,
				 .status = 0x12345678u + tag,
				 .n_tx = 5u * tag,
				 .seq = (int32_t)tag - 2,
				 .data = {.file = -1},
				 .undo = {.file = -1}};

	memset(r.header, tag, sizeof r.header);
	memset(r.hash.b, tag ^ 0xff, 32);
	return r;
}

static void put(const struct index_record *r)
{
	struct kv_batch *b = kv_batch_new();

	index_put(b, r);
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	kv_batch_free(b);
}

static void same_pos(const struct blockfile_pos *a,
		     const struct blockfile_pos *b)
{
	ck_assert_int_eq(a->file, b->file);
	if (b->file < 0)
		return;
	ck_assert_uint_eq(a->off, b->off);
	ck_assert_uint_eq(a->size, b->size);
}

static void same(const struct index_record *a, const struct index_record *b)
{
	ck_assert_mem_eq(a->header, b->header, 80);
	ck_assert(hash256_eq(&a->hash, &b->hash));
	ck_assert_int_eq(a->height, b->height);
	ck_assert_uint_eq(a->status, b->status);
	ck_assert_uint_eq(a->n_tx, b->n_tx);
	ck_assert_int_eq(a->seq, b->seq);
	same_pos(&a->data, &b->data);
	same_pos(&a->undo, &b->undo);
	ck_assert_uint_eq(a->checksum, b->checksum);
}

/* Every combination of what may be there. */
START_TEST(index_record_round_trips)
{
	struct index_record r = record(7, 3), got;
	struct kv_iter *it;

	if (_i & 1)
		r.data = (struct blockfile_pos){0, 8, 285};
	if (_i & 2)
		r.undo =
		    (struct blockfile_pos){99999, 0xfffffff0u, 0x7fffffffu};
	if (_i & 4)
		r.checksum = 0xdeadbeefu;
	put(&r);
	it = index_first(kv);
	ck_assert_int_eq(index_next(it, &got), 1);
	same(&got, &r);
	ck_assert_int_eq(index_next(it, &got), 0);
	kv_iter_free(it);
}
END_TEST

START_TEST(index_walks_by_height)
{
	static const int32_t heights[] = {256, 1, 0, 65536, 255, 2, 1};
	struct index_record r;
	int32_t last = -1;
	struct kv_iter *it;
	int n = 0, i;

	for (i = 0; i < 7; i++) {
		r = record(heights[i], (uint8_t)(i + 1));
		put(&r);
	}
	it = index_first(kv);
	while (index_next(it, &r) == 1) {
		ck_assert_int_ge(r.height, last);
		last = r.height;
		n++;
	}
	ck_assert_int_eq(n, 7);
	ck_assert_int_eq(last, 65536);
	kv_iter_free(it);
}
END_TEST

START_TEST(index_put_replaces_the_record_of_a_block)
{
	struct index_record r = record(1, 1), got;
	struct kv_iter *it;

	put(&r);
	r.status ^= 1;
	r.data = (struct blockfile_pos){4, 5, 6};
	put(&r);
	it = index_first(kv);
	ck_assert_int_eq(index_next(it, &got), 1);
	same(&got, &r);
	ck_assert_int_eq(index_next(it, &got), 0);
	kv_iter_free(it);
}
END_TEST

START_TEST(index_names_do_not_show_among_the_records)
{
	struct index_record r = record(1, 1), got;
	struct kv_batch *b = kv_batch_new();
	struct kv_iter *it;
	uint8_t v[4];
	size_t n = 9;

	index_meta_put(b, "a", slice_of("1", 1));
	index_meta_put(b, "zzzz", slice_of("1234", 4));
	index_meta_put(b, "empty", slice_of(NULL, 0));
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	kv_batch_free(b);
	put(&r);
	it = index_first(kv);
	ck_assert_int_eq(index_next(it, &got), 1);
	ck_assert_int_eq(index_next(it, &got), 0);
	kv_iter_free(it);
	ck_assert_int_eq(index_meta_get(kv, "zzzz", v, 4, &n), 0);
	ck_assert_uint_eq(n, 4);
	ck_assert_mem_eq(v, "1234", 4);
	ck_assert_int_eq(index_meta_get(kv, "zzzz", v, 3, &n), E_LIMIT);
	ck_assert_int_eq(index_meta_get(kv, "empty", v, 0, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(index_meta_get(kv, "zzz", v, 4, &n), E_NOTFOUND);
}
END_TEST

/* Take the stored pair, change it, and expect refusal. */
static void refused(struct slice key, struct slice value)
{
	struct kv_batch *b = kv_batch_new();
	struct index_record got;
	struct kv_iter *it;

	kv_batch_put(b, key, value);
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	it = index_first(kv);
	ck_assert_int_eq(index_next(it, &got), E_CORRUPT);
	kv_iter_free(it);
	kv_batch_clear(b);
	kv_batch_del(b, key);
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	kv_batch_free(b);
}

START_TEST(index_refuses_records_that_cannot_be)
{
	struct index_record r = record(3, 1);
	struct kv_batch *b = kv_batch_new();
	uint8_t key[38], value[130];
	struct slice k, v;
	struct kv_iter *it;
	size_t n, i;

	r.data = r.undo = (struct blockfile_pos){1, 2, 3};
	r.checksum = 1;
	put(&r);
	it = index_first(kv);
	ck_assert(kv_iter_at(it, &k, &v));
	ck_assert_uint_eq(k.n, 37);
	memcpy(key, k.p, k.n);
	memcpy(value, v.p, n = v.n);
	kv_iter_free(it);
	kv_batch_del(b, slice_of(key, 37));
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	kv_batch_free(b);
	for (i = 0; i < n; i++)
		refused(slice_of(key, 37), slice_of(value, i));
	value[n] = 0;
	refused(slice_of(key, 37), slice_of(value, n + 1));
	refused(slice_of(key, 36), slice_of(value, n));
	key[37] = 0;
	refused(slice_of(key, 38), slice_of(value, n));
	/* Flags that nothing gives, a file below 0, a height below 0. */
	value[92] |= 8;
	refused(slice_of(key, 37), slice_of(value, n));
	value[92] &= 7;
	value[96] |= 0x80;
	refused(slice_of(key, 37), slice_of(value, n));
	value[96] &= 0x7f;
	key[1] |= 0x80;
	refused(slice_of(key, 37), slice_of(value, n));
}
END_TEST

Suite *index_suite(void)
{
	Suite *s = suite_create("index");
	TCase *t = tcase_create("index");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, index_record_round_trips, 0, 8);
	tcase_add_test(t, index_walks_by_height);
	tcase_add_test(t, index_put_replaces_the_record_of_a_block);
	tcase_add_test(t, index_names_do_not_show_among_the_records);
	tcase_add_test(t, index_refuses_records_that_cannot_be);
	suite_add_tcase(s, t);
	return s;
}
