/* mempool.dat, written and read. */
#include "../../../src/node/poolfile.h"
#include "pool_rows.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define NONE ((const int[]){-1})

static char *dir, *path;

static void setup(void)
{
	dir = scratch_new();
	path = path_join(dir, "mempool.dat");
}

static void teardown(void)
{
	free(path);
	scratch_free(dir);
}

/* Transactions with so many bytes of script each, and what else there is. */
static struct pool_dump *dump_new(const size_t *pads, size_t n)
{
	struct pool_dump *d = xcalloc(1, sizeof *d);

	d->copy = rows_new(n);
	for (size_t i = 0; i < n; i++) {
		rows_add(d->copy, NONE, pads[i]);
		d->copy->rows[i].time_s = 1700000000 + (int64_t)i;
		d->copy->rows[i].delta = i % 2 ? -(int64_t)i : 0;
		d->copy->rows[i].unbroadcast = i % 3 == 0;
	}
	d->deltas = xcalloc(2, sizeof *d->deltas);
	d->n = 2;
	d->deltas[0] = (struct pool_delta){{{9}}, INT64_MIN};
	d->deltas[1] = (struct pool_delta){{{8}}, 5};
	return d;
}

static void tx_is(const struct pool_item *item, const struct pool_row *r)
{
	ck_assert_int_eq(item->kind, POOL_ITEM_TX);
	ck_assert(slice_eq(buf_payload(item->buf), buf_payload(r->buf)));
	ck_assert_int_eq(item->time_s, r->time_s);
	ck_assert_int_eq(item->delta, r->delta);
}

static void rest_is(struct pool_reader *r, const struct pool_dump *d)
{
	struct pool_item item;

	for (size_t i = 0; i < d->n; i++) {
		ck_assert_int_eq(poolfile_next(r, &item), 1);
		ck_assert_int_eq(item.kind, POOL_ITEM_DELTA);
		ck_assert(hash256_eq(&item.txid, &d->deltas[i].txid));
		ck_assert_int_eq(item.delta, d->deltas[i].delta);
	}
	for (size_t i = 0; i < d->copy->n; i++) {
		if (!d->copy->rows[i].unbroadcast)
			continue;
		ck_assert_int_eq(poolfile_next(r, &item), 1);
		ck_assert_int_eq(item.kind, POOL_ITEM_UNBROADCAST);
		ck_assert(hash256_eq(&item.txid, &d->copy->rows[i].txid));
	}
	ck_assert_int_eq(poolfile_next(r, &item), 0);
	ck_assert_int_eq(poolfile_next(r, &item), 0);
}

static void comes_back(const size_t *pads, size_t n, unsigned form)
{
	struct pool_dump *d = dump_new(pads, n);
	struct pool_reader *r;
	struct pool_item item;
	uint64_t size;

	ck_assert_int_eq(poolfile_write(path, d, form, &size), 0);
	ck_assert_int_eq(poolfile_open(&r, path), 0);
	ck_assert_uint_eq(poolfile_count(r), n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(poolfile_next(r, &item), 1);
		tx_is(&item, &d->copy->rows[i]);
		buf_unref(item.buf);
	}
	rest_is(r, d);
	poolfile_close(r);
	pooldump_free(d);
}

START_TEST(what_is_written_is_read)
{
	static const size_t pads[] = {1, 100, 9999, 0, 70000};

	comes_back(pads, 5, 1);
	comes_back(pads, 5, 2);
	comes_back(pads, 0, 1);
	comes_back(pads, 0, 2);
}
END_TEST

START_TEST(windows_are_filled_again_behind_large_ones)
{
	static const size_t pads[] = {3900000, 1, 3900000, 65535, 3900000,
				      2000000, 5, 3900000, 1};

	comes_back(pads, 9, 2);
}
END_TEST

