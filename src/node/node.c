/*
 * The daemon's life in one place: settings, start, loop, stop, exit code; and
 * what other files of this folder ask of the node as a whole. Main thread,
 * which is the loop's.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/node/options.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void node_post(struct node *n, struct task t)
{
	mailbox_post(n->mailbox, t);
}

const char *node_warning(const struct node *n, size_t i)
{
	if (i == 0)
		return "This is an early version of Cairn; do not rely on it "
		       "for money";
	return unknown_rules_warning(n, i - 1);
}

void node_set_mock_time(struct node *n, int64_t now_s)
{
	clock_set_mock(&n->clock, now_s);
	if (n->net)
		net_tick(n->net);
}

static void print_help(bool debug)
{
	struct text t = TEXT_INIT;

	options_help(&t, debug);
	printf("Cairn daemon version " CAIRN_VERSION "\n\n"
	       "Usage: cairnd [options]\n\n"
	       "Options may also stand in cairn.conf, without the dash.\n\n%s",
	       text_str(&t));
	text_fini(&t);
}

static int answer(enum settings_ask ask)
{
	switch (ask) {
	case ASK_VERSION:
		puts("Cairn daemon version " CAIRN_VERSION);
		break;
	case ASK_HELP:
	case ASK_HELP_DEBUG:
		print_help(ask == ASK_HELP_DEBUG);
		break;
	case ASK_RUN:
		break;
	}
	return EXIT_SUCCESS;
}

static int say_error(const struct text *err)
{
	fprintf(stderr, "Error: %s\n", text_str(err));
	return EXIT_FAILURE;
}

/* Start, turn the loop until every part is down, finish. */
static int live(struct node *n)
{
	struct text err = TEXT_INIT;
	int rc = uv_loop_init(&n->loop);

	if (rc) {
		text_printf(&err, "the event loop cannot be made: %s",
			    err_str(rc));
	} else {
		rc = node_start(n, &err);
		while (rc == 0 && !n->ended)
			uv_run(&n->loop, UV_RUN_ONCE);
		node_finish(n);
	}
	if (rc)
		n->exit_code = say_error(&err);
	text_fini(&err);
	return n->exit_code;
}

static int run(struct node *n, struct settings *s)
{
	struct text err = TEXT_INIT;
	int rc = node_prepare(n, s, &err);
	int code = rc ? say_error(&err) : live(n);

	text_fini(&err);
	node_release(n);
	return code;
}

int node_main(int argc, char **argv)
{
	struct node *n = xcalloc(1, sizeof *n);
	struct text err = TEXT_INIT;
	struct settings s;
	int code;

	umask(077);
	n->start_ns = mono_ns();
	n->start_s = wall_s();
	n->daemon_fd = -1;
	must(pthread_mutex_init(&n->pool_file, NULL) == 0);
	settings_init(&s);
	if (settings_load(&s, argc, argv, &err) != 0)
		code = say_error(&err);
	else if (s.ask != ASK_RUN)
		code = answer(s.ask);
	else
		code = run(n, &s);
	settings_fini(&s);
	text_fini(&err);
	pthread_mutex_destroy(&n->pool_file);
	free(n);
	return code;
}
