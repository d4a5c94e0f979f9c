/*
 * What an input holds that was signed before, wholly or in part: scripts behind
 * hashes, and signatures of multisigs by the keys that they verify with. Any
 * thread.
 */
#include "sign.h"

#include <cairn/crypto/sha256.h>
#include <cairn/crypto/sig.h>

/* Pushes of a script and how many there are; those that are too many for a
 * multisig are not kept, but the last always is. */
struct pushes {
	struct slice item[ITEMS_MAX + 1];
	size_t n;
};

static void push(struct pushes *s, struct slice item)
{
	if (s->n == ITEMS_MAX + 1)
		s->n--;
	s->item[s->n++] = item;
}

/* What a push opcode without data leaves on the stack. */
static struct slice small_number(uint8_t op)
{
	static const uint8_t numbers[] = {0x81, 0, 1,  2,  3,  4,  5,  6,  7,
					  8,    9, 10, 11, 12, 13, 14, 15, 16};

	if (op == OP_0)
		return slice_of(NULL, 0);
	return slice_of(&numbers[op - OP_1NEGATE], 1);
}

/* The stack that a script of pushes leaves, as far as it is one. */
static void read_script(struct pushes *s, struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	s->n = 0;
	if (script.n > SCRIPT_MAX)
		return;
	script_iter_init(&it, script);
	while (script_next(&it, &op, &data)) {
		if (op > OP_16 || op == OP_RESERVED || data.n > 520)
			return;
		push(s, op <= OP_PUSHDATA4 ? data : small_number(op));
	}
}

static void read_witness(struct pushes *s, struct tx_iter witness)
{
	struct slice item;

	s->n = 0;
	while (witem_next(&witness, &item))
		push(s, item);
}

static struct slice pop(struct pushes *s)
{
	return s->n ? s->item[--s->n] : slice_of(NULL, 0);
}

static bool is_among(const struct sign_sig *sigs, size_t n,
		     const uint8_t id[20])
{
	for (size_t i = 0; i < n; i++)
		if (memcmp(sigs[i].id, id, 20) == 0)
			return true;
	return false;
}

/* In the form that is looked at. */
static bool has_sig(const struct sign_input *w, const uint8_t id[20])
{
	return is_among(w->sigs + w->of_form, w->n_sigs - w->of_form, id);
}

/* Signatures of keys that have one from a form before are given up. */
static void merge_sigs(struct sign_input *w)
{
	size_t n = w->of_form;

	for (size_t i = w->of_form; i < w->n_sigs; i++)
		if (!is_among(w->sigs, w->of_form, w->sigs[i].id))
			w->sigs[n++] = w->sigs[i];
	w->n_sigs = n < SIGS_MAX ? n : SIGS_MAX;
	w->of_form = w->n_sigs;
}

static void keep_sig(struct sign_input *w, const uint8_t id[20],
		     struct slice pub, struct slice sig)
{
	struct sign_sig *s = &w->sigs[w->n_sigs];

	if (w->n_sigs - w->of_form == SIGS_MAX)
		return;
	memcpy(s->id, id, 20);
	s->pub = sign_copy(w, pub);
	s->sig = sign_copy(w, sig);
	w->n_sigs += s->pub.n && s->sig.n;
}

static bool verifies(struct sign_input *w, struct slice sig, struct slice pub,
		     struct slice code, bool v0)
{
	uint8_t hash[32];
	uint8_t type;

	if (sig.n == 0)
		return false;
	type = sig.p[sig.n - 1];
	if (v0)
		sighash_v0(hash, w->in, code, type);
	else
		sighash_legacy(hash, w->in, code, type);
	return ecdsa_verify(slice_of(sig.p, sig.n - 1), pub, hash);
}

/* The keys of a multisig in their order; n is at most 20. */
static size_t keys_of(struct slice keys[SCRIPT_MULTISIG_KEYS],
		      struct slice script)
{
	struct script_iter it;
	struct slice data;
	size_t n = 0;
	uint8_t op;

	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (data.n > 1 && n < SCRIPT_MULTISIG_KEYS)
			keys[n++] = data;
	return n;
}

/* Signatures stand in the order of the keys; each is looked for behind the one
 * before. A key whose signature is known already takes the place of whatever
 * stands there, as in Bitcoin Core. */
