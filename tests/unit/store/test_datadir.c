/* The data folder: what is ours, what is another node's, what is locked. */
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/store/datadir.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *dir, *top;
static struct datadir d;
static struct text err;

static void setup(void)
{
	static const struct text none = TEXT_INIT;

	dir = scratch_new();
	top = path_join(dir, "data");
	err = none;
	memset(&d, 0, sizeof d);
}

static void teardown(void)
{
	text_fini(&err);
	free(top);
	scratch_free(dir);
}

/* Make dir/name, with its parents; a name that ends in / is a folder. */
static void make(const char *at, const char *name, const char *text)
{
	char *path = path_join(at, name), *slash;

	if (!text) {
		ck_assert_int_eq(dir_make(path), 0);
	} else {
		slash = strrchr(path, '/');
		*slash = '\0';
		ck_assert_int_eq(dir_make(path), 0);
		*slash = '/';
		ck_assert_int_eq(
		    file_replace(path, slice_of(text, strlen(text)), 0600), 0);
	}
	free(path);
}

static bool there(const char *at, const char *name)
{
	char *path = path_join(at, name);
	bool yes = path_exists(path);

	free(path);
	return yes;
}

/* Names below a folder, counted. */
static int count(const char *at)
{
	DIR *h = opendir(at);
	struct dirent *e;
	int n = 0;

	if (!h)
		return -1;
	while ((e = readdir(h)))
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	closedir(h);
	return n;
}

static void opens(const char *net)
{
	text_reset(&err);
	ck_assert_msg(datadir_open(&d, &err, top, net, NULL) == 0, "%s",
		      text_str(&err));
	ck_assert_str_eq(text_str(&err), "");
}

static void refuses(int rc, const char *net, const char *blocksdir)
{
	struct datadir before = d;

	text_reset(&err);
	ck_assert_int_eq(datadir_open(&d, &err, top, net, blocksdir), rc);
	ck_assert_mem_eq(&d, &before, sizeof d);
	/* One sentence, one line. */
	ck_assert_ptr_null(strchr(text_str(&err), '\n'));
	ck_assert_uint_gt(strlen(text_str(&err)), 20);
}

START_TEST(datadir_makes_a_fresh_folder_for_itself_only)
{
	static const char *const made[] = {"", "regtest", "regtest/blocks",
					   "regtest/indexes",
					   "regtest/wallets"};
	struct stat st;
	size_t i;

	opens("regtest");
	for (i = 0; i < 5; i++) {
		char *path = path_join(top, made[i]);

		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert(S_ISDIR(st.st_mode));
		ck_assert_int_eq(st.st_mode & 077, 0);
		free(path);
	}
	ck_assert(there(top, "regtest/blocks/cairn.format"));
	ck_assert(there(top, "regtest/.lock"));
	ck_assert(!there(top, "regtest/chainstate"));
	ck_assert_int_ge(d.lock_fd, 0);
	ck_assert_int_eq(d.blocks_lock_fd, -1);
	datadir_close(&d);
	ck_assert_ptr_null(d.net_dir);
}
END_TEST

START_TEST(datadir_names_the_folders)
{
	char want[512];

	opens("regtest");
	snprintf(want, sizeof want, "%s/regtest", top);
	ck_assert_str_eq(d.net_dir, want);
	snprintf(want, sizeof want, "%s/regtest/blocks", top);
	ck_assert_str_eq(d.blocks_dir, want);
	snprintf(want, sizeof want, "%s/regtest/chainstate", top);
	ck_assert_str_eq(d.coins_dir, want);
	snprintf(want, sizeof want, "%s/regtest/indexes/headers", top);
	ck_assert_str_eq(d.index_dir, want);
	snprintf(want, sizeof want, "%s/regtest/indexes/filter", top);
	ck_assert_str_eq(d.filter_dir, want);
	datadir_close(&d);
	opens("");
	ck_assert_str_eq(d.net_dir, top);
	datadir_close(&d);
}
END_TEST

START_TEST(datadir_opens_its_own_folder_again)
{
	opens("regtest");
	datadir_close(&d);
	make(top, "regtest/chainstate", NULL);
	make(top, "regtest/blocks/blk00000.dat", "x");
	opens("regtest");
	datadir_close(&d);
}
END_TEST

/* As a copy of the cached chain of an external test suite looks: only blocks,
 * chainstate and indexes were kept, bitcoin.conf lies above. */
START_TEST(datadir_opens_a_copy_of_which_only_the_known_folders_were_kept)
{
	char *lock;

	opens("regtest");
	datadir_close(&d);
	lock = path_join(top, "regtest/.lock");
	ck_assert_int_eq(unlink(lock), 0);
	free(lock);
	lock = path_join(top, "regtest/wallets");
	ck_assert_int_eq(rmdir(lock), 0);
	free(lock);
	make(top, "bitcoin.conf", "regtest=1\n");
	make(top, "regtest/chainstate", NULL);
	opens("regtest");
	datadir_close(&d);
}
END_TEST

START_TEST(datadir_does_not_mind_files_that_are_no_nodes_data)
{
	make(top, "bitcoin.conf", "regtest=1\n");
	make(top, "stderr", NULL);
	make(top, "regtest/wallets", NULL);
	make(top, "regtest/debug.log", "x");
	make(top, "regtest/blocks", NULL);
	opens("regtest");
	datadir_close(&d);
}
END_TEST

