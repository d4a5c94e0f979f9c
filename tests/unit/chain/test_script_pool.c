/*
 * Batches of scripts and the pool (src/chain/script_batch.c, script_pool.c) on
 * made-up blocks: transactions of every length class, with coins that anyone
 * can spend, where any input may be made to fail.
 */
#include "gate.h"
#include "suites.h"

#include "../../../src/chain/script_pool.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/chain/htree.h>
#include <cairn/chain/undo.h>
#include <cairn/params/params.h>
#include <cairn/script/op.h>
#include <cairn/wire/block.h>

#include <time.h>

#define NONE UINT32_MAX

/* Inputs of the transactions behind the coinbase: short ones, ones that are cut
 * into parts, and what lies at the edges. */
static const uint32_t shape[] = {1,  1,  3, 8,   9, 63, 1, 64,
				 65, 70, 7, 130, 1, 1,  2, 1};
#define TXS (sizeof shape / sizeof *shape)

/* A block whose inputs run an opcode each: one of them, or two, a failing one.
 */
struct block {
	struct hnode node;
	struct buf *raw;
	struct block_view view;
	struct undo_writer undo;
};

struct fail {
	uint32_t input; /* over the whole block */
	uint8_t op;
};

static uint8_t *put_tx(uint8_t *p, uint32_t n_in, uint32_t at,
		       const struct fail fail[2])
{
	p = le32_put(p, 1);
	p = compact_put(p, n_in);
	for (uint32_t i = 0; i < n_in; i++, at++) {
		memset(p, 1, 32);
		p = le32_put(p + 32, at);
		*p++ = 1;
		*p++ = at == fail[0].input   ? fail[0].op
		       : at == fail[1].input ? fail[1].op
					     : OP_1;
		p = le32_put(p, 0xffffffffu);
	}
	*p++ = 1;
	p = le64_put(p, 0);
	*p++ = 0;
	return le32_put(p, 0);
}

static void block_init(struct block *b, const struct fail fail[2])
{
	static const uint8_t anyone[] = {OP_1};
	struct coin coin = {.script = {anyone, 1}};
	uint32_t inputs = 0;
	size_t trailing;
	uint8_t *p;

	memset(b, 0, sizeof *b);
	b->node.height = 1000;
	undo_writer_init(&b->undo);
	b->raw = buf_new(200000);
	p = buf_data(b->raw);
	memset(p, 0, 80);
	p = compact_put(p + 80, TXS + 1);
	p = put_tx(p, 1, NONE - 2, fail);
	for (size_t i = 0; i < TXS; i++) {
		p = put_tx(p, shape[i], inputs, fail);
		inputs += shape[i];
	}
	b->raw->n = (size_t)(p - buf_data(b->raw));
	ck_assert_uint_le(b->raw->n, 200000);
	ck_assert_int_eq(
	    block_view_parse(&b->view, &trailing, buf_payload(b->raw)), 0);
	while (inputs--)
		ck_assert_int_eq(undo_writer_add(&b->undo, &coin), 0);
}

static void block_fini(struct block *b)
{
	undo_writer_fini(&b->undo);
	block_view_fini(&b->view);
	buf_unref(b->raw);
}

static struct script_batch *batch_of(const struct block *b)
{
	struct script_batch *s;

	ck_assert_int_eq(script_batch_new(&s, &b->node, &b->view,
					  slice_of(b->undo.p, b->undo.n),
					  params_get(CHAIN_REGTEST), NULL),
			 0);
	return s;
}

static uint32_t count_inputs(void)
{
	uint32_t n = 0;

	for (size_t i = 0; i < TXS; i++)
		n += shape[i];
	return n;
}

/* Where an input is. */
static void assert_at(const struct script_fault *f, uint32_t input)
{
	uint32_t tx = 0;

	while (input >= shape[tx])
		input -= shape[tx++];
	ck_assert_uint_eq(f->tx, tx + 1);
	ck_assert_uint_eq(f->why.input, input);
}

static bool verify(struct script_pool *p, const struct fail fail[2],
		   struct script_fault *f)
{
	struct script_batch *s;
	struct block b;
	bool ok;

