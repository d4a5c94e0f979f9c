/*
 * Functions of descriptors (BIP 380 and following): which may stand where, and
 * their arguments, with Bitcoin Core's sentences. Keys are in desc_key.c,
 * multisigs in desc_multi.c, the trees of tr() in desc_tree.c. Recursion is
 * three deep at most. Any thread.
 */
#include "desc_parse.h"

#include <cairn/address/address.h>
#include <cairn/base/text.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TOP   (1u << IN_TOP)
#define P2SH  (1u << IN_P2SH)
#define P2WSH (1u << IN_P2WSH)
#define P2TR  (1u << IN_P2TR)

bool desc_fail(struct desc_parser *p, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) >= 0)
		text_puts(p->err, s);
	va_end(ap);
	free(s);
	return false;
}

struct span desc_expression(struct span *s)
{
	size_t i, level = 0;
	struct span e;

	for (i = 0; i < s->n; i++) {
		char c = s->p[i];

		if (c == '(' || c == '{')
			level++;
		else if (level > 0 && (c == ')' || c == '}'))
			level--;
		else if (level == 0 && (c == ')' || c == '}' || c == ','))
			break;
	}
	e = (struct span){s->p, i};
	*s = (struct span){s->p + i, s->n - i};
	return e;
}

bool desc_take(struct span *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = (struct span){s->p + 1, s->n - 1};
	return true;
}

struct desc_key *desc_one_key(struct desc_parser *p, const char *who,
			      struct span arg, enum desc_place where)
{
	size_t mark = p->err->n;
	struct desc_key *k;

	text_puts(p->err, who);
	k = desc_key_parse(p, arg, where);
	if (k) {
		p->err->n = mark;
		p->err->p[mark] = '\0';
	}
	return k;
}

static bool one_key(struct desc_parser *p, struct desc_node *n, const char *who,
		    struct span arg, enum desc_place where)
{
	n->keys = desc_one_key(p, who, arg, where);
	n->n_keys = 1;
	if (n->keys)
		p->variants = desc_key_variants(n->keys);
	return n->keys != NULL;
}

static bool parse_pk(struct desc_parser *p, struct desc_node *n,
		     struct span arg, enum desc_place where)
{
	return one_key(p, n, "pk(): ", arg, where);
}

static bool parse_pkh(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where)
{
	return one_key(p, n, "pkh(): ", arg, where);
}

static bool parse_wpkh(struct desc_parser *p, struct desc_node *n,
		       struct span arg, enum desc_place where)
{
	(void)where;
	return one_key(p, n, "wpkh(): ", arg, IN_P2WPKH);
}

static bool parse_combo(struct desc_parser *p, struct desc_node *n,
			struct span arg, enum desc_place where)
{
	return one_key(p, n, "combo(): ", arg, where);
}

static bool parse_rawtr(struct desc_parser *p, struct desc_node *n,
			struct span arg, enum desc_place where)
{
	struct span key = desc_expression(&arg);

	(void)where;
	if (arg.n > 0)
		return desc_fail(p, "rawtr(): only one key expected.");
	return one_key(p, n, "rawtr(): ", key, IN_P2TR);
}

static bool parse_unused(struct desc_parser *p, struct desc_node *n,
			 struct span arg, enum desc_place where)
{
	struct span key = desc_expression(&arg);

	if (arg.n > 0)
		return desc_fail(p, "unused(): only one key expected");
	if (!one_key(p, n, "", key, where))
		return false;
	return n->keys->range == RANGE_NONE ||
	       desc_fail(p, "unused(): key cannot be ranged");
}

static bool parse_addr(struct desc_parser *p, struct desc_node *n,
		       struct span arg, enum desc_place where)
{
	uint8_t *script = desc_alloc(p, 1, SCRIPT_OF_ADDRESS_MAX);
	char address[ADDRESS_STR];

	(void)where;
	if (!script)
		return false;
	if (arg.n < sizeof address && !memchr(arg.p, '\0', arg.n)) {
		memcpy(address, arg.p, arg.n);
		address[arg.n] = '\0';
		if (address_to_script(script, &n->script.n, NULL, address,
				      p->d->params)) {
			n->script.p = script;
			return true;
		}
	}
	return desc_fail(p, "Address is not valid");
}

static bool parse_raw(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where)
{
	uint8_t *script;

	(void)where;
	if (!span_is_hex(arg))
		return desc_fail(p, "Raw script is not hex");
	script = desc_alloc(p, arg.n / 2, 1);
	if (!script)
		return false;
	span_hex(script, arg);
	n->script = slice_of(script, arg.n / 2);
	return true;
}

/* The one function in the arguments of sh or wsh. */
static bool parse_wrapped(struct desc_parser *p, struct desc_node *n,
			  struct span arg, enum desc_place inside)
{
	n->sub = desc_function(p, &arg, inside);
	return n->sub && desc_end(p, arg);
}

static bool parse_sh(struct desc_parser *p, struct desc_node *n,
		     struct span arg, enum desc_place where)
{
	(void)where;
	return parse_wrapped(p, n, arg, IN_P2SH);
}

static bool parse_wsh(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where)
{
	(void)where;
	return parse_wrapped(p, n, arg, IN_P2WSH);
}

