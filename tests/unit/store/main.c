/* Runs every suite of store; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/crypto/sha256.h>

#include <signal.h>
#include <stdlib.h>

static const suite_fn suites[] = {
    kv_suite,        kv_check_suite, index_suite,
    blockfile_suite, filterdb_suite, datadir_suite,
};

char *scratch_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = path_join(tmp ? tmp : "/tmp", "cairn-test-XXXXXX");
	char *log;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	log = path_join(dir, "log");
	ck_assert_int_eq(log_open_file(log), 0);
	free(log);
	return dir;
}

void scratch_free(char *dir)
{
	log_close();
	ck_assert_int_eq(dir_remove(dir), 0);
	free(dir);
}

void limit_files(rlim_t n)
{
	struct rlimit l;

	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = n;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &l), 0);
}

int main(void)
{
	if (crypto_init() != 0)
		return EXIT_FAILURE;
	return RUN_SUITES(suites);
}
