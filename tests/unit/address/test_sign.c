/* Signing: every kind of output, whole and in parts, and what is refused. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/key.h>
#include <cairn/address/sign.h>
#include <cairn/base/buf.h>
#include <cairn/base/text.h>
#include <cairn/params/params.h>
#include <cairn/wire/txparts.h>

#include <stdio.h>
#include <stdlib.h>

/* Public keys of the secrets 1, 2 and 3, and the first in its other form. */
#define K1   "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define K2   "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
#define K3   "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
#define X1   "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define Y1   "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define FULL "04" X1 Y1

#define INPUTS_MAX 9

/* An output, and the scripts behind its hashes, as descriptors. */
struct kind {
	const char *desc, *inner, *innermost;
};

static const struct kind kinds[] = {
    {"pk(" K1 ")", NULL, NULL},
    {"pk(" FULL ")", NULL, NULL},
    {"pkh(" K1 ")", NULL, NULL},
    {"pkh(" FULL ")", NULL, NULL},
    {"wpkh(" K1 ")", NULL, NULL},
    {"multi(1," K2 "," K1 ")", NULL, NULL},
    {"multi(2," K1 "," K2 "," FULL ")", NULL, NULL},
    {"sh(pk(" K1 "))", "pk(" K1 ")", NULL},
    {"sh(pkh(" FULL "))", "pkh(" FULL ")", NULL},
    {"sh(wpkh(" K1 "))", "wpkh(" K1 ")", NULL},
    {"sh(multi(2," K1 "," K2 "," K3 "))", "multi(2," K1 "," K2 "," K3 ")",
     NULL},
    {"wsh(pk(" K2 "))", "pk(" K2 ")", NULL},
    {"wsh(pkh(" K1 "))", "pkh(" K1 ")", NULL},
    {"wsh(multi(3," K1 "," K2 "," K3 "))", "multi(3," K1 "," K2 "," K3 ")",
     NULL},
    {"sh(wsh(pkh(" K3 ")))", "wsh(pkh(" K3 "))", "pkh(" K3 ")"},
    {"sh(wsh(multi(1," K3 ")))", "wsh(multi(1," K3 "))", "multi(1," K3 ")"},
    {"rawtr(" X1 ")", NULL, NULL},
    {"tr(" X1 ")", NULL, NULL},
};

#define KINDS (sizeof kinds / sizeof *kinds)

static const char *const types[] = {
    "DEFAULT",
    "ALL",
    "NONE",
    "SINGLE",
    "ALL|ANYONECANPAY",
    "NONE|ANYONECANPAY",
    "SINGLE|ANYONECANPAY",
};

#define TYPES (sizeof types / sizeof *types)

/* A transaction to sign: what its inputs spend, and one output each. */
struct fixture {
	struct signer *s;
	struct text scripts[INPUTS_MAX];
	struct txout_view spent[INPUTS_MAX];
	uint8_t raw[2000];
	struct tx_view tx;
	struct sign_result results[INPUTS_MAX];
};

static void script_of(struct text *out, const char *desc)
{
	struct text err = TEXT_INIT;

	ck_assert_msg(
	    desc_script(out, &err, desc, false, params_get(CHAIN_MAIN)) == 0,
	    "%s: %s", desc, text_str(&err));
	text_fini(&err);
}

static void add_script(struct signer *s, const char *desc)
{
	struct text t = TEXT_INIT;

	if (!desc)
		return;
	script_of(&t, desc);
	signer_add_script(s, slice_of(t.p, t.n));
	text_fini(&t);
}

/* Keys by their number; 1 also in its other form. */
static void add_key(struct signer *s, uint8_t secret)
{
	struct privkey k = {.compressed = true};

	k.b[31] = secret;
	signer_add_key(s, &k);
	k.compressed = false;
	if (secret == 1)
		signer_add_key(s, &k);
}

