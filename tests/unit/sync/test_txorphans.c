/* The orphanage and its bounds (src/sync/txorphans.c). */
#include "../../../src/sync/txorphans.h"

#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

#define N_PEERS 4

static struct orphans O;
static struct orphan_peer P[N_PEERS];

static void start(void)
{
	orphans_init(&O);
	memset(P, 0, sizeof P);
	for (uint64_t i = 0; i < N_PEERS; i++)
		P[i].id = i;
}

static void stop(void)
{
	for (int i = 0; i < N_PEERS; i++)
		orphans_peer_gone(&O, &P[i]);
	ck_assert_uint_eq(O.by_outpoint.n + O.by_wtxid.n + O.n_peers, 0);
	ck_assert_int_eq(O.weight, 0);
	ck_assert_uint_eq(O.score, 0);
	orphans_fini(&O);
}

static struct hash256 parent_of(uint32_t i)
{
	struct hash256 h = {{0xaa}};

	le32_put(h.b + 8, i);
	return h;
}

static void view_of(struct tx_view *v, const struct buf *b)
{
	struct rd r;

	rd_init(&r, buf_payload(b));
	ck_assert(tx_view_parse(v, &r));
}

/* p announces the child of parent i; gives its wtxid. */
static struct hash256 add(int p, uint32_t i, uint32_t salt)
{
	struct hash256 parent = parent_of(i), txid, wtxid;
	struct buf *b = tx_make(&parent, 1, salt, true);
	struct tx_view v;

	view_of(&v, b);
	tx_ids(&txid, &wtxid, b);
	orphans_add(&O, &P[p], b, &v, &txid, &wtxid);
	buf_unref(b);
	return wtxid;
}

/* A transaction of n inputs, each spending another parent. */
static bool add_wide(int p, size_t n, uint32_t salt)
{
	struct hash256 *parents = xcalloc(n, sizeof *parents), txid, wtxid;
	struct tx_view v;
	struct buf *b;
	bool ok;

	for (size_t i = 0; i < n; i++)
		parents[i] = parent_of(salt * 1000 + (uint32_t)i);
	b = tx_make(parents, n, salt, false);
	view_of(&v, b);
	tx_ids(&txid, &wtxid, b);
	ok = orphans_add(&O, &P[p], b, &v, &txid, &wtxid);
	buf_unref(b);
	free(parents);
	return ok;
}

START_TEST(a_child_is_tried_again_when_its_parent_comes)
{
	struct rand rnd;
	struct buf *parent = tx_make(NULL, 0, 5, false);
	struct hash256 txid = tx_id(parent), wid;
	struct buf *child = tx_make(&txid, 1, 6, true);
	struct tx_view pv, cv;
	struct orphan *o;

	rand_seed(&rnd, 1);
	view_of(&pv, parent);
	view_of(&cv, child);
	wid = tx_wid(child);
	txid = tx_id(child);
	ck_assert(orphans_add(&O, &P[0], child, &cv, &txid, &wid));
	ck_assert_ptr_null(orphans_ready(&P[0]));
	txid = tx_id(parent);
	orphans_parent_came(&O, &pv, &txid, &rnd);
	o = orphans_ready(&P[0]);
	ck_assert_ptr_nonnull(o);
	ck_assert(hash256_eq(&o->wtxid, &wid));
	/* Once; it is still kept. */
	ck_assert_ptr_null(orphans_ready(&P[0]));
	ck_assert_ptr_nonnull(orphans_find(&O, &wid));
	buf_unref(parent);
	buf_unref(child);
}
END_TEST

START_TEST(it_stays_as_long_as_one_of_its_announcers)
{
	struct hash256 w = add(0, 1, 1);

	add(1, 1, 1);
	ck_assert_uint_eq(O.n_anns, 2);
	ck_assert_uint_eq(O.by_wtxid.n, 1);
	orphans_peer_gone(&O, &P[0]);
	ck_assert_ptr_nonnull(orphans_find(&O, &w));
	orphans_peer_gone(&O, &P[1]);
	ck_assert_ptr_null(orphans_find(&O, &w));
}
END_TEST

