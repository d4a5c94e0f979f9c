/* The key-value database, in a scratch folder. */
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/store/kv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *dir, *path;
static struct kv *kv;
static const struct kv_cfg cfg = {.create = true};

static void setup(void)
{
	dir = scratch_new();
	path = path_join(dir, "db");
	ck_assert_int_eq(kv_open(&kv, path, &cfg), 0);
}

static void teardown(void)
{
	kv_close(kv);
	kv = NULL;
	free(path);
	scratch_free(dir);
}

static struct slice str(const char *s)
{
	return slice_of(s, strlen(s));
}

static void put(const char *key, const char *value)
{
	struct kv_batch *b = kv_batch_new();

	kv_batch_put(b, str(key), str(value));
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	kv_batch_free(b);
}

static void expect(const char *key, const char *value)
{
	uint8_t *got;
	size_t n;

	ck_assert_int_eq(kv_get(kv, &got, &n, str(key)),
			 value ? 0 : E_NOTFOUND);
	if (!value)
		return;
	ck_assert(slice_eq(slice_of(got, n), str(value)));
	free(got);
}

struct text_case {
	const char *text;
	int rc;
};

/* As LevelDB 1.23 composes them: its word, the file, the system's phrase. */
static const struct text_case texts[] = {
    {"IO error: /d/000005.log: No space left on device", E_NOSPACE},
    {"IO error: /d/000005.log: Disk quota exceeded", E_NOSPACE},
    {"IO error: /d/000005.log: File too large", E_NOSPACE},
    {"IO error: /d/000005.log: Input/output error", E_IO},
    {"IO error: /d/No space left on device/000005.log: Input/output error",
     E_IO},
    {"IO error: /d/MANIFEST-000002: Permission denied", E_IO},
    {"IO error: lock /d/LOCK: already held by process", E_LOCKED},
    {"IO error: lock /d/LOCK: Resource temporarily unavailable", E_LOCKED},
    {"Corruption: block checksum mismatch", E_CORRUPT},
    {"Corruption: 1 missing files; e.g.: /d/000005.ldb", E_CORRUPT},
    {"Corruption: checksum mismatch: /d/000004.log", E_CORRUPT},
    {"NotFound: /d/000005.ldb: No such file or directory", E_CORRUPT},
    {"Invalid argument: /d: does not exist (create_if_missing is false)",
     E_NOTFOUND},
    {"Invalid argument: not an sstable", E_INVALID},
    {"Not implemented: whatever", E_IO},
    {"", E_IO},
};

START_TEST(kv_rc_of_maps_every_text)
{
	ck_assert_msg(kv_rc_of(texts[_i].text) == texts[_i].rc, "%s",
		      texts[_i].text);
}
END_TEST

START_TEST(kv_gets_what_was_put_and_not_what_was_deleted)
{
	struct kv_batch *b = kv_batch_new();

	expect("a", NULL);
	kv_batch_put(b, str("a"), str("1"));
	kv_batch_put(b, str("b"), str(""));
	kv_batch_put(b, str("c"), str("3"));
	kv_batch_del(b, str("c"));
	ck_assert_int_eq(kv_write(kv, b, true), 0);
	kv_batch_free(b);
	expect("a", "1");
	expect("b", "");
	expect("c", NULL);
	put("a", "2");
	expect("a", "2");
}
END_TEST

START_TEST(kv_batch_counts_its_bytes_and_starts_again_when_cleared)
{
	struct kv_batch *b = kv_batch_new();

	ck_assert_uint_eq(kv_batch_size(b), 0);
	kv_batch_put(b, str("abc"), str("12345"));
	kv_batch_del(b, str("xy"));
	ck_assert_uint_eq(kv_batch_size(b), 10);
	kv_batch_clear(b);
	ck_assert_uint_eq(kv_batch_size(b), 0);
	kv_batch_put(b, str("d"), str("4"));
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	/* Contents stay: a second write is the same again. */
	ck_assert_int_eq(kv_write(kv, b, false), 0);
	kv_batch_free(b);
	expect("abc", NULL);
	expect("d", "4");
}
END_TEST

START_TEST(kv_keeps_its_contents_over_a_restart)
{
	put("a", "1");
	kv_close(kv);
	ck_assert_int_eq(kv_open(&kv, path, &cfg), 0);
	expect("a", "1");
}
END_TEST

START_TEST(kv_open_refuses_what_it_may_not_make)
{
	struct kv_cfg only = {.create = false};
	char *none = path_join(dir, "none");
	char *deep = path_join(dir, "no/parent");
	struct kv *other = NULL;

	ck_assert_int_eq(kv_open(&other, none, &only), E_NOTFOUND);
	ck_assert_ptr_null(other);
	ck_assert_int_ne(kv_open(&other, deep, &cfg), 0);
	ck_assert_ptr_null(other);
	free(deep);
	free(none);
}
END_TEST

START_TEST(kv_open_says_locked_for_an_open_database)
{
	struct kv *other = NULL;

	ck_assert_int_eq(kv_open(&other, path, &cfg), E_LOCKED);
	ck_assert_ptr_null(other);
}
END_TEST