	block_init(&b, fail);
	s = batch_of(&b);
	script_pool_submit(p, s);
	script_pool_join(p, s);
	ck_assert(script_pool_done(p, s));
	ok = script_batch_ok(s, f);
	script_batch_free(s);
	block_fini(&b);
	return ok;
}

START_TEST(every_input_of_a_block_is_verified)
{
	static const unsigned threads[] = {0, 1, 3};
	struct script_pool_cfg cfg = {.threads = threads[_i]};
	struct script_pool *p = script_pool_new(&cfg);
	struct fail fail[2] = {{NONE, 0}, {NONE, 0}};
	struct script_fault f;

	ck_assert(verify(p, fail, &f));
	for (uint32_t i = 0; i < count_inputs(); i++) {
		fail[0] = (struct fail){i, OP_RETURN};
		ck_assert_msg(!verify(p, fail, &f), "input %u", i);
		ck_assert_int_eq(f.why.err, SCRIPT_ERR_OP_RETURN);
		assert_at(&f, i);
	}
	script_pool_free(p);
}
END_TEST

START_TEST(the_first_of_two_failing_inputs_is_told)
{
	struct script_pool_cfg cfg = {.threads = (unsigned)_i};
	struct script_pool *p = script_pool_new(&cfg);
	struct script_fault f;

	for (uint32_t i = 0; i + 1 < count_inputs(); i += 13) {
		struct fail fail[2] = {{i, OP_RESERVED},
				       {i + 1 + i % 11, OP_RETURN}};

		ck_assert(!verify(p, fail, &f));
		ck_assert_int_eq(f.why.err, SCRIPT_ERR_BAD_OPCODE);
		assert_at(&f, i);
	}
	script_pool_free(p);
}
END_TEST

START_TEST(a_record_that_does_not_fit_its_block_is_corrupt)
{
	struct fail none[2] = {{NONE, 0}, {NONE, 0}};
	struct coin coin = {.script = {NULL, 0}};
	struct undo_writer less;
	struct script_batch *s;
	struct block b;

	block_init(&b, none);
	undo_writer_init(&less);
	ck_assert_int_eq(undo_writer_add(&less, &coin), 0);
	ck_assert_int_eq(script_batch_new(&s, &b.node, &b.view,
					  slice_of(less.p, less.n),
					  params_get(CHAIN_REGTEST), NULL),
			 E_CORRUPT);
	ck_assert_int_eq(undo_writer_add(&b.undo, &coin), 0);
	ck_assert_int_eq(script_batch_new(&s, &b.node, &b.view,
					  slice_of(b.undo.p, b.undo.n),
					  params_get(CHAIN_REGTEST), NULL),
			 E_CORRUPT);
	undo_writer_fini(&less);
	block_fini(&b);
}
END_TEST

struct turns {
	const struct hnode *of[1024];
	size_t n;
};

static void note_turn(void *arg, const struct hnode *n)
{
	struct turns *t = arg;

	t->of[t->n++] = n;
}

static void count_done(void *arg)
{
	unsigned *n = arg;

	++*n;
}

START_TEST(the_oldest_batch_comes_first)
{
	struct fail none[2] = {{NONE, 0}, {NONE, 0}};
	struct turns turns = {.n = 0};
	unsigned done = 0;
	struct script_pool_cfg cfg = {.done = {count_done, &done},
				      .begin = note_turn,
				      .begin_arg = &turns};
	struct script_pool *p = script_pool_new(&cfg);
	struct block a, b;
	struct script_batch *sa, *sb;
	size_t half;

	block_init(&a, none);
	block_init(&b, none);
	sa = batch_of(&a);
	sb = batch_of(&b);
	script_pool_submit(p, sa);
	script_pool_submit(p, sb);
	while (script_pool_help(p))
		ck_assert_uint_lt(turns.n, 1024);
	half = turns.n / 2;
	ck_assert_uint_gt(half, 2);
	for (size_t i = 0; i < turns.n; i++)
		ck_assert_ptr_eq(turns.of[i], i < half ? &a.node : &b.node);
	ck_assert_uint_eq(done, 2);
	ck_assert(script_pool_done(p, sa) && script_pool_done(p, sb));
	script_batch_free(sa);
	script_batch_free(sb);
	block_fini(&a);
	block_fini(&b);
	script_pool_free(p);
}
END_TEST

