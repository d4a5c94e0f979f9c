/* The receive machine: any split, garbage, budgets, memory. */
#include "../../../src/net/rx.h"
#include "stream.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>

#include <stdlib.h>

#define BUDGET (64u * 1024 * 1024)

/* What came out: types and sizes of messages, drops and the end. */
struct out {
	enum msg_type type[64];
	uint32_t size[64];
	size_t n, drops;
	enum rx_rc end;
};

static void check_body(const struct rx_msg *m)
{
	bool ok = m->size == 24 + m->body.n &&
		  m->sum_checked == (m->type != MSG_BLOCK) &&
		  (!m->buf || buf_payload(m->buf).p == m->body.p);
	size_t i;

	for (i = 0; i < m->body.n && ok; i++)
		ok = m->body.p[i] == stream_pattern(i);
	ck_assert_msg(ok, "type %d, byte %zu of %zu", m->type, i, m->body.n);
}

/* Feed one piece, which ends at a guard of its own: the machine must neither
 * read behind it nor keep pointers into it. */
static enum rx_rc feed(struct rx *r, struct slice piece, struct out *o)
{
	uint8_t *copy = xmalloc(piece.n + 1);
	struct slice in = slice_of(copy, piece.n);
	struct rx_msg m;
	enum rx_rc rc;

	if (piece.n)
		memcpy(copy, piece.p, piece.n);
	while ((rc = rx_next(r, &m, &in, false)) == RX_MSG || rc == RX_DROP) {
		if (rc == RX_DROP) {
			o->drops++;
			continue;
		}
		check_body(&m);
		o->type[o->n] = m.type;
		o->size[o->n++] = m.size;
		rx_done(r);
	}
	if (rc == RX_MORE && in.n)
		ck_abort_msg("%zu bytes were left", in.n);
	free(copy);
	return rc;
}

static void feed_split(struct slice s, size_t piece, struct out *o)
{
	struct rx_budget b = {0, BUDGET};
	struct rx r;
	size_t at, n;

	memset(o, 0, sizeof *o);
	rx_init(&r, lab_magic, &b);
	for (at = 0; at < s.n; at += n) {
		n = s.n - at < piece ? s.n - at : piece;
		o->end = feed(&r, slice_of(s.p + at, n), o);
		if (o->end != RX_MORE)
			break;
	}
	rx_fini(&r);
	ck_assert_uint_eq(b.used, 0);
}

/* A stream with every shape of message. */
static void mixed(struct stream *s)
{
	static const size_t sizes[] = {0, 1, 8, 61, 300, 5000, 20000};
	size_t i;

	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		stream_fill(s, MSG_PING, sizes[i]);
		stream_fill(s, MSG_BLOCK, sizes[i]);
		stream_head(s, "ping", 3, 0xdeadbeef);
		stream_raw(s, "abc", 3);
		stream_head(s, "\x01oops", (uint32_t)sizes[i], 0);
		for (size_t k = 0; k < sizes[i]; k++)
			stream_raw(s, "x", 1);
	}
}

static void check_mixed(const struct out *o)
{
	ck_assert_int_eq(o->end, RX_MORE);
	ck_assert_uint_eq(o->n, 14);
	ck_assert_uint_eq(o->drops, 14);
	for (size_t i = 0; i < 14; i++)
		ck_assert_int_eq(o->type[i], i % 2 ? MSG_BLOCK : MSG_PING);
}

START_TEST(rx_next_gives_the_same_messages_for_every_split)
{
	struct stream s = {0};
	struct out o;
	size_t piece;

	mixed(&s);
	for (piece = 1; piece < 200; piece++) {
		feed_split(stream_slice(&s), piece, &o);
		check_mixed(&o);
	}
	for (piece = 200; piece < s.n; piece += 1 + piece / 5) {
		feed_split(stream_slice(&s), piece, &o);
		check_mixed(&o);
	}
	feed_split(stream_slice(&s), s.n, &o);
	check_mixed(&o);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_gives_the_same_messages_for_random_splits)
{
	struct stream s = {0};
	struct rand rand;
	unsigned round;

	rand_seed(&rand, 7);
	mixed(&s);
	for (round = 0; round < 100; round++) {
		struct rx_budget b = {0, BUDGET};
		struct out o = {.n = 0};
		size_t at = 0, n;
		struct rx r;

		rx_init(&r, lab_magic, &b);
		while (at < s.n) {
			n = 1 + rand_below(&rand, 9000);
			if (n > s.n - at)
				n = s.n - at;
			o.end = feed(&r, slice_of(s.p + at, n), &o);
			at += n;
		}
		check_mixed(&o);
		rx_fini(&r);
	}
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_leaves_whole_messages_where_they_lie)
{
	struct rx_budget b = {0, BUDGET};
	struct stream s = {0};
	struct slice in;
	struct rx_msg m;
	struct rx r;

	stream_fill(&s, MSG_HEADERS, 60000);
	in = stream_slice(&s);
	rx_init(&r, lab_magic, &b);
	ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_MSG);
	ck_assert_ptr_eq(m.body.p, s.p + 24);
	ck_assert_ptr_null(m.buf);
	rx_done(&r);
	rx_fini(&r);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_makes_every_block_a_record)
{
	static const size_t sizes[] = {0, 81, 200000};
	struct rx_budget b = {0, BUDGET};
	struct rx r;
	size_t i;

	rx_init(&r, lab_magic, &b);
	for (i = 0; i < 3; i++) {
		struct stream s = {0};
		struct slice in;
		struct buf *kept;
		struct rx_msg m;

		stream_fill(&s, MSG_BLOCK, sizes[i]);
		in = stream_slice(&s);
		ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_MSG);
		ck_assert_ptr_nonnull(m.buf);
		ck_assert(!m.sum_checked);
		ck_assert_uint_eq(m.sum, le32_get(s.p + 20));
		kept = buf_ref(m.buf);
		rx_done(&r);
		stream_free(&s);
		ck_assert_mem_eq(buf_data(kept) - 8, lab_magic, 4);
		ck_assert_uint_eq(le32_get(buf_data(kept) - 4), sizes[i]);
		ck_assert_uint_eq(kept->n, sizes[i]);
		ck_assert_uint_eq(kept->refs, 1);
		buf_unref(kept);
	}
	rx_fini(&r);
}
END_TEST

