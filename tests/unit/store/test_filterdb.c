/* Filters on disk, in a scratch folder. */
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/crypto/sha256.h>
#include <cairn/store/filterdb.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *dir, *path;
static struct filterdb *f;

static void setup(void)
{
	dir = scratch_new();
	path = path_join(dir, "filter");
	ck_assert_int_eq(filterdb_open(&f, path), 0);
}

static void teardown(void)
{
	filterdb_close(f);
	free(path);
	scratch_free(dir);
}

static void reopen(void)
{
	filterdb_close(f);
	ck_assert_int_eq(filterdb_open(&f, path), 0);
}

/* Block i, its filter and its header. */
static struct hash256 block(uint32_t i)
{
	struct hash256 h = {{0}};

	le32_put(h.b, i);
	return h;
}

static struct slice filter(uint8_t p[2000], uint32_t i)
{
	size_t n = 1 + i * 37 % 2000;

	memset(p, (int)(i & 0xff), n);
	return slice_of(p, n);
}

static int put_rc(uint32_t i)
{
	struct hash256 b = block(i), header = block(i ^ 0xffffffffu), hash;
	uint8_t p[2000];
	struct slice s = filter(p, i);

	sha256d(&hash, s.p, s.n);
	return filterdb_put(f, &b, (int32_t)i, &header, &hash, s);
}

static void expect(uint32_t i)
{
	struct hash256 b = block(i), header = block(i ^ 0xffffffffu), hash;
	struct filter_record r;
	uint8_t p[2000];
	struct slice s = filter(p, i);
	struct buf *got;

	sha256d(&hash, s.p, s.n);
	ck_assert_int_eq(filterdb_get(f, &r, &b), 0);
	ck_assert(hash256_eq(&r.hash, &hash));
	ck_assert(hash256_eq(&r.header, &header));
	ck_assert_int_eq(r.height, (int32_t)i);
	ck_assert_uint_eq(r.size, s.n);
	ck_assert_int_eq(filterdb_read(f, &got, &r), 0);
	ck_assert(slice_eq(buf_payload(got), s));
	buf_unref(got);
}

START_TEST(filterdb_gives_back_what_was_put)
{
	struct hash256 none = block(1000);
	struct filter_record r;
	uint32_t i;

	for (i = 0; i < 200; i++)
		ck_assert_int_eq(put_rc(i), 0);
	for (i = 0; i < 200; i++)
		expect(i);
	ck_assert_int_eq(filterdb_get(f, &r, &none), E_NOTFOUND);
	ck_assert_uint_gt(filterdb_disk_size(f), 100000);
	reopen();
	for (i = 0; i < 200; i++)
		expect(i);
	/* And goes on behind them. */
	ck_assert_int_eq(put_rc(200), 0);
	expect(199);
	expect(200);
}
END_TEST

START_TEST(filterdb_takes_the_same_block_again)
{
	ck_assert_int_eq(put_rc(1), 0);
	ck_assert_int_eq(put_rc(2), 0);
	ck_assert_int_eq(put_rc(1), 0);
	expect(1);
	expect(2);
}
END_TEST

START_TEST(filterdb_best_is_what_was_synced)
{
	struct hash256 a = block(1), b = block(2), got;

	ck_assert(!filterdb_best(f, &got));
	ck_assert_int_eq(filterdb_sync(f), 0);
	reopen();
	ck_assert(!filterdb_best(f, &got));
	ck_assert_int_eq(filterdb_set_best(f, &a), 0);
	ck_assert(filterdb_best(f, &got));
	ck_assert(hash256_eq(&got, &a));
	ck_assert_int_eq(filterdb_sync(f), 0);
	ck_assert_int_eq(filterdb_set_best(f, &b), 0);
	ck_assert(filterdb_best(f, &got));
	ck_assert(hash256_eq(&got, &b));
	reopen();
	ck_assert(filterdb_best(f, &got));
	ck_assert(hash256_eq(&got, &a));
}
END_TEST

START_TEST(filterdb_read_finds_rot_and_lost_bytes)
{
	char *file = path_join(path, "filters.dat");
	struct hash256 b1 = block(1), b2 = block(2);
	struct filter_record r1, r2, long_one;
	struct buf *got = NULL;
	FILE *h;

	ck_assert_int_eq(put_rc(1), 0);
	ck_assert_int_eq(put_rc(2), 0);
	ck_assert_int_eq(filterdb_get(f, &r1, &b1), 0);
	ck_assert_int_eq(filterdb_get(f, &r2, &b2), 0);
	h = fopen(file, "r+b");
	ck_assert_ptr_nonnull(h);
	ck_assert_int_eq(fputc('x', h), 'x');
	ck_assert_int_eq(fclose(h), 0);
	ck_assert_int_eq(filterdb_read(f, &got, &r1), E_CORRUPT);
	ck_assert_int_eq(filterdb_read(f, &got, &r2), 0);
	buf_unref(got);
	ck_assert_int_eq(truncate(file, (off_t)(r2.off + r2.size - 1)), 0);
	ck_assert_int_eq(filterdb_read(f, &got, &r2), E_CORRUPT);
	long_one = r2;
	long_one.size = UINT32_MAX;
	ck_assert_int_eq(filterdb_read(f, &got, &long_one), E_CORRUPT);
	free(file);
}
END_TEST

START_TEST(filterdb_on_a_full_disk_fails_for_good)
{
	struct hash256 b = block(2);
	struct filter_record r;
	uint32_t i;
	int rc = 0;

	ck_assert_int_eq(put_rc(1), 0);
	limit_files(2000);
	for (i = 2; rc == 0 && i < 500; i++)
		rc = put_rc(i);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(rc, E_NOSPACE);
	ck_assert_int_eq(put_rc(600), E_NOSPACE);
	ck_assert_int_eq(filterdb_sync(f), E_NOSPACE);
	ck_assert_int_eq(filterdb_set_best(f, &b), E_NOSPACE);
	expect(1);
	reopen();
	expect(1);
	ck_assert_int_eq(put_rc(600), 0);
	expect(600);
	b = block(601);
	ck_assert_int_eq(filterdb_get(f, &r, &b), E_NOTFOUND);
}
END_TEST

Suite *filterdb_suite(void)
{
	Suite *s = suite_create("filterdb");
	TCase *t = tcase_create("filterdb");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, filterdb_gives_back_what_was_put);
	tcase_add_test(t, filterdb_takes_the_same_block_again);
	tcase_add_test(t, filterdb_best_is_what_was_synced);
	tcase_add_test(t, filterdb_read_finds_rot_and_lost_bytes);
	tcase_add_test(t, filterdb_on_a_full_disk_fails_for_good);
	suite_add_tcase(s, t);
	return s;
}
