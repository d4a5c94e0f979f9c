/* Runs every suite of net; fails when one test does. */
#include "suites.h"

#include <signal.h>
#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    addrbook_suite,  deliver_suite, dial_suite, discouraged_suite, gossip_suite,
    handshake_suite, listen_suite,  net_suite,  netaddr_suite,     peer_suite,
    peer_io_suite,   ping_suite,    rx_suite,   sendq_suite,       tick_suite,
};

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	size_t i;
	int failed;

	/* As the daemon does: a write to a closed socket is an error, no end.
	 */
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof suites / sizeof *suites; i++)
		srunner_add_suite(sr, suites[i]());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