/* n inputs of a kind each, n_out outputs. */
static void begin(struct fixture *f, const struct kind *k, uint32_t n,
		  uint32_t n_out)
{
	struct txin_view in[INPUTS_MAX];
	struct txout_view out[INPUTS_MAX];
	uint8_t prevouts[INPUTS_MAX][OUTPOINT_SIZE] = {{0}};
	struct tx_msg m = {
	    .version = 2, .n_in = n, .n_out = n_out, .in = in, .out = out};
	struct rd r;
	uint8_t *end;

	memset(f, 0, sizeof *f);
	f->s = signer_new();
	for (uint32_t i = 0; i < n; i++) {
		prevouts[i][0] = (uint8_t)(i + 1);
		in[i] = (struct txin_view){prevouts[i], slice_of("", 0),
					   0xfffffffd};
		script_of(&f->scripts[i], k[i].desc);
		f->spent[i] = (struct txout_view){
		    1000 + i, slice_of(f->scripts[i].p, f->scripts[i].n)};
		add_script(f->s, k[i].inner);
		add_script(f->s, k[i].innermost);
	}
	for (uint32_t i = 0; i < n_out; i++)
		out[i] = (struct txout_view){500 + i, slice_of("\x51", 1)};
	ck_assert_uint_lt(tx_size(&m), sizeof f->raw);
	end = tx_put(f->raw, &m);
	rd_init(&r, slice_of(f->raw, (size_t)(end - f->raw)));
	ck_assert(tx_view_parse(&f->tx, &r));
}

static void end(struct fixture *f)
{
	signer_free(f->s);
	for (size_t i = 0; i < INPUTS_MAX; i++)
		text_fini(&f->scripts[i]);
}

static struct buf *sign(struct fixture *f, const struct tx_view *tx, size_t n,
			const char *type)
{
	struct buf *b = NULL;
	uint8_t t;

	ck_assert(sighash_parse(&t, type));
	ck_assert_int_eq(sign_tx(f->s, &b, f->results, tx, n, f->spent, t), 0);
	return b;
}

static void view(struct tx_view *tx, const struct buf *b)
{
	struct rd r;

	rd_init(&r, buf_payload(b));
	ck_assert(tx_view_parse(tx, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
}

/* All inputs, by what a node demands of what it relays. */
static bool verifies(const struct fixture *f, const struct tx_view *tx)
{
	struct script_failure why;
	struct tx_sighash shared;

	tx_sighash_init(&shared, tx, f->spent);
	return script_verify_inputs(&why, &shared, 0, tx->n_in,
				    SCRIPT_FLAGS_STANDARD, NULL);
}

static void check_kind(const struct kind *k, const char *type)
{
	struct fixture f;
	struct tx_view tx;
	struct buf *b;

	begin(&f, k, 1, 1);
	for (uint8_t i = 1; i <= 3; i++)
		add_key(f.s, i);
	b = sign(&f, &f.tx, 1, type);
	view(&tx, b);
	ck_assert_msg(f.results[0].complete, "%s %s: %s", k->desc, type,
		      script_err_name(f.results[0].err));
	ck_assert(f.results[0].known);
	ck_assert_msg(verifies(&f, &tx), "%s %s", k->desc, type);
	/* Every type covers the outpoint. */
	buf_data(b)[tx.in_off] ^= 1;
	ck_assert_msg(!verifies(&f, &tx), "%s %s", k->desc, type);
	buf_unref(b);
	end(&f);
}

START_TEST(every_kind_of_output_is_signed_with_every_type)
{
	for (size_t i = 0; i < KINDS; i++)
		for (size_t t = 0; t < TYPES; t++)
			check_kind(&kinds[i], types[t]);
	printf("sign: %zu kinds, %zu types\n", KINDS, TYPES);
}
END_TEST

/* Kinds beside each other, none of which minds the others. */
START_TEST(inputs_of_all_kinds_are_signed_together)
{
	for (size_t from = 0; from + INPUTS_MAX <= KINDS; from += INPUTS_MAX) {
		struct fixture f;
		struct tx_view tx;
		struct buf *b;

		begin(&f, &kinds[from], INPUTS_MAX, 3);
		for (uint8_t i = 1; i <= 3; i++)
			add_key(f.s, i);
		b = sign(&f, &f.tx, 1, "ALL");
		view(&tx, b);
		ck_assert(verifies(&f, &tx));
		/* The value of an output is covered. */
		buf_data(b)[tx.out_off] ^= 1;
		ck_assert(!verifies(&f, &tx));
		buf_unref(b);
		end(&f);
	}
}
END_TEST

START_TEST(what_is_signed_stays_when_it_is_signed_again)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct fixture f;
		struct tx_view tx;
		struct buf *b, *again;

		begin(&f, &kinds[i], 1, 1);
		for (uint8_t k = 1; k <= 3; k++)
			add_key(f.s, k);
		b = sign(&f, &f.tx, 1, "ALL");
		view(&tx, b);
		signer_free(f.s);
		f.s = signer_new();
		again = sign(&f, &tx, 1, "ALL");
		ck_assert(f.results[0].complete);
		ck_assert(slice_eq(buf_payload(b), buf_payload(again)));
		buf_unref(b);
		buf_unref(again);
		end(&f);
	}
}
END_TEST

