/*
 * Paths in descriptors: the steps of an origin and those behind an extended
 * key, with Bitcoin Core's sentences. Any thread; no state.
 */
#include "desc.h"

/* Alternatives of one step. Each makes a descriptor of its own. */
#define MULTI_MAX 1000u

static bool step_parse(struct desc_parser *p, struct desc_key *k, uint32_t *v,
		       struct span s)
{
	struct span number = s;
	bool hardened;

	if (s.n == 0)
		return desc_fail(p, "Key path value '' is not valid");
	hardened = s.p[s.n - 1] == '\'' || s.p[s.n - 1] == 'h';
	number.n -= hardened;
	if (!span_u32(v, number))
		return desc_fail(p,
				 "Key path value '%.*s' is not a valid uint32",
				 SPAN_ARG(s));
	if (*v >= EXTKEY_HARDENED)
		return desc_fail(p, "Key path value %u is out of range", *v);
	if (!hardened)
		return true;
	*v |= EXTKEY_HARDENED;
	k->apostrophe = s.p[s.n - 1] == '\'';
	return true;
}

static size_t count(struct span s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

static bool is_multi(struct span s)
{
	return s.n > 1 && s.p[0] == '<' && s.p[s.n - 1] == '>';
}

static bool is_new(const struct desc_path *path, uint32_t v)
{
	for (size_t i = 0; i < path->n; i++)
		if (path->step[i] == v)
			return false;
	return true;
}

/* <a;b;...>: values between semicolons. */
static bool multi_parse(struct desc_parser *p, struct desc_key *k,
			struct span s)
{
	struct span list = {s.p + 1, s.n - 2}, part;
	size_t n = count(list, ';') + 1;
	bool more = true;

	if (k->multi.n)
		return desc_fail(
		    p, "Multiple multipath key path specifiers found");
	if (n < 2)
		return desc_fail(p, "Multipath key path specifiers must have "
				    "at least two items");
	if (n > MULTI_MAX)
		return desc_fail(p,
				 "Multipath key path specifiers can have at "
				 "most %u items, not %zu",
				 MULTI_MAX, n);
	k->multi.step = desc_alloc(p, n, sizeof *k->multi.step);
	if (!k->multi.step)
		return false;
	while (more) {
		uint32_t v;

		more = span_cut(&part, &list, ';');
		if (!step_parse(p, k, &v, part))
			return false;
		if (!is_new(&k->multi, v))
			return desc_fail(p,
					 "Duplicated key path value %u in "
					 "multipath specifier",
					 v);
		k->multi.step[k->multi.n++] = v;
	}
	return true;
}

/* One step behind a key. */
static bool take_step(struct desc_parser *p, struct desc_key *k, struct span s)
{
	uint32_t *v = &k->path.step[k->path.n];

	if (!is_multi(s)) {
		k->path.n++;
		return step_parse(p, k, v, s);
	}
	if (!multi_parse(p, k, s))
		return false;
	k->multi_at = k->path.n++;
	return true;
}

/* The last step of a path when it is for a range: any index. */
static void take_range(struct desc_key *k, struct span *s)
{
	const char *slash = s->n ? memrchr(s->p, '/', s->n) : NULL;
	struct span last = *s;

	if (slash)
		last =
		    (struct span){slash + 1, (size_t)(s->p + s->n - slash) - 1};
	if (last.n == 0 || last.n > 2 || last.p[0] != '*')
		return;
	if (last.n == 2 && last.p[1] != '\'' && last.p[1] != 'h')
		return;
	k->range = last.n == 1 ? RANGE_PLAIN : RANGE_HARDENED;
	if (last.n == 2)
		k->apostrophe = last.p[1] == '\'';
	*s = slash ? (struct span){s->p, (size_t)(slash - s->p)}
		   : (struct span){NULL, 0};
}

bool desc_path_parse(struct desc_parser *p, struct desc_key *k, struct span s)
{
	struct span part;
	bool more = true;

	take_range(k, &s);
	if (!s.p)
		return true;
	k->path.step = desc_alloc(p, count(s, '/') + 1, sizeof *k->path.step);
	if (!k->path.step)
		return false;
	while (more) {
		more = span_cut(&part, &s, '/');
		if (!take_step(p, k, part))
			return false;
	}
	return true;
}

static bool fingerprint_parse(struct desc_parser *p, struct desc_key *k,
			      struct span s)
{
	if (s.n != 8)
		return desc_fail(p,
				 "Fingerprint is not 4 bytes (%zu characters "
				 "instead of 8 characters)",
				 s.n);
	if (!span_is_hex(s))
		return desc_fail(p, "Fingerprint '%.*s' is not hex",
				 SPAN_ARG(s));
	span_hex(k->fingerprint, s);
	return true;
}

bool desc_origin_parse(struct desc_parser *p, struct desc_key *k, struct span s)
{
	struct span part;
	bool more = span_cut(&part, &s, '/');

	k->has_origin = true;
	if (!fingerprint_parse(p, k, part))
		return false;
	k->origin.step =
	    desc_alloc(p, count(s, '/') + 1, sizeof *k->origin.step);
	if (!k->origin.step)
		return false;
	while (more) {
		more = span_cut(&part, &s, '/');
		if (is_multi(part))
			return desc_fail(
			    p,
			    "Key path value '%.*s' specifies multipath in a "
			    "section where multipath is not allowed",
			    SPAN_ARG(part));
		if (!step_parse(p, k, &k->origin.step[k->origin.n++], part))
			return false;
	}
	return true;
}
