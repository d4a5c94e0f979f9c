/*
 * Descriptors as others see them: parsed with their checksum, asked, written
 * again in canonical form. Any thread; nothing changes after parsing.
 */
#include "desc.h"

#include <cairn/address/address.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>
#include <cairn/crypto/secret.h>
#include <cairn/script/taptree.h>

#include <stdlib.h>

/* Characters become at most some 30 bytes each: a step of a path. */
#define MEMORY_MAX (32u * DESCRIPTOR_MAX)

void *desc_alloc(struct desc_parser *p, size_t n, size_t size)
{
	void *m = arena_alloc(&p->d->mem, n * size);

	if (m)
		memset(m, 0, n * size);
	else
		desc_fail(p, "out of memory");
	return m;
}

static bool checksum_ok(struct desc_parser *p, struct span *desc, bool need)
{
	struct span sum = *desc;
	bool given = span_cut(desc, &sum, '#');
	char want[9];

	if (sum.n && memchr(sum.p, '#', sum.n))
		return desc_fail(p, "Multiple '#' symbols");
	if (!given && need)
		return desc_fail(p, "Missing checksum");
	if (given && sum.n != 8)
		return desc_fail(
		    p, "Expected 8 character checksum, not %zu characters",
		    sum.n);
	if (!descriptor_checksum(want, desc->p, desc->n))
		return desc_fail(p, "Invalid characters in payload");
	return !given || memcmp(want, sum.p, 8) == 0 ||
	       desc_fail(p,
			 "Provided checksum '%.*s' does not match computed "
			 "checksum '%s'",
			 SPAN_ARG(sum), want);
}

static bool size_ok(struct desc_parser *p, size_t n)
{
	return n <= DESCRIPTOR_MAX ||
	       desc_fail(p,
			 "Descriptor of %zu characters is longer than %u "
			 "characters",
			 n, DESCRIPTOR_MAX);
}

/* All variants together. */
static bool variants_ok(struct desc_parser *p, size_t n)
{
	return p->d->variants * n <= DESCRIPTOR_VARIANTS_MAX ||
	       desc_fail(p,
			 "Multipath makes %zu descriptors of %zu characters, "
			 "which is too much",
			 p->d->variants, n);
}

int descriptor_parse(struct descriptor **give, struct text *err,
		     struct slice text, bool need_checksum,
		     const struct params *params)
{
	struct span s = {(const char *)text.p, text.n};
	struct descriptor *d = xcalloc(1, sizeof *d);
	struct desc_parser p = {.d = d, .err = err};
	bool ok;

	d->params = params;
	arena_init(&d->mem, MEMORY_MAX);
	ok = size_ok(&p, s.n) && checksum_ok(&p, &s, need_checksum) &&
	     desc_parse(&p, s) && variants_ok(&p, s.n);
	secret_ctx_free(p.ctx);
	if (!ok) {
		descriptor_free(d);
		return E_PARSE;
	}
	*give = d;
	return 0;
}

void descriptor_free(struct descriptor *d)
{
	if (!d)
		return;
	for (struct desc_secret *s = d->secrets; s; s = s->next)
		explicit_bzero(s->key, sizeof s->key);
	arena_fini(&d->mem);
	free(d);
}

size_t descriptor_variants(const struct descriptor *d)
{
	return d->variants;
}

static bool node_is_range(const struct desc_node *n)
{
	for (const struct desc_key *k = n->keys; k; k = k->next)
		if (k->range != RANGE_NONE)
			return true;
	for (n = n->sub; n; n = n->next)
		if (node_is_range(n))
			return true;
	return false;
}

bool descriptor_is_range(const struct descriptor *d)
{
	return node_is_range(d->top);
}

bool descriptor_is_solvable(const struct descriptor *d)
{
	return d->top->func != DESC_ADDR && d->top->func != DESC_RAW;
}

bool descriptor_has_private(const struct descriptor *d)
{
	return d->has_private;
}

static void put_step(struct text *out, uint32_t v, bool apostrophe)
{
	text_printf(out, "/%u%s", v & ~EXTKEY_HARDENED,
		    !(v & EXTKEY_HARDENED) ? ""
		    : apostrophe           ? "'"
					   : "h");
}

static void put_origin(struct text *out, const struct desc_key *k)
{
	text_puts(out, "[");
	text_hex(out, slice_of(k->fingerprint, sizeof k->fingerprint));
	for (size_t i = 0; i < k->origin.n; i++)
		put_step(out, k->origin.step[i], k->apostrophe);
	text_puts(out, "]");
}

static void put_extended(struct text *out, const struct desc_key *k,
			 size_t variant, const struct params *p)
{
	char text[EXTKEY_STR];

	extkey_put(text, &k->root, false, p);
	text_puts(out, text);
	for (size_t i = 0; i < k->path.n; i++)
		put_step(out, desc_key_step(k, variant, i), k->apostrophe);
	if (k->range != RANGE_NONE)
		text_puts(out, "/*");
	if (k->range == RANGE_HARDENED)
		text_puts(out, k->apostrophe ? "'" : "h");
}

static void put_key(struct text *out, const struct desc_key *k, size_t variant,
		    const struct params *p)
{
	if (k->has_origin)
		put_origin(out, k);
	if (k->extended)
		put_extended(out, k, variant, p);
	else
		text_hex(out,
			 slice_of(k->pub.b + k->bare_x, k->pub.n - k->bare_x));
}

/* What stands in front of the keys: the threshold, a script, an address. */
static bool put_first(struct text *out, const struct desc_node *n,
		      const struct params *p)
{
	char address[ADDRESS_STR];

	if (n->threshold > 0)
		text_printf(out, "%u", n->threshold);
	else if (n->func == DESC_RAW)
		text_hex(out, n->script);
	else if (n->func == DESC_ADDR &&
		 address_of_script(address, n->script, p))
		text_puts(out, address);
	else
		return false;
	return true;
}

static void put_node(struct text *out, const struct descriptor *d,
		     const struct desc_node *n, size_t variant);

/* Leaves between braces, which their depths tell: as many are opened as it
 * takes to get there, and closed where a right branch ends. */
static void put_tree(struct text *out, const struct descriptor *d,
		     const struct desc_node *leaf, size_t variant)
{
	bool right[TAP_DEPTH_MAX + 1];
	unsigned n = 0;

	for (; leaf; leaf = leaf->next) {
		for (; n < leaf->depth; right[n++] = false)
			text_puts(out, "{");
		put_node(out, d, leaf, variant);
		for (; n > 0 && right[n - 1]; n--)
			text_puts(out, "}");
		if (n > 0)
			right[n - 1] = true;
		if (leaf->next)
			text_puts(out, ",");
	}
}

static void put_node(struct text *out, const struct descriptor *d,
		     const struct desc_node *n, size_t variant)
{
	bool any;

	text_puts(out, desc_func_name(n->func));
	text_puts(out, "(");
	any = put_first(out, n, d->params);
	for (const struct desc_key *k = n->keys; k; k = k->next) {
		if (any)
			text_puts(out, ",");
		put_key(out, k, variant, d->params);
		any = true;
	}
	if (n->sub && any)
		text_puts(out, ",");
	put_tree(out, d, n->sub, variant);
	text_puts(out, ")");
}

void descriptor_put(struct text *out, const struct descriptor *d,
		    size_t variant)
{
	size_t start = out->n;
	char sum[9];
	bool known;

	must(variant < d->variants);
	put_node(out, d, d->top, variant);
	known = descriptor_checksum(sum, out->p + start, out->n - start);
	must(known); /* every character above is of the set */
	text_puts(out, "#");
	text_puts(out, sum);
}
