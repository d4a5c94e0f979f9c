/*
 * Scripts that a scan looks for: descriptors are expanded over their range, and
 * each script is kept with the descriptor that names it alone. RPC pool; looks
 * at no coins.
 */
#include "needles.h"

#include "rpc_descriptors.h"
#include "rpc_value.h"

#include <cairn/address/descriptor.h>
#include <cairn/base/arena.h>
#include <cairn/base/rand.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

#define NEEDLES_MAX   2000000u
#define NEEDLES_BYTES (1u << 30)
#define RANGE_DEFAULT 1000

struct needles {
	struct needle *slots;
	size_t n, cap; /* a power of two */
	uint64_t key[2];
	struct arena mem;
};

void needles_free(struct needles *s)
{
	if (!s)
		return;
	arena_fini(&s->mem);
	free(s->slots);
	free(s);
}

/* Where this script is, or would be put. */
static size_t slot_of(const struct needles *s, struct slice script)
{
	size_t i = (size_t)siphash(s->key, script.p, script.n);

	for (;; i++) {
		const struct needle *x = &s->slots[i & (s->cap - 1)];

		if (!x->desc || slice_eq(x->script, script))
			return i & (s->cap - 1);
	}
}

const struct needle *needles_find(const struct needles *s, struct slice script)
{
	const struct needle *x = &s->slots[slot_of(s, script)];

	return x->desc ? x : NULL;
}

static void grow(struct needles *s)
{
	struct needles old = *s;

	s->cap = old.cap ? old.cap * 2 : 64;
	s->slots = xcalloc(s->cap, sizeof *s->slots);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].desc)
			s->slots[slot_of(s, old.slots[i].script)] =
			    old.slots[i];
	free(old.slots);
}

static void *keep(struct needles *s, const void *p, size_t n)
{
	char *q = arena_alloc(&s->mem, n + 1);

	if (!q)
		return NULL;
	memcpy(q, p, n);
	q[n] = '\0';
	return q;
}

/* 0, E_LIMIT. The first of two that are the same stays. */
static int add(struct needles *s, struct slice script, const char *desc)
{
	struct needle x;
	size_t i;

	if (s->n * 2 >= s->cap)
		grow(s);
	i = slot_of(s, script);
	if (s->slots[i].desc)
		return 0;
	x.script = slice_of(keep(s, script.p, script.n), script.n);
	x.desc = keep(s, desc, strlen(desc));
	if (s->n == NEEDLES_MAX || !x.script.p || !x.desc)
		return E_LIMIT;
	s->slots[i] = x;
	s->n++;
	return 0;
}

/* A descriptor of keys that are written out names its script itself; any other
 * script is named by what it looks like. */
static bool names_itself(const struct descriptor *d, const char *canonical,
			 size_t scripts)
{
	return scripts == 1 && descriptor_is_solvable(d) &&
	       !descriptor_is_range(d) && !strstr(canonical, "pub");
}

static int add_index(struct needles *s, struct descriptor_walk *w,
		     const struct descriptor *d, const char *canonical,
		     uint32_t index, const struct params *p)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct text t = TEXT_INIT;
	size_t n = 0;
	int rc = descriptor_walk_at(w, script, &n, index);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		text_reset(&t);
		if (names_itself(d, canonical, n))
			text_puts(&t, canonical);
		else
			descriptor_of_script(&t, script[i], NULL, 0, p);
		rc = add(s, script[i], text_str(&t));
	}
	text_fini(&t);
	return rc;
}

static int add_variant(struct rpc_call *c, struct needles *s,
		       const struct descriptor *d, size_t variant,
		       int64_t first, int64_t last)
{
	struct descriptor_walk *w = NULL;
	struct text canonical = TEXT_INIT;
	int rc = descriptor_walk(&w, d, variant);

	descriptor_put(&canonical, d, variant);
	for (int64_t i = first; rc == 0 && i <= last; i++)
		rc = rpc_is_stopping(c)
			 ? E_STOPPING
			 : add_index(s, w, d, text_str(&canonical), (uint32_t)i,
				     &rpc_node(c)->params);
	text_fini(&canonical);
	descriptor_walk_free(w);
	return rc;
}

static bool add_descriptor(struct rpc_call *c, struct needles *s,
			   const struct json *desc, int64_t first, int64_t last)
{
	struct text err = TEXT_INIT;
	struct descriptor *d = NULL;
	int rc = 0;

	if (descriptor_parse(&d, &err, desc->s, false, &rpc_node(c)->params)) {
		rpc_end(c, RPC_BAD_ADDRESS, "%s", text_str(&err));
		text_fini(&err);
		return false;
	}
	text_fini(&err);
	if (!descriptor_is_range(d))
		first = last = 0;
	for (size_t v = 0; rc == 0 && v < descriptor_variants(d); v++)
		rc = add_variant(c, s, d, v, first, last);
	descriptor_free(d);
	if (rc == E_NOTFOUND)
		rpc_end(c, RPC_BAD_ADDRESS,
			"Cannot derive script without private keys: '%s'",
			json_str(desc));
	else if (rc)
		rpc_end(c, rc == E_LIMIT ? RPC_BAD_PARAM : RPC_INTERNAL, "%s",
			rc == E_LIMIT ? "Too many scripts" : err_str(rc));
	return rc == 0;
}

static bool add_object(struct rpc_call *c, struct needles *s,
		       const struct json *o)
{
	const struct json *desc = o, *range;
	int64_t first = 0, last = RANGE_DEFAULT;

	if (o->type == JSON_OBJECT) {
		desc = json_member(o, "desc");
		if (!desc || desc->type == JSON_NULL) {
			rpc_end(c, RPC_BAD_PARAM,
				"Descriptor needs to be provided in scan "
				"object");
			return false;
		}
		range = json_member(o, "range");
		if (!value_str(c, desc) ||
		    (range && range->type != JSON_NULL &&
		     !descriptor_range(c, &first, &last, range)))
			return false;
	} else if (o->type != JSON_STRING) {
		rpc_end(c, RPC_BAD_PARAM,
			"Scan object needs to be either a string or an object");
		return false;
	}
	return add_descriptor(c, s, desc, first, last);
}

struct needles *needles_take(struct rpc_call *c, const struct json *list)
{
	struct needles *s = xcalloc(1, sizeof *s);

	arena_init(&s->mem, NEEDLES_BYTES);
	rand_os(s->key, sizeof s->key);
	grow(s);
	for (size_t i = 0; i < list->n; i++)
		if (!add_object(c, s, &list->kids[i])) {
			needles_free(s);
			return NULL;
		}
	return s;
}
