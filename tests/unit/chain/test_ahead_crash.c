/*
 * A node that is killed while it connects ahead of its scripts: in another
 * process a gate holds the scripts of one block while those behind it are
 * connected, and coins are flushed as often as can be. What was not verified
 * then has to be verified by the next start, and the coins have to be right.
 */
#include "gate.h"
#include "line.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/file.h>
#include <cairn/base/rand.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEIGHT 200
#define ROUNDS 24

/* Both processes make the same blocks. */
static void line_make(struct line *l, const struct params *p)
{
	struct line_block b = {.spends = 12};

	line_init(l, p);
	line_grow(l, &b, HEIGHT);
}

static void configure(struct rig *r, struct gate *g, const char *dir,
		      uint32_t unflushed)
{
	gate_init(g);
	rig_init(r, CHAIN_REGTEST, dir);
	r->cfg.workers = 3;
	r->cfg.block_filter_index = true;
	r->cfg.max_unflushed = unflushed;
	r->gate = g;
	rig_start(r);
	ck_assert_msg(r->loaded, "%s", r->fatal_text);
}

static void send_all(struct rig *r, const struct line *l)
{
	struct hnode *n[HEIGHT + 1];

	for (int32_t h = 1; h <= HEIGHT; h++)
		n[h] = rig_header(r, line_at(l, h));
	for (int32_t h = 1; h <= HEIGHT; h++)
		rig_send_of(r, n[h], line_at(l, h), NULL);
}

/* With a flush every few blocks the queue is drained as often, and there may be
 * nothing ahead of the one that is held. */
#define RARELY 1000u
#define OFTEN  8u

/* Hold the block at a height, run ahead of it, say so, and wait for the end. */
static void live(const char *dir, int32_t held, uint32_t unflushed)
{
	char *ready = path_join(dir, "ready");
	struct line l;
	struct gate g;
	struct rig r;

	configure(&r, &g, dir, unflushed);
	line_make(&l, &r.params);
	gate_close(&g, held);
	send_all(&r, &l);
	gate_until_held(&g, 1);
	if (unflushed == RARELY)
		gate_until(&g, held + 12);
	ck_assert_int_ge(open(ready, O_CREAT | O_WRONLY, 0600), 0);
	for (;;)
		rig_poll(&r);
}

START_TEST(child)
{
	const char *held = getenv(AHEAD_CHILD "_HELD");
	const char *rarely = getenv(AHEAD_CHILD "_RARELY");

	live(getenv(AHEAD_CHILD), (int32_t)strtol(held, NULL, 10),
	     rarely ? RARELY : OFTEN);
}
END_TEST

Suite *ahead_child_suite(void)
{
	Suite *s = suite_create("child of ahead");
	TCase *tc = tcase_create("child");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, child);
	suite_add_tcase(s, tc);
	return s;
}

static void become_child(const char *dir, int32_t held, bool rarely)
{
	int null = open("/dev/null", O_WRONLY);
	char number[24];

	dup2(null, STDOUT_FILENO);
	snprintf(number, sizeof number, "%d", (int)held);
	setenv(AHEAD_CHILD, dir, 1);
	setenv(AHEAD_CHILD "_HELD", number, 1);
	if (rarely)
		setenv(AHEAD_CHILD "_RARELY", "1", 1);
	unsetenv("CK_RUN_SUITE");
	unsetenv("CK_RUN_CASE");
	execl("/proc/self/exe", "chain", (char *)NULL);
	_exit(1);
}

static void until_ready(const char *dir, pid_t pid)
{
	uint64_t end = mono_ns() + 60000000000u;
	struct timespec nap = {0, 500000};
	char *ready = path_join(dir, "ready");

	while (access(ready, F_OK) != 0) {
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		ck_assert_msg(mono_ns() < end, "the child is not ready");
		nanosleep(&nap, NULL);
	}
	free(ready);
}

/* Kill a child that has run ahead of the block at height held. */
static void live_and_die(const char *dir, int32_t held, bool rarely)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		become_child(dir, held, rarely);
	until_ready(dir, pid);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
}

static struct hash256 coins_of(const struct line *l)
{
	struct hash256 coins;
	struct gate g;
	struct rig r;

	configure(&r, &g, NULL, RARELY);
	send_all(&r, l);
	rig_settle(&r);
	coins = rig_coins(&r, NULL);
	rig_fini(&r);
	gate_fini(&g);
	return coins;
}

static void open_and_check(const char *dir, int32_t held)
{
	struct hash256 got, want;
	struct line l;
	struct gate g;
	struct rig r;

	configure(&r, &g, dir, OFTEN);
	line_make(&l, &r.params);
	send_all(&r, &l);
	rig_settle(&r);
	ck_assert_int_eq(chain_tip(r.c)->height, HEIGHT);
	for (int32_t h = held; h <= HEIGHT; h++)
		ck_assert_msg(gate_begun(&g, h) > 0,
			      "height %d was taken for verified", h);
	got = rig_coins(&r, NULL);
	want = coins_of(&l);
	ck_assert_mem_eq(got.b, want.b, 32);
	rig_fini(&r);
	line_fini(&l);
	gate_fini(&g);
}

START_TEST(what_was_ahead_of_its_scripts_is_verified_after_a_kill)
{
	struct rand rnd;

	rand_init(&rnd);
	for (int i = 0; i < ROUNDS; i++) {
		int32_t held = 101 + (int32_t)rand_below(&rnd, HEIGHT - 130);
		char *dir = scratch_new();

		live_and_die(dir, held, i % 2 == 0);
		open_and_check(dir, held);
		scratch_free(dir);
	}
}
END_TEST

Suite *ahead_crash_suite(void)
{
	Suite *s = suite_create("ahead_crash");
	TCase *tc = tcase_create("ahead_crash");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc,
		       what_was_ahead_of_its_scripts_is_verified_after_a_kill);
	suite_add_tcase(s, tc);
	return s;
}
