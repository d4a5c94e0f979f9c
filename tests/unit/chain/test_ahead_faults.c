/*
 * Connecting ahead of script verification (src/chain/ahead.c): what becomes of
 * the rest when a block in the queue fails, another branch wins, the disk fails
 * or the node is stopped.
 */
#include "aheadbed.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/script/op.h>

#include <stdio.h>

/* Block bad of the line was refused for `reject` from the input of `spend`, and
 * all is as it was below it. */
static void assert_refused_at(struct bed *t, int32_t bad, const char *reject,
			      uint32_t spend)
{
	const struct hnode *n = bed_node(t, &t->line, bad);
	const struct verdict *v = &t->res[bad].verdict;
	char want[VERDICT_DETAIL], hex[HASH256_STR];

	ck_assert_int_eq(chain_tip(t->r.c)->height, bad - 1);
	ck_assert(hnode_status(n) & HN_FAILED);
	ck_assert_int_eq(t->res[bad].outcome, BLOCK_FAILED);
	ck_assert_msg(strstr(v->reject, reject) != NULL, "%s", v->reject);
	snprintf(want, sizeof want, "spending %s:%u",
		 hash256_fmt(hex, &t->line.coinbase[bad - 100]), spend);
	ck_assert_msg(strstr(v->detail, want) != NULL, "%s", v->detail);
	for (int32_t h = BASE + 1; h < bad; h++)
		ck_assert_int_eq(t->res[h].outcome, BLOCK_CONNECTED);
	for (int32_t h = bad + 1; h <= t->line.height; h++) {
		n = bed_node(t, &t->line, h);
		ck_assert(hnode_status(n) & HN_FAILED_PARENT);
		ck_assert(!(hnode_status(n) & HN_FAILED));
		/* Or it came when that was known. */
		if (t->res[h].outcome != BLOCK_STORED)
			ck_assert_int_eq(t->res[h].verdict.kind, V_INVALID);
	}
	ck_assert_uint_eq(rig_count(&t->r, CHAIN_EV_INVALID), 1);
}

/* Blocks of a line where some are bad: sent at once, and what becomes of them.
 * The coins are those of the line's good part. */
static void refuse(unsigned workers, int32_t more, int32_t bad)
{
	struct line_block wrong = {.spends = 12,
				   .slow = true,
				   .bad = {5, 9},
				   .bad_op = {OP_RETURN, OP_RESERVED}};
	struct line_block slow = {.spends = 12, .slow = true};
	struct line good;
	struct bed t;

	bed_init(&t, workers);
	bed_grow_up(&t);
	line_grow(&t.line, &slow, bad - 1);
	line_fork(&good, &t.line, t.line.height, 0);
	line_add(&t.line, &wrong);
	/* A later one is wrong in another way. */
	wrong.bad_op[0] = OP_RESERVED;
	if (more > bad)
		line_add(&t.line, &wrong);
	line_grow(&t.line, &slow, BASE + more - t.line.height);
	bed_headers(&t, &t.line, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	rig_settle(&t.r);
	assert_refused_at(&t, BASE + bad, "OP_RETURN", 5);
	bed_assert_coins(&t, &good);
	line_fini(&good);
	bed_fini(&t);
}

START_TEST(one_of_several_blocks_ahead_fails_alone)
{
	static const int32_t bad[] = {1, 2, 14, 29, 30};

	refuse(3, 30, bad[_i]);
}
END_TEST

/* Whatever the threads do. */
START_TEST(the_same_block_and_input_fail_with_any_number_of_workers)
{
	static const unsigned workers[] = {1, 2, 3, 8};

	for (int i = 0; i < 8; i++)
		refuse(workers[_i], 20, 10 + i % 4);
}
END_TEST

/* A block that breaks another rule is judged once those below it are. */
START_TEST(a_fault_of_coins_waits_for_the_scripts_below_it)
{
	struct line_block wrong = {
	    .spends = 12, .bad = {3}, .bad_op = {OP_RETURN}};
	struct line_block greedy = {.spends = 12, .greedy = true};
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 9);
	if (_i)
		line_add(&t.line, &wrong);
	line_grow(&t.line, &bed_plain, 5);
	line_add(&t.line, &greedy);
	line_grow(&t.line, &bed_plain, 10);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	/* The chain thread waits with the greedy block in hand. */
	gate_until(&t.gate, BASE + 14 + _i);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE);
	gate_open(&t.gate);
	rig_settle(&t.r);
	if (_i) {
		assert_refused_at(&t, BASE + 10, "OP_RETURN", 3);
	} else {
		ck_assert_int_eq(chain_tip(t.r.c)->height, BASE + 14);
		ck_assert_str_eq(t.res[BASE + 15].verdict.reject,
				 "bad-cb-amount");
	}
	bed_fini(&t);
}
END_TEST

/* The oldest block fails while threads are busy with later ones: these are
 * waited for before their block goes. */
START_TEST(a_failure_waits_for_threads_that_are_busy_with_later_blocks)
{
	struct line_block wrong = {
	    .spends = 12, .bad = {0}, .bad_op = {OP_RETURN}};
	struct bed t;

	bed_init(&t, 4);
	bed_grow_up(&t);
	line_add(&t.line, &wrong);
	line_grow(&t.line, &bed_plain, 30);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + 10);
	gate_close(&t.gate, BASE + 2);
	/* The first one's scripts end; of the others some are in hand. */
	for (int i = 0; i < 100; i++)
		rig_poll(&t.r);
	gate_open(&t.gate);
	rig_settle(&t.r);
	assert_refused_at(&t, BASE + 1, "OP_RETURN", 0);
	bed_fini(&t);
}
END_TEST

