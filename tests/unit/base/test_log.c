/* The log's lines, read back from its file or from a redirected console. */
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/thread.h>

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char *dir, *path, *content;

static void setup(void)
{
	dir = scratch_new();
	path = path_join(dir, "debug.log");
	content = NULL;
	unsetenv("JOURNAL_STREAM");
	unsetenv("NOTIFY_SOCKET");
	ck_assert_int_eq(log_open_file(path), 0);
}

static void teardown(void)
{
	log_close();
	log_set_console(false);
	log_set_mask(0);
	log_set_level(LOG_DEBUG);
	log_set_time_micros(false);
	free(content);
	free(path);
	scratch_free(dir);
}

/* What the file holds now, as a string. */
static const char *logged(const char *file)
{
	struct buf *b;

	ck_assert_int_eq(file_read(&b, file, 1 << 24), 0);
	free(content);
	content = xmalloc(b->n + 1);
	memcpy(content, buf_data(b), b->n);
	content[b->n] = '\0';
	buf_unref(b);
	return content;
}

static void check_matches(const char *s, const char *pattern)
{
	regex_t re;

	ck_assert_int_eq(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	ck_assert_msg(regexec(&re, s, 0, NULL, 0) == 0, "%s !~ %s", s, pattern);
	regfree(&re);
}

#define TIME "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"

START_TEST(log_writes_time_tag_and_message)
{
	log_set_mask(LOG_NET);
	log_info(0, "tip height=%d", 7);
	log_warn(LOG_NET, "slow disk");
	log_error(0, "no disk");
	log_debug(LOG_NET, "peer=1");
	check_matches(logged(path),
		      "^" TIME "Z tip height=7\n" TIME
		      "Z \\[warn\\] slow disk\n" TIME
		      "Z \\[error\\] no disk\n" TIME "Z \\[net\\] peer=1\n$");
}
END_TEST

START_TEST(log_writes_microseconds_when_asked)
{
	log_set_time_micros(true);
	log_info(0, "x");
	check_matches(logged(path), "^" TIME "\\.[0-9]{6}Z x\n$");
}
END_TEST

static int evaluated;

static int touch(void)
{
	return ++evaluated;
}

START_TEST(log_does_not_evaluate_arguments_that_are_off)
{
	evaluated = 0;
	log_debug(LOG_NET, "%d", touch());
	log_set_mask(LOG_RPC);
	log_debug(LOG_NET, "%d", touch());
	log_trace(LOG_RPC, "%d", touch());
	ck_assert_int_eq(evaluated, 0);
	ck_assert_str_eq(logged(path), "");
	log_set_level(LOG_TRACE);
	log_trace(LOG_RPC, "%d", touch());
	ck_assert_int_eq(evaluated, 1);
	check_matches(logged(path), "Z \\[rpc\\] 1\n$");
}
END_TEST

START_TEST(log_escapes_control_characters_but_not_utf8)
{
	log_info(0, "a\nb\x1b[0m\x7f\t|\xc2\x9b|\xc3\xa9|");
	check_matches(logged(path), "Z a\\\\x0ab\\\\x1b\\[0m\\\\x7f\\\\x09\\|"
				    "\\\\xc2\\\\x9b\\|\xc3\xa9\\|\n$");
}
END_TEST

START_TEST(log_forgives_one_line_break_at_the_end)
{
	log_info(0, "a\n");
	log_info(0, "%s", "");
	check_matches(logged(path), "^" TIME "Z a\n" TIME "Z \n$");
}
END_TEST

/* Plain and worst-case bytes around the limits of both buffers. */
START_TEST(log_cuts_long_messages_and_keeps_one_line)
{
	static char big[20000];
	const char *s, *nl;
	size_t n;

	for (n = 3000; n < sizeof big; n += 97) {
		memset(big, _i, n);
		big[n] = '\0';
		log_info(0, "%s", big);
	}
	for (s = logged(path); *s; s = nl + 1) {
		nl = strchr(s, '\n');
		ck_assert_ptr_nonnull(nl);
		check_matches(s, "^" TIME "Z");
		ck_assert_int_lt(nl - s, 7000);
	}
}
END_TEST

START_TEST(log_keeps_errno)
{
	errno = EXDEV;
	log_info(0, "x");
	ck_assert_int_eq(errno, EXDEV);
}
END_TEST

START_TEST(log_reopen_follows_a_renamed_file)
{
	char *old = path_join(dir, "debug.log.1");

	log_info(0, "first");
	ck_assert_int_eq(rename(path, old), 0);
	log_info(0, "second");
	ck_assert_int_eq(log_reopen(), 0);
	log_info(0, "third");
	check_matches(logged(old), "first\n.*second\n$");
	check_matches(logged(path), "^" TIME "Z third\n$");
	free(old);
}
END_TEST

START_TEST(log_open_file_appends_and_is_private)
{
	struct stat st;

	log_info(0, "first");
	ck_assert_int_eq(log_open_file(path), 0);
	log_info(0, "second");
	check_matches(logged(path), "first\n.*second\n$");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 077, 0);
}
END_TEST

