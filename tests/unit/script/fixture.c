/* Transactions for tests of verification. */
#include "fixture.h"

#include "testdata.h"
#include "testjson.h"

#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/crypto/tagged.h>

#include <check.h>
#include <secp256k1_extrakeys.h>
#include <stdlib.h>

void items_add(struct items *l, const uint8_t *p, size_t n)
{
	uint8_t *copy = xmalloc(n + 1);

	if (n)
		memcpy(copy, p, n);
	arr_grow(&l->at, &l->cap, l->n + 1, sizeof *l->at);
	l->at[l->n++] = slice_of(copy, n);
}

void items_add_hex(struct items *l, const char *hex)
{
	size_t n;
	uint8_t *p = td_hex(hex, strlen(hex), &n);

	items_add(l, p, n);
	free(p);
}

void items_add_json(struct items *l, const struct tj *array)
{
	for (size_t i = 0; i < array->n; i++)
		items_add_hex(l, array->at[i].str);
}

/* The one place where owned bytes come back from a borrow. */
static void free_bytes(struct slice s)
{
	free((void *)(uintptr_t)s.p);
}

void items_fini(struct items *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_bytes(l->at[i]);
	free(l->at);
	memset(l, 0, sizeof *l);
}

void fix_init(struct fix *f, uint8_t *raw, size_t n)
{
	struct rd r;

	f->raw = raw;
	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&f->tx, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
	f->spent = xcalloc(f->tx.n_in, sizeof *f->spent);
}

void fix_init_hex(struct fix *f, const char *hex)
{
	size_t n;
	uint8_t *raw = td_hex(hex, strlen(hex), &n);

	fix_init(f, raw, n);
}

void fix_spent(struct fix *f, uint32_t i, int64_t value, struct slice script)
{
	uint8_t *copy = xmalloc(script.n + 1);

	ck_assert_uint_lt(i, f->tx.n_in);
	if (script.n)
		memcpy(copy, script.p, script.n);
	free_bytes(f->spent[i].script);
	f->spent[i].value = value;
	f->spent[i].script = slice_of(copy, script.n);
}

void fix_spent_hex(struct fix *f, uint32_t i, const char *hex)
{
	size_t n;
	uint8_t *p = td_hex(hex, strlen(hex), &n);
	struct rd r;
	int64_t value;
	struct slice script;

	rd_init(&r, slice_of(p, n));
	value = (int64_t)rd_u64(&r);
	script = rd_varbytes(&r);
	ck_assert(rd_ok(&r) && rd_left(&r) == 0);
	fix_spent(f, i, value, script);
	free(p);
}

void fix_ready(struct fix *f)
{
	tx_sighash_init(&f->shared, &f->tx, f->spent);
}

void fix_wallet(struct fix *f, const struct tj *spending, const char *hex)
{
	const struct tj *spent =
	    tj_get(tj_get(spending, "given"), "utxosSpent");

	fix_init_hex(f, hex);
	for (uint32_t i = 0; i < spent->n; i++) {
		const char *s = tj_str(&spent->at[i], "scriptPubKey");
		size_t n;
		uint8_t *script = td_hex(s, strlen(s), &n);

		fix_spent(
		    f, i,
		    strtoll(tj_get(&spent->at[i], "amountSats")->str, NULL, 10),
		    slice_of(script, n));
		free(script);
	}
	tx_sighash_init_all(&f->shared, &f->tx, f->spent);
}

void fix_fini(struct fix *f)
{
	for (uint32_t i = 0; i < f->tx.n_in; i++)
		free_bytes(f->spent[i].script);
	free(f->spent);
	free(f->raw);
}

static uint8_t *put_bytes(uint8_t *p, struct slice s)
{
	return bytes_put(compact_put(p, s.n), s.p, s.n);
}

static uint8_t *put_stack(uint8_t *p, struct tx_iter stack)
{
	struct slice item;

	p = compact_put(p, stack.left);
	while (witem_next(&stack, &item))
		p = put_bytes(p, item);
	return p;
}