START_TEST(rx_next_hands_up_a_block_with_a_wrong_checksum)
{
	struct rx_budget b = {0, BUDGET};
	struct stream s = {0};
	struct slice in;
	struct rx_msg m;
	struct rx r;

	stream_head(&s, "block", 3, 0x01020304);
	stream_raw(&s, "abc", 3);
	in = stream_slice(&s);
	rx_init(&r, lab_magic, &b);
	ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_MSG);
	ck_assert_uint_eq(m.sum, 0x01020304);
	rx_done(&r);
	rx_fini(&r);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_sets_nothing_aside_for_a_claimed_length)
{
	struct rx_budget b = {0, BUDGET};
	struct stream s = {0};
	uint8_t byte = 0;
	struct slice in;
	struct rx_msg m;
	struct rx r;
	bool ok = true;
	size_t i;

	stream_head(&s, "block", 4000000, 0);
	in = stream_slice(&s);
	rx_init(&r, lab_magic, &b);
	ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_MORE);
	ck_assert_uint_eq(b.used, 0);
	for (i = 1; i <= 300000 && ok; i++) {
		in = slice_of(&byte, 1);
		ok = rx_next(&r, &m, &in, false) == RX_MORE &&
		     b.used <= (i < 4096 ? 4096 : 2 * i);
	}
	ck_assert_msg(ok, "%zu set aside after %zu bytes", b.used, i);
	rx_fini(&r);
	ck_assert_uint_eq(b.used, 0);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_refuses_magic_and_length_after_24_bytes)
{
	static const struct {
		size_t at;
		uint8_t flip;
		enum rx_rc rc;
	} cases[] = {
	    {0, 1, RX_BAD_MAGIC},     {3, 0x80, RX_BAD_MAGIC},
	    {19, 0x80, RX_TOO_LARGE}, {18, 0x3e, RX_TOO_LARGE},
	    {18, 0x3d, RX_MORE},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stream s = {0};
		struct out o;

		stream_head(&s, "ping", 0, 0);
		s.p[cases[i].at] ^= cases[i].flip;
		feed_split(slice_of(s.p, 23), 23, &o);
		ck_assert_int_eq(o.end, RX_MORE);
		feed_split(stream_slice(&s), 1, &o);
		ck_assert_msg(o.end == cases[i].rc, "case %zu", i);
		feed_split(stream_slice(&s), 24, &o);
		ck_assert_msg(o.end == cases[i].rc, "case %zu", i);
		stream_free(&s);
	}
}
END_TEST

