/*
 * Signals, taken by the loop: TERM and INT stop the node, HUP opens the log
 * again. PIPE is ignored: a closed socket is an error of its write.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>

#include <signal.h>

static const int taken[] = {SIGTERM, SIGINT, SIGHUP};

#define SIGNALS (sizeof taken / sizeof *taken)

static void on_signal(uv_signal_t *h, int num)
{
	struct node *n = h->data;
	int rc;

	if (num != SIGHUP) {
		log_info(0, "stopping signal=%d", num);
		node_stop(n);
		return;
	}
	rc = log_reopen();
	if (rc)
		log_warn(0, "cannot open the log again: %s", err_str(rc));
	else
		log_info(0, "log opened again");
}

int signals_open(struct node *n)
{
	size_t i;
	int rc = 0;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < SIGNALS && rc == 0; i++) {
		rc = uv_signal_init(&n->loop, &n->signals[i]);
		n->signals[i].data = n;
		if (rc == 0)
			rc = uv_signal_start(&n->signals[i], on_signal,
					     taken[i]);
	}
	return rc;
}

void signals_close(struct node *n)
{
	size_t i;

	for (i = 0; i < SIGNALS; i++) {
		if (n->signals[i].data)
			uv_close((uv_handle_t *)&n->signals[i], NULL);
	}
}
