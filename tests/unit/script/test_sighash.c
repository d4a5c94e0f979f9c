/*
 * Signature hashes: Bitcoin Core's sighash.json, the worked examples of BIP 143
 * and BIP 341's wallet vectors, each with the signed transactions verified.
 */
#include "fixture.h"
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/base/mem.h>
#include <cairn/base/text.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static void check_legacy(const struct tj *j)
{
	size_t n;
	uint8_t *code = td_hex(j->at[1].str, strlen(j->at[1].str), &n);
	uint32_t index = (uint32_t)strtoul(j->at[2].str, NULL, 10);
	int32_t type = (int32_t)strtol(j->at[3].str, NULL, 10);
	struct hash256 got, want;
	struct script_input in;
	struct fix f;

	fix_init_hex(&f, j->at[0].str);
	fix_ready(&f);
	fix_input(&in, &f, index);
	ck_assert(hash256_parse(&want, j->at[4].str));
	sighash_legacy(got.b, &in, slice_of(code, n), (uint32_t)type);
	ck_assert_mem_eq(got.b, want.b, 32);
	fix_fini(&f);
	free(code);
}

START_TEST(legacy_hashes_are_those_of_bitcoin_core)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/sighash.json");
	for (size_t k = 1; k < all->n; k++)
		check_legacy(&all->at[k]);
	printf("sighash: %zu cases\n", all->n - 1);
	ck_assert_uint_eq(all->n, 501);
	tj_free(all);
}
END_TEST

/* Every input by every type, with the walk's kept state and with a walk of its
 * own that starts there: both must agree. */
START_TEST(legacy_hash_does_not_depend_on_how_an_input_was_reached)
{
	static const uint32_t types[] = {1, 2, 3, 0x81, 0x82, 0x83, 0};
	uint8_t a[32], b[32], raw[4 + 1 + 60 * 41 + 1 + 3 * 10 + 4], *p = raw;
	struct fix f = {0};
	struct script_input walk, own;
	uint8_t *heap;

	p = le32_put(p, 2);
	*p++ = 60;
	for (unsigned i = 0; i < 60; i++) {
		memset(p, (int)i, 36);
		p[36] = 0;
		p = le32_put(p + 37, i * 7);
	}
	*p++ = 3;
	for (unsigned i = 0; i < 3; i++) {
		p = le64_put(p, i);
		*p++ = 1;
		*p++ = (uint8_t)i;
	}
	p = le32_put(p, 9);
	heap = xmalloc(sizeof raw);
	memcpy(heap, raw, sizeof raw);
	fix_init(&f, heap, (size_t)(p - raw));
	fix_ready(&f);
	script_inputs(&walk, &f.shared);
	while (script_input_next(&walk)) {
		for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
			struct slice code = slice_of("\xac", 1);

			fix_input(&own, &f, walk.index);
			sighash_legacy(a, &walk, code, types[t]);
			sighash_legacy(b, &own, code, types[t]);
			ck_assert_mem_eq(a, b, 32);
		}
	}
	ck_assert_uint_eq(walk.index, 59);
	fix_fini(&f);
}
END_TEST

/*
 * BIP 143's text is read from top to bottom: a transaction without witness
 * begins an example, the outputs it spends are named, preimages come with the
 * hash that follows them, and the signed transaction ends it.
 */
struct bip143 {
	struct fix plain; /* the unsigned transaction of the example */
	bool has_plain;
	uint32_t spent;  /* outputs named so far */
	uint8_t got[32]; /* hash of the last preimage */
	bool has_got;
	size_t hashes, txs; /* what was compared */
};

static bool parses_as_tx(struct slice raw, struct tx_view *v)
{
	struct rd r;

	rd_init(&r, raw);
	return raw.n >= 60 && tx_view_parse(v, &r) && rd_left(&r) == 0;
}

static void begin_example(struct bip143 *b, struct slice raw)
{
	uint8_t *copy = xmalloc(raw.n);

	memcpy(copy, raw.p, raw.n);
	if (b->has_plain)
		fix_fini(&b->plain);
	fix_init(&b->plain, copy, raw.n);
	b->has_plain = true;
	b->spent = 0;
}

/* The output that an outpoint of the example names. The last transaction of the
 * text is in no example; its only output is of the form that its witness
 * shows. */
static void set_spent(struct fix *f, uint32_t i, const struct bip143 *b)
{
	struct script_input a, in;
	uint8_t script[34] = {OP_0, 32};
	struct slice item;

	script_inputs(&in, &f->shared);
	script_input_seek(&in, i);
	script_inputs(&a, &b->plain.shared);
	while (script_input_next(&a)) {
		if (memcmp(a.in.prevout, in.in.prevout, 36) == 0) {
			fix_spent(f, i, a.spent->value, a.spent->script);
			return;
		}
	}
	while (witem_next(&in.witness, &item))
		;
	sha256_once(script + 2, item.p, item.n);
	fix_spent(f, i, 200000, slice_of(script, sizeof script));
}