/* One key after the other, the scripts only the first time. */
static void check_in_turn(const struct kind *k, size_t keys)
{
	struct fixture f;
	struct tx_view tx;
	struct buf *b = NULL, *next;

	begin(&f, k, 1, 1);
	tx = f.tx;
	for (uint8_t i = 1; i <= keys; i++) {
		add_key(f.s, i);
		next = sign(&f, &tx, 1, "ALL");
		buf_unref(b);
		b = next;
		view(&tx, b);
		ck_assert_msg(f.results[0].complete == (i == keys), "%s, %u",
			      k->desc, i);
		ck_assert(verifies(&f, &tx) == (i == keys));
		signer_free(f.s);
		f.s = signer_new();
	}
	buf_unref(b);
	end(&f);
}

START_TEST(multisigs_are_signed_by_one_after_the_other)
{
	static const struct kind bare = {"multi(2," K1 "," K2 "," K3 ")", NULL,
					 NULL};

	check_in_turn(&bare, 2);
	check_in_turn(&kinds[10], 2); /* P2SH */
	check_in_turn(&kinds[13], 3); /* P2WSH */
}
END_TEST

START_TEST(signatures_made_apart_are_put_together)
{
	for (size_t i = 10; i <= 13; i += 3) {
		struct fixture f;
		struct tx_view forms[3];
		struct buf *b[3], *all;
		bool first;

		begin(&f, &kinds[i], 1, 1);
		for (uint8_t k = 0; k < 3; k++) {
			signer_free(f.s);
			f.s = signer_new();
			add_script(f.s, kinds[i].inner);
			add_key(f.s, (uint8_t)(k + 1));
			b[k] = sign(&f, &f.tx, 1, "ALL");
			ck_assert(!f.results[0].complete);
			view(&forms[k], b[k]);
		}
		signer_free(f.s);
		f.s = signer_new();
		/* Two are enough for the first. */
		all = sign(&f, forms, 2, "ALL");
		first = i == 10;
		ck_assert(f.results[0].complete == first);
		buf_unref(all);
		all = sign(&f, forms, 3, "ALL");
		view(&forms[0], all);
		ck_assert(f.results[0].complete);
		ck_assert(verifies(&f, &forms[0]));
		buf_unref(all);
		for (size_t k = 0; k < 3; k++)
			buf_unref(b[k]);
		end(&f);
	}
}
END_TEST

START_TEST(without_its_key_an_input_stays_incomplete)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct fixture f;
		struct buf *b;

		begin(&f, &kinds[i], 1, 1);
		add_key(f.s, 9);
		b = sign(&f, &f.tx, 1, "ALL");
		ck_assert(f.results[0].known);
		ck_assert(!f.results[0].complete);
		ck_assert_int_ne(f.results[0].err, SCRIPT_ERR_OK);
		buf_unref(b);
		end(&f);
	}
}
END_TEST