START_TEST(rx_next_takes_4000000_bytes_but_not_one_more)
{
	struct stream s = {0};
	struct out o;

	stream_fill(&s, MSG_BLOCK, 4000000);
	feed_split(stream_slice(&s), 65536, &o);
	ck_assert_uint_eq(o.n, 1);
	ck_assert_uint_eq(o.size[0], 4000024);
	stream_free(&s);
	stream_head(&s, "block", 4000001, 0);
	feed_split(stream_slice(&s), 65536, &o);
	ck_assert_int_eq(o.end, RX_TOO_LARGE);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_holds_back_all_but_blocks)
{
	struct rx_budget b = {0, BUDGET};
	struct stream s = {0};
	struct slice in;
	struct rx_msg m;
	struct rx r;
	size_t left;

	stream_fill(&s, MSG_BLOCK, 100);
	stream_fill(&s, MSG_PING, 8);
	stream_fill(&s, MSG_BLOCK, 100);
	in = stream_slice(&s);
	rx_init(&r, lab_magic, &b);
	ck_assert_int_eq(rx_next(&r, &m, &in, true), RX_MSG);
	rx_done(&r);
	ck_assert_int_eq(rx_next(&r, &m, &in, true), RX_HELD);
	left = in.n;
	ck_assert_int_eq(rx_next(&r, &m, &in, true), RX_HELD);
	ck_assert_uint_eq(in.n, left);
	ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_MSG);
	ck_assert_int_eq(m.type, MSG_PING);
	ck_assert_uint_eq(m.body.n, 8);
	rx_done(&r);
	ck_assert_int_eq(rx_next(&r, &m, &in, true), RX_MSG);
	ck_assert_int_eq(m.type, MSG_BLOCK);
	rx_done(&r);
	rx_fini(&r);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_holds_back_a_collected_message)
{
	struct rx_budget b = {0, BUDGET};
	struct stream s = {0};
	struct slice in, none = slice_of(NULL, 0);
	struct rx_msg m;
	struct rx r;

	stream_fill(&s, MSG_HEADERS, 1000);
	rx_init(&r, lab_magic, &b);
	in = slice_of(s.p, 500);
	ck_assert_int_eq(rx_next(&r, &m, &in, true), RX_MORE);
	in = slice_of(s.p + 500, s.n - 500);
	ck_assert_int_eq(rx_next(&r, &m, &in, true), RX_HELD);
	ck_assert_uint_eq(in.n, 0);
	ck_assert_int_eq(rx_next(&r, &m, &none, false), RX_MSG);
	check_body(&m);
	rx_done(&r);
	rx_fini(&r);
	stream_free(&s);
}
END_TEST

START_TEST(rx_next_waits_for_the_budget_without_losing_a_byte)
{
	struct rx_budget b = {0, 10000};
	struct stream s = {0};
	struct slice in;
	struct rx_msg m;
	struct rx r;

	stream_fill(&s, MSG_BLOCK, 50000);
	in = stream_slice(&s);
	rx_init(&r, lab_magic, &b);
	ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_STARVED);
	ck_assert_uint_eq(in.n, 50000);
	ck_assert_uint_eq(b.used, 0);
	b.max = 60000;
	ck_assert_int_eq(rx_next(&r, &m, &in, false), RX_MSG);
	check_body(&m);
	ck_assert_uint_eq(b.used, 0);
	rx_done(&r);
	rx_fini(&r);
	stream_free(&s);
}
END_TEST

/* Whatever comes, the machine ends in a stated outcome and gives all back. */
START_TEST(rx_next_survives_garbage)
{
	struct stream s = {0};
	struct rand rand;
	enum rx_rc rc;
	unsigned round;

	rand_seed(&rand, 99);
	for (round = 0; round < 3000; round++) {
		struct rx_budget b = {0, BUDGET};
		struct slice in;
		struct rx_msg m;
		struct rx r;

		s.n = 0;
		stream_fill(&s, MSG_INV, rand_below(&rand, 200));
		stream_fill(&s, MSG_BLOCK, rand_below(&rand, 200));
		for (unsigned k = 0; k < 3; k++)
			s.p[rand_below(&rand, s.n)] = (uint8_t)rand_u64(&rand);
		in = stream_slice(&s);
		rx_init(&r, lab_magic, &b);
		while ((rc = rx_next(&r, &m, &in, false)) == RX_MSG ||
		       rc == RX_DROP)
			rx_done(&r);
		rx_fini(&r);
		ck_assert_msg(b.used == 0 &&
				  (rc == RX_MORE || rc == RX_BAD_MAGIC ||
				   rc == RX_TOO_LARGE),
			      "round %u ended in %d", round, rc);
	}
	stream_free(&s);
}
END_TEST

Suite *rx_suite(void)
{
	Suite *s = suite_create("rx");
	TCase *t = tcase_create("rx_next");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, rx_next_gives_the_same_messages_for_every_split);
	tcase_add_test(t, rx_next_gives_the_same_messages_for_random_splits);
	tcase_add_test(t, rx_next_leaves_whole_messages_where_they_lie);
	tcase_add_test(t, rx_next_makes_every_block_a_record);
	tcase_add_test(t, rx_next_hands_up_a_block_with_a_wrong_checksum);
	tcase_add_test(t, rx_next_sets_nothing_aside_for_a_claimed_length);
	tcase_add_test(t, rx_next_refuses_magic_and_length_after_24_bytes);
	tcase_add_test(t, rx_next_takes_4000000_bytes_but_not_one_more);
	tcase_add_test(t, rx_next_holds_back_all_but_blocks);
	tcase_add_test(t, rx_next_holds_back_a_collected_message);
	tcase_add_test(t, rx_next_waits_for_the_budget_without_losing_a_byte);
	tcase_add_test(t, rx_next_survives_garbage);
	suite_add_tcase(s, t);
	return s;
}