START_TEST(log_open_file_keeps_the_old_one_when_it_fails)
{
	char *bad = path_join(dir, "none/debug.log");

	ck_assert_int_eq(log_open_file(bad), -ENOENT);
	log_info(0, "still here");
	check_matches(logged(path), "still here\n$");
	free(bad);
}
END_TEST

/* Redirect descriptor fd to a file; gives the old one back. */
static int redirect(int fd, const char *to)
{
	int f = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int was = dup(fd);

	fflush(NULL);
	ck_assert_int_ge(dup2(f, fd), 0);
	close(f);
	return was;
}

static void restore(int fd, int was)
{
	dup2(was, fd);
	close(was);
}

START_TEST(log_console_gets_the_same_lines)
{
	char *out = path_join(dir, "out");
	int was = redirect(STDOUT_FILENO, out);

	log_set_console(true);
	log_info(0, "x");
	log_set_console(false);
	restore(STDOUT_FILENO, was);
	check_matches(logged(path), "^" TIME "Z x\n$");
	check_matches(logged(out), "^" TIME "Z x\n$");
	free(out);
}
END_TEST

START_TEST(log_console_under_systemd_has_priorities_and_no_time)
{
	char *err = path_join(dir, "err");
	int was = redirect(STDERR_FILENO, err);

	setenv("NOTIFY_SOCKET", "@none", 1);
	log_set_console(true);
	log_set_mask(LOG_NET);
	log_error(0, "e");
	log_warn(0, "w");
	log_info(0, "i");
	log_debug(LOG_NET, "d");
	log_set_console(false);
	unsetenv("NOTIFY_SOCKET");
	restore(STDERR_FILENO, was);
	ck_assert_str_eq(logged(err),
			 "<3>[error] e\n<4>[warn] w\n<6>i\n<7>[net] d\n");
	check_matches(logged(path), "^" TIME "Z \\[error\\] e\n");
	free(err);
}
END_TEST

