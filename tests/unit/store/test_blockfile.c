/* Block and undo files, in a scratch folder. */
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/base/thread.h>
#include <cairn/store/blockfile.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t magic[4] = {0xfa, 0xbf, 0xb5, 0xda};

static char *dir;
static struct blockfile *f;

static void open_at(int32_t file, uint32_t end)
{
	ck_assert_int_eq(
	    blockfile_open(&f, dir, BLOCKFILE_BLK, magic, file, end), 0);
}

static void setup(void)
{
	dir = scratch_new();
	open_at(-1, 0);
}

static void teardown(void)
{
	blockfile_close(f);
	scratch_free(dir);
}

/* A stamped record with n bytes that only the seed decides. */
static struct buf *record(uint32_t seed, size_t n)
{
	struct buf *b = buf_new(n);
	struct rand r;
	size_t i;

	ck_assert_ptr_nonnull(b);
	b->n = n;
	rand_seed(&r, seed);
	for (i = 0; i < n && i < 4096; i++)
		buf_data(b)[i] = (uint8_t)rand_u64(&r);
	if (n > 4096)
		memset(buf_data(b) + 4096, (int)(seed & 0xff), n - 4096);
	memcpy(buf_data(b) - 8, magic, 4);
	le32_put(buf_data(b) - 4, (uint32_t)n);
	return b;
}

static int append_rc(struct blockfile_pos *pos, uint32_t seed, size_t n)
{
	struct buf *b = record(seed, n);
	int rc = blockfile_append(f, pos, b);

	buf_unref(b);
	return rc;
}

static struct blockfile_pos append(uint32_t seed, size_t n)
{
	struct blockfile_pos pos;

	ck_assert_int_eq(append_rc(&pos, seed, n), 0);
	ck_assert_uint_eq(pos.size, n);
	return pos;
}

static void expect(const struct blockfile_pos *pos, uint32_t seed)
{
	struct buf *want = record(seed, pos->size), *got;

	ck_assert_int_eq(blockfile_read(f, &got, pos), 0);
	ck_assert(slice_eq(buf_payload(got), buf_payload(want)));
	ck_assert_mem_eq(buf_data(got) - 8, buf_data(want) - 8, 8);
	buf_unref(got);
	buf_unref(want);
}

static int read_rc(int32_t file, uint32_t off, uint32_t size)
{
	struct blockfile_pos pos = {file, off, size};
	struct buf *got = NULL;
	int rc = blockfile_read(f, &got, &pos);

	buf_unref(got);
	return rc;
}

static char *file_path(int file)
{
	return xasprintf("%s/blk%05d.dat", dir, file);
}

static off_t size_of(int file)
{
	char *path = file_path(file);
	struct stat st;
	off_t n = stat(path, &st) == 0 ? st.st_size : -1;

	free(path);
	return n;
}

START_TEST(blockfile_reads_what_was_appended)
{
	struct blockfile_pos a = append(1, 80), b = append(2, 100000);

	ck_assert_int_eq(a.file, 0);
	ck_assert_uint_eq(a.off, 8);
	ck_assert_uint_eq(b.off, 8 + 80 + 8);
	expect(&a, 1);
	expect(&b, 2);
	ck_assert_int_eq(blockfile_sync(f), 0);
	ck_assert_uint_eq(blockfile_disk_size(f), 80 + 100000 + 16);
	ck_assert_int_eq(size_of(0), 80 + 100000 + 16);
}
END_TEST

/* The form that every Bitcoin tool knows. */
START_TEST(blockfile_holds_magic_length_payload)
{
	struct buf *b = record(5, 3), *file;
	struct blockfile_pos pos;
	char *path = path_join(dir, "blk00000.dat");

	ck_assert_int_eq(blockfile_append(f, &pos, b), 0);
	ck_assert_int_eq(file_read(&file, path, 100), 0);
	ck_assert_uint_eq(file->n, 11);
	ck_assert_mem_eq(buf_data(file), "\xfa\xbf\xb5\xda\x03\0\0\0", 8);
	ck_assert_mem_eq(buf_data(file) + 8, buf_data(b), 3);
	buf_unref(file);
	buf_unref(b);
	free(path);
}
END_TEST

START_TEST(blockfile_goes_on_where_the_index_says)
{
	struct blockfile_pos a = append(1, 500), b;

	append(2, 600);
	append(3, 700);
	blockfile_close(f);
	/* The index knows of the first record only. */
	open_at(0, a.off + a.size);
	ck_assert_int_eq(size_of(0), 8 * 3 + 500 + 600 + 700);
	b = append(4, 10);
	ck_assert_uint_eq(b.off, 8 + 500 + 8);
	expect(&a, 1);
	expect(&b, 4);
	ck_assert_int_eq(size_of(0), 8 + 500 + 8 + 10);
	ck_assert_uint_eq(blockfile_disk_size(f), 8 + 500 + 8 + 10);
}
END_TEST

