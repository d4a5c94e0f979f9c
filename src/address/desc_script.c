/*
 * The scripts that the functions of a descriptor make of public keys. Any
 * thread; no state. Which keys those are is desc_walk.c's matter.
 */
#include "desc.h"

#include <cairn/base/must.h>
#include <cairn/base/text.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/op.h>
#include <cairn/script/taptree.h>
#include <cairn/script/template.h>

#include <stdlib.h>

/* Functions take their keys one after another. */
struct maker {
	const struct desc_pub *next;
};

static void put(struct text *out, const uint8_t *from, const uint8_t *to)
{
	text_put(out, (const char *)from, (size_t)(to - from));
}

static void put_op(struct text *out, uint8_t op)
{
	put(out, &op, &op + 1);
}

static void put_push(struct text *out, const uint8_t *p, size_t n)
{
	uint8_t b[80];

	put(out, b, script_put_push(b, slice_of(p, n)));
}

static void put_num(struct text *out, int64_t v)
{
	uint8_t b[10];

	put(out, b, script_put_num(b, v));
}

static void put_key(struct text *out, const struct desc_pub *k, bool x_only)
{
	if (x_only)
		put_push(out, k->b + 1, 32);
	else
		put_push(out, k->b, k->n);
}

static void put_key_hash(struct text *out, const struct desc_pub *k)
{
	uint8_t hash[20];

	hash160(hash, k->b, k->n);
	put_push(out, hash, sizeof hash);
}

static void put_pk(struct text *out, const struct desc_pub *k, bool x_only)
{
	put_key(out, k, x_only);
	put_op(out, OP_CHECKSIG);
}

static void put_pkh(struct text *out, const struct desc_pub *k)
{
	put_op(out, OP_DUP);
	put_op(out, OP_HASH160);
	put_key_hash(out, k);
	put_op(out, OP_EQUALVERIFY);
	put_op(out, OP_CHECKSIG);
}

static void put_wpkh(struct text *out, const struct desc_pub *k)
{
	put_op(out, OP_0);
	put_key_hash(out, k);
}

static void put_sh(struct text *out, const struct text *inner)
{
	uint8_t hash[20];

	hash160(hash, inner->p, inner->n);
	put_op(out, OP_HASH160);
	put_push(out, hash, sizeof hash);
	put_op(out, OP_EQUAL);
}

static void put_wsh(struct text *out, const struct text *inner)
{
	uint8_t hash[32];

	sha256_once(hash, inner->p, inner->n);
	put_op(out, OP_0);
	put_push(out, hash, sizeof hash);
}

static int by_key(const void *a, const void *b)
{
	const struct desc_pub *const *x = a, *const *y = b;

	/* Keys of different lengths differ in their first byte. */
	return memcmp((*x)->b, (*y)->b, (*x)->n);
}

static int by_x(const void *a, const void *b)
{
	const struct desc_pub *const *x = a, *const *y = b;

	return memcmp((*x)->b + 1, (*y)->b + 1, 32);
}

static bool is_sorted(const struct desc_node *n)
{
	return n->func == DESC_SORTEDMULTI || n->func == DESC_SORTEDMULTI_A;
}

static void put_multi(struct text *out, const struct desc_node *n,
		      const struct desc_pub **k)
{
	if (is_sorted(n))
		qsort(k, n->n_keys, sizeof *k, by_key);
	put_num(out, n->threshold);
	for (size_t i = 0; i < n->n_keys; i++)
		put_key(out, k[i], false);
	put_num(out, (int64_t)n->n_keys);
	put_op(out, OP_CHECKMULTISIG);
}

static void put_multi_a(struct text *out, const struct desc_node *n,
			const struct desc_pub **k)
{
	if (is_sorted(n))
		qsort(k, n->n_keys, sizeof *k, by_x);
	for (size_t i = 0; i < n->n_keys; i++) {
		put_key(out, k[i], true);
		put_op(out, i == 0 ? OP_CHECKSIG : OP_CHECKSIGADD);
	}
	put_num(out, n->threshold);
	put_op(out, OP_NUMEQUAL);
}

/* Both kinds, with pointers to the keys that can be sorted. */
static bool put_any_multi(struct maker *m, struct text *out,
			  const struct desc_node *n)
{
	const struct desc_pub **k = calloc(n->n_keys, sizeof *k);

	if (!k)
		return false;
	for (size_t i = 0; i < n->n_keys; i++)
		k[i] = &m->next[i];
	if (n->func == DESC_MULTI || n->func == DESC_SORTEDMULTI)
		put_multi(out, n, k);
	else
		put_multi_a(out, n, k);
	free(k);
	return true;
}