static const struct func {
	const char *name;
	unsigned places;
	/* What is said elsewhere; NULL: it is Miniscript there. */
	const char *elsewhere;
	bool (*parse)(struct desc_parser *p, struct desc_node *n,
		      struct span arg, enum desc_place where);
} funcs[] = {
    [DESC_PK] = {"pk", TOP | P2SH | P2WSH | P2TR, NULL, parse_pk},
    [DESC_PKH] = {"pkh", TOP | P2SH | P2WSH, NULL, parse_pkh},
    [DESC_WPKH] = {"wpkh", TOP | P2SH,
		   "Can only have wpkh() at top level or inside sh()",
		   parse_wpkh},
    [DESC_COMBO] = {"combo", TOP, "Can only have combo() at top level",
		    parse_combo},
    [DESC_MULTI] = {"multi", TOP | P2SH | P2WSH,
		    "Can only have multi/sortedmulti at top level, in sh(), or "
		    "in wsh()",
		    desc_multi_parse},
    [DESC_SORTEDMULTI] = {"sortedmulti", TOP | P2SH | P2WSH,
			  "Can only have multi/sortedmulti at top level, in "
			  "sh(), or in wsh()",
			  desc_multi_parse},
    [DESC_MULTI_A] = {"multi_a", P2TR,
		      "Can only have multi_a/sortedmulti_a inside tr()",
		      desc_multi_parse},
    [DESC_SORTEDMULTI_A] = {"sortedmulti_a", P2TR,
			    "Can only have multi_a/sortedmulti_a inside tr()",
			    desc_multi_parse},
    [DESC_SH] = {"sh", TOP, "Can only have sh() at top level", parse_sh},
    [DESC_WSH] = {"wsh", TOP | P2SH,
		  "Can only have wsh() at top level or inside sh()", parse_wsh},
    [DESC_TR] = {"tr", TOP, "Can only have tr at top level", desc_tr_parse},
    [DESC_RAWTR] = {"rawtr", TOP, "Can only have rawtr at top level",
		    parse_rawtr},
    [DESC_ADDR] = {"addr", TOP, "Can only have addr() at top level",
		   parse_addr},
    [DESC_RAW] = {"raw", TOP, "Can only have raw() at top level", parse_raw},
    [DESC_UNUSED] = {"unused", TOP, "Can only have unused at top level",
		     parse_unused},
};

#define FUNCS (sizeof funcs / sizeof *funcs)

const char *desc_func_name(enum desc_func f)
{
	return funcs[f].name;
}

/* name(arg): arg is what lies between the first and the last character of the
 * parentheses. */
static bool is_call(struct span *arg, struct span s, const char *name)
{
	size_t n = strlen(name);

	if (s.n < n + 2 || memcmp(s.p, name, n) != 0 || s.p[n] != '(' ||
	    s.p[s.n - 1] != ')')
		return false;
	*arg = (struct span){s.p + n + 1, s.n - n - 2};
	return true;
}

static bool is_one_of(struct span word, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == word.n &&
		    memcmp(*list, word.p, word.n) == 0)
			return true;
	return false;
}

/* Wrappers before a colon: letters only. */
static struct span without_wrappers(struct span s)
{
	struct span head, rest = s;

	if (!span_cut(&head, &rest, ':') || head.n == 0)
		return s;
	for (size_t i = 0; i < head.n; i++)
		if (head.p[i] < 'a' || head.p[i] > 'z')
			return s;
	return rest;
}

/* Whether it has the form of Miniscript: a constant, or a call of one of its
 * fragments. The arguments are not looked at. */
static bool is_miniscript(struct span s)
{
	static const char *const constants[] = {"0", "1", NULL};
	static const char *const calls[] = {
	    "pk",      "pkh",     "pk_k",   "pk_h",  "older",   "after",
	    "sha256",  "hash256", "andor",  "and_v", "hash160", "ripemd160",
	    "and_b",   "and_n",   "or_b",   "or_c",  "or_d",    "or_i",
	    "multi_a", "multi",   "thresh", NULL};
	struct span word;

	s = without_wrappers(s);
	if (is_one_of(s, constants))
		return true;
	return span_cut(&word, &s, '(') && s.n && s.p[s.n - 1] == ')' &&
	       is_one_of(word, calls);
}

static bool not_a_function(struct desc_parser *p, struct span s,
			   enum desc_place where)
{
	bool inside = where == IN_P2WSH || where == IN_P2TR;

	if (is_miniscript(s))
		return desc_fail(p, inside
					? "Miniscript is not supported"
					: "Miniscript expressions can only be "
					  "used in wsh or tr.");
	if (where == IN_P2SH)
		return desc_fail(p, "A function is needed within P2SH");
	if (where == IN_P2WSH)
		return desc_fail(p, "A function is needed within P2WSH");
	return desc_fail(p, "'%.*s' is not a valid descriptor function",
			 SPAN_ARG(s));
}

struct desc_node *desc_function(struct desc_parser *p, struct span *s,
				enum desc_place where)
{
	struct span expr = desc_expression(s), arg = {0};
	struct desc_node *n;
	size_t f = 0;

	while (f < FUNCS && !is_call(&arg, expr, funcs[f].name))
		f++;
	if (f < FUNCS && !(funcs[f].places >> where & 1) &&
	    funcs[f].elsewhere) {
		desc_fail(p, "%s", funcs[f].elsewhere);
		return NULL;
	}
	if (f == FUNCS || !(funcs[f].places >> where & 1)) {
		not_a_function(p, expr, where);
		return NULL;
	}
	n = desc_alloc(p, 1, sizeof *n);
	if (!n)
		return NULL;
	n->func = (enum desc_func)f;
	n->x_only = where == IN_P2TR;
	p->variants = 1;
	return funcs[f].parse(p, n, arg, where) ? n : NULL;
}

bool desc_end(struct desc_parser *p, struct span s)
{
	return s.n == 0 ||
	       desc_fail(p, "unexpected text behind the descriptor");
}

bool desc_parse(struct desc_parser *p, struct span s)
{
	p->d->top = desc_function(p, &s, IN_TOP);
	p->d->variants = p->variants;
	return p->d->top && desc_end(p, s);
}
