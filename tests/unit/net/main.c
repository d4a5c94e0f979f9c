/* Runs every suite of net; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <signal.h>

static const suite_fn suites[] = {
    addrbook_suite,  deliver_suite, dial_suite, discouraged_suite, gossip_suite,
    handshake_suite, listen_suite,  net_suite,  netaddr_suite,     peer_suite,
    peer_io_suite,   ping_suite,    rx_suite,   sendq_suite,       tick_suite,
};

int main(void)
{
	/* As the daemon does: a write to a closed socket is an error, no end.
	 */
	signal(SIGPIPE, SIG_IGN);
	return RUN_SUITES(suites);
}
