/*
 * Reads a message field by field after its layout until one does not fit. Any
 * thread. Slow on purpose: it keeps the path to the field at hand, which the
 * views do not.
 */
#include <cairn/wire/fault.h>

#include "layout.h"

#include <cairn/base/rd.h>
#include <cairn/wire/addr.h>

#include <stdio.h>

#define DEPTH_MAX 4

static const char cut[] = "the message ends inside";

struct step {
	const char *name;
	int64_t index; /* -1: not an element of a vector */
};

struct scan {
	const uint8_t *start, *p, *end;
	struct step path[DEPTH_MAX];
	size_t depth;
	uint64_t counts; /* of all vectors so far */
	uint64_t next;   /* of rising indexes */
	struct msg_fault *fault;
};

static size_t left(const struct scan *s)
{
	return (size_t)(s->end - s->p);
}

/* As "txs[3].vin[0].script". */
static void path_fmt(struct msg_fault *f, const struct scan *s,
		     const char *name)
{
	size_t n = 0, size = sizeof f->field;

	f->field[0] = '\0';
	for (size_t i = 0; i < s->depth; i++) {
		const struct step *st = &s->path[i];
		int k;

		if (st->index < 0)
			k = snprintf(f->field + n, size - n, "%s%s",
				     n ? "." : "", st->name);
		else
			k = snprintf(f->field + n, size - n, "%s%s[%lld]",
				     n ? "." : "", st->name,
				     (long long)st->index);
		n += (size_t)k;
	}
	if (*name)
		snprintf(f->field + n, size - n, "%s%s", n ? "." : "", name);
}

static bool fault_at(struct scan *s, const uint8_t *at, const char *name,
		     const char *why)
{
	s->fault->offset = (size_t)(at - s->start);
	s->fault->why = why;
	path_fmt(s->fault, s, name);
	return false;
}

static bool take(struct scan *s, const char *name, size_t n)
{
	if (left(s) < n)
		return fault_at(s, s->p, name, cut);
	s->p += n;
	return true;
}

/* A minimal CompactSize of any size. */
static bool compact_any(struct scan *s, const char *name, uint64_t *v)
{
	static const size_t more[3] = {2, 4, 8};
	static const uint64_t least[3] = {0xfd, 0x10000, 0x100000000u};
	const uint8_t *at = s->p;
	size_t n;

	if (!take(s, name, 1))
		return false;
	*v = *at;
	if (*at < 0xfd)
		return true;
	n = more[*at - 0xfd];
	if (left(s) < n)
		return fault_at(s, at, name, cut);
	*v = 0;
	for (size_t i = n; i > 0; i--)
		*v = *v << 8 | at[i];
	s->p += n;
	if (*v < least[at[0] - 0xfd])
		return fault_at(s, at, name, "the size is not minimal");
	return true;
}

static bool compact(struct scan *s, const char *name, uint32_t max,
		    uint32_t *out)
{
	const uint8_t *at = s->p;
	uint64_t v;

	if (!compact_any(s, name, &v))
		return false;
	if (v > RD_COMPACT_MAX)
		return fault_at(s, at, name, "the size is over 33,554,432");
	if (v > max)
		return fault_at(s, at, name, "it is over its limit");
	*out = (uint32_t)v;
	return true;
}

static bool bytes(struct scan *s, const char *name, uint32_t min, uint32_t max)
{
	const uint8_t *at = s->p;
	uint32_t n;

	if (!compact(s, name, max, &n))
		return false;
	if (n < min)
		return fault_at(s, at, name, "it is too short");
	return take(s, name, n);
}

static bool count(struct scan *s, const char *name, size_t each, uint32_t max,
		  uint32_t *n)
{
	const uint8_t *at = s->p;

	if (!compact(s, name, max, n))
		return false;
	if (*n > left(s) / each)
		return fault_at(s, at, name, "it counts more than can be left");
	return true;
}

static void enter(struct scan *s, const char *name)
{
	s->path[s->depth++] = (struct step){name, -1};
}

/* A list of n, each read by one after its place was noted. */
static bool list(struct scan *s, const char *name, uint32_t n,
		 bool (*one)(struct scan *s))
{
	enter(s, name);
	for (uint32_t i = 0; i < n; i++) {
		s->path[s->depth - 1].index = i;
		if (!one(s))
			return false;
	}
	s->depth--;
	return true;
}

static bool one_input(struct scan *s)
{
	return take(s, "outpoint", 36) && bytes(s, "script", 0, NO_MAX) &&
	       take(s, "sequence", 4);
}

static bool one_output(struct scan *s)
{
	return take(s, "value", 8) && bytes(s, "script", 0, NO_MAX);
}

static bool one_stack(struct scan *s)
{
	uint32_t n;

	if (!count(s, "items", 1, NO_MAX, &n))
		return false;
	s->counts += n;
	while (n-- > 0)
		if (!bytes(s, "items", 0, NO_MAX))
			return false;
	return true;
}

static bool witness(struct scan *s, uint32_t n_in)
{
	const uint8_t *at = s->p;

	s->counts = 0;
	if (!list(s, "witness", n_in, one_stack))
		return false;
	if (s->counts == 0)
		return fault_at(s, at, "witness", "every stack is empty");
	return true;
}

