/* Files and folders, in a scratch folder. */
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *dir;

static void setup(void)
{
	dir = scratch_new();
}

static void teardown(void)
{
	scratch_free(dir);
}

START_TEST(path_join_puts_one_slash_between)
{
	static const char *const cases[][3] = {{"a", "b", "a/b"},
					       {"a/", "b", "a/b"},
					       {"/", "b", "/b"},
					       {"a", "b/c", "a/b/c"}};
	size_t i;

	for (i = 0; i < 4; i++) {
		char *p = path_join(cases[i][0], cases[i][1]);

		ck_assert_str_eq(p, cases[i][2]);
		free(p);
	}
}
END_TEST

START_TEST(dir_make_makes_parents_and_accepts_what_exists)
{
	char *deep = path_join(dir, "a/b//c/");
	char *a = path_join(dir, "a");
	struct stat st;

	ck_assert_int_eq(dir_make(deep), 0);
	ck_assert_int_eq(dir_make(deep), 0);
	ck_assert(path_is_dir(deep));
	ck_assert_int_eq(stat(a, &st), 0);
	ck_assert_int_eq(st.st_mode & 077, 0);
	ck_assert_int_eq(dir_sync(deep), 0);
	ck_assert_int_eq(dir_make("/"), 0);
	free(a);
	free(deep);
}
END_TEST

START_TEST(dir_make_refuses_a_file_in_the_way)
{
	char *below = path_join(dir, "f/g");
	char *f = path_join(dir, "f");

	scratch_put(dir, "f", "x");
	ck_assert_int_eq(dir_make(f), -ENOTDIR);
	ck_assert_int_lt(dir_make(below), 0);
	ck_assert(path_exists(f));
	ck_assert(!path_is_dir(f));
	free(f);
	free(below);
}
END_TEST

START_TEST(dir_remove_takes_everything_below_but_no_link_target)
{
	char *tree = path_join(dir, "tree");
	char *sub = path_join(tree, "x/y");
	char *target = path_join(dir, "kept");
	char *link = path_join(tree, "link");

	ck_assert_int_eq(dir_make(sub), 0);
	ck_assert_int_eq(dir_make(target), 0);
	scratch_put(sub, "f", "x");
	scratch_put(target, "f", "x");
	ck_assert_int_eq(symlink(target, link), 0);
	ck_assert_int_eq(dir_remove(tree), 0);
	ck_assert(!path_exists(tree));
	ck_assert(path_is_dir(target));
	ck_assert_int_eq(dir_remove(tree), -ENOENT);
	free(link);
	free(target);
	free(sub);
	free(tree);
}
END_TEST

START_TEST(file_read_takes_the_whole_file_up_to_max)
{
	char *path = path_join(dir, "f");
	struct buf *b = NULL;

	scratch_put(dir, "f", "0123456789");
	ck_assert_int_eq(file_read(&b, path, 10), 0);
	ck_assert(slice_eq(buf_payload(b), slice_of("0123456789", 10)));
	buf_unref(b);
	b = NULL;
	ck_assert_int_eq(file_read(&b, path, 9), E_LIMIT);
	ck_assert_int_eq(file_read(&b, path, 0), E_LIMIT);
	ck_assert_ptr_null(b);
	scratch_put(dir, "f", "");
	ck_assert_int_eq(file_read(&b, path, 0), 0);
	ck_assert_uint_eq(b->n, 0);
	buf_unref(b);
	free(path);
}
END_TEST

START_TEST(file_read_takes_files_that_state_no_size)
{
	struct buf *b = NULL;

	ck_assert_int_eq(file_read(&b, "/proc/self/status", 1 << 20), 0);
	ck_assert_uint_gt(b->n, 0);
	buf_unref(b);
	b = NULL;
	ck_assert_int_eq(file_read(&b, "/dev/zero", 100000), E_LIMIT);
	ck_assert_ptr_null(b);
}
END_TEST

START_TEST(file_read_says_what_the_system_says)
{
	char *path = path_join(dir, "none");
	struct buf *b = NULL;

	ck_assert_int_eq(file_read(&b, path, 10), -ENOENT);
	ck_assert_int_eq(file_read(&b, dir, 10), -EISDIR);
	ck_assert_ptr_null(b);
	free(path);
}
END_TEST

