/* Walking scripts, counting sigops, writing pushes. */
#include "suites.h"
#include "testdata.h"

#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdlib.h>

static struct slice script_of(uint8_t *dst, size_t cap, const char *hex)
{
	return slice_of(dst, td_hex_into(dst, cap, hex));
}

START_TEST(pushes_of_every_width_give_their_data)
{
	static const struct {
		const char *hex;
		uint8_t op;
		size_t n;
	} t[] = {
	    {"00", OP_0, 0},
	    {"02aabb", 2, 2},
	    {"4c00", OP_PUSHDATA1, 0},
	    {"4c02aabb", OP_PUSHDATA1, 2},
	    {"4d0200aabb", OP_PUSHDATA2, 2},
	    {"4e02000000aabb", OP_PUSHDATA4, 2},
	    {"51", OP_1, 0},
	    {"ac", OP_CHECKSIG, 0},
	};
	uint8_t raw[16], op;
	struct script_iter it;
	struct slice data;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		script_iter_init(&it, script_of(raw, sizeof raw, t[i].hex));
		ck_assert_msg(script_next(&it, &op, &data), "%s", t[i].hex);
		ck_assert_uint_eq(op, t[i].op);
		ck_assert_uint_eq(data.n, t[i].n);
		if (data.n)
			ck_assert_mem_eq(data.p, "\xaa\xbb", 2);
		ck_assert(!script_next(&it, &op, &data) && !it.bad);
	}
}
END_TEST

START_TEST(pushes_that_are_cut_off_are_bad_and_end_the_walk)
{
	static const char *const t[] = {
	    "01",       "02aa",       "4b",     "4c",         "4c01",
	    "4d",       "4d01",       "4d0100", "4e",         "4e01",
	    "4e010000", "4e01000000", "4d0001", "4effffffff",
	};
	uint8_t raw[16], op;
	struct td_guard g;
	struct script_iter it;
	struct slice data;

	td_guard_init(&g, sizeof raw);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct slice s = script_of(raw, sizeof raw, t[i]);

		script_iter_init(&it, td_guard_put(&g, s));
		ck_assert_msg(!script_next(&it, &op, &data), "%s", t[i]);
		ck_assert_msg(it.bad, "%s", t[i]);
		ck_assert(!script_next(&it, &op, &data));
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(an_empty_script_has_no_operation)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	script_iter_init(&it, slice_of(NULL, 0));
	ck_assert(!script_next(&it, &op, &data) && !it.bad);
}
END_TEST

START_TEST(sigops_count_by_both_rules)
{
	static const struct {
		const char *hex;
		uint32_t legacy, accurate;
	} t[] = {
	    {"", 0, 0},         {"ac", 1, 1},          {"ad", 1, 1},
	    {"ae", 20, 20},     {"af", 20, 20},        {"52ae", 20, 2},
	    {"60af", 20, 16},   {"00ae", 20, 20}, /* OP_0 is no small number
						     here */
	    {"4fae", 20, 20},                     /* nor is OP_1NEGATE */
	    {"0102ae", 20, 20},                   /* nor a pushed one */
	    {"5261ae", 20, 20}, /* nor one that does not come directly before */
	    {"01ac", 0, 0},     /* data is not counted */
	    {"ac4c", 1, 1}, /* counting stops at a bad push, keeps the rest */
	    {"ac02acac", 1, 1}, {"52aeac53af", 41, 6},
	};
	uint8_t raw[16];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct slice s = script_of(raw, sizeof raw, t[i].hex);

		ck_assert_msg(script_sigops(s, false) == t[i].legacy, "%s",
			      t[i].hex);
		ck_assert_msg(script_sigops(s, true) == t[i].accurate, "%s",
			      t[i].hex);
	}
}
END_TEST

START_TEST(unspendable_is_op_return_or_too_long)
{
	uint8_t *raw = calloc(1, SCRIPT_MAX + 1);

	ck_assert_ptr_nonnull(raw);
	ck_assert(!script_is_unspendable(slice_of(raw, 0)));
	ck_assert(!script_is_unspendable(slice_of(raw, SCRIPT_MAX)));
	ck_assert(script_is_unspendable(slice_of(raw, SCRIPT_MAX + 1)));
	raw[0] = OP_RETURN;
	ck_assert(script_is_unspendable(slice_of(raw, 1)));
	ck_assert(!script_is_unspendable(slice_of(raw, 0)));
	free(raw);
}
END_TEST