START_TEST(a_better_branch_wins_in_the_middle)
{
	struct line branch;
	struct bed t;

	bed_init(&t, 3);
	bed_grow_up(&t);
	line_fork(&branch, &t.line, BASE - 3, 7);
	line_grow(&t.line, &bed_plain, 30);
	line_grow(&branch, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + 20);
	bed_headers(&t, &branch, BASE - 2);
	bed_send(&t, &branch, BASE - 2);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE);
	gate_open(&t.gate);
	rig_settle(&t.r);
	ck_assert_ptr_eq(chain_tip(t.r.c),
			 bed_node(&t, &branch, branch.height));
	bed_assert_coins(&t, &branch);
	line_fini(&branch);
	bed_fini(&t);
}
END_TEST

/* With the best branch invalid the next best one is connected at once. */
START_TEST(after_a_failure_the_next_best_branch_is_tried)
{
	struct line_block wrong = {
	    .spends = 12, .bad = {11}, .bad_op = {OP_RETURN}};
	struct line other;
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_fork(&other, &t.line, BASE, 9);
	line_grow(&t.line, &bed_plain, 4);
	line_add(&t.line, &wrong);
	line_grow(&t.line, &bed_plain, 20);
	line_grow(&other, &bed_plain, 7);
	bed_headers(&t, &other, BASE + 1);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + 10);
	bed_send(&t, &other, BASE + 1);
	/* It is known and worse than what is ahead. */
	bed_until_data(&t, &other);
	gate_open(&t.gate);
	/* Its jobs may be answered before its turn comes. */
	bed_until_tip(&t, bed_node(&t, &other, BASE + 7));
	rig_settle(&t.r);
	bed_assert_coins(&t, &other);
	line_fini(&other);
	bed_fini(&t);
}
END_TEST

/* What is not verified at a stop is taken back, and connected at the next
 * start; whoever sent it hears that it is stored. */
START_TEST(a_stop_gives_up_what_is_ahead)
{
	pthread_t opener;
	struct gate fresh;
	struct bed t;

	bed_init(&t, 3);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, t.line.height);
	chain_stop(t.r.c);
	/* Threads that have scripts in hand are waited for. */
	thread_start(&opener, "opener", bed_open_later, &t.gate);
	rig_stop(&t.r);
	pthread_join(opener, NULL);
	for (int32_t h = BASE + 1; h <= t.line.height; h++)
		ck_assert_int_eq(t.res[h].outcome, BLOCK_STORED);
	gate_init(&fresh);
	t.r.gate = &fresh;
	rig_start(&t.r);
	ck_assert(t.r.loaded);
	bed_until_tip(&t, bed_node(&t, &t.line, t.line.height));
	for (int32_t h = BASE + 1; h <= t.line.height; h++)
		ck_assert_msg(gate_begun(&fresh, h) > 0, "height %d", (int)h);
	bed_assert_coins(&t, &t.line);
	bed_fini(&t);
	gate_fini(&fresh);
}
END_TEST

/* Nothing is published after a failure of the disk, which may have left the
 * coins as anything. */
START_TEST(a_fatal_failure_publishes_nothing_more)
{
	pthread_t opener;
	struct bed t;

	bed_init(&t, 3);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, t.line.height);
	__atomic_store_n(&t.r.c->io_rc, E_IO, __ATOMIC_RELEASE);
	chain_note_checksum(t.r.c, bed_node(&t, &t.line, 1), 0);
	/* Threads that have scripts in hand are waited for. */
	thread_start(&opener, "opener", bed_open_later, &t.gate);
	rig_until(&t.r, &t.r.fatal);
	pthread_join(opener, NULL);
	rig_settle(&t.r);
	for (int32_t h = BASE + 1; h <= t.line.height; h++)
		ck_assert_int_eq(t.res[h].outcome, BLOCK_STORED);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE);
	rig_restart(&t.r);
	bed_headers(&t, &t.line, 1);
	bed_send(&t, &t.line, 1);
	rig_settle(&t.r);
	ck_assert_int_eq(chain_tip(t.r.c)->height, t.line.height);
	bed_assert_coins(&t, &t.line);
	bed_fini(&t);
}
END_TEST

Suite *ahead_faults_suite(void)
{
	Suite *s = suite_create("ahead_faults");
	TCase *c = tcase_create("ahead_faults");

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, one_of_several_blocks_ahead_fails_alone, 0, 5);
	tcase_add_loop_test(
	    c, the_same_block_and_input_fail_with_any_number_of_workers, 0, 4);
	tcase_add_loop_test(c, a_fault_of_coins_waits_for_the_scripts_below_it,
			    0, 2);
	tcase_add_test(
	    c, a_failure_waits_for_threads_that_are_busy_with_later_blocks);
	tcase_add_test(c, a_better_branch_wins_in_the_middle);
	tcase_add_test(c, after_a_failure_the_next_best_branch_is_tried);
	tcase_add_test(c, a_stop_gives_up_what_is_ahead);
	tcase_add_test(c, a_fatal_failure_publishes_nothing_more);
	suite_add_tcase(s, c);
	return s;
}