START_TEST(only_the_form_and_the_key_are_plain)
{
	static const size_t pads[] = {500};
	struct pool_dump *d = dump_new(pads, 1);
	struct buf *plain, *mixed;
	uint64_t size;

	ck_assert_int_eq(poolfile_write(path, d, 1, &size), 0);
	ck_assert_int_eq(file_read(&plain, path, 1 << 20), 0);
	ck_assert_uint_eq(size, plain->n);
	ck_assert_int_eq(poolfile_write(path, d, 2, &size), 0);
	ck_assert_int_eq(file_read(&mixed, path, 1 << 20), 0);
	ck_assert_uint_eq(size, mixed->n);
	ck_assert_uint_eq(mixed->n, plain->n + 9);
	ck_assert_uint_eq(buf_data(mixed)[8], 8);
	for (size_t i = 8; i < plain->n; i++) {
		size_t k = i + 9;

		ck_assert_uint_eq(buf_data(mixed)[k] ^
				      buf_data(mixed)[9 + k % 8],
				  buf_data(plain)[i]);
	}
	buf_unref(plain);
	buf_unref(mixed);
	pooldump_free(d);
}
END_TEST

/* Reads to the end or a failure; how many transactions came. */
static int read_all(int *rc)
{
	struct pool_reader *r = NULL;
	struct pool_item item;
	int n = 0;

	*rc = poolfile_open(&r, path);
	while (*rc >= 0 && r && (*rc = poolfile_next(r, &item)) == 1) {
		n += item.kind == POOL_ITEM_TX;
		buf_unref(item.buf);
	}
	poolfile_close(r);
	return n;
}

START_TEST(a_file_that_is_cut_fails_and_no_more)
{
	static const size_t pads[] = {20, 30};
	struct pool_dump *d = dump_new(pads, 2);
	uint64_t size;
	int rc;

	ck_assert_int_eq(poolfile_write(path, d, 2, &size), 0);
	ck_assert_int_eq(read_all(&rc), 2);
	ck_assert_int_eq(rc, 0);
	for (uint64_t n = size - 1; n > 0; n--) {
		ck_assert_int_eq(truncate(path, (off_t)n), 0);
		ck_assert_int_le(read_all(&rc), 2);
		ck_assert_msg(rc < 0, "%llu bytes of %llu were taken",
			      (unsigned long long)n, (unsigned long long)size);
	}
	pooldump_free(d);
}
END_TEST

START_TEST(other_forms_are_refused)
{
	static const struct {
		const char *bytes;
		size_t n;
		int rc;
	} rows[] = {
	    {"\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18, E_PARSE},
	    {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18, E_PARSE},
	    {"\2\0\0\0\0\0\0\0\7aaaaaaaaaaaaaaaaa", 26, E_PARSE},
	    {"\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0zzzzzz", 22, E_PARSE},
	    {"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17, E_CORRUPT},
	    {"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18, 0},
	};
	int rc;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		ck_assert_int_eq(
		    file_replace(path, slice_of(rows[i].bytes, rows[i].n),
				 0600),
		    0);
		read_all(&rc);
		ck_assert_msg(rc == rows[i].rc, "row %zu: %d", i, rc);
	}
	ck_assert_int_eq(unlink(path), 0);
	read_all(&rc);
	ck_assert_int_eq(rc, -ENOENT);
}
END_TEST

START_TEST(a_failure_leaves_the_file_that_was_there)
{
	static const size_t pads[] = {20};
	struct pool_dump *d = dump_new(pads, 1);
	char *tmp = path_join(dir, "mempool.dat.new");
	uint64_t size;
	int rc;

	ck_assert_int_eq(poolfile_write(path, d, 2, &size), 0);
	ck_assert(!path_exists(tmp));
	ck_assert_int_eq(dir_make(tmp), 0);
	ck_assert_int_eq(poolfile_write(path, d, 2, &size), -EISDIR);
	ck_assert_int_eq(read_all(&rc), 1);
	ck_assert_int_eq(rc, 0);
	free(tmp);
	pooldump_free(d);
}
END_TEST

Suite *poolfile_suite(void)
{
	Suite *s = suite_create("poolfile");
	TCase *t = tcase_create("poolfile");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_written_is_read);
	tcase_add_test(t, windows_are_filled_again_behind_large_ones);
	tcase_add_test(t, only_the_form_and_the_key_are_plain);
	tcase_add_test(t, a_file_that_is_cut_fails_and_no_more);
	tcase_add_test(t, other_forms_are_refused);
	tcase_add_test(t, a_failure_leaves_the_file_that_was_there);
	suite_add_tcase(s, t);
	return s;
}