/* Four peers together may have more weight than the flood has. */
START_TEST(announcements_are_bounded_and_only_who_floods_loses)
{
	struct hash256 w[N_PEERS];

	for (int p = 1; p < N_PEERS; p++)
		w[p] = add(p, 1, (uint32_t)p);
	for (uint32_t i = 0; i < 5000; i++)
		add(0, i, i + N_PEERS);
	ck_assert_uint_eq(O.n_anns + O.score, ORPHAN_SCORE_MAX);
	for (int p = 1; p < N_PEERS; p++) {
		ck_assert_ptr_nonnull(orphans_find(&O, &w[p]));
		ck_assert_uint_eq(P[p].n, 1);
	}
}
END_TEST

START_TEST(inputs_count_too)
{
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(add_wide(0, 200, i + 1));
	ck_assert_uint_eq(O.score, 5 * 20);
	ck_assert_uint_eq(P[0].score, 5 * 21);
	ck_assert_uint_eq(O.by_outpoint.n, 5 * 200);
}
END_TEST

START_TEST(weight_is_bounded_by_the_number_of_peers)
{
	for (uint32_t i = 0; i < 200; i++) {
		add_wide((int)(i % 2), 240, i + 1);
		ck_assert_int_le(O.weight, 2 * ORPHAN_WEIGHT_PER_PEER);
	}
	orphans_peer_gone(&O, &P[1]);
	ck_assert_int_le(O.weight, ORPHAN_WEIGHT_PER_PEER);
}
END_TEST

START_TEST(the_oldest_goes_first)
{
	struct hash256 old = add(0, 1, 1), newest = old;

	for (uint32_t i = 2; i < 3100; i++)
		newest = add(0, i, i);
	ck_assert_ptr_null(orphans_find(&O, &old));
	ck_assert_ptr_nonnull(orphans_find(&O, &newest));
}
END_TEST

START_TEST(a_block_takes_what_it_holds_and_what_it_contradicts)
{
	struct hash256 gone = add(0, 1, 1), kept = add(0, 2, 2),
		       parent = parent_of(1);
	struct buf *other = tx_make(&parent, 1, 77, false);
	struct tx_view tx[2];
	struct block_view b = {.n_tx = 2, .tx = tx};

	view_of(&tx[0], other);
	view_of(&tx[1], other);
	orphans_block(&O, &b);
	ck_assert_ptr_null(orphans_find(&O, &gone));
	ck_assert_ptr_nonnull(orphans_find(&O, &kept));
	buf_unref(other);
}
END_TEST

START_TEST(several_that_spend_the_same_are_all_dropped)
{
	struct hash256 w[5];

	for (uint32_t i = 0; i < 5; i++)
		w[i] = add(0, 1, i);
	ck_assert_uint_eq(O.by_outpoint.n, 1);
	ck_assert(orphans_drop(&O, &w[2]));
	ck_assert(!orphans_drop(&O, &w[2]));
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_int_eq(orphans_find(&O, &w[i]) != NULL, i != 2);
}
END_TEST

START_TEST(children_of_the_same_peer_come_newest_first)
{
	struct hash256 parent = parent_of(1), last;
	struct orphan *out[8];

	add(0, 1, 1);
	add(1, 1, 9);
	last = add(0, 1, 2);
	add(0, 2, 3);
	ck_assert_uint_eq(orphans_children(&P[0], &parent, out, 8), 2);
	ck_assert(hash256_eq(&out[0]->wtxid, &last));
	ck_assert_uint_eq(orphans_children(&P[0], &parent, out, 1), 1);
}
END_TEST

Suite *txorphans_suite(void)
{
	Suite *s = suite_create("txorphans");
	TCase *c = tcase_create("txorphans");

	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, a_child_is_tried_again_when_its_parent_comes);
	tcase_add_test(c, it_stays_as_long_as_one_of_its_announcers);
	tcase_add_test(c, announcements_are_bounded_and_only_who_floods_loses);
	tcase_add_test(c, inputs_count_too);
	tcase_add_test(c, weight_is_bounded_by_the_number_of_peers);
	tcase_add_test(c, the_oldest_goes_first);
	tcase_add_test(c, a_block_takes_what_it_holds_and_what_it_contradicts);
	tcase_add_test(c, several_that_spend_the_same_are_all_dropped);
	tcase_add_test(c, children_of_the_same_peer_come_newest_first);
	suite_add_tcase(s, c);
	return s;
}