static void match_sigs(struct sign_input *w, const struct pushes *stack,
		       struct slice code, bool v0)
{
	struct slice keys[SCRIPT_MULTISIG_KEYS];
	size_t n = keys_of(keys, code), next = 0;
	uint8_t id[20];

	for (size_t i = 0; i < stack->n; i++)
		for (size_t k = next; k < n; k++) {
			struct slice sig = stack->item[i];
			bool had;

			hash160(id, keys[k].p, keys[k].n);
			had = has_sig(w, id);
			if (!had && !verifies(w, sig, keys[k], code, v0))
				continue;
			if (!had)
				keep_sig(w, id, keys[k], sig);
			next = k + 1;
			break;
		}
}

/* Looks at signatures while scripts run. */
struct collector {
	struct sign_input *w;
	const struct pushes *stack, *items;
};

/* The item that is a signature and a type behind it. */
static struct slice item_of(const struct pushes *s, struct slice der)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->item[i].n == der.n + 1 &&
		    memcmp(s->item[i].p, der.p, der.n) == 0)
			return s->item[i];
	return slice_of(NULL, 0);
}

static bool collect(void *arg, struct slice der, struct slice key,
		    const uint8_t hash[32])
{
	const struct collector *c = arg;
	struct slice sig;
	uint8_t id[20];

	if (!ecdsa_verify(der, key, hash))
		return false;
	sig = item_of(c->items, der);
	if (!sig.n)
		sig = item_of(c->stack, der);
	hash160(id, key.p, key.n);
	if (sig.n && !has_sig(c->w, id))
		keep_sig(c->w, id, key, sig);
	return true;
}

/* Whether all of it verifies; signatures that do are kept on the way. Bitcoin
 * Core signs taproot anew where it can. When it combines it drops such
 * witnesses; here they are kept. */
static bool verify_and_collect(struct sign_input *w, struct slice script_sig,
			       const struct pushes *stack,
			       const struct pushes *items)
{
	struct collector c = {w, stack, items};
	struct sig_verifier v;
	struct script_info i;

	script_classify(&i, w->in->spent->script);
	if (i.type == SCRIPT_WITNESS_V1_TAPROOT)
		return w->combine &&
		       sign_verify(w, NULL, script_sig, w->witness,
				   w->n_witness, NULL);
	sig_verifier_library(&v, NULL);
	v.ecdsa = collect;
	v.arg = &c;
	return sign_verify(w, NULL, script_sig, w->witness, w->n_witness, &v);
}

/* Scripts behind hashes, and the signatures of a multisig. */
static void extract_parts(struct sign_input *w, struct pushes *stack,
			  struct pushes *items)
{
	struct slice code = w->in->spent->script;
	struct script_info i;
	bool v0 = false;

	script_classify(&i, code);
	if (i.type == SCRIPT_SCRIPTHASH && stack->n &&
	    stack->item[stack->n - 1].n) {
		code = pop(stack);
		if (!w->redeem.n)
			w->redeem = sign_copy(w, code);
		script_classify(&i, code);
	}
	if (i.type == SCRIPT_WITNESS_V0_SCRIPTHASH && items->n &&
	    items->item[items->n - 1].n) {
		code = pop(items);
		if (!w->inner.n)
			w->inner = sign_copy(w, code);
		script_classify(&i, code);
		stack = items;
		v0 = true;
	}
	if (i.type == SCRIPT_MULTISIG)
		match_sigs(w, stack, code, v0);
}

/* Keep the input as it is. */
static bool keep_all(struct sign_input *w, struct slice script_sig,
		     struct tx_iter witness)
{
	struct slice *items =
	    sign_alloc(w, (witness.left + (size_t)1) * sizeof *items);

	if (!items)
		return false;
	w->script_sig = script_sig;
	w->witness = items;
	for (w->n_witness = 0; witem_next(&witness, &items[w->n_witness]);)
		w->n_witness++;
	return true;
}

bool sign_extract(struct sign_input *w, struct slice script_sig,
		  struct tx_iter witness)
{
	struct pushes stack, items;

	if (!keep_all(w, script_sig, witness))
		return false;
	read_script(&stack, script_sig);
	read_witness(&items, witness);
	if (verify_and_collect(w, script_sig, &stack, &items))
		return true;
	extract_parts(w, &stack, &items);
	merge_sigs(w);
	return false;
}