START_TEST(blockfile_cuts_whole_files_behind_the_cursor)
{
	struct blockfile_pos a = append(1, 100);
	char *later = path_join(dir, "blk00002.dat");
	char *other = path_join(dir, "rev00002.dat");
	char *odd = path_join(dir, "blk00002.dat.bak");

	ck_assert_int_eq(file_replace(later, slice_of("x", 1), 0600), 0);
	ck_assert_int_eq(file_replace(other, slice_of("x", 1), 0600), 0);
	ck_assert_int_eq(file_replace(odd, slice_of("x", 1), 0600), 0);
	blockfile_close(f);
	open_at(0, a.off + a.size);
	ck_assert_uint_eq(blockfile_disk_size(f), 109);
	/* Nothing is cut before something is appended. */
	ck_assert(path_exists(later));
	append(2, 10);
	ck_assert(!path_exists(later));
	ck_assert(path_exists(other));
	ck_assert(path_exists(odd));
	ck_assert_uint_eq(blockfile_disk_size(f), 108 + 18);
	free(odd);
	free(other);
	free(later);
}
END_TEST

START_TEST(blockfile_begins_a_new_file_above_the_limit)
{
	size_t first = BLOCKFILE_MAX - 8 - 1000, fits = 1000 - 8;
	struct blockfile_pos a = append(1, first), b, c;

	b = append(2, fits);
	ck_assert_int_eq(b.file, 0);
	ck_assert_int_eq(size_of(0), BLOCKFILE_MAX);
	c = append(3, 1);
	ck_assert_int_eq(c.file, 1);
	ck_assert_uint_eq(c.off, 8);
	expect(&a, 1);
	expect(&b, 2);
	expect(&c, 3);
	ck_assert_int_eq(blockfile_sync(f), 0);
	ck_assert_uint_eq(blockfile_disk_size(f), BLOCKFILE_MAX + 9ull);
}
END_TEST

START_TEST(blockfile_gives_an_oversized_record_its_own_file)
{
	struct blockfile_pos a = append(1, 10), b, c;

	b = append(2, BLOCKFILE_MAX);
	c = append(3, 10);
	ck_assert_int_eq(a.file, 0);
	ck_assert_int_eq(b.file, 1);
	ck_assert_int_eq(c.file, 2);
	expect(&a, 1);
	expect(&b, 2);
	expect(&c, 3);
}
END_TEST

START_TEST(blockfile_read_refuses_what_is_no_record)
{
	struct blockfile_pos a = append(1, 50), b = append(2, 60);

	ck_assert_int_eq(read_rc(0, a.off, 49), E_CORRUPT);
	ck_assert_int_eq(read_rc(0, a.off, 51), E_CORRUPT);
	ck_assert_int_eq(read_rc(0, a.off + 1, 50), E_CORRUPT);
	ck_assert_int_eq(read_rc(0, 7, 50), E_CORRUPT);
	ck_assert_int_eq(read_rc(0, 0, 50), E_CORRUPT);
	ck_assert_int_eq(read_rc(-1, a.off, 50), E_CORRUPT);
	ck_assert_int_eq(read_rc(1, a.off, 50), E_CORRUPT);
	ck_assert_int_eq(read_rc(INT32_MAX, a.off, 50), E_CORRUPT);
	/* Far beyond the end: no buffer of that size is asked for. */
	ck_assert_int_eq(read_rc(0, a.off, UINT32_MAX), E_CORRUPT);
	ck_assert_int_eq(read_rc(0, UINT32_MAX, UINT32_MAX), E_CORRUPT);
	ck_assert_int_eq(read_rc(0, b.off, 60), 0);
}
END_TEST

START_TEST(blockfile_read_refuses_another_magic)
{
	struct blockfile_pos a = append(1, 50);
	static const uint8_t other[4] = {0xf9, 0xbe, 0xb4, 0xd9};

	blockfile_close(f);
	ck_assert_int_eq(blockfile_open(&f, dir, BLOCKFILE_BLK, other, 0, 58),
			 0);
	ck_assert_int_eq(read_rc(0, a.off, 50), E_CORRUPT);
}
END_TEST

START_TEST(blockfile_read_finds_a_cut_file)
{
	struct blockfile_pos a = append(1, 50);
	char *path = path_join(dir, "blk00000.dat");

	ck_assert_int_eq(truncate(path, 57), 0);
	ck_assert_int_eq(read_rc(0, a.off, 50), E_CORRUPT);
	free(path);
}
END_TEST

START_TEST(blockfile_on_a_full_disk_stays_where_it_was_and_goes_on_later)
{
	struct blockfile_pos a = append(1, 1000), b, none = {7, 7, 7};
	int rc;

	limit_files(3000);
	rc = append_rc(&none, 2, 5000);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(rc, E_NOSPACE);
	ck_assert_int_eq(none.file, 7);
	/* What fitted was taken back. */
	ck_assert_int_eq(size_of(0), 1008);
	ck_assert_uint_eq(blockfile_disk_size(f), 1008);
	b = append(3, 5000);
	ck_assert_uint_eq(b.off, 1008 + 8);
	expect(&a, 1);
	expect(&b, 3);
	ck_assert_int_eq(blockfile_sync(f), 0);
}
END_TEST

