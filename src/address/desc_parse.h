/* Inside of address: what the files that parse functions share. */
#ifndef CAIRN_ADDRESS_DESC_PARSE_H
#define CAIRN_ADDRESS_DESC_PARSE_H

#include "desc.h"

/* Take the expression that s begins with: up to a comma or a closing bracket
 * that is not its own. */
struct span desc_expression(struct span *s);
/* Take the character c where s begins with it. */
bool desc_take(struct span *s, char c);
/* Whether nothing is left of s. */
bool desc_end(struct desc_parser *p, struct span s);

/* Parse a key; who is put in front of the sentence where it is none. */
struct desc_key *desc_one_key(struct desc_parser *p, const char *who,
			      struct span arg, enum desc_place where);
/* Parse the function that s begins with, and take it; p->variants is what
 * multipath steps make of it. */
struct desc_node *desc_function(struct desc_parser *p, struct span *s,
				enum desc_place where);
/* The arguments of multi, sortedmulti, multi_a, sortedmulti_a. */
bool desc_multi_parse(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where);
/* The arguments of tr: a key and perhaps a tree. */
bool desc_tr_parse(struct desc_parser *p, struct desc_node *n, struct span arg,
		   enum desc_place where);

#endif