static void check_signed(struct bip143 *b, struct slice raw)
{
	const unsigned flags = SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS;
	uint8_t *copy = xmalloc(raw.n);
	struct fix f;

	memcpy(copy, raw.p, raw.n);
	fix_init(&f, copy, raw.n);
	fix_ready(&b->plain);
	fix_ready(&f);
	for (uint32_t i = 0; i < f.tx.n_in; i++)
		set_spent(&f, i, b);
	fix_ready(&f);
	for (uint32_t i = 0; i < f.tx.n_in; i++)
		ck_assert_msg(fix_verify(&f, i, flags) == SCRIPT_ERR_OK,
			      "transaction %zu input %u: %s", b->txs, i,
			      script_err_name(fix_verify(&f, i, flags)));
	b->txs++;
	fix_fini(&f);
}

/* From what the preimage says of its input, find it in the example and hash
 * anew. */
static void hash_preimage(struct bip143 *b, struct slice pre)
{
	struct tx_sighash all;
	struct script_input in;
	struct slice code;
	struct rd r;
	const uint8_t *outpoint;

	rd_init(&r, pre);
	rd_take(&r, 4 + 32 + 32);
	outpoint = rd_take(&r, 36);
	code = rd_varbytes(&r);
	rd_take(&r, 8 + 4 + 32 + 4);
	tx_sighash_init_all(&all, &b->plain.tx, b->plain.spent);
	script_inputs(&in, &all);
	b->has_got = false;
	while (script_input_next(&in)) {
		if (memcmp(in.in.prevout, outpoint, 36) != 0)
			continue;
		sighash_v0(b->got, &in, code, rd_u32(&r));
		ck_assert(rd_ok(&r) && rd_left(&r) == 0);
		b->has_got = true;
		return;
	}
}

static void read_spent(struct bip143 *b, const char *line, struct slice script)
{
	const char *value = strstr(line, "value: ");

	ck_assert(value != NULL);
	value += 7;
	fix_spent(&b->plain, b->spent++,
		  (int64_t)(strtod(value, NULL) * 1e8 + 0.5), script);
}

static void read_token(struct bip143 *b, const char *line, struct slice raw)
{
	struct tx_view v;

	if (strstr(line, "preimage")) {
		hash_preimage(b, raw);
	} else if (strcasestr(line, "sighash:") && raw.n == 32) {
		if (b->has_got) {
			ck_assert_mem_eq(b->got, raw.p, 32);
			b->hashes++;
		}
	} else if (strstr(line, "scriptPubKey")) {
		read_spent(b, line, raw);
	} else if (parses_as_tx(raw, &v)) {
		if (tx_has_witness(&v))
			check_signed(b, raw);
		else
			begin_example(b, raw);
	}
}

/* The first long run of hex digits in a line. */
static void read_line(struct bip143 *b, const char *line)
{
	for (const char *p = line; *p;) {
		size_t n = strspn(p, "0123456789abcdef"), size;

		if (n >= 40 && n % 2 == 0 &&
		    (p == line || !isalnum((unsigned char)p[-1]))) {
			uint8_t *raw = td_hex(p, n, &size);

			read_token(b, line, slice_of(raw, size));
			free(raw);
			return;
		}
		p += n ? n : 1;
	}
}

START_TEST(examples_of_bip143_hash_and_verify)
{
	struct bip143 b = {0};
	char *text, *line, *rest;

	if (td_missing())
		return;
	text = rest = td_read_text("vectors/bips/bip143_examples.txt");
	while ((line = strsep(&rest, "\n")))
		read_line(&b, line);
	printf("bip143: %zu hashes, %zu signed transactions\n", b.hashes,
	       b.txs);
	ck_assert_uint_eq(b.txs, 8);
	ck_assert_uint_eq(b.hashes, 13);
	fix_fini(&b.plain);
	free(text);
}
END_TEST

static uint32_t number(const struct tj *j, const char *key)
{
	return (uint32_t)strtoul(tj_get(j, key)->str, NULL, 10);
}

static void eq_hex(const uint8_t *got, const char *hex)
{
	uint8_t want[32];

	ck_assert(hex_parse(want, 32, hex));
	ck_assert_mem_eq(got, want, 32);
}

static void check_shared(const struct tx_sighash *s, const struct tj *j)
{
	eq_hex(s->amounts, tj_str(j, "hashAmounts"));
	eq_hex(s->all_outputs, tj_str(j, "hashOutputs"));
	eq_hex(s->prevouts, tj_str(j, "hashPrevouts"));
	eq_hex(s->scripts, tj_str(j, "hashScriptPubkeys"));
	eq_hex(s->sequences, tj_str(j, "hashSequences"));
}

