/*
 * Connecting ahead of script verification (src/chain/ahead.c): what is seen
 * outside while scripts are held back, what the queue is drained for, and that
 * its bounds hold.
 */
#include "aheadbed.h"
#include "suites.h"

#include "../../../src/chain/coinview_int.h"

/* Nothing above BASE has left the chain thread. */
static void assert_unseen(struct bed *t, const struct line *l)
{
	ck_assert_int_eq(chain_tip(t->r.c)->height, BASE);
	ck_assert_int_le(chain_filters_height(t->r.c), BASE);
	for (int32_t h = BASE + 1; h <= l->height; h++)
		ck_assert(!(hnode_status(bed_node(t, l, h)) &
			    (HN_CONNECTED | HN_UNDO)));
	for (size_t i = 0; i < t->r.n_events; i++)
		if (t->r.events[i].node)
			ck_assert_int_le(t->r.events[i].node->height, BASE);
}

START_TEST(nothing_leaves_before_its_scripts_are_verified)
{
	struct hash256 header;
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	/* The first of them is held, and the last was begun. */
	gate_until(&t.gate, t.line.height);
	rig_poll(&t.r);
	ck_assert_uint_eq(t.r.unanswered, 40);
	assert_unseen(&t, &t.line);
	gate_open(&t.gate);
	rig_settle(&t.r);
	for (int32_t h = BASE + 1; h <= t.line.height; h++)
		ck_assert_int_eq(t.res[h].outcome, BLOCK_CONNECTED);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE + 40);
	ck_assert(chain_filters_ready(t.r.c));
	ck_assert(chain_filter_header(t.r.c, &header, chain_tip(t.r.c)));
	ck_assert_uint_eq(rig_count(&t.r, CHAIN_EV_CONNECTED), BASE + 40);
	ck_assert_uint_eq(rig_count(&t.r, CHAIN_EV_TIP), BASE + 40);
	ck_assert_uint_ge(bed_seen(&t).ahead.most_n, 34);
	bed_assert_coins(&t, &t.line);
	bed_fini(&t);
}
END_TEST

START_TEST(blocks_ahead_are_bounded)
{
	struct look k;
	struct bed t;

	bed_init(&t, 3);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, AHEAD_BLOCKS + 30);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + (int32_t)AHEAD_BLOCKS);
	gate_open(&t.gate);
	rig_settle(&t.r);
	ck_assert_int_eq(chain_tip(t.r.c)->height, t.line.height);
	k = bed_seen(&t);
	ck_assert_uint_eq(k.ahead.most_n, AHEAD_BLOCKS);
	ck_assert_uint_eq(k.ahead.bytes, 0);
	bed_fini(&t);
}
END_TEST

START_TEST(bytes_ahead_are_bounded)
{
	struct line_block large = {.spends = 12, .pad = 900000};
	struct look k;
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_grow(&t.line, &large, 30);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + 1 + (int32_t)(AHEAD_BYTES / 1000000));
	gate_open(&t.gate);
	rig_settle(&t.r);
	ck_assert_int_eq(chain_tip(t.r.c)->height, t.line.height);
	k = bed_seen(&t);
	ck_assert_uint_ge(k.ahead.most_bytes, AHEAD_BYTES - 1000000);
	ck_assert_uint_le(k.ahead.most_bytes, AHEAD_BYTES + 1000000);
	bed_fini(&t);
}
END_TEST

/* Near the best header every block waits for its scripts. */
START_TEST(the_last_blocks_are_joined_one_by_one)
{
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, AHEAD_NEAR);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send_at_once(&t, &t.line, BASE + 1);
	gate_until_held(&t.gate, 1);
	/* It had time enough to begin with the next. */
	for (int i = 0; i < 1000; i++)
		rig_poll(&t.r);
	ck_assert_uint_eq(gate_begun(&t.gate, BASE + 2), 0);
	gate_open(&t.gate);
	rig_settle(&t.r);
	for (int32_t h = BASE + 1; h <= t.line.height; h++)
		ck_assert_int_eq(t.res[h].outcome, BLOCK_CONNECTED);
	bed_fini(&t);
}
END_TEST

