/* Runs every suite of chain; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/base/file.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>
#include <unistd.h>

static const suite_fn suites[] = {
    coin_codec_suite,     takenoff_suite,
    unconfirmed_suite,    undo_suite,
    htree_suite,          presync_suite,
    coinview_suite,       coinview_prefetch_suite,
    coinview_model_suite, chain_suite,
    fullblocks_suite,     filters_suite,
    cfcheckpt_suite,      import_suite,
    mining_suite,         workq_suite,
    rules_suite,          scripts_suite,
    verified_suite,       script_pool_suite,
    ahead_suite,          ahead_faults_suite,
    ahead_crash_suite,    crash_suite,
};

char *scratch_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir;

	/* In memory where there is such a folder: these tests sync often, and
	 * a sync there costs nothing. */
	if (!tmp)
		tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	dir = path_join(tmp, "cairn-test-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

void scratch_free(char *dir)
{
	ck_assert_int_eq(dir_remove(dir), 0);
	free(dir);
}

int main(void)
{
	static const suite_fn crash_child[] = {crash_child_suite};
	static const suite_fn ahead_child[] = {ahead_child_suite};
	static const suite_fn coinview_child[] = {coinview_child_suite};
	bool is_child = getenv(COINVIEW_CHILD) || getenv(CRASH_CHILD) ||
			getenv(AHEAD_CHILD);

	if (crypto_init() != 0)
		return EXIT_FAILURE;
	if (!is_child)
		return RUN_SUITES(suites);
	/* A process that will be killed: its one test runs in it. */
	if (setenv("CK_FORK", "no", 1) != 0)
		return EXIT_FAILURE;
	if (getenv(AHEAD_CHILD))
		return RUN_SUITES(ahead_child);
	return getenv(CRASH_CHILD) ? RUN_SUITES(crash_child)
				   : RUN_SUITES(coinview_child);
}
