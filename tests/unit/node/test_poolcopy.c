/* Relations and chunks, worked out from the transactions of a copy. */
#include "pool_rows.h"
#include "suites.h"

#define NONE ((const int[]){-1})

static void near_is(const struct pool_copy *p, size_t i, enum pool_relation r,
		    const uint32_t *want, size_t n)
{
	size_t have;
	const uint32_t *to = poolcopy_next_to(p, i, r, &have);

	ck_assert_uint_eq(have, n);
	for (size_t k = 0; k < n; k++)
		ck_assert_msg(to[k] == want[k], "row %zu, %zu: %u", i, k,
			      to[k]);
}

/* 0 has children 1 and 2; 3 spends both and 1 twice; 4 is alone. */
static struct pool_copy *family(void)
{
	struct pool_copy *p = rows_new(5);

	rows_add(p, NONE, 1);
	rows_add(p, (const int[]){0, -1}, 1);
	rows_add(p, (const int[]){0, -1}, 2);
	rows_add(p, (const int[]){1, 2, 1, -1}, 1);
	rows_add(p, NONE, 1);
	return p;
}

START_TEST(parents_and_children_are_found_once_each)
{
	struct pool_copy *p = family();

	poolcopy_relate(p);
	near_is(p, 0, POOL_PARENTS, NULL, 0);
	near_is(p, 0, POOL_CHILDREN, (const uint32_t[]){1, 2}, 2);
	near_is(p, 1, POOL_PARENTS, (const uint32_t[]){0}, 1);
	near_is(p, 3, POOL_PARENTS, (const uint32_t[]){1, 2}, 2);
	near_is(p, 1, POOL_CHILDREN, (const uint32_t[]){3}, 1);
	near_is(p, 4, POOL_PARENTS, NULL, 0);
	near_is(p, 4, POOL_CHILDREN, NULL, 0);
	poolcopy_free(p);
}
END_TEST

START_TEST(a_walk_comes_by_each_relative_once)
{
	struct pool_copy *p = family();
	uint32_t all[MEMPOOL_CLUSTER_MAX];

	poolcopy_relate(p);
	ck_assert_uint_eq(poolcopy_walk(p, all, 0, POOL_CHILDREN), 3);
	ck_assert_uint_eq(all[0] + all[1] + all[2], 6);
	ck_assert_uint_eq(poolcopy_walk(p, all, 3, POOL_PARENTS), 3);
	ck_assert_uint_eq(all[0] + all[1] + all[2], 3);
	ck_assert_uint_eq(poolcopy_walk(p, all, 4, POOL_PARENTS), 0);
	poolcopy_free(p);
}
END_TEST

START_TEST(a_walk_through_more_than_a_cluster_ends)
{
	struct pool_copy *p = rows_new(200);
	uint32_t all[MEMPOOL_CLUSTER_MAX];

	rows_add(p, NONE, 1);
	for (int i = 0; i < 199; i++)
		rows_add(p, (const int[]){i, -1}, 1);
	poolcopy_relate(p);
	ck_assert_uint_eq(poolcopy_walk(p, all, 0, POOL_CHILDREN),
			  MEMPOOL_CLUSTER_MAX);
	ck_assert_uint_eq(poolcopy_walk(p, all, 199, POOL_PARENTS),
			  MEMPOOL_CLUSTER_MAX);
	poolcopy_free(p);
}
END_TEST

START_TEST(rows_are_found_by_their_id)
{
	struct pool_copy *p = family();
	struct hash256 other = {{1, 2, 3}};

	poolcopy_relate(p);
	for (size_t i = 0; i < p->n; i++)
		ck_assert_uint_eq(poolcopy_find(p, &p->rows[i].txid), i);
	ck_assert_uint_eq(poolcopy_find(p, &other), p->n);
	poolcopy_free(p);
}
END_TEST

START_TEST(rows_behind_one_another_are_a_chunk_by_its_weight)
{
	static const uint32_t first[] = {0, 1, 1, 1, 4};
	struct pool_copy *p = family();
	int64_t sum = 0;

	for (size_t i = 1; i < 4; i++)
		sum += p->rows[i].weight;
	for (size_t i = 1; i < 4; i++)
		p->rows[i].chunk_weight = sum;
	poolcopy_relate(p);
	for (size_t i = 0; i < p->n; i++)
		ck_assert_uint_eq(p->rows[i].chunk_first, first[i]);
	poolcopy_free(p);
}
END_TEST

START_TEST(nothing_has_no_relatives)
{
	struct pool_copy *p = rows_new(0);

	poolcopy_relate(p);
	ck_assert_uint_eq(p->n, 0);
	poolcopy_free(p);
	poolcopy_free(NULL);
}
END_TEST

Suite *poolcopy_suite(void)
{
	Suite *s = suite_create("poolcopy");
	TCase *t = tcase_create("poolcopy");

	tcase_add_test(t, parents_and_children_are_found_once_each);
	tcase_add_test(t, a_walk_comes_by_each_relative_once);
	tcase_add_test(t, a_walk_through_more_than_a_cluster_ends);
	tcase_add_test(t, rows_are_found_by_their_id);
	tcase_add_test(t, rows_behind_one_another_are_a_chunk_by_its_weight);
	tcase_add_test(t, nothing_has_no_relatives);
	suite_add_tcase(s, t);
	return s;
}
