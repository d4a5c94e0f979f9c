/* The address book: bounds in all, by group and by source; choice. */
#include "../../../src/net/addrbook.h"
#include "suites.h"

#include <stdlib.h>

#define NOW 1700000000

/* The i-th of many addresses, spread over groups. */
static struct addr_entry entry_at(uint32_t i)
{
	struct addr_entry e = {.time_s = NOW,
			       .services = 9,
			       .addr = {.net = NET_IPV4, .n = 4, .port = 8333}};

	e.addr.b[0] = (uint8_t)(20 + i % 60);
	e.addr.b[1] = (uint8_t)(i / 60);
	e.addr.b[2] = (uint8_t)(i / 60 / 256);
	e.addr.b[3] = 1;
	return e;
}

static struct netaddr source_at(uint32_t i)
{
	return entry_at(i * 7919 + 13).addr;
}

START_TEST(addrbook_add_learns_an_address_once)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(1), out;

	ck_assert(addrbook_add(b, &e, NOW));
	ck_assert(!addrbook_add(b, &e, NOW));
	ck_assert_uint_eq(addrbook_count(b), 1);
	e.addr.port = 1;
	ck_assert(addrbook_add(b, &e, NOW));
	ck_assert_uint_eq(addrbook_count(b), 2);
	ck_assert_uint_eq(addrbook_sample(b, &out, 1), 1);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_add_refuses_what_cannot_be_dialled)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(1);

	e.addr.b[0] = 127;
	ck_assert(!addrbook_add(b, &e, NOW));
	e.addr.b[0] = 10;
	ck_assert(!addrbook_add(b, &e, NOW));
	e = entry_at(1);
	e.addr.port = 0;
	ck_assert(!addrbook_add(b, &e, NOW));
	ck_assert_uint_eq(addrbook_count(b), 0);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_is_bounded_and_gives_up_only_the_hopeless)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e;
	uint32_t i;

	for (i = 0; i < 4 * ADDRBOOK_MAX; i++) {
		e = entry_at(i);
		addrbook_add(b, &e, NOW);
	}
	ck_assert_uint_eq(addrbook_count(b), ADDRBOOK_MAX);
	/* All are fresh: nothing is given up. */
	e = entry_at(5 * ADDRBOOK_MAX);
	ck_assert(!addrbook_add(b, &e, NOW));
	/* A month and a day later all are hopeless. */
	e.time_s = NOW + 31 * 86400;
	ck_assert(addrbook_add(b, &e, NOW + 31 * 86400));
	ck_assert_uint_eq(addrbook_count(b), ADDRBOOK_MAX);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_learn_bounds_what_one_source_tells)
{
	struct addrbook *b = addrbook_new();
	struct netaddr s = source_at(1), other = source_at(2);
	struct addr_entry e;
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		e = entry_at(i);
		addrbook_learn(b, &e, &s, NOW);
	}
	ck_assert_uint_eq(addrbook_count(b), ADDRBOOK_SOURCE_MAX);
	e = entry_at(6000);
	ck_assert(addrbook_learn(b, &e, &other, NOW));
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_bounds_one_network_group)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(0);
	uint32_t i;

	for (i = 0; i < 2000; i++) {
		e.addr.b[2] = (uint8_t)(i / 256);
		e.addr.b[3] = (uint8_t)i;
		addrbook_add(b, &e, NOW);
	}
	ck_assert_uint_eq(addrbook_count(b), ADDRBOOK_GROUP_MAX);
	addrbook_free(b);
}
END_TEST

/* A hash chain must survive deletions: every entry that is there stays found.
 */
START_TEST(addrbook_finds_all_entries_after_replacements)
{
	struct addrbook *b = addrbook_new();
	int64_t later = NOW + 40 * 86400;
	struct addr_entry e, *all;
	uint32_t i, added = 0;
	size_t n;

	for (i = 0; i < 2 * ADDRBOOK_MAX; i++) {
		e = entry_at(i);
		addrbook_add(b, &e, NOW);
	}
	for (; i < 3 * ADDRBOOK_MAX; i++) {
		e = entry_at(i);
		e.time_s = (uint32_t)later;
		addrbook_add(b, &e, later);
	}
	all = calloc(ADDRBOOK_MAX, sizeof *all);
	ck_assert_ptr_nonnull(all);
	n = addrbook_sample(b, all, ADDRBOOK_MAX);
	ck_assert_uint_eq(n, ADDRBOOK_MAX);
	for (i = 0; i < n; i++)
		added += addrbook_add(b, &all[i], later);
	ck_assert_uint_eq(added, 0);
	ck_assert_uint_eq(addrbook_count(b), ADDRBOOK_MAX);
	free(all);
	addrbook_free(b);
}
END_TEST

static bool any(void *arg, const struct addr_entry *e)
{
	(void)arg;
	(void)e;
	return true;
}

static bool has_witness(void *arg, const struct addr_entry *e)
{
	(void)arg;
	return (e->services & 8) != 0;
}

