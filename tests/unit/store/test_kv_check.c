/* Tables whose size is not what the manifest says are found before they are
 * mapped. */
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/store/kv.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *dir, *path;
static const struct kv_cfg cfg = {.create = true, .write_buffer = 64 << 10};

static void write_some(struct kv *kv, uint32_t first, uint32_t n)
{
	struct kv_batch *b = kv_batch_new();
	uint8_t key[4], value[100] = {0};
	uint32_t i;

	for (i = first; i < first + n; i++) {
		be32_put(key, i);
		kv_batch_clear(b);
		kv_batch_put(b, slice_of(key, 4), slice_of(value, 100));
		ck_assert_int_eq(kv_write(kv, b, false), 0);
	}
	kv_batch_free(b);
}

/* Three tables, one made by each open from the log that it finds: too few for
 * LevelDB to begin merging them, which would change what there is to test. */
static void setup(void)
{
	struct kv *kv;
	uint32_t i;

	dir = scratch_new();
	path = path_join(dir, "db");
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(kv_open(&kv, path, &cfg), 0);
		if (i < 3)
			write_some(kv, i * 100, 150);
		kv_close(kv);
	}
}

static void teardown(void)
{
	free(path);
	scratch_free(dir);
}

/* Paths of the tables: gives how many. */
static int tables(char *found[64])
{
	DIR *d = opendir(path);
	struct dirent *e;
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		if (n < 64 && strlen(e->d_name) == 10 &&
		    strcmp(e->d_name + 6, ".ldb") == 0)
			found[n++] = path_join(path, e->d_name);
	}
	closedir(d);
	return n;
}

static int open_rc(void)
{
	struct kv *kv;
	int rc = kv_open(&kv, path, &cfg);

	if (rc == 0)
		kv_close(kv);
	return rc;
}

static void change_size(const char *file, off_t by)
{
	struct stat st;

	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_int_eq(truncate(file, st.st_size + by), 0);
}

START_TEST(kv_open_takes_a_sound_database)
{
	struct kv *kv;
	uint32_t i;

	ck_assert_int_eq(open_rc(), 0);
	/* The same after tables were merged and deleted. */
	ck_assert_int_eq(kv_open(&kv, path, &cfg), 0);
	for (i = 0; i < 3; i++)
		write_some(kv, 0, 20000);
	kv_close(kv);
	ck_assert_int_eq(open_rc(), 0);
}
END_TEST

START_TEST(kv_open_refuses_any_table_of_another_size)
{
	char *found[64];
	int n = tables(found), i;

	ck_assert_int_eq(n, 3);
	for (i = 0; i < n; i++) {
		change_size(found[i], -1);
		ck_assert_int_eq(open_rc(), E_CORRUPT);
		change_size(found[i], 2);
		ck_assert_int_eq(open_rc(), E_CORRUPT);
		change_size(found[i], -1);
		free(found[i]);
	}
	/* The sizes are right again, and LevelDB looks into no table yet. */
	ck_assert_int_eq(open_rc(), 0);
}
END_TEST

START_TEST(kv_open_refuses_a_missing_table)
{
	char *found[64];
	int n = tables(found);

	ck_assert_int_eq(unlink(found[0]), 0);
	ck_assert_int_eq(open_rc(), E_CORRUPT);
	while (n--)
		free(found[n]);
}
END_TEST

START_TEST(kv_open_leaves_a_broken_manifest_to_the_library)
{
	static const char *const names[] = {"MANIFEST-999999\n", "", "\n",
					    "no/such/file\n"};
	char *current = path_join(path, "CURRENT");
	size_t i;

	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(
		    file_replace(current, slice_of(names[i], strlen(names[i])),
				 0600),
		    0);
		ck_assert_int_ne(open_rc(), 0);
	}
	free(current);
}
END_TEST

/* Whatever the manifest's bytes are, nothing is read outside of them. */
START_TEST(kv_open_survives_any_manifest)
{
	char *current = path_join(path, "CURRENT");
	char *junk = path_join(path, "MANIFEST-777777");
	static const char name[] = "MANIFEST-777777\n";
	uint8_t bytes[70000];
	size_t i, n;

	ck_assert_int_eq(
	    file_replace(current, slice_of(name, sizeof name - 1), 0600), 0);
	for (i = 0; i < 40; i++) {
		n = i * 1700;
		memset(bytes, 0, sizeof bytes);
		/* Records of every type and length, filled with fields. */
		for (size_t k = 0; k + 8 < n; k++)
			bytes[k] =
			    (uint8_t)(k * 7 % 11 == i % 11 ? 1 + (k + i) % 9
							   : k * i);
		bytes[4] = (uint8_t)(i * 13);
		bytes[5] = (uint8_t)i;
		bytes[6] = (uint8_t)(i % 6);
		ck_assert_int_eq(file_replace(junk, slice_of(bytes, n), 0600),
				 0);
		ck_assert_int_ne(open_rc(), 0);
	}
	free(junk);
	free(current);
}
END_TEST

Suite *kv_check_suite(void)
{
	Suite *s = suite_create("kv_check");
	TCase *t = tcase_create("kv_check");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, kv_open_takes_a_sound_database);
	tcase_add_test(t, kv_open_refuses_any_table_of_another_size);
	tcase_add_test(t, kv_open_refuses_a_missing_table);
	tcase_add_test(t, kv_open_leaves_a_broken_manifest_to_the_library);
	tcase_add_test(t, kv_open_survives_any_manifest);
	suite_add_tcase(s, t);
	return s;
}