START_TEST(push_only_takes_pushes_up_to_op_16)
{
	static const struct {
		const char *hex;
		bool is;
	} t[] = {
	    {"", true},           {"00", true},
	    {"0151", true},       {"4f5060", true},
	    {"61", false},        {"5161", false},
	    {"4d0100ac51", true}, {"01", false},
	    {"5102aa", false},    {"4e01000000ac", true},
	    {"00ac", false},
	};
	uint8_t raw[16];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ck_assert_msg(script_is_push_only(script_of(
				  raw, sizeof raw, t[i].hex)) == t[i].is,
			      "%s", t[i].hex);
}
END_TEST

START_TEST(witness_programs_are_a_version_and_2_to_40_bytes)
{
	uint8_t raw[44], version;
	struct slice program;

	for (unsigned first = 0; first < 256; first++) {
		for (uint8_t n = 0; n <= 41; n++) {
			bool v = first == 0 || (first >= 0x51 && first <= 0x60);
			bool is = v && n >= 2 && n <= 40;

			memset(raw, 0, sizeof raw);
			raw[0] = (uint8_t)first;
			raw[1] = n;
			ck_assert_msg(script_is_witness(slice_of(raw, n + 2u),
							&version,
							&program) == is,
				      "%02x %u", first, n);
			if (!is)
				continue;
			ck_assert_uint_eq(version, first ? first - 0x50 : 0);
			ck_assert_ptr_eq(program.p, raw + 2);
			ck_assert_uint_eq(program.n, n);
			ck_assert(!script_is_witness(slice_of(raw, n + 3u),
						     &version, &program));
			ck_assert(!script_is_witness(slice_of(raw, n + 1u),
						     &version, &program));
		}
	}
}
END_TEST

START_TEST(pushes_take_the_shortest_opcode_and_read_back)
{
	static const struct {
		size_t n, head;
		uint8_t op;
	} t[] = {
	    {0, 1, 0x00},   {1, 1, 0x01},   {75, 1, 0x4b},    {76, 2, 0x4c},
	    {255, 2, 0x4c}, {256, 3, 0x4d}, {65535, 3, 0x4d}, {65536, 5, 0x4e},
	};
	uint8_t *data = calloc(1, 65536), *raw = malloc(65536 + 5), op;
	struct script_iter it;
	struct slice got;

	ck_assert(data && raw);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct slice in = slice_of(data, t[i].n);
		uint8_t *end = script_put_push(raw, in);

		ck_assert_int_eq(end - raw, (ptrdiff_t)(t[i].head + t[i].n));
		ck_assert_uint_eq(raw[0], t[i].op);
		script_iter_init(&it, slice_of(raw, t[i].head + t[i].n));
		ck_assert(script_next(&it, &op, &got));
		ck_assert(slice_eq(got, in));
		ck_assert_ptr_eq(it.p, it.end);
	}
	free(data);
	free(raw);
}
END_TEST

START_TEST(numbers_are_written_as_opcodes_or_minimal_bytes)
{
	static const struct {
		int64_t v;
		const char *hex;
	} t[] = {
	    {0, "00"},
	    {-1, "4f"},
	    {1, "51"},
	    {16, "60"},
	    {17, "0111"},
	    {-2, "0182"},
	    {127, "017f"},
	    {128, "028000"},
	    {-127, "01ff"},
	    {-128, "028080"},
	    {255, "02ff00"},
	    {256, "020001"},
	    {32767, "02ff7f"},
	    {32768, "03008000"},
	    {-32768, "03008080"},
	    {500000, "0320a107"},
	    {2147483647, "04ffffff7f"},
	    {INT64_MAX, "08ffffffffffffff7f"},
	    {-INT64_MAX, "08ffffffffffffffff"},
	    {INT64_MIN, "09000000000000008080"},
	};
	uint8_t want[16], got[16];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		size_t n = td_hex_into(want, sizeof want, t[i].hex);
		uint8_t *end = script_put_num(got, t[i].v);

		ck_assert_msg(end - got == (ptrdiff_t)n, "%s", t[i].hex);
		ck_assert_msg(memcmp(got, want, n) == 0, "%s", t[i].hex);
	}
}
END_TEST

Suite *iter_suite(void)
{
	Suite *s = suite_create("iter");
	TCase *t = tcase_create("iter");

	tcase_add_test(t, pushes_of_every_width_give_their_data);
	tcase_add_test(t, pushes_that_are_cut_off_are_bad_and_end_the_walk);
	tcase_add_test(t, an_empty_script_has_no_operation);
	tcase_add_test(t, sigops_count_by_both_rules);
	tcase_add_test(t, unspendable_is_op_return_or_too_long);
	tcase_add_test(t, push_only_takes_pushes_up_to_op_16);
	tcase_add_test(t, witness_programs_are_a_version_and_2_to_40_bytes);
	tcase_add_test(t, pushes_take_the_shortest_opcode_and_read_back);
	tcase_add_test(t, numbers_are_written_as_opcodes_or_minimal_bytes);
	suite_add_tcase(s, t);
	return s;
}
