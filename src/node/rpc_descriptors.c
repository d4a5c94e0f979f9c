/*
 * RPC: what a descriptor says, and the addresses that it stands for. Runs on
 * the RPC pool and asks nothing of the chain. Addresses are derived as the
 * answer is written; a million of them are derived twice rather than kept.
 */
#include "rpc_descriptors.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>

#include <stdlib.h>

#define RANGE_MAX 1000000    /* indexes in one call */
#define AT_A_TIME 64         /* indexes between looks at the output */
#define KEPT_MAX  (8u << 20) /* bytes of addresses between the two passes */

/* The parsed descriptor of parameter 0, or NULL: failed and finished. */
static struct descriptor *take(struct rpc_call *c, bool need_checksum)
{
	struct text err = TEXT_INIT;
	struct descriptor *d = NULL;

	if (descriptor_parse(&d, &err, rpc_param(c, 0)->s, need_checksum,
			     &rpc_node(c)->params) != 0)
		rpc_end(c, RPC_BAD_ADDRESS, "%s", text_str(&err));
	text_fini(&err);
	return d;
}

static void descriptor_json(struct jw *w, const struct descriptor *d,
			    size_t variant)
{
	struct text t = TEXT_INIT;

	descriptor_put(&t, d, variant);
	jw_strn(w, t.p, t.n);
	text_fini(&t);
}

/* The checksum of what was given, with or without one. */
static void checksum_json(struct jw *w, struct slice given)
{
	const char *s = (const char *)given.p, *end = memchr(s, '#', given.n);
	char sum[9];

	if (descriptor_checksum(sum, s, end ? (size_t)(end - s) : given.n))
		jw_kstr(w, "checksum", sum);
}

static void cmd_getdescriptorinfo(struct rpc_call *c)
{
	struct descriptor *d = take(c, false);
	struct jw *w;

	if (!d)
		return;
	w = rpc_out(c);
	jw_obj(w);
	jw_key(w, "descriptor");
	descriptor_json(w, d, 0);
	if (descriptor_variants(d) > 1) {
		jw_key(w, "multipath_expansion");
		jw_arr(w);
		for (size_t i = 0; i < descriptor_variants(d); i++)
			descriptor_json(w, d, i);
		jw_arr_end(w);
	}
	checksum_json(w, rpc_param(c, 0)->s);
	jw_kbool(w, "isrange", descriptor_is_range(d));
	jw_kbool(w, "issolvable", descriptor_is_solvable(d));
	jw_kbool(w, "hasprivatekeys", descriptor_has_private(d));
	jw_obj_end(w);
	descriptor_free(d);
	rpc_done(c);
}

/* One deriveaddresses. */
struct derive {
	const struct params *params;
	struct descriptor *d;
	struct descriptor_walk *walk; /* of the variant, once it has begun */
	size_t variant;
	int64_t first, last, at;
	/* All addresses of the pass before, where they were not too many. */
	struct text kept;
	bool keeping, have_all;
	size_t kept_at;
	int per_index;
};

/* Go back to the start; what a whole pass has kept serves the next. */
static void derive_rewind(void *arg)
{
	struct derive *v = arg;

	descriptor_walk_free(v->walk);
	v->walk = NULL;
	v->variant = 0;
	v->kept_at = 0;
	if (v->have_all)
		return;
	text_reset(&v->kept);
	v->keeping = true;
}

static void derive_free(void *arg)
{
	struct derive *v = arg;

	descriptor_walk_free(v->walk);
	descriptor_free(v->d);
	text_fini(&v->kept);
	free(v);
}

static void keep(struct derive *v, const char *address)
{
	if (v->kept.n > KEPT_MAX) {
		text_fini(&v->kept);
		v->keeping = false;
	}
	if (v->keeping)
		text_put(&v->kept, address, strlen(address) + 1);
}

/* Write the addresses of one index; how many, or a failure. Of several scripts
 * P2PK is passed over, as it has none. */