START_TEST(file_replace_swaps_content_and_mode_and_leaves_no_tmp)
{
	char *path = path_join(dir, "f");
	char *tmp = path_join(dir, "f.tmp");
	struct buf *b;
	struct stat st;

	scratch_put(dir, "f", "a longer old text");
	scratch_put(dir, "f.tmp", "left over");
	ck_assert_int_eq(file_replace(path, slice_of("new", 3), 0640), 0);
	ck_assert_int_eq(file_read(&b, path, 100), 0);
	ck_assert(slice_eq(buf_payload(b), slice_of("new", 3)));
	buf_unref(b);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
	ck_assert(!path_exists(tmp));
	free(tmp);
	free(path);
}
END_TEST

START_TEST(file_replace_keeps_the_old_file_when_it_fails)
{
	char *path = path_join(dir, "f");
	char *tmp = path_join(dir, "f.tmp");
	char *below = path_join(dir, "none/f");

	scratch_put(dir, "f", "old");
	ck_assert_int_eq(dir_make(tmp), 0);
	ck_assert_int_lt(file_replace(path, slice_of("new", 3), 0600), 0);
	ck_assert(path_exists(path));
	ck_assert_int_eq(file_replace(below, slice_of("x", 1), 0600), -ENOENT);
	free(below);
	free(tmp);
	free(path);
}
END_TEST

START_TEST(pread_all_calls_an_early_end_corrupt)
{
	char *path = path_join(dir, "f");
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	char b[8] = "";

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite_all(fd, "abcdef", 6, 100), 0);
	ck_assert_int_eq(fd_sync(fd), 0);
	ck_assert_int_eq(pread_all(fd, b, 6, 100), 0);
	ck_assert_mem_eq(b, "abcdef", 6);
	ck_assert_int_eq(pread_all(fd, b, 7, 100), E_CORRUPT);
	ck_assert_int_eq(pread_all(fd, b, 1, 106), E_CORRUPT);
	ck_assert_int_eq(pread_all(fd, b, 0, 1000), 0);
	close(fd);
	ck_assert_int_eq(pread_all(fd, b, 1, 0), -EBADF);
	ck_assert_int_eq(pwrite_all(fd, b, 1, 0), E_IO);
	ck_assert_int_eq(fd_sync(fd), E_IO);
	free(path);
}
END_TEST

START_TEST(pwrite_all_tells_a_full_disk_apart)
{
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		return;
	ck_assert_int_eq(pwrite_all(fd, "x", 1, 0), E_NOSPACE);
	close(fd);
}
END_TEST

/* The lock is per process, so another one has to ask. */
static int ask_elsewhere(const char *path)
{
	pid_t pid = fork();
	int status, fd;

	if (pid == 0)
		_exit(lock_take(&fd, path) == E_LOCKED ? 1 : 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

START_TEST(lock_take_keeps_other_processes_out_until_closed)
{
	char *path = path_join(dir, ".lock");
	int fd = -1;

	ck_assert_int_eq(lock_take(&fd, path), 0);
	ck_assert_int_eq(ask_elsewhere(path), 1);
	close(fd);
	ck_assert_int_eq(ask_elsewhere(path), 0);
	ck_assert_int_eq(lock_take(&fd, dir), -EISDIR);
	free(path);
}
END_TEST

START_TEST(file_error_tells_space_and_broken_disks_apart)
{
	ck_assert_int_eq(file_error(ENOSPC), E_NOSPACE);
	ck_assert_int_eq(file_error(EDQUOT), E_NOSPACE);
	ck_assert_int_eq(file_error(EFBIG), E_NOSPACE);
	ck_assert_int_eq(file_error(EIO), E_IO);
	ck_assert_int_eq(file_error(EACCES), -EACCES);
}
END_TEST

Suite *file_suite(void)
{
	Suite *s = suite_create("file");
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, path_join_puts_one_slash_between);
	tcase_add_test(tc, dir_make_makes_parents_and_accepts_what_exists);
	tcase_add_test(tc, dir_make_refuses_a_file_in_the_way);
	tcase_add_test(tc, file_error_tells_space_and_broken_disks_apart);
	tcase_add_test(tc,
		       dir_remove_takes_everything_below_but_no_link_target);
	tcase_add_test(tc, file_read_takes_the_whole_file_up_to_max);
	tcase_add_test(tc, file_read_takes_files_that_state_no_size);
	tcase_add_test(tc, file_read_says_what_the_system_says);
	tcase_add_test(tc,
		       file_replace_swaps_content_and_mode_and_leaves_no_tmp);
	tcase_add_test(tc, file_replace_keeps_the_old_file_when_it_fails);
	tcase_add_test(tc, pread_all_calls_an_early_end_corrupt);
	tcase_add_test(tc, pwrite_all_tells_a_full_disk_apart);
	tcase_add_test(tc, lock_take_keeps_other_processes_out_until_closed);
	suite_add_tcase(s, tc);
	return s;
}
