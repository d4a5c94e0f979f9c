/* The filter index: while connecting, afterwards, over a reorganisation. */
#include "../testdata.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/filter/gcs.h>

#include <stdlib.h>

static void sync_mainnet(struct rig *r, const struct blockfile_data *d)
{
	size_t i;

	for (i = 1; i < d->n; i++)
		rig_send(r, d->blocks[i], NULL);
	rig_settle(r);
	ck_assert_int_eq(chain_tip(r->c)->height, 2100);
}

static void until_ready(struct rig *r)
{
	uint64_t end = mono_ns() + 60000000000u;

	while (!chain_filters_ready(r->c)) {
		rig_poll(r);
		ck_assert_uint_lt(mono_ns(), end);
	}
}

static void check_published(struct rig *r)
{
	struct buf *want = td_read("filters/mainnet-filterheaders-0-50000.bin");
	struct hash256 header;
	int32_t h;

	for (h = 0; h <= 2100; h++) {
		ck_assert(
		    chain_filter_header(r->c, &header, chain_at(r->c, h)));
		ck_assert_msg(memcmp(header.b, buf_data(want) + 32 * h, 32) ==
				  0,
			      "filter header of height %d", h);
	}
	buf_unref(want);
}

START_TEST(filter_headers_built_while_connecting_are_the_published_ones)
{
	struct blockfile_data d;
	struct rig r;

	if (td_missing())
		return;
	blocks_read(&d, "chains/mainnet-0-2100.blk");
	rig_init(&r, CHAIN_MAIN, NULL);
	r.cfg.block_filter_index = true;
	rig_start(&r);
	sync_mainnet(&r, &d);
	until_ready(&r);
	ck_assert_int_eq(chain_filters_height(r.c), 2100);
	check_published(&r);
	rig_restart(&r);
	until_ready(&r);
	check_published(&r);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

START_TEST(filter_index_that_is_switched_on_late_catches_up)
{
	struct blockfile_data d;
	struct rig r;

	if (td_missing())
		return;
	blocks_read(&d, "chains/mainnet-0-2100.blk");
	rig_init(&r, CHAIN_MAIN, NULL);
	rig_start(&r);
	sync_mainnet(&r, &d);
	ck_assert(!chain_filters_ready(r.c));
	ck_assert_int_eq(chain_filters_height(r.c), -1);
	rig_stop(&r);
	r.cfg.block_filter_index = true;
	rig_start(&r);
	until_ready(&r);
	check_published(&r);
	blocks_fini(&d);
	rig_fini(&r);
}
END_TEST

/* Filters of blocks with spends, built in both ways, are the same bytes. */
START_TEST(filter_of_a_block_is_the_same_early_and_late)
{
	struct blockfile_data d;
	struct buf *early[207], *late;
	struct rig a, b;
	int32_t h;
	size_t i;

	if (td_missing())
		return;
	blocks_read(&d, "chains/regtest-kernel-0-206.blk");
	rig_init(&a, CHAIN_REGTEST, NULL);
	rig_init(&b, CHAIN_REGTEST, NULL);
	a.cfg.block_filter_index = true;
	rig_start(&a);
	rig_start(&b);
	for (i = 1; i < d.n; i++) {
		rig_block(&a, d.blocks[i]);
		rig_block(&b, d.blocks[i]);
	}
	for (h = 0; h <= 206; h++)
		ck_assert_int_eq(
		    chain_filter_read(a.c, &early[h], chain_at(a.c, h)), 0);
	ck_assert_int_eq(chain_filter_read(b.c, &late, chain_at(b.c, 0)),
			 E_NOTFOUND);
	rig_stop(&b);
	b.cfg.block_filter_index = true;
	rig_start(&b);
	until_ready(&b);
	for (h = 0; h <= 206; h++) {
		ck_assert_int_eq(
		    chain_filter_read(b.c, &late, chain_at(b.c, h)), 0);
		ck_assert(slice_eq(buf_payload(early[h]), buf_payload(late)));
		buf_unref(early[h]);
		buf_unref(late);
	}
	blocks_fini(&d);
	rig_fini(&a);
	rig_fini(&b);
}
END_TEST

START_TEST(filter_index_follows_a_reorganisation_and_keeps_the_stale_ones)
{
	struct hash256 before, stale, after, again;
	struct hnode *old;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	r.cfg.block_filter_index = true;
	rig_start(&r);
	rig_mine(&r, 1, 5);
	old = chain_tip(r.c);
	ck_assert(chain_filter_header(r.c, &before, old));
	rig_invalidate(&r, chain_at(r.c, 4));
	ck_assert_int_eq(chain_filters_height(r.c), 3);
	rig_mine(&r, 2, 3);
	ck_assert(chain_filters_ready(r.c));
	ck_assert(chain_filter_header(r.c, &after, chain_tip(r.c)));
	ck_assert(chain_filter_header(r.c, &stale, old));
	ck_assert_mem_eq(before.b, stale.b, 32);
	ck_assert_mem_ne(before.b, after.b, 32);
	rig_restart(&r);
	until_ready(&r);
	ck_assert(chain_filter_header(r.c, &again, chain_tip(r.c)));
	ck_assert_mem_eq(after.b, again.b, 32);
	rig_fini(&r);
}
END_TEST

Suite *filters_suite(void)
{
	Suite *s = suite_create("filters");
	TCase *tc = tcase_create("index");

	tcase_set_timeout(tc, 120);
	tcase_add_test(
	    tc, filter_headers_built_while_connecting_are_the_published_ones);
	tcase_add_test(tc, filter_index_that_is_switched_on_late_catches_up);
	tcase_add_test(tc, filter_of_a_block_is_the_same_early_and_late);
	tcase_add_test(
	    tc, filter_index_follows_a_reorganisation_and_keeps_the_stale_ones);
	suite_add_tcase(s, tc);
	return s;
}