START_TEST(wallet_vectors_of_bip341_hash_and_verify)
{
	const struct tj *spending, *inputs;
	struct tj *all;
	struct fix plain, done;
	uint8_t got[32];

	if (td_missing())
		return;
	all = tj_read("vectors/core/bip341_wallet_vectors.json");
	spending = &tj_get(all, "keyPathSpending")->at[0];
	inputs = tj_get(spending, "inputSpending");
	fix_wallet(&plain, spending,
		   tj_str(tj_get(spending, "given"), "rawUnsignedTx"));
	fix_wallet(&done, spending,
		   tj_str(tj_get(spending, "auxiliary"), "fullySignedTx"));
	check_shared(&plain.shared, tj_get(spending, "intermediary"));
	for (size_t i = 0; i < inputs->n; i++) {
		const struct tj *given = tj_get(&inputs->at[i], "given");
		struct tap_context tap = {0};
		struct script_input in;

		fix_input(&in, &plain, number(given, "txinIndex"));
		ck_assert(sighash_taproot(got, &in, &tap,
					  (uint8_t)number(given, "hashType")));
		eq_hex(got, tj_str(tj_get(&inputs->at[i], "intermediary"),
				   "sigHash"));
	}
	ck_assert_uint_eq(inputs->n, 7);
	for (uint32_t i = 0; i < done.tx.n_in; i++)
		ck_assert_int_eq(fix_verify(&done, i, SCRIPT_FLAGS_STANDARD),
				 SCRIPT_ERR_OK);
	fix_fini(&plain);
	fix_fini(&done);
	tj_free(all);
}
END_TEST

/* Spends leaf i of a tree; the script fails, as there are no signatures, but
 * not for what the output commits to. */
static void check_leaf(const struct tj *v, const char *script,
		       const char *control)
{
	const char *hex = tj_str(tj_get(v, "expected"), "scriptPubKey");
	struct items w = {0};
	size_t n;
	uint8_t *pubkey = td_hex(hex, strlen(hex), &n);
	struct fix f, spoiled;
	enum script_err e;

	items_add_hex(&w, script);
	items_add_hex(&w, control);
	fix_credit(&f, slice_of(NULL, 0), slice_of(pubkey, n), &w, 1);
	e = fix_verify(&f, 0, SCRIPT_FLAGS_ALL);
	ck_assert_int_ne(e, SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
	ck_assert_int_ne(e, SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
	pubkey[33] ^= 1;
	fix_credit(&spoiled, slice_of(NULL, 0), slice_of(pubkey, n), &w, 1);
	ck_assert_int_eq(fix_verify(&spoiled, 0, SCRIPT_FLAGS_ALL),
			 SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
	fix_fini(&f);
	fix_fini(&spoiled);
	items_fini(&w);
	free(pubkey);
}

/* Leaves of a tree from left to right, as the control blocks are listed. */
static void check_tree(const struct tj *v, const struct tj *tree, size_t *leaf)
{
	const struct tj *controls =
	    tj_get(tj_get(v, "expected"), "scriptPathControlBlocks");

	if (tree->kind == TJ_ARRAY) {
		for (size_t i = 0; i < tree->n; i++)
			check_tree(v, &tree->at[i], leaf);
		return;
	}
	check_leaf(v, tj_str(tree, "script"), controls->at[*leaf].str);
	++*leaf;
}

START_TEST(wallet_vectors_of_bip341_commit_to_their_scripts)
{
	const struct tj *list;
	struct tj *all;
	size_t leaves = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/core/bip341_wallet_vectors.json");
	list = tj_get(all, "scriptPubKey");
	for (size_t i = 0; i < list->n; i++) {
		const struct tj *tree =
		    tj_get(tj_get(&list->at[i], "given"), "scriptTree");
		size_t leaf = 0;

		if (tree->kind != TJ_WORD)
			check_tree(&list->at[i], tree, &leaf);
		leaves += leaf;
	}
	ck_assert_uint_eq(leaves, 12);
	tj_free(all);
}
END_TEST

Suite *sighash_suite(void)
{
	Suite *s = suite_create("sighash");
	TCase *t = tcase_create("sighash");

	tcase_add_test(t, legacy_hashes_are_those_of_bitcoin_core);
	tcase_add_test(t,
		       legacy_hash_does_not_depend_on_how_an_input_was_reached);
	tcase_add_test(t, examples_of_bip143_hash_and_verify);
	tcase_add_test(t, wallet_vectors_of_bip341_hash_and_verify);
	tcase_add_test(t, wallet_vectors_of_bip341_commit_to_their_scripts);
	suite_add_tcase(s, t);
	return s;
}