START_TEST(addrbook_pick_honours_the_filter)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(1), out;

	ck_assert(!addrbook_pick(b, &out, NOW, any, NULL));
	e.services = 1;
	addrbook_add(b, &e, NOW);
	ck_assert(addrbook_pick(b, &out, NOW, any, NULL));
	ck_assert(!addrbook_pick(b, &out, NOW, has_witness, NULL));
	e = entry_at(2);
	addrbook_add(b, &e, NOW);
	ck_assert(addrbook_pick(b, &out, NOW, has_witness, NULL));
	ck_assert_mem_eq(out.addr.b, e.addr.b, 4);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_pick_prefers_what_did_not_fail)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry good = entry_at(1), bad = entry_at(2), out;
	unsigned i, n_bad = 0;

	addrbook_add(b, &good, NOW);
	addrbook_add(b, &bad, NOW);
	for (i = 0; i < 8; i++)
		addrbook_tried(b, &bad.addr, NOW - 3600);
	addrbook_good(b, &good.addr, 9, NOW);
	for (i = 0; i < 1000; i++) {
		ck_assert(addrbook_pick(b, &out, NOW, any, NULL));
		n_bad += out.addr.b[0] == bad.addr.b[0];
	}
	ck_assert_uint_lt(n_bad, 150);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_sample_gives_distinct_entries)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e, out[300];
	bool seen[500] = {false};
	uint32_t i;

	for (i = 0; i < 500; i++) {
		e = entry_at(i);
		addrbook_add(b, &e, NOW);
	}
	ck_assert_uint_eq(addrbook_sample(b, out, 300), 300);
	for (i = 0; i < 300; i++) {
		uint32_t k =
		    (uint32_t)(out[i].addr.b[1] * 60 + out[i].addr.b[0] - 20);

		ck_assert(!seen[k]);
		seen[k] = true;
	}
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_pick_leaves_what_was_just_tried_alone)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry tried = entry_at(1), other = entry_at(2), out;
	unsigned i, n = 0;

	addrbook_add(b, &tried, NOW);
	addrbook_tried(b, &tried.addr, NOW - 599);
	/* Where there is nothing else it has to do. */
	ck_assert(addrbook_pick(b, &out, NOW, any, NULL));
	addrbook_add(b, &other, NOW);
	for (i = 0; i < 300; i++) {
		ck_assert(addrbook_pick(b, &out, NOW, any, NULL));
		n += out.addr.b[0] == tried.addr.b[0];
	}
	ck_assert_uint_eq(n, 0);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_good_adds_nothing)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(1);

	addrbook_good(b, &e.addr, 9, NOW);
	ck_assert_uint_eq(addrbook_count(b), 0);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_sample_leaves_out_what_never_answered)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(1), out;

	addrbook_add(b, &e, NOW);
	for (unsigned i = 0; i < 3; i++)
		addrbook_tried(b, &e.addr, NOW);
	ck_assert_uint_eq(addrbook_sample(b, &out, 1), 0);
	addrbook_good(b, &e.addr, 1033, NOW);
	ck_assert_uint_eq(addrbook_sample(b, &out, 1), 1);
	ck_assert_uint_eq(out.services, 1033);
	addrbook_free(b);
}
END_TEST

START_TEST(addrbook_learn_ages_hearsay)
{
	struct addrbook *b = addrbook_new();
	struct addr_entry e = entry_at(1), out;
	struct netaddr s = source_at(1);

	addrbook_learn(b, &e, &s, NOW);
	addrbook_sample(b, &out, 1);
	ck_assert_uint_eq(out.time_s, NOW - 7200);
	addrbook_free(b);
	b = addrbook_new();
	addrbook_learn(b, &e, &e.addr, NOW);
	addrbook_sample(b, &out, 1);
	ck_assert_uint_eq(out.time_s, NOW);
	addrbook_free(b);
}
END_TEST

Suite *addrbook_suite(void)
{
	Suite *s = suite_create("addrbook");
	TCase *t = tcase_create("addrbook");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, addrbook_add_learns_an_address_once);
	tcase_add_test(t, addrbook_add_refuses_what_cannot_be_dialled);
	tcase_add_test(t, addrbook_is_bounded_and_gives_up_only_the_hopeless);
	tcase_add_test(t, addrbook_learn_bounds_what_one_source_tells);
	tcase_add_test(t, addrbook_bounds_one_network_group);
	tcase_add_test(t, addrbook_finds_all_entries_after_replacements);
	tcase_add_test(t, addrbook_pick_honours_the_filter);
	tcase_add_test(t, addrbook_pick_prefers_what_did_not_fail);
	tcase_add_test(t, addrbook_sample_gives_distinct_entries);
	tcase_add_test(t, addrbook_pick_leaves_what_was_just_tried_alone);
	tcase_add_test(t, addrbook_good_adds_nothing);
	tcase_add_test(t, addrbook_sample_leaves_out_what_never_answered);
	tcase_add_test(t, addrbook_learn_ages_hearsay);
	suite_add_tcase(s, t);
	return s;
}