struct order {
	struct bed *t;
	struct hnode *n, *tip;
	struct verdict v;
	bool done;
};

static void set_done(void *arg)
{
	struct order *o = arg;

	o->done = true;
}

static void invalidate(void *arg)
{
	struct order *o = arg;
	struct chain *c = o->t->r.c;

	/* All that was ahead is verified and published by now. */
	o->tip = chain_tip(c);
	ck_assert_ptr_eq(c->here, o->tip);
	o->v = chain_invalidate(c, o->n);
	c->ops.post(c->ops_arg, (struct task){set_done, o});
}

START_TEST(an_order_waits_for_the_scripts_ahead)
{
	struct order o = {.t = NULL};
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + 20);
	o.t = &t;
	o.n = bed_node(&t, &t.line, BASE + 5);
	ck_assert(chain_run(t.r.c, (struct task){invalidate, &o}));
	gate_open(&t.gate);
	rig_until(&t.r, &o.done);
	rig_settle(&t.r);
	ck_assert(verdict_ok(&o.v));
	ck_assert_int_ge(o.tip->height, BASE + 20);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE + 4);
	ck_assert_int_eq(bed_seen(&t).here->height, BASE + 4);
	bed_fini(&t);
}
END_TEST

static bool index_is_written(struct chain *c)
{
	bool empty;

	pthread_mutex_lock(&c->batch_mu);
	empty = c->batch_since == 0;
	pthread_mutex_unlock(&c->batch_mu);
	return empty;
}

/* The chain thread sleeps, and nothing but the last script's end wakes it. */
START_TEST(a_sleeping_chain_thread_hears_of_the_last_script)
{
	uint64_t end = mono_ns() + 60000000000u;
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, AHEAD_NEAR + 1);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	rig_send_of(&t.r, bed_node(&t, &t.line, BASE + 1),
		    line_at(&t.line, BASE + 1), NULL);
	gate_until_held(&t.gate, 1);
	do {
		rig_poll(&t.r);
		ck_assert_msg(mono_ns() < end, "the index is not written");
	} while (!index_is_written(t.r.c));
	gate_open(&t.gate);
	rig_settle(&t.r);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE + 1);
	bed_fini(&t);
}
END_TEST

/* Jobs are answered in the order of their submission, also those that need not
 * wait for any script. */
START_TEST(answers_keep_their_order)
{
	struct block_result known, last;
	struct line side;
	struct bed t;

	bed_init(&t, 2);
	bed_grow_up(&t);
	line_fork(&side, &t.line, BASE - 1, 5);
	line_add(&side, &bed_plain);
	line_grow(&t.line, &bed_plain, 30);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	known.outcome = last.outcome = BLOCK_REFUSED;
	rig_send(&t.r, line_at(&t.line, BASE - 1), &known);
	rig_send(&t.r, line_at(&side, BASE), &last);
	gate_until(&t.gate, t.line.height);
	rig_poll(&t.r);
	ck_assert_uint_eq(t.r.unanswered, 32);
	gate_open(&t.gate);
	rig_settle(&t.r);
	ck_assert_int_eq(known.outcome, BLOCK_KNOWN);
	ck_assert_int_eq(last.outcome, BLOCK_STORED);
	line_fini(&side);
	bed_fini(&t);
}
END_TEST

/* On the chain thread, at each block that is verified. */
static struct verdict watch(void *rig, const struct hnode *n)
{
	struct bed *t = rig;
	struct coinview_stats s;

	(void)n;
	coinview_stats(t->r.c->coins, &s);
	if (s.unflushed > t->most_unflushed)
		t->most_unflushed = s.unflushed;
	return verdict_valid();
}

/* A flush belongs to a published block, and is not put off for what is ahead:
 * the queue is drained for it. */
