/* The set of hashes met lately (src/sync/txset.c). */
#include "../../../src/sync/txrelay.h"

#include "suites.h"

#include <cairn/base/endian.h>

static struct hash256 nth(uint32_t i)
{
	struct hash256 h = {{0}};

	le32_put(h.b + 8, i);
	return h;
}

static struct txset fill(size_t max, uint32_t n)
{
	struct txset t;

	txset_init(&t, max);
	for (uint32_t i = 0; i < n; i++) {
		struct hash256 h = nth(i);
		txset_add(&t, &h);
	}
	return t;
}

static bool has(const struct txset *t, uint32_t i)
{
	struct hash256 h = nth(i);

	return txset_has(t, &h);
}

START_TEST(the_last_max_are_remembered_and_twice_as_many_at_most)
{
	for (uint32_t n = 1; n < 700; n += 37) {
		struct txset t = fill(100, n);
		uint32_t kept = 0;
		for (uint32_t i = 0; i < n; i++) {
			kept += has(&t, i);
			if (i + 100 >= n)
				ck_assert_msg(has(&t, i), "%u of %u", i, n);
		}
		ck_assert_uint_le(kept, 200);
		ck_assert(!has(&t, n) && !has(&t, 1u << 30));
		txset_fini(&t);
	}
}
END_TEST

START_TEST(memory_is_bounded_whatever_is_added)
{
	struct txset t = fill(1000, 50000);

	ck_assert_uint_le(t.now.cap + t.before.cap, 2 * 2048);
	txset_fini(&t);
}
END_TEST

/* Each of 125 peers may announce as much as it likes. */
START_TEST(what_a_peer_knows_takes_half_a_mebibyte)
{
	struct txset t = fill(TX_KNOWN_MAX, 3 * TX_KNOWN_MAX);

	ck_assert_uint_le((t.now.cap + t.before.cap) * sizeof *t.now.slots,
			  512 << 10);
	txset_fini(&t);
}
END_TEST

START_TEST(the_same_again_takes_no_room)
{
	struct txset t = fill(10, 0);
	struct hash256 h = nth(1);

	for (int i = 0; i < 1000; i++)
		txset_add(&t, &h);
	ck_assert_uint_eq(t.now.n, 1);
	txset_fini(&t);
}
END_TEST

START_TEST(nothing_is_left_after_a_clear)
{
	struct txset t = fill(100, 150);

	txset_clear(&t);
	for (uint32_t i = 0; i < 150; i++)
		ck_assert(!has(&t, i));
	txset_fini(&t);
}
END_TEST

Suite *txset_suite(void)
{
	Suite *s = suite_create("txset");
	TCase *c = tcase_create("txset");

	tcase_add_test(c,
		       the_last_max_are_remembered_and_twice_as_many_at_most);
	tcase_add_test(c, memory_is_bounded_whatever_is_added);
	tcase_add_test(c, what_a_peer_knows_takes_half_a_mebibyte);
	tcase_add_test(c, the_same_again_takes_no_room);
	tcase_add_test(c, nothing_is_left_after_a_clear);
	suite_add_tcase(s, c);
	return s;
}