static uint8_t *put_items(uint8_t *p, const struct items *l)
{
	p = compact_put(p, l->n);
	for (size_t i = 0; i < l->n; i++)
		p = put_bytes(p, l->at[i]);
	return p;
}

static size_t items_size(const struct items *l)
{
	size_t n = 9;

	for (size_t i = 0; i < l->n; i++)
		n += 9 + l->at[i].n;
	return n;
}

static uint8_t *put_inputs(uint8_t *p, const struct tx_view *tx, uint32_t input,
			   struct slice script_sig)
{
	struct tx_iter it;
	struct txin_view in;

	p = compact_put(p, tx->n_in);
	txins(&it, tx);
	for (uint32_t i = 0; txin_next(&it, &in); i++) {
		p = bytes_put(p, in.prevout, OUTPOINT_SIZE);
		p = put_bytes(p, i == input ? script_sig : in.script);
		p = le32_put(p, in.sequence);
	}
	return p;
}

static uint8_t *put_witness(uint8_t *p, const struct tx_view *tx,
			    uint32_t input, const struct items *witness)
{
	struct tx_iter it, stack;

	txwits(&it, tx);
	for (uint32_t i = 0; txwit_next(&it, &stack); i++)
		p = i == input ? put_items(p, witness) : put_stack(p, stack);
	return p;
}

static bool any_witness(const struct tx_view *tx, uint32_t input,
			const struct items *witness)
{
	struct tx_iter it, stack;

	txwits(&it, tx);
	for (uint32_t i = 0; txwit_next(&it, &stack); i++)
		if (i == input ? witness->n > 0 : stack.left > 0)
			return true;
	return false;
}

void fix_change(struct fix *to, const struct fix *from, uint32_t input,
		struct slice script_sig, const struct items *witness)
{
	const struct tx_view *tx = &from->tx;
	bool wit = any_witness(tx, input, witness);
	uint8_t *raw = xmalloc(tx->size + script_sig.n + items_size(witness) +
			       tx->n_in + 32);
	uint8_t *p = le32_put(raw, (uint32_t)tx->version);

	if (wit)
		p = bytes_put(p, "\0\1", 2);
	p = put_inputs(p, tx, input, script_sig);
	p = compact_put(p, tx->n_out);
	p = bytes_put(p, from->shared.outputs.p, from->shared.outputs.n);
	if (wit)
		p = put_witness(p, tx, input, witness);
	p = le32_put(p, tx->lock_time);
	fix_init(to, raw, (size_t)(p - raw));
	for (uint32_t i = 0; i < tx->n_in; i++)
		fix_spent(to, i, from->spent[i].value, from->spent[i].script);
	fix_ready(to);
}

/* The transaction whose only output is spent; gives its id. */
static void credit_txid(struct hash256 *id, struct slice script_pubkey,
			int64_t value)
{
	uint8_t *raw = xmalloc(script_pubkey.n + 100), *p = raw;

	p = le32_put(p, 1);
	*p++ = 1;
	memset(p, 0, 32);
	p = le32_put(p + 32, 0xffffffff);
	p = bytes_put(p, "\2\0\0", 3);
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	p = le64_put(p, (uint64_t)value);
	p = put_bytes(p, script_pubkey);
	p = le32_put(p, 0);
	sha256d(id, raw, (size_t)(p - raw));
	free(raw);
}

void fix_credit(struct fix *f, struct slice script_sig,
		struct slice script_pubkey, const struct items *witness,
		int64_t value)
{
	uint8_t *raw = xmalloc(script_sig.n + items_size(witness) + 128);
	uint8_t *p = le32_put(raw, 1);
	struct hash256 id;

	credit_txid(&id, script_pubkey, value);
	if (witness->n)
		p = bytes_put(p, "\0\1", 2);
	*p++ = 1;
	p = bytes_put(p, id.b, 32);
	p = le32_put(p, 0);
	p = put_bytes(p, script_sig);
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	p = le64_put(p, (uint64_t)value);
	*p++ = 0;
	if (witness->n)
		p = put_items(p, witness);
	p = le32_put(p, 0);
	fix_init(f, raw, (size_t)(p - raw));
	fix_spent(f, 0, value, script_pubkey);
	fix_ready(f);
}