static bool put_node(struct maker *m, struct text *out,
		     const struct desc_node *n);

/* Hashes of nodes whose sibling has not come yet, by their depth, which grows.
 */
struct tap_stack {
	struct {
		unsigned depth;
		uint8_t hash[32];
	} at[TAP_DEPTH_MAX + 1];
	size_t n;
};

/* Add a leaf; two nodes of one depth become their parent. */
static void tap_push(struct tap_stack *s, unsigned depth,
		     const uint8_t hash[32])
{
	must(s->n <= TAP_DEPTH_MAX);
	s->at[s->n].depth = depth;
	memcpy(s->at[s->n++].hash, hash, 32);
	while (s->n > 1 && s->at[s->n - 1].depth == s->at[s->n - 2].depth) {
		tap_branch_hash(s->at[s->n - 2].hash, s->at[s->n - 2].hash,
				s->at[s->n - 1].hash);
		s->n--;
		s->at[s->n - 1].depth--;
	}
}

static bool tap_root(struct maker *m, uint8_t root[32],
		     const struct desc_node *leaf)
{
	struct tap_stack s = {.n = 0};
	struct text script = TEXT_INIT;
	uint8_t hash[32];
	bool ok = true;

	for (; leaf && ok; leaf = leaf->next) {
		text_reset(&script);
		ok = put_node(m, &script, leaf);
		tap_leaf_hash(hash, TAP_LEAF_SCRIPT,
			      slice_of(script.p, script.n));
		tap_push(&s, leaf->depth, hash);
	}
	text_fini(&script);
	must(!ok || (s.n == 1 && s.at[0].depth == 0));
	memcpy(root, s.at[0].hash, 32);
	return ok;
}

static bool put_tr(struct maker *m, struct text *out, const struct desc_node *n,
		   const struct desc_pub *key)
{
	uint8_t root[32], tweak[32], output[32];

	if (n->sub && !tap_root(m, root, n->sub))
		return false;
	tap_tweak_hash(tweak, key->b + 1, n->sub ? root : NULL);
	if (!xonly_add(output, key->b + 1, tweak))
		return false;
	put_op(out, OP_1);
	put_push(out, output, sizeof output);
	return true;
}

/* sh and wsh around another script. */
static bool put_wrapped(struct maker *m, struct text *out,
			const struct desc_node *n)
{
	struct text inner = TEXT_INIT;
	bool ok = put_node(m, &inner, n->sub);

	if (ok && n->func == DESC_SH)
		put_sh(out, &inner);
	else if (ok)
		put_wsh(out, &inner);
	text_fini(&inner);
	return ok;
}

/* The script of a function that has one; false when out of memory. */
static bool put_node(struct maker *m, struct text *out,
		     const struct desc_node *n)
{
	const struct desc_pub *key = m->next;
	bool ok = true;

	switch (n->func) {
	case DESC_PK:
		put_pk(out, key, n->x_only);
		break;
	case DESC_PKH:
		put_pkh(out, key);
		break;
	case DESC_WPKH:
		put_wpkh(out, key);
		break;
	case DESC_MULTI:
	case DESC_SORTEDMULTI:
	case DESC_MULTI_A:
	case DESC_SORTEDMULTI_A:
		ok = put_any_multi(m, out, n);
		break;
	case DESC_SH:
	case DESC_WSH:
		return put_wrapped(m, out, n);
	case DESC_TR:
		m->next++;
		return put_tr(m, out, n, key);
	case DESC_RAWTR:
		put_op(out, OP_1);
		put_key(out, key, true);
		break;
	case DESC_ADDR:
	case DESC_RAW:
		text_put(out, (const char *)n->script.p, n->script.n);
		break;
	case DESC_COMBO:
	case DESC_UNUSED:
		break;
	}
	m->next += n->n_keys;
	return ok;
}

/* P2PK and P2PKH, and with a compressed key P2WPKH and that in P2SH. */
static size_t put_combo(struct text *script, const struct desc_pub *key)
{
	put_pk(&script[0], key, false);
	put_pkh(&script[1], key);
	if (key->n != 33)
		return 2;
	put_wpkh(&script[2], key);
	put_sh(&script[3], &script[2]);
	return 4;
}

bool desc_scripts(struct text script[DESCRIPTOR_SCRIPTS_MAX], size_t *n,
		  const struct desc_node *top, const struct desc_pub *pubs)
{
	struct maker m = {pubs};

	*n = 1;
	if (top->func == DESC_COMBO)
		*n = put_combo(script, pubs);
	else if (top->func == DESC_UNUSED)
		*n = 0;
	else
		return put_node(&m, &script[0], top);
	return true;
}
