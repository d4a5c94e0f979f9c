/* Runs every suite of chain; fails when one test does. */
#include "suites.h"

#include <cairn/base/file.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>
#include <unistd.h>

static Suite *(*const suites[])(void) = {
    coin_codec_suite,     undo_suite,      htree_suite,
    presync_suite,        coinview_suite,  coinview_prefetch_suite,
    coinview_model_suite, chain_suite,     fullblocks_suite,
    filters_suite,        cfcheckpt_suite, import_suite,
    mining_suite,         workq_suite,     rules_suite,
    crash_suite,
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

static int run(SRunner *sr)
{
	int failed;

	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	size_t i;

	if (crypto_init() != 0)
		return EXIT_FAILURE;
	if (getenv(COINVIEW_CHILD) || getenv(CRASH_CHILD)) {
		srunner_set_fork_status(sr, CK_NOFORK);
		srunner_add_suite(sr, getenv(CRASH_CHILD)
					  ? crash_child_suite()
					  : coinview_child_suite());
		return run(sr);
	}
	for (i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	return run(sr);
}