/* x of the generator, the public key of the secret 1. */
#define INTERNAL_KEY                                                           \
	"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

void fix_leaf(uint8_t control[33], uint8_t output[32], uint8_t version,
	      struct slice script)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	uint8_t leaf[32], tweak[32], head[10] = {version};
	secp256k1_xonly_pubkey in, x;
	secp256k1_pubkey out;
	struct sha256 h;
	int odd;

	ck_assert(hex_parse(control + 1, 32, INTERNAL_KEY));
	tagged_init(&h, TAG_TAP_LEAF);
	sha256_put(&h, head, (size_t)(compact_put(head + 1, script.n) - head));
	sha256_put(&h, script.p, script.n);
	sha256_end(&h, leaf);
	tagged_init(&h, TAG_TAP_TWEAK);
	sha256_put(&h, control + 1, 32);
	sha256_put(&h, leaf, 32);
	sha256_end(&h, tweak);
	ck_assert(secp256k1_xonly_pubkey_parse(ctx, &in, control + 1));
	ck_assert(secp256k1_xonly_pubkey_tweak_add(ctx, &out, &in, tweak));
	ck_assert(secp256k1_xonly_pubkey_from_pubkey(ctx, &x, &odd, &out));
	ck_assert(secp256k1_xonly_pubkey_serialize(ctx, output, &x));
	control[0] = (uint8_t)(version | odd);
}

static void copy_items(struct items *to, const struct items *from)
{
	for (size_t i = 0; i < from->n; i++)
		items_add(to, from->at[i].p, from->at[i].n);
}

void fix_p2wsh(struct fix *f, struct slice script, const struct items *stack)
{
	uint8_t pubkey[34] = {OP_0, 32};
	struct items w = {0};

	sha256_once(pubkey + 2, script.p, script.n);
	copy_items(&w, stack);
	items_add(&w, script.p, script.n);
	fix_credit(f, slice_of(NULL, 0), slice_of(pubkey, 34), &w, 1);
	items_fini(&w);
}

void fix_tapscript(struct fix *f, struct slice script,
		   const struct items *stack)
{
	uint8_t control[33], pubkey[34] = {OP_1, 32};
	struct items w = {0};

	fix_leaf(control, pubkey + 2, 0xc0, script);
	copy_items(&w, stack);
	items_add(&w, script.p, script.n);
	items_add(&w, control, 33);
	fix_credit(f, slice_of(NULL, 0), slice_of(pubkey, 34), &w, 1);
	items_fini(&w);
}

void fix_input(struct script_input *in, const struct fix *f, uint32_t input)
{
	script_inputs(in, &f->shared);
	script_input_seek(in, input);
}

enum script_err fix_verify(const struct fix *f, uint32_t input, unsigned flags)
{
	struct script_input in;
	enum script_err e = SCRIPT_ERR_UNKNOWN_ERROR;
	bool ok;

	fix_input(&in, f, input);
	ok = script_verify_input(&e, &in, flags, NULL);
	ck_assert_int_eq(ok, e == SCRIPT_ERR_OK);
	return e;
}

unsigned flags_fill(unsigned flags)
{
	if (flags & SCRIPT_VERIFY_CLEANSTACK)
		flags |= SCRIPT_VERIFY_WITNESS;
	if (flags & SCRIPT_VERIFY_WITNESS)
		flags |= SCRIPT_VERIFY_P2SH;
	return flags;
}

unsigned flags_trim(unsigned flags)
{
	if (!(flags & SCRIPT_VERIFY_P2SH))
		flags &= ~(unsigned)SCRIPT_VERIFY_WITNESS;
	if (!(flags & SCRIPT_VERIFY_WITNESS))
		flags &= ~(unsigned)SCRIPT_VERIFY_CLEANSTACK;
	return flags;
}
