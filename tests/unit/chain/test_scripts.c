/* Scripts of blocks: verified on all threads, the first failure told, passed
 * over below an assumed-valid block (src/chain/scripts.c). */
#include "rig.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/header.h>
#include <cairn/wire/tx.h>

#include <stdio.h>

#define SCRIPT_AT (4 + 1 + 36)
#define RESERVED  0x50 /* OP_RESERVED, where it is executed */
#define RETURN    0x6a

static void start(struct rig *r, unsigned n, unsigned workers)
{
	rig_init(r, CHAIN_REGTEST, NULL);
	r->cfg.workers = workers;
	clock_set_mock(&r->clock, 1700000000);
	rig_start(r);
	rig_mine(r, 1, n);
}

/* The spend of a block's coinbase with one opcode as its input's script. */
static struct buf *spend_with(struct rig *r, int32_t height, uint8_t op)
{
	struct buf *good = rig_spend(r, height, 1, 1), *bad;
	uint8_t *p;

	if (op == 0)
		return good;
	bad = buf_new(good->n + 1);
	p = bytes_put(buf_data(bad), buf_data(good), SCRIPT_AT);
	*p++ = 1;
	*p++ = op;
	bytes_put(p, buf_data(good) + SCRIPT_AT + 1, good->n - SCRIPT_AT - 1);
	bad->n = good->n + 1;
	buf_unref(good);
	return bad;
}

/* A block with n spends, of which two may fail. */
static struct block_result with_spends(struct rig *r, size_t n, size_t reserved,
				       size_t ret)
{
	struct buf *tx[64], *b;
	struct block_result res;

	for (size_t i = 0; i < n; i++) {
		uint8_t op = i == reserved ? RESERVED : i == ret ? RETURN : 0;
		tx[i] = spend_with(r, (int32_t)i + 1, op);
	}
	b = rig_make(r, 2, tx, n);
	res = rig_block(r, buf_payload(b));
	buf_unref(b);
	for (size_t i = 0; i < n; i++)
		buf_unref(tx[i]);
	return res;
}

static void assert_reason(const struct block_result *res, const char *word)
{
	ck_assert_int_eq(res->outcome, BLOCK_FAILED);
	ck_assert_int_eq(res->verdict.reason, INV_CONSENSUS);
	ck_assert_msg(
	    strstr(res->verdict.reject, "block-script-verify-flag-failed (") &&
		strstr(res->verdict.reject, word),
	    "%s", res->verdict.reject);
}

START_TEST(a_block_whose_scripts_hold_is_connected)
{
	struct block_result res;
	struct rig r;

	start(&r, 150, (unsigned)_i + 1);
	res = with_spends(&r, 40, 99, 99);
	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	rig_fini(&r);
}
END_TEST

/* As Core words it: which input of which transaction, and what it spends. */
static void assert_input(struct rig *r, const struct block_result *res,
			 int32_t height, uint8_t op)
{
	struct buf *tx = spend_with(r, height, op);
	char txid[HASH256_STR], spent[HASH256_STR], want[VERDICT_DETAIL];
	struct hash256 id;
	struct tx_view v;
	struct rd rd;

	rd_init(&rd, buf_payload(tx));
	ck_assert(tx_view_parse(&v, &rd));
	tx_txid(&id, &v);
	hash256_fmt(txid, &id);
	memcpy(id.b, buf_data(tx) + 5, 32);
	snprintf(want, sizeof want, "input 0 of %s (wtxid %s), spending %s:0",
		 txid, txid, hash256_fmt(spent, &id));
	ck_assert_str_eq(res->verdict.detail, want);
	buf_unref(tx);
}

START_TEST(one_failing_script_fails_its_block_and_leaves_no_trace)
{
	struct block_result res;
	struct hash256 before, after;
	struct rig r;

	start(&r, 110, (unsigned)_i + 1);
	before = rig_coins(&r, NULL);
	res = with_spends(&r, 1, 99, 0);
	assert_reason(&res, "OP_RETURN");
	after = rig_coins(&r, NULL);
	ck_assert(hash256_eq(&before, &after));
	ck_assert_int_eq(chain_tip(r.c)->height, 110);
	ck_assert(hnode_status(res.node) & HN_FAILED);
	rig_fini(&r);
}
END_TEST

START_TEST(the_first_failing_input_in_block_order_is_told)
{
	struct block_result res;
	struct rig r;

	start(&r, 150, (unsigned)_i + 1);
	res = with_spends(&r, 40, 3, 30);
	assert_reason(&res, "Opcode missing");
	assert_input(&r, &res, 4, RESERVED);
	res = with_spends(&r, 40, 30, 3);
	assert_reason(&res, "OP_RETURN");
	assert_input(&r, &res, 4, RETURN);
	rig_fini(&r);
}
END_TEST

/* n headers on top of a block, so that more than two weeks of work bury it. */
static void bury(struct rig *r, const struct hnode *n, unsigned count)
{
	struct header h = {.version = 0x20000000,
			   .prev = n->hash,
			   .time = n->time,
			   .bits = n->bits};
	struct hash256 hash;
	uint8_t raw[80];

	for (unsigned i = 0; i < count; i++) {
		h.time++;
		do {
			h.nonce++;
			header_put(raw, &h);
			sha256d(&hash, raw, 80);
		} while (!pow_ok(&hash, h.bits, &r->params));
		rig_header(r, slice_of(raw, 80));
		h.prev = hash;
	}
}

START_TEST(scripts_below_an_assumed_valid_block_are_passed_over)
{
	struct block_result res;
	struct buf *tx, *b;
	struct hash256 name;
	struct rig r;

	/* The same block in two nodes that differ in -assumevalid alone. */
	for (int assumed = 0; assumed < 2; assumed++) {
		start(&r, 110, 2);
		tx = spend_with(&r, 1, RETURN);
		b = rig_make(&r, 2, &tx, 1);
		block_hash(&name, buf_payload(b));
		if (assumed) {
			rig_stop(&r);
			r.cfg.assume_valid = name;
			rig_start(&r);
			clock_set_mock(&r.clock, 1700000000);
		}
		bury(&r, rig_header(&r, buf_payload(b)), 2100);
		res = rig_block(&r, buf_payload(b));
		ck_assert_int_eq(res.outcome,
				 assumed ? BLOCK_CONNECTED : BLOCK_FAILED);
		buf_unref(tx);
		buf_unref(b);
		rig_fini(&r);
	}
}
END_TEST

Suite *scripts_suite(void)
{
	Suite *s = suite_create("scripts");
	TCase *c = tcase_create("scripts");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, a_block_whose_scripts_hold_is_connected, 0, 3);
	tcase_add_loop_test(
	    c, one_failing_script_fails_its_block_and_leaves_no_trace, 0, 2);
	tcase_add_loop_test(c, the_first_failing_input_in_block_order_is_told,
			    0, 3);
	tcase_add_test(c, scripts_below_an_assumed_valid_block_are_passed_over);
	suite_add_tcase(s, c);
	return s;
}
