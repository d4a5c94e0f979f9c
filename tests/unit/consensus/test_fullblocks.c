/*
 * The consensus rule tests that btcd generates, as far as rules without coins
 * reach: each block must be refused with the reason bitcoind gave, or pass when
 * bitcoind took it or refused it for its coins.
 */
#include "../testdata.h"
#include "model.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/hmap.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/consensus/check.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdlib.h>

#define STEPS_MAX 256
#define NOW_S     1796028800 /* when the blocks were made */

struct known {
	struct mnode m;
	struct hash256 hash;
};

struct tree {
	struct known nodes[STEPS_MAX];
	size_t n;
	const struct params *p;
};

static struct known *find(struct tree *t, const struct hash256 *hash)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (hash256_eq(&t->nodes[i].hash, hash))
			return &t->nodes[i];
	return NULL;
}

static void add(struct tree *t, const struct hash256 *hash,
		const struct mnode *prev, uint32_t time, uint32_t bits)
{
	struct known *k = &t->nodes[t->n++];

	ck_assert_uint_le(t->n, STEPS_MAX);
	k->hash = *hash;
	k->m = (struct mnode){prev, prev ? prev->height + 1 : 0, time, bits, 0};
}

/* bitcoind's order: the block alone, its parent, its header, its place. */
static struct verdict judge(struct tree *t, const struct block_view *b)
{
	struct verdict v = block_check(b, t->p, false);
	struct known *prev = find(t, header_prev(b->header));
	struct block_context c;
	struct hash256 hash;
	struct header h;

	if (!verdict_ok(&v))
		return v;
	if (!prev)
		return verdict_invalid(INV_MISSING_PREV, "prev-blk-not-found",
				       NULL);
	header_get(&h, b->header);
	v = header_check_context(&h, &model_reader, &prev->m, NOW_S, t->p);
	if (!verdict_ok(&v))
		return v;
	c.height = prev->m.height + 1;
	c.mtp_prev = median_time_past(&model_reader, &prev->m);
	v = block_check_context(b, &c, t->p);
	if (!verdict_ok(&v))
		return v;
	sha256d(&hash, b->header, HEADER_SIZE);
	if (!find(t, &hash))
		add(t, &hash, &prev->m, h.time, h.bits);
	return v;
}

/* Reasons that only coins and scripts of the past can give. */
static bool needs_coins(const char *reject)
{
	static const char *const list[] = {
	    "bad-cb-amount", "bad-txns-in-belowout",
	    "bad-txns-inputs-missingorspent",
	    "bad-txns-premature-spend-of-coinbase"};
	size_t i;

	for (i = 0; i < sizeof list / sizeof *list; i++)
		if (strcmp(reject, list[i]) == 0)
			return true;
	return false;
}

/* Blocks whose sigops are over the limit only with those of P2SH inputs. */
static bool counts_p2sh(const char *name)
{
	return strcmp(name, "b40") == 0;
}

static void step(struct tree *t, const char *name, const char *want,
		 struct slice raw)
{
	struct block_view b;
	struct verdict v;
	size_t trailing;
	int rc = block_view_parse(&b, &trailing, raw);

	if (strcmp(want, "decode-failed") == 0) {
		ck_assert_msg(rc != 0, "%s: parsed", name);
		return;
	}
	ck_assert_msg(rc == 0, "%s: does not parse", name);
	block_hash_txs(&b);
	v = judge(t, &b);
	block_view_fini(&b);
	if (strcmp(want, "null") == 0 || strcmp(want, "inconclusive") == 0 ||
	    needs_coins(want) || counts_p2sh(name))
		assert_valid(&v, name);
	else
		ck_assert_msg(v.kind == V_INVALID &&
				  strcmp(v.reject, want) == 0,
			      "%s: %s is not %s", name, v.reject, want);
}

static size_t number(const char **at, const char *key)
{
	char *s = td_json_str(at, key);
	size_t n;

	ck_assert_msg(s != NULL, "no %s", key);
	n = strtoul(s, NULL, 10);
	free(s);
	return n;
}

START_TEST(generated_rule_tests_are_judged_as_bitcoind_does)
{
	struct tree *t;
	struct buf *blocks;
	char *text, *name, *want;
	const char *at;
	int n = 0;

	if (td_missing())
		return;
	t = xcalloc(1, sizeof *t);
	t->p = params_get(CHAIN_REGTEST);
	add(t, &t->p->genesis_hash, NULL, t->p->genesis_time,
	    t->p->genesis_bits);
	blocks = td_read("fullblocktests/regtest-blocks.blk");
	text = td_read_text("fullblocktests/index.jsonl");
	at = text;
	while ((name = td_json_str(&at, "name")) != NULL) {
		size_t off = number(&at, "offset"), size = number(&at, "size");

		want = td_json_str(&at, "submitblock");
		ck_assert(want && off + size <= blocks->n);
		step(t, name, want, slice_of(buf_data(blocks) + off, size));
		free(want);
		free(name);
		n++;
	}
	ck_assert_int_eq(n, 186);
	free(text);
	buf_unref(blocks);
	free(t);
}
END_TEST

Suite *fullblocks_suite(void)
{
	Suite *s = suite_create("fullblocks");
	TCase *t = tcase_create("rule tests");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, generated_rule_tests_are_judged_as_bitcoind_does);
	suite_add_tcase(s, t);
	return s;
}
