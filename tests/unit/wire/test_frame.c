/* The 24-byte frame header. Magic bytes are those of the networks' chains. */
#include "wiretest.h"

#include <cairn/base/endian.h>
#include <cairn/wire/frame.h>

static const uint8_t magic[4] = {0xf9, 0xbe, 0xb4, 0xd9};

static struct slice ping_header(struct td_guard *g)
{
	uint8_t h[FRAME_HEADER];

	ck_assert_ptr_eq(frame_put(h, magic, MSG_PING, 8, 0x94fa0225),
			 h + FRAME_HEADER);
	return td_guard_put(g, slice_of(h, sizeof h));
}

/* The frame with one byte changed. */
static enum frame_rc parse_with(struct frame_view *v, size_t at, uint8_t byte)
{
	struct td_guard g;
	struct slice s;
	uint8_t h[FRAME_HEADER];
	enum frame_rc rc;

	td_guard_init(&g, FRAME_HEADER);
	s = ping_header(&g);
	memcpy(h, s.p, s.n);
	h[at] = byte;
	s = td_guard_put(&g, slice_of(h, sizeof h));
	rc = frame_view_parse(v, s.p, magic);
	v->name = NULL; /* it would point into the unmapped header */
	td_guard_fini(&g);
	return rc;
}

START_TEST(frame_put_writes_the_known_bytes_of_a_verack)
{
	static const char known[] =
	    "f9beb4d976657261636b000000000000000000005df6e0e2";
	uint8_t want[FRAME_HEADER], got[FRAME_HEADER];
	uint32_t sum = frame_checksum(slice_of(NULL, 0));

	td_hex_into(want, sizeof want, known);
	frame_put(got, magic, MSG_VERACK, 0, sum);
	ck_assert_mem_eq(got, want, sizeof want);
}
END_TEST

START_TEST(frame_view_parse_reads_what_frame_put_wrote)
{
	struct td_guard g;
	struct frame_view v;
	struct slice s;

	td_guard_init(&g, FRAME_HEADER);
	s = ping_header(&g);
	ck_assert_int_eq(frame_view_parse(&v, s.p, magic), FRAME_OK);
	ck_assert_int_eq(v.type, MSG_PING);
	ck_assert_ptr_eq(v.name, s.p + 4);
	ck_assert_uint_eq(v.len, 8);
	ck_assert_uint_eq(v.checksum, 0x94fa0225);
	td_guard_fini(&g);
}
END_TEST

START_TEST(every_byte_of_the_magic_counts)
{
	struct frame_view v;

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(parse_with(&v, i, magic[i] ^ 1),
				 FRAME_BAD_MAGIC);
}
END_TEST

START_TEST(lengths_are_accepted_up_to_four_million)
{
	static const struct {
		uint32_t len;
		enum frame_rc rc;
	} row[] = {
	    {0, FRAME_OK},
	    {4000000, FRAME_OK},
	    {4000001, FRAME_TOO_LARGE},
	    {0x80000000u, FRAME_TOO_LARGE},
	    {0xffffffffu, FRAME_TOO_LARGE},
	};
	uint8_t h[FRAME_HEADER];
	struct frame_view v;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		frame_put(h, magic, MSG_BLOCK, row[i].len, 0);
		ck_assert_int_eq(frame_view_parse(&v, h, magic), row[i].rc);
		ck_assert_uint_eq(v.len, row[i].len);
		ck_assert_int_eq(v.type, MSG_BLOCK);
	}
}
END_TEST

START_TEST(commands_are_printable_and_zero_behind_the_first_nul)
{
	struct frame_view v;

	/* "ping" is at 4..7, its padding at 8..15. */
	ck_assert_int_eq(parse_with(&v, 15, 'x'), FRAME_BAD_COMMAND);
	ck_assert_int_eq(v.type, MSG_UNKNOWN);
	ck_assert_uint_eq(v.len, 8);
	ck_assert_int_eq(parse_with(&v, 9, 'x'), FRAME_BAD_COMMAND);
	ck_assert_int_eq(parse_with(&v, 4, 0), FRAME_BAD_COMMAND);
	ck_assert_int_eq(parse_with(&v, 5, 0x1f), FRAME_BAD_COMMAND);
	ck_assert_int_eq(parse_with(&v, 5, 0x7f), FRAME_BAD_COMMAND);
	ck_assert_int_eq(parse_with(&v, 5, 0xff), FRAME_BAD_COMMAND);
	ck_assert_int_eq(parse_with(&v, 8, 'x'), FRAME_OK);
	ck_assert_int_eq(v.type, MSG_UNKNOWN);
	ck_assert_int_eq(parse_with(&v, 5, ' '), FRAME_OK);
	ck_assert_int_eq(parse_with(&v, 5, '~'), FRAME_OK);
}
END_TEST

START_TEST(a_command_may_fill_all_twelve_bytes_or_none)
{
	struct frame_view v;
	uint8_t h[FRAME_HEADER];

	frame_put(h, magic, MSG_UNKNOWN, 0, 0);
	ck_assert_int_eq(frame_view_parse(&v, h, magic), FRAME_OK);
	ck_assert_int_eq(v.type, MSG_UNKNOWN);
	memset(h + 4, 'z', MSG_NAME_LEN);
	ck_assert_int_eq(frame_view_parse(&v, h, magic), FRAME_OK);
	ck_assert_int_eq(v.type, MSG_UNKNOWN);
	frame_put(h, magic, MSG_GETCFCHECKPT, 0, 0);
	ck_assert_int_eq(frame_view_parse(&v, h, magic), FRAME_OK);
	ck_assert_int_eq(v.type, MSG_GETCFCHECKPT);
}
END_TEST

Suite *frame_suite(void)
{
	Suite *s = suite_create("frame");
	TCase *t = tcase_create("frame");

	tcase_add_test(t, frame_put_writes_the_known_bytes_of_a_verack);
	tcase_add_test(t, frame_view_parse_reads_what_frame_put_wrote);
	tcase_add_test(t, every_byte_of_the_magic_counts);
	tcase_add_test(t, lengths_are_accepted_up_to_four_million);
	tcase_add_test(t, commands_are_printable_and_zero_behind_the_first_nul);
	tcase_add_test(t, a_command_may_fill_all_twelve_bytes_or_none);
	suite_add_tcase(s, t);
	return s;
}
