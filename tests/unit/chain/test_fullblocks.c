/*
 * The consensus rule blocks of btcd's generator, each step with what Bitcoin
 * Core answered to it: same reason, same tip. No step depends on running a
 * script.
 */
#include "../testdata.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/consensus/check.h>

#include <stdio.h>
#include <stdlib.h>

struct step {
	char *name, *submitblock, *tip, *outcome;
	int64_t offset, size, tip_height;
};

static int64_t number(const char **at, const char *key)
{
	char *s = td_json_str(at, key);
	int64_t v;

	ck_assert_ptr_nonnull(s);
	ck_assert(i64_parse(&v, s));
	free(s);
	return v;
}

/* The next line's fields, in the order of the file. */
static bool next_step(struct step *s, const char **at)
{
	s->name = td_json_str(at, "name");
	if (!s->name)
		return false;
	s->offset = number(at, "offset");
	s->size = number(at, "size");
	s->submitblock = td_json_str(at, "submitblock");
	s->tip = td_json_str(at, "tip");
	s->tip_height = number(at, "tip_height");
	s->outcome = td_json_str(at, "outcome");
	return true;
}

static void step_fini(struct step *s)
{
	free(s->name);
	free(s->submitblock);
	free(s->tip);
	free(s->outcome);
}

/* A header is added for a block that is good in itself only. */
static struct verdict alone(struct rig *r, struct slice block)
{
	struct block_view b;
	size_t trailing;
	struct verdict v;

	if (block_view_parse(&b, &trailing, block))
		return verdict_invalid(INV_NONE, "decode-failed", NULL);
	block_hash_txs(&b);
	v = block_check(&b, &r->params, false);
	block_view_fini(&b);
	return v;
}

/* What submitblock would say; reasons into text. */
static const char *answer(struct rig *r, char text[VERDICT_REJECT],
			  struct slice block)
{
	struct verdict v = alone(r, block);
	struct block_result res = {.outcome = BLOCK_REFUSED};
	struct hnode *n;

	if (verdict_ok(&v))
		v = rig_try_header(r, &n, block);
	if (verdict_ok(&v)) {
		res = rig_block(r, block);
		v = res.verdict;
	}
	snprintf(text, VERDICT_REJECT, "%s", v.reject);
	switch (res.outcome) {
	case BLOCK_CONNECTED:
		return "null";
	case BLOCK_STORED:
		return "inconclusive";
	case BLOCK_KNOWN:
		return "duplicate";
	case BLOCK_REFUSED:
	case BLOCK_FAILED:
	case BLOCK_IGNORED:
		break;
	}
	return text;
}

static void check_step(struct rig *r, const struct step *s, struct slice block)
{
	char hash[HASH256_STR], text[VERDICT_REJECT];
	const char *got = answer(r, text, block);

	ck_assert_msg(strcmp(got, s->submitblock) == 0,
		      "%s: %s instead of %s (%s)", s->name, got, s->submitblock,
		      s->outcome);
	hash256_fmt(hash, &chain_tip(r->c)->hash);
	ck_assert_msg(strcmp(hash, s->tip) == 0, "%s: tip %s instead of %s",
		      s->name, hash, s->tip);
	ck_assert_int_eq(chain_tip(r->c)->height, s->tip_height);
}

START_TEST(every_step_of_the_full_block_tests_ends_as_in_bitcoin_core)
{
	struct buf *raw;
	struct step s;
	struct rig r;
	const char *at;
	char *index;
	int steps = 0;

	if (td_missing())
		return;
	index = td_read_text("fullblocktests/index.jsonl");
	raw = td_read("fullblocktests/regtest-blocks.blk");
	rig_init(&r, CHAIN_REGTEST, NULL);
	/* When they were made: one step's time is too new by seconds. */
	clock_set_mock(&r.clock, 1796030000);
	rig_start(&r);
	for (at = index; next_step(&s, &at); steps++) {
		check_step(&r, &s,
			   slice_of(buf_data(raw) + s.offset, (size_t)s.size));
		step_fini(&s);
	}
	ck_assert_int_eq(steps, 186);
	buf_unref(raw);
	free(index);
	rig_fini(&r);
}
END_TEST

Suite *fullblocks_suite(void)
{
	Suite *s = suite_create("fullblocks");
	TCase *tc = tcase_create("core");

	tcase_set_timeout(tc, 120);
	tcase_add_test(
	    tc, every_step_of_the_full_block_tests_ends_as_in_bitcoin_core);
	suite_add_tcase(s, tc);
	return s;
}