START_TEST(kv_iter_walks_in_order_from_where_it_is_sought)
{
	static const char *const want[] = {"b", "ba", "c"};
	struct kv_iter *it;
	struct slice k, v;
	int i = 0;

	put("c", "3");
	put("a", "1");
	put("ba", "2");
	put("b", "0");
	it = kv_iter_new(kv);
	ck_assert(!kv_iter_at(it, &k, &v));
	for (kv_iter_seek(it, str("aa")); kv_iter_at(it, &k, &v);
	     kv_iter_next(it))
		ck_assert(slice_eq(k, str(want[i++])));
	ck_assert_int_eq(i, 3);
	ck_assert_int_eq(kv_iter_rc(it), 0);
	kv_iter_seek(it, str("d"));
	ck_assert(!kv_iter_at(it, &k, &v));
	kv_iter_free(it);
}
END_TEST

START_TEST(kv_iter_sees_the_state_at_its_creation)
{
	struct kv_iter *it;
	struct slice k, v;

	put("a", "1");
	it = kv_iter_new(kv);
	put("a", "2");
	put("b", "3");
	kv_iter_seek(it, str("a"));
	ck_assert(kv_iter_at(it, &k, &v));
	ck_assert(slice_eq(v, str("1")));
	kv_iter_next(it);
	ck_assert(!kv_iter_at(it, &k, &v));
	kv_iter_free(it);
}
END_TEST

/* Write n values of 100 bytes, key from first on. */
static int put_many(uint32_t first, uint32_t n)
{
	struct kv_batch *b = kv_batch_new();
	uint8_t key[4], value[100];
	int rc = 0;
	uint32_t i;

	for (i = first; rc == 0 && i < first + n; i++) {
		be32_put(key, i);
		memset(value, (int)(i & 0xff), sizeof value);
		kv_batch_clear(b);
		kv_batch_put(b, slice_of(key, 4), slice_of(value, 100));
		rc = kv_write(kv, b, false);
	}
	kv_batch_free(b);
	return rc;
}

static void expect_many(uint32_t first, uint32_t n)
{
	uint8_t key[4], *value;
	uint32_t i;
	size_t len;

	for (i = first; i < first + n; i++) {
		be32_put(key, i);
		ck_assert_int_eq(kv_get(kv, &value, &len, slice_of(key, 4)), 0);
		ck_assert_uint_eq(len, 100);
		ck_assert_uint_eq(value[99], i & 0xff);
		free(value);
	}
}

START_TEST(kv_works_with_every_setting)
{
	static const struct kv_cfg all[] = {
	    {.create = true},
	    {.create = true, .bloom_bits = 10, .max_open_files = 1000},
	    {.create = true,
	     .cache = 8 << 20,
	     .write_buffer = 64 << 10,
	     .max_file_size = 1 << 20,
	     .bloom_bits = 10},
	};

	kv_close(kv);
	ck_assert_int_eq(kv_open(&kv, path, &all[_i]), 0);
	ck_assert_int_eq(put_many(0, 20000), 0);
	expect_many(0, 20000);
	expect("xxxx", NULL);
	kv_close(kv);
	ck_assert_int_eq(kv_open(&kv, path, &all[_i]), 0);
	expect_many(0, 20000);
}
END_TEST

START_TEST(kv_disk_size_grows_with_the_tables)
{
	static const uint8_t from[4], to[4] = {0xff, 0xff, 0xff, 0xff};
	uint64_t before = kv_disk_size(kv, slice_of(from, 4), slice_of(to, 4));
	uint64_t after;

	ck_assert_int_eq(put_many(0, 40000), 0);
	after = kv_disk_size(kv, slice_of(from, 4), slice_of(to, 4));
	ck_assert_uint_lt(before, 4096);
	ck_assert_uint_gt(after, 1000000);
}
END_TEST

START_TEST(kv_keeps_the_first_failure_of_a_write)
{
	int rc;

	ck_assert_int_eq(put_many(0, 10), 0);
	limit_files(4096);
	rc = put_many(10, 1000);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(rc, E_NOSPACE);
	/* There is room again; the torn record is not written over. */
	ck_assert_int_eq(put_many(2000, 1), E_NOSPACE);
	expect_many(0, 10);
	kv_close(kv);
	ck_assert_int_eq(kv_open(&kv, path, &cfg), 0);
	expect_many(0, 10);
	ck_assert_int_eq(put_many(2000, 1), 0);
}
END_TEST

Suite *kv_suite(void)
{
	Suite *s = suite_create("kv");
	TCase *t = tcase_create("kv");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, kv_rc_of_maps_every_text, 0,
			    (int)(sizeof texts / sizeof *texts));
	tcase_add_test(t, kv_gets_what_was_put_and_not_what_was_deleted);
	tcase_add_test(t,
		       kv_batch_counts_its_bytes_and_starts_again_when_cleared);
	tcase_add_test(t, kv_keeps_its_contents_over_a_restart);
	tcase_add_test(t, kv_open_refuses_what_it_may_not_make);
	tcase_add_test(t, kv_open_says_locked_for_an_open_database);
	tcase_add_test(t, kv_iter_walks_in_order_from_where_it_is_sought);
	tcase_add_test(t, kv_iter_sees_the_state_at_its_creation);
	tcase_add_loop_test(t, kv_works_with_every_setting, 0, 3);
	tcase_add_test(t, kv_disk_size_grows_with_the_tables);
	tcase_add_test(t, kv_keeps_the_first_failure_of_a_write);
	suite_add_tcase(s, t);
	return s;
}