START_TEST(coins_are_flushed_however_much_is_ahead)
{
	struct line_block slow = {.spends = 12, .slow = true};
	struct look k;
	struct bed t;

	bed_init(&t, 3);
	rig_stop(&t.r);
	t.r.cfg.max_unflushed = 6;
	t.r.cfg.script_check = watch;
	rig_start(&t.r);
	bed_grow_up(&t);
	line_grow(&t.line, &slow, 200);
	bed_headers(&t, &t.line, BASE + 1);
	bed_send_at_once(&t, &t.line, BASE + 1);
	rig_settle(&t.r);
	k = bed_seen(&t);
	ck_assert_int_eq(k.tip->height, BASE + 200);
	ck_assert_uint_gt(k.ahead.most_n, 1);
	ck_assert_uint_le(t.most_unflushed, 6);
	bed_assert_coins(&t, &t.line);
	rig_restart(&t.r);
	ck_assert_int_eq(chain_tip(t.r.c)->height, t.line.height);
	bed_assert_coins(&t, &t.line);
	bed_fini(&t);
}
END_TEST

/* On the chain thread: wants a flush once, with blocks ahead, and looks which
 * block it is for. */
static struct verdict want_flush(void *rig, const struct hnode *n)
{
	struct bed *t = rig;
	const struct coinview *v = t->r.c->coins;

	if (n->height == BASE + 3)
		coinview_want_flush(t->r.c->coins);
	if (v->frozen_at.height > n->height)
		return verdict_invalid(INV_CONSENSUS, "frozen-ahead", NULL);
	return verdict_valid();
}

START_TEST(coins_are_frozen_at_verified_blocks_only)
{
	struct bed t;

	bed_init(&t, 3);
	rig_stop(&t.r);
	t.r.cfg.script_check = want_flush;
	rig_start(&t.r);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, t.line.height);
	gate_open(&t.gate);
	rig_settle(&t.r);
	for (int32_t h = BASE + 1; h <= t.line.height; h++)
		ck_assert_str_eq(t.res[h].verdict.reject, "");
	ck_assert_int_eq(chain_tip(t.r.c)->height, t.line.height);
	bed_fini(&t);
}
END_TEST

START_TEST(stop_at_height_is_not_run_over)
{
	struct bed t;

	bed_init(&t, 2);
	rig_stop(&t.r);
	t.r.cfg.stop_at_height = BASE + 20;
	rig_start(&t.r);
	bed_grow_up(&t);
	line_grow(&t.line, &bed_plain, 40);
	bed_headers(&t, &t.line, BASE + 1);
	gate_close(&t.gate, BASE + 1);
	bed_send(&t, &t.line, BASE + 1);
	gate_until(&t.gate, BASE + 19);
	gate_open(&t.gate);
	rig_settle(&t.r);
	ck_assert_int_eq(chain_tip(t.r.c)->height, BASE + 20);
	ck_assert_int_eq(bed_seen(&t).here->height, BASE + 20);
	bed_fini(&t);
}
END_TEST

/* Without helpers there is nobody to run ahead of. */
START_TEST(one_thread_verifies_each_block_before_the_next)
{
	struct look k;
	struct bed t;

	bed_init(&t, 1);
	bed_grow_up(&t);
	k = bed_seen(&t);
	ck_assert_uint_eq(k.ahead.most_n, 1);
	bed_fini(&t);
}
END_TEST

Suite *ahead_suite(void)
{
	Suite *s = suite_create("ahead");
	TCase *c = tcase_create("ahead");

	tcase_set_timeout(c, 300);
	tcase_add_test(c, nothing_leaves_before_its_scripts_are_verified);
	tcase_add_test(c, blocks_ahead_are_bounded);
	tcase_add_test(c, bytes_ahead_are_bounded);
	tcase_add_test(c, the_last_blocks_are_joined_one_by_one);
	tcase_add_test(c, an_order_waits_for_the_scripts_ahead);
	tcase_add_test(c, a_sleeping_chain_thread_hears_of_the_last_script);
	tcase_add_test(c, answers_keep_their_order);
	tcase_add_test(c, coins_are_flushed_however_much_is_ahead);
	tcase_add_test(c, coins_are_frozen_at_verified_blocks_only);
	tcase_add_test(c, stop_at_height_is_not_run_over);
	tcase_add_test(c, one_thread_verifies_each_block_before_the_next);
	suite_add_tcase(s, c);
	return s;
}