START_TEST(log_knows_its_journal_from_an_inherited_one)
{
	char *err = path_join(dir, "err");
	int was = redirect(STDERR_FILENO, err);
	int out = redirect(STDOUT_FILENO, "/dev/null");
	struct stat st;
	char id[64];

	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	setenv("JOURNAL_STREAM", "1:1", 1);
	log_set_console(true);
	log_info(0, "elsewhere");
	snprintf(id, sizeof id, "%ju:%ju", (uintmax_t)st.st_dev,
		 (uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", id, 1);
	log_set_console(true);
	log_info(0, "here");
	log_set_console(false);
	unsetenv("JOURNAL_STREAM");
	restore(STDOUT_FILENO, out);
	restore(STDERR_FILENO, was);
	ck_assert_str_eq(logged(err), "<6>here\n");
	free(err);
}
END_TEST

START_TEST(log_without_a_sink_warns_on_stderr)
{
	char *err = path_join(dir, "err");
	int was = redirect(STDERR_FILENO, err);

	log_close();
	log_info(0, "quiet");
	log_warn(0, "loud");
	restore(STDERR_FILENO, was);
	check_matches(logged(err), "^" TIME "Z \\[warn\\] loud\n$");
	free(err);
}
END_TEST

static void log_many(void *arg)
{
	int i;

	for (i = 0; i < 500; i++)
		log_info(0, "thread=%s line=%d end", (const char *)arg, i);
}

START_TEST(log_lines_of_many_threads_stay_whole)
{
	static char names[4][2] = {"a", "b", "c", "d"};
	pthread_t t[4];
	const char *s, *nl;
	int i, lines = 0;

	for (i = 0; i < 4; i++)
		thread_start(&t[i], "logger", log_many, names[i]);
	for (i = 0; i < 10; i++)
		ck_assert_int_eq(log_reopen(), 0);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (s = logged(path); *s; s = nl + 1, lines++) {
		nl = strchr(s, '\n');
		ck_assert_ptr_nonnull(nl);
		ck_assert_mem_eq(nl - 4, " end", 4);
		ck_assert_mem_eq(s + 20, " thread=", 8);
	}
	ck_assert_int_eq(lines, 2000);
}
END_TEST

START_TEST(log_categories_have_bitcoinds_names)
{
	uint32_t bits;
	unsigned i;

	for (i = 0; i < LOG_CATS; i++) {
		ck_assert(log_cat_parse(log_cat_name(i), &bits));
		ck_assert_uint_eq(bits, 1u << i);
	}
	ck_assert_ptr_null(log_cat_name(LOG_CATS));
	ck_assert_uint_eq(LOG_ALL, (1u << LOG_CATS) - 1);
	ck_assert(log_cat_parse("proxy", &bits));
	ck_assert_uint_eq(bits, LOG_PROXY);
}
END_TEST

START_TEST(log_cat_parse_knows_all_none_idle_and_refuses_the_rest)
{
	static const char *const all[] = {"", "1", "all"};
	static const char *const idle[] = {"0", "none", "tor", "walletdb",
					   "privatebroadcast"};
	static const char *const bad[] = {"NET", "net ", "nett", "2"};
	uint32_t bits = 5;
	size_t i;

	for (i = 0; i < 4; i++)
		ck_assert_msg(!log_cat_parse(bad[i], &bits), "%s", bad[i]);
	ck_assert_uint_eq(bits, 5);
	for (i = 0; i < 3; i++) {
		ck_assert_msg(log_cat_parse(all[i], &bits), "%s", all[i]);
		ck_assert_uint_eq(bits, LOG_ALL);
	}
	for (i = 0; i < 5; i++) {
		ck_assert_msg(log_cat_parse(idle[i], &bits), "%s", idle[i]);
		ck_assert_uint_eq(bits, 0);
	}
}
END_TEST

START_TEST(log_level_parse_takes_both_words_for_warnings)
{
	enum log_level l;

	ck_assert(log_level_parse("warn", &l));
	ck_assert_int_eq(l, LOG_WARN);
	ck_assert(log_level_parse("warning", &l));
	ck_assert_int_eq(l, LOG_WARN);
	ck_assert(log_level_parse("trace", &l));
	ck_assert_int_eq(l, LOG_TRACE);
	ck_assert(!log_level_parse("loud", &l));
	ck_assert(!log_level_parse("", &l));
}
END_TEST

Suite *log_suite(void)
{
	Suite *s = suite_create("log");
	TCase *tc = tcase_create("line");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, log_writes_time_tag_and_message);
	tcase_add_test(tc, log_writes_microseconds_when_asked);
	tcase_add_test(tc, log_does_not_evaluate_arguments_that_are_off);
	tcase_add_test(tc, log_escapes_control_characters_but_not_utf8);
	tcase_add_test(tc, log_forgives_one_line_break_at_the_end);
	tcase_add_loop_test(tc, log_cuts_long_messages_and_keeps_one_line, 1,
			    2);
	tcase_add_loop_test(tc, log_cuts_long_messages_and_keeps_one_line, 'x',
			    'x' + 1);
	tcase_add_test(tc, log_keeps_errno);
	tcase_add_test(tc, log_lines_of_many_threads_stay_whole);
	suite_add_tcase(s, tc);
	tc = tcase_create("sink");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, log_reopen_follows_a_renamed_file);
	tcase_add_test(tc, log_open_file_appends_and_is_private);
	tcase_add_test(tc, log_open_file_keeps_the_old_one_when_it_fails);
	tcase_add_test(tc, log_console_gets_the_same_lines);
	tcase_add_test(tc,
		       log_console_under_systemd_has_priorities_and_no_time);
	tcase_add_test(tc, log_knows_its_journal_from_an_inherited_one);
	tcase_add_test(tc, log_without_a_sink_warns_on_stderr);
	suite_add_tcase(s, tc);
	tc = tcase_create("names");
	tcase_add_test(tc, log_categories_have_bitcoinds_names);
	tcase_add_test(tc,
		       log_cat_parse_knows_all_none_idle_and_refuses_the_rest);
	tcase_add_test(tc, log_level_parse_takes_both_words_for_warnings);
	suite_add_tcase(s, tc);
	return s;
}