START_TEST(what_is_not_known_is_left_as_it_is)
{
	struct fixture f;
	struct tx_view tx;
	struct buf *b;

	/* P2PKH, unknown, P2TR: the last signs all outputs that are spent. */
	begin(&f, (struct kind[]){kinds[2], kinds[4], kinds[16]}, 3, 1);
	f.spent[1] = (struct txout_view){0, slice_of(NULL, 0)};
	add_key(f.s, 1);
	b = sign(&f, &f.tx, 1, "ALL");
	view(&tx, b);
	ck_assert(f.results[0].complete);
	ck_assert(!f.results[1].known);
	ck_assert(!f.results[1].complete);
	ck_assert(!f.results[2].complete);
	ck_assert_int_eq(f.results[2].err,
			 SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
	ck_assert(!tx_has_witness(&tx));
	buf_unref(b);
	end(&f);
}
END_TEST

START_TEST(full_keys_do_not_sign_witnesses)
{
	static const struct kind wsh = {"wsh(multi(1," K1 "))",
					"multi(1," K1 ")", NULL};
	struct privkey full = {{0}, false};
	struct fixture f;
	struct buf *b;

	full.b[31] = 1;
	begin(&f, (struct kind[]){kinds[4], wsh, kinds[16]}, 3, 1);
	signer_add_key(f.s, &full);
	b = sign(&f, &f.tx, 1, "ALL");
	for (size_t i = 0; i < 3; i++)
		ck_assert(!f.results[i].complete);
	buf_unref(b);
	end(&f);
}
END_TEST

START_TEST(single_needs_an_output_of_its_number)
{
	struct fixture f;
	struct buf *b;

	begin(&f, (struct kind[]){kinds[2], kinds[2], kinds[17]}, 3, 1);
	add_key(f.s, 1);
	b = sign(&f, &f.tx, 1, "SINGLE");
	ck_assert(f.results[0].complete);
	ck_assert(!f.results[1].complete);
	ck_assert(!f.results[2].complete);
	buf_unref(b);
	end(&f);
}
END_TEST

/* Amounts beyond all money are not signed. */
START_TEST(witnesses_need_an_amount)
{
	struct fixture f;
	struct buf *b;

	begin(&f, (struct kind[]){kinds[4], kinds[2]}, 2, 1);
	add_key(f.s, 1);
	f.spent[0].value = f.spent[1].value = -1;
	b = sign(&f, &f.tx, 1, "ALL");
	ck_assert(!f.results[0].complete);
	ck_assert(f.results[1].complete);
	buf_unref(b);
	end(&f);
}
END_TEST

static const char *type_name(long type)
{
	uint8_t t;

	for (size_t i = 0; i < TYPES; i++)
		if (sighash_parse(&t, types[i]) && t == type)
			return types[i];
	ck_abort_msg("type %ld", type);
	return NULL;
}

/* Sign one input of BIP 341's transaction. */
static void sign_bip341(struct fixture *f, const struct tj *c, const char *key)
{
	const struct tj *given = tj_get(c, "given");
	const char *want = tj_get(tj_get(c, "expected"), "witness")->at[0].str;
	uint32_t index =
	    (uint32_t)strtoul(tj_get(given, "txinIndex")->str, NULL, 10);
	long type = strtol(tj_get(given, "hashType")->str, NULL, 10);
	struct tx_iter wits, witness;
	struct slice item = {0};
	struct privkey k = {.compressed = true};
	struct tx_view tx;
	struct buf *b;

	td_hex_into(k.b, 32, key);
	f->s = signer_new();
	signer_add_key(f->s, &k);
	b = sign(f, &f->tx, 1, type_name(type));
	view(&tx, b);
	ck_assert(f->results[index].complete);
	txwits(&wits, &tx);
	for (uint32_t i = 0; i <= index; i++)
		ck_assert(txwit_next(&wits, &witness));
	ck_assert(witem_next(&witness, &item));
	check_script(item.p, item.n, want, "witness");
	buf_unref(b);
	signer_free(f->s);
}

START_TEST(key_paths_are_those_of_bip341)
{
	struct fixture f = {.s = NULL};
	const struct tj *all, *utxos, *cases;
	struct tj *file;
	const char *hex;
	size_t n, alone = 0;
	struct rd r;

	if (td_missing())
		return;
	file = tj_read("vectors/core/bip341_wallet_vectors.json");
	all = &tj_get(file, "keyPathSpending")->at[0];
	hex = tj_str(tj_get(all, "given"), "rawUnsignedTx");
	n = td_hex_into(f.raw, sizeof f.raw, hex);
	rd_init(&r, slice_of(f.raw, n));
	ck_assert(tx_view_parse(&f.tx, &r));
	utxos = tj_get(tj_get(all, "given"), "utxosSpent");
	ck_assert_uint_eq(utxos->n, INPUTS_MAX);
	for (size_t i = 0; i < utxos->n; i++) {
		const struct tj *u = &utxos->at[i];
		uint8_t script[64];

		n = td_hex_into(script, sizeof script,
				tj_str(u, "scriptPubKey"));
		text_put(&f.scripts[i], (const char *)script, n);
		f.spent[i] = (struct txout_view){
		    strtoll(tj_get(u, "amountSats")->str, NULL, 10),
		    slice_of(f.scripts[i].p, n)};
	}
	cases = tj_get(all, "inputSpending");
	/* With the key of the output itself, and with the one that it is made
	 * of, which can be guessed where there are no scripts. */
	for (size_t i = 0; i < cases->n; i++) {
		const struct tj *c = &cases->at[i], *given = tj_get(c, "given");

		sign_bip341(
		    &f, c, tj_str(tj_get(c, "intermediary"), "tweakedPrivkey"));
		if (tj_get(given, "merkleRoot")->kind != TJ_WORD)
			continue;
		sign_bip341(&f, c, tj_str(given, "internalPrivkey"));
		alone++;
	}
	printf("bip341: %zu inputs signed, %zu by their keys alone\n", cases->n,
	       alone);
	ck_assert_uint_eq(cases->n, 7);
	ck_assert_uint_eq(alone, 1);
	for (size_t i = 0; i < INPUTS_MAX; i++)
		text_fini(&f.scripts[i]);
	tj_free(file);
}
END_TEST

START_TEST(types_have_names)
{
	static const uint8_t want[] = {0, 1, 2, 3, 0x81, 0x82, 0x83};
	uint8_t t = 9;

	for (size_t i = 0; i < TYPES; i++) {
		ck_assert(sighash_parse(&t, types[i]));
		ck_assert_uint_eq(t, want[i]);
	}
	ck_assert(!sighash_parse(&t, ""));
	ck_assert(!sighash_parse(&t, "all"));
	ck_assert(!sighash_parse(&t, "ALL|NONE"));
	ck_assert_uint_eq(t, 0x83);
}
END_TEST

Suite *sign_suite(void)
{
	Suite *s = suite_create("sign");
	TCase *t = tcase_create("sign");

	tcase_add_test(t, every_kind_of_output_is_signed_with_every_type);
	tcase_add_test(t, inputs_of_all_kinds_are_signed_together);
	tcase_add_test(t, what_is_signed_stays_when_it_is_signed_again);
	tcase_add_test(t, multisigs_are_signed_by_one_after_the_other);
	tcase_add_test(t, signatures_made_apart_are_put_together);
	tcase_add_test(t, without_its_key_an_input_stays_incomplete);
	tcase_add_test(t, what_is_not_known_is_left_as_it_is);
	tcase_add_test(t, full_keys_do_not_sign_witnesses);
	tcase_add_test(t, single_needs_an_output_of_its_number);
	tcase_add_test(t, witnesses_need_an_amount);
	tcase_add_test(t, key_paths_are_those_of_bip341);
	tcase_add_test(t, types_have_names);
	suite_add_tcase(s, t);
	return s;
}
