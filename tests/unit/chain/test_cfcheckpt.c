/* Filter checkpoints that peers claim, against each other and our own. */
#include "../testdata.h"
#include "rig.h"
#include "suites.h"

#include <stdlib.h>

/* A chain of 2,100 real blocks, with or without filters of our own, and the
 * headers at 1,000 and 2,000 as they are. */
struct setup {
	struct rig r;
	struct blockfile_data d;
	uint8_t truth[64];
};

static void setup(struct setup *s, bool own)
{
	struct buf *all = td_read("filters/mainnet-filterheaders-0-50000.bin");
	size_t i;

	memcpy(s->truth, buf_data(all) + 32 * 1000, 32);
	memcpy(s->truth + 32, buf_data(all) + 32 * 2000, 32);
	buf_unref(all);
	blocks_read(&s->d, "chains/mainnet-0-2100.blk");
	rig_init(&s->r, CHAIN_MAIN, NULL);
	s->r.cfg.block_filter_index = own;
	rig_start(&s->r);
	for (i = 1; i < s->d.n; i++)
		rig_send(&s->r, s->d.blocks[i], NULL);
	rig_settle(&s->r);
}

static void setup_fini(struct setup *s)
{
	blocks_fini(&s->d);
	rig_fini(&s->r);
}

static enum cfcheckpt_state state_at(struct setup *s, size_t i)
{
	struct cfcheckpt_row row;

	ck_assert(chain_cfcheckpt_at(s->r.c, &row, i));
	return row.state;
}

START_TEST(claims_are_compared_with_our_own_filters)
{
	struct cfcheckpt_row row;
	uint8_t lie[64];
	struct setup s;
	struct hnode *tip;

	if (td_missing())
		return;
	setup(&s, true);
	tip = chain_tip(s.r.c);
	ck_assert_int_eq(chain_cfcheckpt_note(s.r.c, 1, tip, s.truth, 2), -1);
	memcpy(lie, s.truth, 64);
	lie[40] ^= 1;
	ck_assert_int_eq(chain_cfcheckpt_note(s.r.c, 2, tip, lie, 2), 2000);
	lie[0] ^= 1;
	ck_assert_int_eq(chain_cfcheckpt_note(s.r.c, 3, tip, lie, 2), 1000);
	/* Height 1,000: the truth by two, one lie; 2,000: the truth, one lie
	 * by two. */
	ck_assert(chain_cfcheckpt_at(s.r.c, &row, 0));
	ck_assert_int_eq(row.height, 1000);
	ck_assert_int_eq(row.state, CFC_VALIDATED);
	ck_assert_uint_eq(row.peers[0], 1);
	ck_assert_uint_eq(row.peers[1], 2);
	ck_assert_uint_eq(row.n_peers, 2);
	ck_assert_int_eq(state_at(&s, 1), CFC_REFUTED);
	ck_assert_int_eq(state_at(&s, 2), CFC_VALIDATED);
	ck_assert_int_eq(state_at(&s, 3), CFC_REFUTED);
	ck_assert(!chain_cfcheckpt_at(s.r.c, &row, 4));
	setup_fini(&s);
}
END_TEST

START_TEST(claims_are_compared_with_each_other)
{
	struct cfcheckpt_row row;
	uint8_t lie[64];
	struct hnode *tip;
	struct setup s;
	uint64_t i;

	if (td_missing())
		return;
	setup(&s, false);
	tip = chain_tip(s.r.c);
	ck_assert_int_eq(chain_cfcheckpt_note(s.r.c, 1, tip, s.truth, 2), -1);
	ck_assert_int_eq(state_at(&s, 0), CFC_CLAIMED);
	chain_cfcheckpt_note(s.r.c, 1, tip, s.truth, 2);
	ck_assert_int_eq(state_at(&s, 0), CFC_CLAIMED);
	chain_cfcheckpt_note(s.r.c, 2, tip, s.truth, 2);
	ck_assert_int_eq(state_at(&s, 0), CFC_AGREED);
	memcpy(lie, s.truth, 64);
	/* More headers than the chain has are not believed. */
	for (i = 0; i < 20; i++) {
		lie[63] ^= (uint8_t)(i + 1);
		chain_cfcheckpt_note(s.r.c, 10 + i, tip, lie, 5);
	}
	ck_assert_int_eq(state_at(&s, 0), CFC_AGREED);
	ck_assert_int_eq(state_at(&s, 1), CFC_CLAIMED);
	/* Bounded: one row at 1,000, four at 2,000, eight peers each. */
	for (i = 0; chain_cfcheckpt_at(s.r.c, &row, i); i++)
		if (i == 0)
			ck_assert_uint_eq(row.n_peers, 8);
	ck_assert_uint_eq(i, 5);
	setup_fini(&s);
}
END_TEST

Suite *cfcheckpt_suite(void)
{
	Suite *s = suite_create("cfcheckpt");
	TCase *tc = tcase_create("claims");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, claims_are_compared_with_our_own_filters);
	tcase_add_test(tc, claims_are_compared_with_each_other);
	suite_add_tcase(s, tc);
	return s;
}
