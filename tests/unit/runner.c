/* The main part of every unit test binary. Knows no folder. */
#include "runner.h"

#include <stdlib.h>

int run_suites(const suite_fn *suites, size_t n)
{
	SRunner *sr = srunner_create(NULL);
	int failed;

	for (size_t i = 0; i < n; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
