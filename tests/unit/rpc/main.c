/* Runs every suite of rpc; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <signal.h>

static const suite_fn suites[] = {
    json_suite, jw_suite,      auth_suite,        head_suite,   conn_suite,
    call_suite, request_suite, params_suite,      stream_suite, listen_suite,
    help_suite, client_suite,  client_text_suite,
};

int main(void)
{
	/* As the daemon does: a write to a closed socket is an error, no end.
	 */
	signal(SIGPIPE, SIG_IGN);
	return RUN_SUITES(suites);
}