static const char *const foreign[] = {
    "regtest/chainstate/CURRENT", "regtest/blocks/index/CURRENT",
    "regtest/blocks/xor.dat", "regtest/blocks/blk00000.dat"};

START_TEST(datadir_refuses_another_nodes_data_and_leaves_it_as_it_was)
{
	char *net = path_join(top, "regtest");
	char *blocks = path_join(top, "regtest/blocks");
	int in_net, in_blocks;

	make(top, foreign[_i], "x");
	in_net = count(net);
	in_blocks = count(blocks);
	refuses(E_FOREIGN, "regtest", NULL);
	ck_assert_ptr_nonnull(strstr(text_str(&err), "-loadblock="));
	ck_assert_ptr_nonnull(strstr(text_str(&err), net));
	ck_assert_int_eq(count(net), in_net);
	ck_assert_int_eq(count(blocks), in_blocks);
	ck_assert(!there(net, ".lock"));
	/* Another network below the same folder is free. */
	opens("signet");
	datadir_close(&d);
	free(blocks);
	free(net);
}
END_TEST

START_TEST(datadir_refuses_formats_that_it_does_not_know)
{
	static const struct {
		const char *text;
		int rc;
	} cases[] = {{"cairn 2\n", E_VERSION}, {"cairn 99", E_VERSION},
		     {"cairn 0\n", E_CORRUPT}, {"cairn \n", E_CORRUPT},
		     {"", E_CORRUPT},          {"carrion 1\n", E_CORRUPT},
		     {"cairn 1x\n", E_CORRUPT}};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		make(top, "regtest/blocks/cairn.format", cases[i].text);
		refuses(cases[i].rc, "regtest", NULL);
		ck_assert(!there(top, "regtest/.lock"));
	}
	make(top, "regtest/blocks/cairn.format", "cairn 1\n");
	opens("regtest");
	datadir_close(&d);
}
END_TEST

/* fcntl locks are the process's: another one has to ask. */
static int open_in_child(const char *net)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct datadir mine;
		struct text why = TEXT_INIT;
		int rc = datadir_open(&mine, &why, top, net, NULL);

		_exit(rc == 0 ? 0 : rc == E_LOCKED ? 1 : 2);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(datadir_is_one_processs_at_a_time)
{
	opens("regtest");
	ck_assert_int_eq(open_in_child("regtest"), 1);
	ck_assert_int_eq(open_in_child("signet"), 0);
	datadir_close(&d);
	ck_assert_int_eq(open_in_child("regtest"), 0);
}
END_TEST

START_TEST(datadir_keeps_blocks_elsewhere_when_told)
{
	char *else_where = path_join(dir, "else");
	char *blocks = path_join(dir, "else/regtest/blocks");

	refuses(E_NOTFOUND, "regtest", else_where);
	ck_assert(!path_exists(top));
	ck_assert_int_eq(dir_make(else_where), 0);
	ck_assert_int_eq(datadir_open(&d, &err, top, "regtest", else_where), 0);
	ck_assert_str_eq(d.blocks_dir, blocks);
	ck_assert(there(blocks, "cairn.format"));
	ck_assert(there(top, "regtest/blocks/cairn.format"));
	ck_assert_int_ge(d.blocks_lock_fd, 0);
	datadir_close(&d);
	free(blocks);
	free(else_where);
}
END_TEST

START_TEST(datadir_refuses_another_nodes_blocksdir)
{
	char *else_where = path_join(dir, "else");
	char *blocks = path_join(dir, "else/regtest/blocks");

	make(dir, "else/regtest/blocks/xor.dat", "x");
	refuses(E_FOREIGN, "regtest", else_where);
	ck_assert_int_eq(count(blocks), 1);
	ck_assert(!path_exists(top));
	free(blocks);
	free(else_where);
}
END_TEST

START_TEST(datadir_says_what_it_cannot_make)
{
	char *file = path_join(dir, "data");

	ck_assert_int_eq(file_replace(file, slice_of("x", 1), 0600), 0);
	refuses(-ENOTDIR, "regtest", NULL);
	ck_assert_ptr_nonnull(strstr(text_str(&err), file));
	free(file);
}
END_TEST

Suite *datadir_suite(void)
{
	Suite *s = suite_create("datadir");
	TCase *t = tcase_create("datadir");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, datadir_makes_a_fresh_folder_for_itself_only);
	tcase_add_test(t, datadir_names_the_folders);
	tcase_add_test(t, datadir_opens_its_own_folder_again);
	tcase_add_test(
	    t, datadir_opens_a_copy_of_which_only_the_known_folders_were_kept);
	tcase_add_test(t, datadir_does_not_mind_files_that_are_no_nodes_data);
	tcase_add_loop_test(
	    t, datadir_refuses_another_nodes_data_and_leaves_it_as_it_was, 0,
	    4);
	tcase_add_test(t, datadir_refuses_formats_that_it_does_not_know);
	tcase_add_test(t, datadir_is_one_processs_at_a_time);
	tcase_add_test(t, datadir_keeps_blocks_elsewhere_when_told);
	tcase_add_test(t, datadir_refuses_another_nodes_blocksdir);
	tcase_add_test(t, datadir_says_what_it_cannot_make);
	suite_add_tcase(s, t);
	return s;
}
