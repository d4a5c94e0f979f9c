/* Runs every suite of rpc; fails when one test does. */
#include "suites.h"

#include <signal.h>
#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    json_suite,   jw_suite,   subnet_suite,  auth_suite,        head_suite,
    conn_suite,   call_suite, request_suite, params_suite,      stream_suite,
    listen_suite, help_suite, client_suite,  client_text_suite,
};

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	size_t i;
	int failed;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