static int derive_index(struct derive *v, struct jw *w)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	char address[ADDRESS_STR];
	size_t n;
	int rc, put = 0;

	rc = descriptor_walk_at(v->walk, script, &n, (uint32_t)v->at);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++) {
		if (address_of_script(address, script[i], v->params)) {
			if (w)
				jw_str(w, address);
			keep(v, address);
			put++;
		} else if (n == 1) {
			return E_INVALID;
		}
	}
	v->per_index = put;
	return put;
}

static int put_index(struct derive *v, struct jw *w)
{
	if (!v->have_all)
		return derive_index(v, w);
	for (int i = 0; i < v->per_index; i++) {
		const char *address = v->kept.p + v->kept_at;

		jw_str(w, address);
		v->kept_at += strlen(address) + 1;
	}
	return v->per_index;
}

static bool derive_next(void *arg, struct jw *w, int *rc)
{
	struct derive *v = arg;
	size_t variants = descriptor_variants(v->d);
	int n = 0;

	if (!v->walk) {
		*rc = descriptor_walk(&v->walk, v->d, v->variant);
		if (*rc)
			return false;
		if (variants > 1 && v->variant == 0)
			jw_arr(w);
		jw_arr(w);
		v->at = v->first;
	}
	for (int i = 0; i < AT_A_TIME && v->at <= v->last; i++, v->at++) {
		n = put_index(v, w);
		if (n < 0) {
			*rc = n;
			return false;
		}
	}
	if (v->at <= v->last)
		return true;
	jw_arr_end(w);
	descriptor_walk_free(v->walk);
	v->walk = NULL;
	if (++v->variant < variants)
		return true;
	if (variants > 1)
		jw_arr_end(w);
	v->have_all = v->keeping;
	return false;
}

/* Whether every variant can be derived, by its first index: all others are of
 * the same kind. */
static bool derivable(struct rpc_call *c, struct derive *v)
{
	int n = 1;

	v->at = v->first;
	for (; v->variant < descriptor_variants(v->d) && n > 0; v->variant++) {
		n = descriptor_walk(&v->walk, v->d, v->variant);
		if (n == 0)
			n = derive_index(v, NULL);
		descriptor_walk_free(v->walk);
		v->walk = NULL;
	}
	if (n == 0)
		rpc_end(c, RPC_MISC, "Unexpected empty result");
	else if (n == E_NOTFOUND)
		rpc_end(c, RPC_BAD_ADDRESS,
			"Cannot derive script without private keys");
	else if (n == E_INVALID)
		rpc_end(c, RPC_BAD_ADDRESS,
			"Descriptor does not have a corresponding address");
	else if (n < 0)
		rpc_end(c, RPC_OUT_OF_MEMORY, "%s", err_str(n));
	return n > 0;
}

static bool bad_param(struct rpc_call *c, const char *why)
{
	rpc_end(c, RPC_BAD_PARAM, "%s", why);
	return false;
}

static bool range_parse(struct rpc_call *c, int64_t *first, int64_t *last,
			const struct json *j)
{
	bool ok;

	*first = 0;
	if (j->type == JSON_NUMBER) {
		ok = json_i64(last, j);
	} else if (j->type == JSON_ARRAY && j->n == 2 &&
		   j->kids[0].type == JSON_NUMBER &&
		   j->kids[1].type == JSON_NUMBER) {
		ok =
		    json_i64(first, &j->kids[0]) && json_i64(last, &j->kids[1]);
		if (ok && *first > *last)
			return bad_param(c, "Range specified as [begin,end] "
					    "must not have begin after end");
	} else {
		return bad_param(c, "Range must be specified as end or as "
				    "[begin,end]");
	}
	if (!ok)
		rpc_end(c, RPC_MISC, "JSON integer out of range");
	return ok;
}

