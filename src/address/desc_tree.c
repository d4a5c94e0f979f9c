/*
 * The arguments of tr(): the internal key and the tree of its scripts, leaf by
 * leaf from the left (BIP 386). Not recursive: the path to the present leaf is
 * an array of bounded length. Any thread.
 */
#include "desc_parse.h"

#include <cairn/script/taptree.h>

/* Where the parser is in a tree: at each level in the left or the right. */
struct branches {
	bool right[TAP_DEPTH_MAX];
	unsigned n;
};

static bool open_braces(struct desc_parser *p, struct branches *b,
			struct span *s)
{
	while (desc_take(s, '{')) {
		if (b->n == TAP_DEPTH_MAX)
			return desc_fail(
			    p, "tr() supports at most %u nesting levels",
			    TAP_DEPTH_MAX);
		b->right[b->n++] = false;
	}
	return true;
}

/* Behind a leaf: leave the right branches that end here, and go over to the
 * right from a left one. */
static bool close_braces(struct desc_parser *p, struct branches *b,
			 struct span *s)
{
	for (; b->n > 0 && b->right[b->n - 1]; b->n--)
		if (!desc_take(s, '}'))
			return desc_fail(p, "tr(): expected '}' after script "
					    "expression");
	if (b->n == 0)
		return true;
	if (!desc_take(s, ','))
		return desc_fail(p,
				 "tr(): expected ',' after script expression");
	b->right[b->n - 1] = true;
	return true;
}

static struct desc_node *take_leaf(struct desc_parser *p, struct span *s)
{
	struct span expr = desc_expression(s);

	return desc_function(p, &expr, IN_P2TR);
}

/* All leaves; the most alternatives that one has are in *variants. */
static bool take_tree(struct desc_parser *p, struct desc_node *n,
		      size_t *variants, struct span *s)
{
	struct desc_node **last = &n->sub;
	struct branches b = {.n = 0};

	do {
		if (!open_braces(p, &b, s))
			return false;
		*last = take_leaf(p, s);
		if (!*last)
			return false;
		(*last)->depth = b.n;
		(*last)->variants = p->variants;
		if (p->variants > *variants)
			*variants = p->variants;
		last = &(*last)->next;
		if (!close_braces(p, &b, s))
			return false;
	} while (b.n > 0);
	return s->n == 0 ||
	       desc_fail(p, "tr(): expected ')' after script expression");
}

/* Key and leaves have one alternative, or as many as every other. */
static bool variants_agree(struct desc_parser *p, const struct desc_node *n,
			   size_t variants)
{
	size_t own = desc_key_variants(n->keys);

	for (const struct desc_node *l = n->sub; l; l = l->next)
		if (l->variants != 1 && l->variants != variants)
			return desc_fail(p, "tr(): Multipath subscripts have "
					    "mismatched lengths");
	return own == 1 || own == variants ||
	       desc_fail(p, "tr(): Multipath internal key mismatches multipath "
			    "subscripts lengths");
}

bool desc_tr_parse(struct desc_parser *p, struct desc_node *n, struct span arg,
		   enum desc_place where)
{
	struct span key = desc_expression(&arg);
	size_t variants;

	(void)where;
	n->keys = desc_one_key(p, "tr(): ", key, IN_P2TR);
	n->n_keys = 1;
	if (!n->keys)
		return false;
	variants = desc_key_variants(n->keys);
	if (arg.n > 0) {
		if (!desc_take(&arg, ','))
			return desc_fail(p, "tr: expected ',', got '%c'",
					 arg.p[0]);
		if (!take_tree(p, n, &variants, &arg))
			return false;
	}
	p->variants = variants;
	return variants_agree(p, n, variants);
}