START_TEST(blockfile_keeps_few_files_open)
{
	struct blockfile_pos pos[40];
	int i, k, fds = 0;

	/* A file per record: each fills one. */
	for (i = 0; i < 40; i++) {
		char *path = file_path(i);
		uint8_t head[9];

		memcpy(head, magic, 4);
		le32_put(head + 4, 1);
		head[8] = (uint8_t)i;
		ck_assert_int_eq(
		    file_replace(path, slice_of(head, sizeof head), 0600), 0);
		pos[i] = (struct blockfile_pos){i, 8, 1};
		free(path);
	}
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 40; i++) {
			struct buf *b;

			ck_assert_int_eq(blockfile_read(f, &b, &pos[i]), 0);
			ck_assert_int_eq(buf_data(b)[0], i);
			buf_unref(b);
		}
	}
	for (i = 0; i < 256; i++)
		fds += fcntl(i, F_GETFD) >= 0;
	ck_assert_int_lt(fds, 32);
}
END_TEST

struct reader {
	pthread_t thread;
	struct blockfile_pos *pos;
	int n, bad;
};

static void read_all(void *arg)
{
	struct reader *r = arg;
	int i, round;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < r->n; i++) {
			struct buf *b;

			if (blockfile_read(f, &b, &r->pos[i]) != 0) {
				r->bad++;
				continue;
			}
			r->bad += buf_data(b)[r->pos[i].size - 1] != (i & 0xff);
			buf_unref(b);
		}
	}
}

START_TEST(blockfile_is_read_and_synced_while_it_is_appended)
{
	struct blockfile_pos pos[50];
	struct reader readers[3];
	int i;

	for (i = 0; i < 50; i++)
		pos[i] = append((uint32_t)i, 5000);
	for (i = 0; i < 3; i++) {
		readers[i] = (struct reader){.pos = pos, .n = 50};
		thread_start(&readers[i].thread, "read", read_all, &readers[i]);
	}
	for (i = 50; i < 100; i++) {
		append((uint32_t)i, 5000);
		if (i % 10 == 0)
			ck_assert_int_eq(blockfile_sync(f), 0);
	}
	for (i = 0; i < 3; i++) {
		pthread_join(readers[i].thread, NULL);
		ck_assert_int_eq(readers[i].bad, 0);
	}
}
END_TEST

START_TEST(blockfile_finds_the_end_whatever_it_holds)
{
	int32_t file = 5;
	uint32_t end = 5;
	char *path;
	int fd;

	ck_assert_int_eq(blockfile_find_end(&file, &end, dir, BLOCKFILE_BLK),
			 0);
	ck_assert_int_eq(file, -1);
	ck_assert_uint_eq(end, 0);
	append(1, 100);
	path = file_path(3);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	free(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "junk", 4), 4);
	close(fd);
	ck_assert_int_eq(blockfile_find_end(&file, &end, dir, BLOCKFILE_BLK),
			 0);
	ck_assert_int_eq(file, 3);
	ck_assert_uint_eq(end, 4);
	ck_assert_int_eq(blockfile_find_end(&file, &end, dir, BLOCKFILE_REV),
			 0);
	ck_assert_int_eq(file, -1);
	ck_assert_int_eq(
	    blockfile_find_end(&file, &end, "/nonexistent", BLOCKFILE_BLK),
	    -ENOENT);
}
END_TEST

START_TEST(blockfile_open_says_when_there_is_no_folder)
{
	char *none = path_join(dir, "none");
	struct blockfile *other = NULL;

	ck_assert_int_ne(
	    blockfile_open(&other, none, BLOCKFILE_REV, magic, -1, 0), 0);
	ck_assert_ptr_null(other);
	free(none);
}
END_TEST

Suite *blockfile_suite(void)
{
	Suite *s = suite_create("blockfile");
	TCase *t = tcase_create("blockfile");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, blockfile_reads_what_was_appended);
	tcase_add_test(t, blockfile_holds_magic_length_payload);
	tcase_add_test(t, blockfile_goes_on_where_the_index_says);
	tcase_add_test(t, blockfile_cuts_whole_files_behind_the_cursor);
	tcase_add_test(t, blockfile_begins_a_new_file_above_the_limit);
	tcase_add_test(t, blockfile_gives_an_oversized_record_its_own_file);
	tcase_add_test(t, blockfile_read_refuses_what_is_no_record);
	tcase_add_test(t, blockfile_read_refuses_another_magic);
	tcase_add_test(t, blockfile_read_finds_a_cut_file);
	tcase_add_test(
	    t, blockfile_on_a_full_disk_stays_where_it_was_and_goes_on_later);
	tcase_add_test(t, blockfile_keeps_few_files_open);
	tcase_add_test(t, blockfile_is_read_and_synced_while_it_is_appended);
	tcase_add_test(t, blockfile_open_says_when_there_is_no_folder);
	tcase_add_test(t, blockfile_finds_the_end_whatever_it_holds);
	suite_add_tcase(s, t);
	return s;
}
