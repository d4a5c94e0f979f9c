/* Undo records: what is written is read back, and nothing else is. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/rand.h>
#include <cairn/chain/undo.h>

#include <stdlib.h>
#include <string.h>

/* Coin number i, with a script in script. */
static struct coin make(uint8_t *script, uint32_t i)
{
	struct coin c = {.value = (int64_t)i * 1000 + 1,
			 .height = (int32_t)i,
			 .coinbase = i % 3 == 0};
	size_t n = 1 + i % 60;

	memset(script, (int)(i & 0xff), n);
	c.script = slice_of(script, n);
	return c;
}

static void fill(struct undo_writer *w, uint32_t n)
{
	uint8_t script[64];
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct coin c = make(script, i);

		ck_assert_int_eq(undo_writer_add(w, &c), 0);
	}
}

START_TEST(undo_gives_back_the_coins_in_order)
{
	static const uint32_t counts[] = {0, 1, 2, 7, 300, 20000};
	uint32_t n = counts[_i], i;
	struct undo_writer w;
	struct undo_reader r;
	uint8_t script[64];
	struct coin c;
	bool bad = true;

	undo_writer_init(&w);
	fill(&w, n);
	ck_assert_uint_eq(w.coins, n);
	ck_assert(undo_reader_init(&r, slice_of(w.p, w.n)));
	ck_assert_uint_eq(r.left, n);
	for (i = 0; i < n; i++) {
		struct coin want = make(script, i);

		ck_assert(undo_next(&r, &c, &bad));
		ck_assert_int_eq(c.value, want.value);
		ck_assert_int_eq(c.height, want.height);
		ck_assert_int_eq(c.coinbase, want.coinbase);
		ck_assert(slice_eq(c.script, want.script));
	}
	ck_assert(!undo_next(&r, &c, &bad));
	ck_assert(!bad);
	undo_writer_fini(&w);
}
END_TEST

START_TEST(undo_record_is_whole_after_every_coin)
{
	struct undo_writer w;
	struct undo_reader r;
	uint8_t script[64];
	uint32_t i;

	undo_writer_init(&w);
	for (i = 0; i < 200; i++) {
		struct coin c = make(script, i);

		ck_assert(undo_reader_init(&r, slice_of(w.p, w.n)));
		ck_assert_uint_eq(r.left, i);
		ck_assert_int_eq(undo_writer_add(&w, &c), 0);
	}
	undo_writer_fini(&w);
}
END_TEST

START_TEST(undo_reset_begins_an_empty_record)
{
	struct undo_writer w, fresh;

	undo_writer_init(&w);
	undo_writer_init(&fresh);
	fill(&w, 50);
	undo_writer_reset(&w);
	ck_assert_uint_eq(w.coins, 0);
	ck_assert(slice_eq(slice_of(w.p, w.n), slice_of(fresh.p, fresh.n)));
	fill(&w, 5);
	fill(&fresh, 5);
	ck_assert(slice_eq(slice_of(w.p, w.n), slice_of(fresh.p, fresh.n)));
	undo_writer_fini(&fresh);
	undo_writer_fini(&w);
}
END_TEST

START_TEST(undo_refuses_every_truncation_and_a_byte_more)
{
	struct undo_writer w;
	struct undo_reader r;
	struct td_guard g;
	uint8_t *more;
	size_t i;

	undo_writer_init(&w);
	fill(&w, 20);
	td_guard_init(&g, w.n);
	for (i = 0; i < w.n; i++)
		ck_assert_msg(
		    !undo_reader_init(&r, td_guard_put(&g, slice_of(w.p, i))),
		    "%zu of %zu bytes", i, w.n);
	more = calloc(1, w.n + 1);
	ck_assert_ptr_nonnull(more);
	memcpy(more, w.p, w.n);
	ck_assert(!undo_reader_init(&r, slice_of(more, w.n + 1)));
	ck_assert(undo_reader_init(&r, slice_of(more, w.n)));
	free(more);
	td_guard_fini(&g);
	undo_writer_fini(&w);
}
END_TEST

START_TEST(undo_refuses_any_flipped_bit)
{
	struct undo_writer w;
	struct undo_reader r;
	size_t i;

	undo_writer_init(&w);
	fill(&w, 12);
	for (i = 0; i < w.n * 8; i++) {
		w.p[i / 8] ^= (uint8_t)(1u << i % 8);
		ck_assert_msg(!undo_reader_init(&r, slice_of(w.p, w.n)),
			      "bit %zu", i);
		w.p[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	ck_assert(undo_reader_init(&r, slice_of(w.p, w.n)));
	undo_writer_fini(&w);
}
END_TEST

START_TEST(undo_refuses_coins_in_another_order)
{
	struct coin a = {.value = 1, .height = 5, .script = {NULL, 0}};
	struct coin b = {.value = 2, .height = 5, .script = {NULL, 0}};
	struct undo_writer w;
	struct undo_reader r;
	uint8_t t[3];

	undo_writer_init(&w);
	ck_assert_int_eq(undo_writer_add(&w, &a), 0);
	ck_assert_int_eq(undo_writer_add(&w, &b), 0);
	ck_assert_uint_eq(w.n, 12 + 6);
	memcpy(t, w.p + 12, 3);
	memcpy(w.p + 12, w.p + 15, 3);
	memcpy(w.p + 15, t, 3);
	ck_assert(!undo_reader_init(&r, slice_of(w.p, w.n)));
	undo_writer_fini(&w);
}
END_TEST

START_TEST(undo_next_says_bad_where_bytes_changed_after_the_check)
{
	struct undo_writer w;
	struct undo_reader r;
	struct coin c;
	bool bad = false;

	undo_writer_init(&w);
	fill(&w, 2);
	ck_assert(undo_reader_init(&r, slice_of(w.p, w.n)));
	r.end = r.p + 2;
	ck_assert(!undo_next(&r, &c, &bad));
	ck_assert(bad);
	undo_writer_fini(&w);
}
END_TEST

Suite *undo_suite(void)
{
	Suite *s = suite_create("undo");
	TCase *t = tcase_create("undo");

	tcase_add_loop_test(t, undo_gives_back_the_coins_in_order, 0, 6);
	tcase_add_test(t, undo_record_is_whole_after_every_coin);
	tcase_add_test(t, undo_reset_begins_an_empty_record);
	tcase_add_test(t, undo_refuses_every_truncation_and_a_byte_more);
	tcase_add_test(t, undo_refuses_any_flipped_bit);
	tcase_add_test(t, undo_refuses_coins_in_another_order);
	tcase_add_test(t,
		       undo_next_says_bad_where_bytes_changed_after_the_check);
	suite_add_tcase(s, t);
	return s;
}