static bool tx_lists(struct scan *s, uint32_t *n_in)
{
	uint32_t n_out;

	return count(s, "vin", 41, NO_MAX, n_in) &&
	       list(s, "vin", *n_in, one_input) &&
	       count(s, "vout", 9, NO_MAX, &n_out) &&
	       list(s, "vout", n_out, one_output);
}

/* What comes after the version: a first count of zero is the marker of BIP 144,
 * behind which a flag of zero ends both lists. */
static bool tx_parts(struct scan *s)
{
	uint32_t n_in;

	if (left(s) == 0 || s->p[0] != 0)
		return tx_lists(s, &n_in);
	if (left(s) < 2)
		return fault_at(s, s->p, "flag", cut);
	if (s->p[1] > 1)
		return fault_at(s, s->p + 1, "flag", "it is not known");
	s->p += 2;
	if (s->p[-1] == 0)
		return true;
	return tx_lists(s, &n_in) && witness(s, n_in);
}

static bool transaction(struct scan *s)
{
	uint64_t counts = s->counts;
	bool ok =
	    take(s, "version", 4) && tx_parts(s) && take(s, "locktime", 4);

	s->counts = counts;
	return ok;
}

static bool v2addr(struct scan *s, const char *name, uint32_t max)
{
	static const uint8_t known[] = {[NET_IPV4] = 4,
					[NET_IPV6] = 16,
					[NET_TORV3] = 32,
					[NET_I2P] = 32,
					[NET_CJDNS] = 16};
	const uint8_t *at = s->p, *len;
	uint32_t n;

	if (!take(s, "network", 1))
		return false;
	len = s->p;
	if (!compact(s, name, max, &n))
		return false;
	if (*at < sizeof known && known[*at] && n != known[*at])
		return fault_at(s, len, name,
				"its length is not that of its network");
	return take(s, name, n);
}

static bool rising(struct scan *s, const char *name, uint32_t max)
{
	const uint8_t *at = s->p;
	uint32_t n;

	if (!compact(s, name, NO_MAX, &n))
		return false;
	s->next += n;
	if (s->next++ > max)
		return fault_at(s, at, name, "the index is over 65,535");
	return true;
}

static bool fields(struct scan *s, const struct field *f);

static bool vector(struct scan *s, const struct field *f)
{
	const uint8_t *at = s->p;
	uint32_t max = f->kind == F_VEC ? f->max : NO_MAX, n;

	if (!count(s, f->name, f->min, max, &n))
		return false;
	s->counts += n;
	if (f->kind == F_VEC_SUM && s->counts > f->max)
		return fault_at(s, at, f->name,
				"more than 65,535 transactions in all");
	enter(s, f->name);
	for (uint32_t i = 0; i < n; i++) {
		s->path[s->depth - 1].index = i;
		if (!fields(s, f->sub))
			return false;
	}
	s->depth--;
	return true;
}

static bool nested_tx(struct scan *s, const char *name)
{
	bool ok;

	if (!*name)
		return transaction(s);
	enter(s, name);
	ok = transaction(s);
	if (ok)
		s->depth--;
	return ok;
}

static bool one_field(struct scan *s, const struct field *f)
{
	uint64_t any;
	uint32_t n;

	switch (f->kind) {
	case F_FIXED:
		return take(s, f->name, f->max);
	case F_COMPACT:
		return compact_any(s, f->name, &any);
	case F_SIZE:
		return compact(s, f->name, f->max, &n);
	case F_BYTES:
		return bytes(s, f->name, f->min, f->max);
	case F_VEC:
	case F_VEC_SUM:
		return vector(s, f);
	case F_RISING:
		return rising(s, f->name, f->max);
	case F_V2ADDR:
		return v2addr(s, f->name, f->max);
	case F_TX:
		return nested_tx(s, f->name);
	case F_REST:
		return take(s, f->name, left(s));
	case F_END:
		return left(s) == 0 ||
		       fault_at(s, s->p, "", "bytes behind the message");
	case F_OPT:
	case F_STOP:
		break;
	}
	return true;
}

static bool fields(struct scan *s, const struct field *f)
{
	for (; f->kind != F_STOP; f++) {
		if (f->kind == F_OPT && left(s) == 0)
			return true;
		if (!one_field(s, f))
			return false;
	}
	return true;
}

static bool find(struct msg_fault *out, const struct field *f,
		 struct slice body, size_t *used)
{
	struct msg_fault fault = {0, "", ""};
	struct scan s = {.start = body.p,
			 .p = body.p,
			 .end = body.n ? body.p + body.n : body.p,
			 .fault = &fault};

	if (fields(&s, f)) {
		*used = body.n - left(&s);
		return false;
	}
	*out = fault;
	return true;
}

bool msg_fault_find(struct msg_fault *f, enum msg_type t, struct slice body,
		    uint32_t version)
{
	size_t used;

	return find(f, layout_of(t, version), body, &used);
}

bool header_fault_find(struct msg_fault *f, struct slice body)
{
	size_t used;

	return find(f, layout_header(), body, &used);
}

bool msg_length(size_t *n, enum msg_type t, struct slice body, uint32_t version)
{
	struct msg_fault f;

	return !find(&f, layout_of(t, version), body, n);
}
