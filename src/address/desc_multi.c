/*
 * The arguments of multisigs in descriptors: a threshold and keys, with the
 * limits of where they stand. Any thread.
 */
#include "desc_parse.h"

#include <cairn/script/op.h>

#define BARE_KEYS_MAX    3   /* of a multisig that is not wrapped */
#define MULTI_A_KEYS_MAX 999 /* of one in a leaf */
#define REDEEM_MAX       520 /* bytes that a redeem script may have */

static bool number_of_keys_ok(struct desc_parser *p, const struct desc_node *n)
{
	bool tap = n->func == DESC_MULTI_A || n->func == DESC_SORTEDMULTI_A;
	size_t max = tap ? MULTI_A_KEYS_MAX : SCRIPT_MULTISIG_KEYS;

	if (n->n_keys == 0 || n->n_keys > max)
		return desc_fail(p,
				 "Cannot have %zu keys in %s; must have "
				 "between 1 and %zu keys, inclusive",
				 n->n_keys, tap ? "multi_a" : "multisig", max);
	if (n->threshold < 1)
		return desc_fail(p,
				 "Multisig threshold cannot be %u, must be at "
				 "least 1",
				 n->threshold);
	return n->threshold <= n->n_keys ||
	       desc_fail(p,
			 "Multisig threshold cannot be larger than the number "
			 "of keys; threshold is %u but only %zu keys specified",
			 n->threshold, n->n_keys);
}

static bool multi_fits(struct desc_parser *p, const struct desc_node *n,
		       enum desc_place where)
{
	size_t size = 3;

	if (where == IN_TOP && n->n_keys > BARE_KEYS_MAX)
		return desc_fail(p,
				 "Cannot have %zu pubkeys in bare multisig; "
				 "only at most %d pubkeys",
				 n->n_keys, BARE_KEYS_MAX);
	for (const struct desc_key *k = n->keys; k; k = k->next)
		size += 1 + (k->extended ? 33 : k->pub.n);
	return where != IN_P2SH || size <= REDEEM_MAX ||
	       desc_fail(p,
			 "P2SH script is too large, %zu bytes is larger than "
			 "%d bytes",
			 size, REDEEM_MAX);
}

/* Keys have one alternative, or as many as every other. */
static bool count_variants(struct desc_parser *p, const struct desc_node *n)
{
	const struct desc_key *k;

	p->variants = 1;
	for (k = n->keys; k; k = k->next)
		if (desc_key_variants(k) > p->variants)
			p->variants = desc_key_variants(k);
	for (k = n->keys; k; k = k->next)
		if (k->multi.n && k->multi.n != p->variants)
			return desc_fail(p, "multi(): Multipath derivation "
					    "paths have mismatched lengths");
	return true;
}

static bool take_keys(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where)
{
	struct desc_key **last = &n->keys;

	for (; arg.n > 0; n->n_keys++) {
		if (!desc_take(&arg, ','))
			return desc_fail(p, "Multi: expected ',', got '%c'",
					 arg.p[0]);
		*last =
		    desc_one_key(p, "Multi: ", desc_expression(&arg), where);
		if (!*last)
			return false;
		last = &(*last)->next;
	}
	return true;
}

bool desc_multi_parse(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where)
{
	struct span part = desc_expression(&arg);

	if (!span_u32(&n->threshold, part))
		return desc_fail(p, "Multi threshold '%.*s' is not valid",
				 SPAN_ARG(part));
	return take_keys(p, n, arg, where) && number_of_keys_ok(p, n) &&
	       multi_fits(p, n, where) && count_variants(p, n);
}