bool descriptor_range(struct rpc_call *c, int64_t *first, int64_t *last,
		      const struct json *j)
{
	if (!range_parse(c, first, last, j))
		return false;
	if (*first < 0)
		return bad_param(c, "Range should be greater or equal than 0");
	/* Negative ends have bits up there too. */
	if (*last >> 31 != 0)
		return bad_param(c, "End of range is too high");
	if (*last >= *first + RANGE_MAX)
		return bad_param(c, "Range is too large");
	return true;
}

static void cmd_deriveaddresses(struct rpc_call *c)
{
	const struct json *range = rpc_param(c, 1);
	struct rpc_stream s = {derive_next, derive_rewind, derive_free, NULL};
	struct derive *v;
	int64_t first = 0, last = 0;
	struct descriptor *d;

	if (range && !descriptor_range(c, &first, &last, range))
		return;
	d = take(c, true);
	if (!d)
		return;
	s.arg = v = xcalloc(1, sizeof *v);
	*v = (struct derive){.params = &rpc_node(c)->params,
			     .d = d,
			     .first = first,
			     .last = last};
	if (!descriptor_is_range(d) && range) {
		bad_param(c, "Range should not be specified for an un-ranged "
			     "descriptor");
	} else if (descriptor_is_range(d) && !range) {
		bad_param(c, "Range must be specified for a ranged "
			     "descriptor");
	} else if (derivable(c, v)) {
		derive_rewind(v);
		rpc_reply_stream(c, &s);
		rpc_done(c);
		return;
	}
	derive_free(v);
}

/* The script that combo's coins go to, by how many it has. */
static size_t payee_of(size_t n)
{
	return n == 4 ? 2 : n == 2 ? 1 : 0;
}

static int payee_script(struct text *out, struct text *err,
			const struct descriptor *d)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor_walk *w = NULL;
	size_t n = 0;
	int rc = descriptor_walk(&w, d, 0);

	if (!rc)
		rc = descriptor_walk_at(w, script, &n, 0);
	if (rc)
		text_puts(err, rc == E_NOTFOUND ? "Cannot derive script "
						  "without private keys"
						: err_str(rc));
	else if (n == 0)
		text_puts(err, "Descriptor has no script");
	else
		text_put(out, (const char *)script[payee_of(n)].p,
			 script[payee_of(n)].n);
	descriptor_walk_free(w);
	return !rc && n ? 0 : RPC_BAD_ADDRESS;
}

int descriptor_payee(struct text *out, struct text *err, struct slice desc,
		     const struct params *p)
{
	struct descriptor *d;
	int code;

	if (descriptor_parse(&d, err, desc, false, p) != 0)
		return RPC_BAD_ADDRESS;
	if (descriptor_variants(d) > 1) {
		text_puts(err, "Multipath descriptor not accepted");
		code = RPC_BAD_PARAM;
	} else if (descriptor_is_range(d)) {
		text_puts(err, "Ranged descriptor not accepted. Maybe pass "
			       "through deriveaddresses first?");
		code = RPC_BAD_PARAM;
	} else {
		code = payee_script(out, err, d);
	}
	descriptor_free(d);
	return code;
}

static const struct rpc_arg args_info[] = {
    {"descriptor", "s", true, "The descriptor."}, {0}};
static const struct rpc_arg args_derive[] = {
    {"descriptor", "s", true, "The descriptor, with its checksum."},
    {"range", "*", false,
     "For a ranged one: the last index, or [first, last]."},
    {0}};

const struct rpc_cmd rpc_descriptors_cmds[] = {
    {"deriveaddresses", "util", RPC_POOL, cmd_deriveaddresses, args_derive,
     "The addresses that a descriptor stands for.",
     "[ \"address\" ], or an array of them for each multipath alternative",
     false, false},
    {"getdescriptorinfo", "util", RPC_POOL, cmd_getdescriptorinfo, args_info,
     "What a descriptor says, in canonical form and without private keys.",
     "{ descriptor, multipath_expansion, checksum, isrange, issolvable, "
     "hasprivatekeys }",
     false, false},
    {0}};