static void pass(void *gate, const struct hnode *n)
{
	gate_pass(gate, n);
}

static void open_later(void *gate)
{
	struct timespec nap = {0, 50000000};

	nanosleep(&nap, NULL);
	gate_open(gate);
}

/* Whoever cancels may free the block at once. */
START_TEST(cancelling_waits_for_what_threads_have_in_hand)
{
	struct fail none[2] = {{NONE, 0}, {NONE, 0}};
	struct gate g;
	struct script_pool_cfg cfg = {
	    .threads = 2, .begin = pass, .begin_arg = &g};
	struct script_pool *p = script_pool_new(&cfg);
	struct script_batch *s;
	pthread_t opener;
	struct block b;

	gate_init(&g);
	gate_close(&g, 0);
	block_init(&b, none);
	s = batch_of(&b);
	script_pool_submit(p, s);
	gate_until_held(&g, 2);
	thread_start(&opener, "opener", open_later, &g);
	script_pool_cancel(p, s);
	ck_assert_uint_eq(gate_held(&g), 0);
	ck_assert(!script_pool_help(p));
	script_batch_free(s);
	block_fini(&b);
	pthread_join(opener, NULL);
	script_pool_free(p);
	gate_fini(&g);
}
END_TEST

/* Two blocks; the thread that has the first chunk waits until the second is
 * taken, and the one that has this until another has come to the next block. */
struct late {
	const struct hnode *first;
	pthread_mutex_t mu;
	pthread_cond_t cond;
	unsigned turns;
	bool second_begun;
};

static void come_late(void *arg, const struct hnode *n)
{
	struct late *l = arg;

	pthread_mutex_lock(&l->mu);
	if (n != l->first) {
		l->second_begun = true;
		pthread_cond_broadcast(&l->cond);
	} else if (l->turns++ == 0) {
		while (l->turns < 2)
			pthread_cond_wait(&l->cond, &l->mu);
	} else if (l->turns == 2) {
		pthread_cond_broadcast(&l->cond);
		while (!l->second_begun)
			pthread_cond_wait(&l->cond, &l->mu);
	}
	pthread_mutex_unlock(&l->mu);
}

START_TEST(a_later_failure_that_is_noted_last_does_not_count)
{
	struct fail fails[2] = {{0, OP_RESERVED}, {16, OP_RETURN}};
	struct late late = {.mu = PTHREAD_MUTEX_INITIALIZER,
			    .cond = PTHREAD_COND_INITIALIZER};
	struct script_pool_cfg cfg = {
	    .threads = 2, .begin = come_late, .begin_arg = &late};
	struct script_pool *p = script_pool_new(&cfg);
	struct script_batch *sa, *sb;
	struct script_fault f;
	struct block a, b;

	block_init(&a, fails);
	block_init(&b, fails);
	late.first = &a.node;
	sa = batch_of(&a);
	sb = batch_of(&b);
	script_pool_submit(p, sa);
	script_pool_submit(p, sb);
	script_pool_join(p, sa);
	script_pool_join(p, sb);
	ck_assert(!script_batch_ok(sa, &f));
	assert_at(&f, 0);
	script_batch_free(sa);
	script_batch_free(sb);
	script_pool_free(p);
	block_fini(&a);
	block_fini(&b);
}
END_TEST

Suite *script_pool_suite(void)
{
	Suite *s = suite_create("script_pool");
	TCase *c = tcase_create("script_pool");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, every_input_of_a_block_is_verified, 0, 3);
	tcase_add_loop_test(c, the_first_of_two_failing_inputs_is_told, 0, 4);
	tcase_add_test(c, a_record_that_does_not_fit_its_block_is_corrupt);
	tcase_add_test(c, the_oldest_batch_comes_first);
	tcase_add_test(c, cancelling_waits_for_what_threads_have_in_hand);
	tcase_add_test(c, a_later_failure_that_is_noted_last_does_not_count);
	suite_add_tcase(s, c);
	return s;
}
