/*
 * The set of tags: what was put is found, what was not is not, old ones go, and
 * memory is bounded and taken as it is used, whatever is put and by however
 * many threads.
 */
#include "suites.h"

#include "../../../src/script/tagset.h"

#include <cairn/base/file.h>
#include <cairn/base/rand.h>
#include <cairn/base/thread.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Sanitizers take memory of their own. */
#ifdef CAIRN_DEBUG
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

#define LINE 128u /* bytes of eight tags */

static struct tag tag_of(uint64_t i)
{
	struct rand r;
	struct tag t;

	rand_seed(&r, i);
	t.w[0] = rand_u64(&r);
	t.w[1] = rand_u64(&r) | 1;
	return t;
}

static size_t count(const struct tagset *s, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (; from < to; from++) {
		struct tag t = tag_of(from);

		n += tagset_has(s, &t);
	}
	return n;
}

static void put(struct tagset *s, uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		struct tag t = tag_of(from);

		tagset_put(s, &t);
	}
}

START_TEST(a_tag_is_found_once_it_was_put_and_no_other_is)
{
	struct tag t = tag_of(1), u;
	struct tagset s;

	tagset_init(&s, 1 << 16);
	ck_assert(!tagset_has(&s, &t));
	tagset_put(&s, &t);
	tagset_put(&s, &t);
	ck_assert(tagset_has(&s, &t));
	for (unsigned bit = 0; bit < 128; bit++) {
		u = t;
		u.w[bit / 64] ^= (uint64_t)1 << bit % 64;
		ck_assert(!tagset_has(&s, &u));
	}
	/* The same line and half of another tag. */
	u = t;
	u.w[0] ^= 1;
	u.w[1] ^= 2;
	tagset_put(&s, &u);
	u.w[1] = t.w[1];
	ck_assert(!tagset_has(&s, &u));
	ck_assert(tagset_has(&s, &t));
	ck_assert_uint_eq(count(&s, 100, 10000), 0);
	tagset_fini(&s);
}
END_TEST

/* As tags come, more lines are used; what was put lately is found all along. */
START_TEST(recent_tags_are_found_while_the_set_grows_to_its_bound)
{
	const size_t lines = 2500, room = 8 * lines;
	struct tagset s;
	size_t n;

	tagset_init(&s, lines * LINE + LINE / 2);
	ck_assert_uint_eq(s.n, lines);
	for (uint64_t i = 0; i < 3 * room; i += 100) {
		put(&s, i, i + 100);
		n = count(&s, i >= 1000 ? i - 900 : 0, i + 100);
		ck_assert_uint_ge(n, (i < 1000 ? i + 100 : 1000) * 95 / 100);
	}
	n = count(&s, 0, 3 * room);
	ck_assert_uint_le(n, room);
	ck_assert_uint_ge(n, room / 2);
	ck_assert_uint_lt(count(&s, 0, room), room / 2);
	ck_assert_uint_eq(count(&s, 3 * room, 4 * room), 0);
	tagset_fini(&s);
}
END_TEST

/* The newest is found even when all tags have one line. */
START_TEST(tags_of_one_line_drive_each_other_out)
{
	struct tagset s;
	size_t n = 0;

	tagset_init(&s, 1 << 14);
	for (uint64_t i = 0; i < 1000; i++) {
		struct tag t = tag_of(i);

		t.w[0] %= 1000;
		tagset_put(&s, &t);
		ck_assert(tagset_has(&s, &t));
	}
	for (uint64_t i = 0; i < 1000; i++) {
		struct tag t = tag_of(i);

		t.w[0] %= 1000;
		n += tagset_has(&s, &t);
	}
	ck_assert_uint_eq(n, 8);
	tagset_fini(&s);
}
END_TEST

START_TEST(a_set_without_room_keeps_nothing)
{
	const size_t none[] = {0, 1, LINE, 4095, SIZE_MAX / 2};
	struct tag t = tag_of(1);
	struct tagset s;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		tagset_init(&s, none[i]);
		tagset_put(&s, &t);
		ck_assert(!tagset_has(&s, &t));
		tagset_fini(&s);
	}
}
END_TEST

/* Pages of this process in memory. */
static size_t resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long all = 0, here = 0;

	if (!f)
		return 0;
	ck_assert_int_eq(fscanf(f, "%lu %lu", &all, &here), 2);
	fclose(f);
	return here;
}

START_TEST(memory_is_taken_as_tags_come)
{
	const size_t bytes = (size_t)1 << 30, tags = 4000;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = resident(), took;
	struct tagset s;

	tagset_init(&s, bytes);
	put(&s, 0, tags);
	took = (resident() - before) * page;
	ck_assert_uint_ge(count(&s, 0, tags), tags * 99 / 100);
	tagset_fini(&s);
	/* Lines are three sixteenths full or more. */
	if (!sanitized)
		ck_assert_uint_le(took, tags * 16 * 16 / 3 + 64 * page);
}
END_TEST

struct crowd {
	struct tagset s;
	uint64_t from;
};

static void one_of_many(void *arg)
{
	struct crowd *c = arg;
	uint64_t from = __atomic_fetch_add(&c->from, 100000, __ATOMIC_RELAXED);

	for (uint64_t i = 0; i < 20000; i += 10) {
		put(&c->s, from + i, from + i + 10);
		count(&c->s, from + i, from + i + 10);
		ck_assert_uint_eq(
		    count(&c->s, from + i + 50000, from + i + 50010), 0);
	}
}

START_TEST(threads_find_nothing_that_none_of_them_put)
{
	static struct crowd c;
	pthread_t t[4];

	tagset_init(&c.s, 100 * LINE);
	for (int i = 0; i < 4; i++)
		thread_start(&t[i], "tags", one_of_many, &c);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	ck_assert_uint_le(count(&c.s, 0, 400000), 800);
	ck_assert_uint_ge(count(&c.s, 0, 400000), 400);
	tagset_fini(&c.s);
}
END_TEST

Suite *tagset_suite(void)
{
	Suite *s = suite_create("tagset");
	TCase *t = tcase_create("tagset");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_tag_is_found_once_it_was_put_and_no_other_is);
	tcase_add_test(t,
		       recent_tags_are_found_while_the_set_grows_to_its_bound);
	tcase_add_test(t, tags_of_one_line_drive_each_other_out);
	tcase_add_test(t, a_set_without_room_keeps_nothing);
	tcase_add_test(t, memory_is_taken_as_tags_come);
	tcase_add_test(t, threads_find_nothing_that_none_of_them_put);
	suite_add_tcase(s, t);
	return s;
}
