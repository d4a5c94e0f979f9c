/* Runs every suite of sync; fails when one test does. */
#include "suites.h"

#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    headers_suite, download_suite, blocks_suite,
    serve_suite,   announce_suite, cfilters_suite,
};

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	int failed;

	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
