/*
 * Tells what an output script is by its form, as Bitcoin Core's Solver does.
 * Executes nothing and knows no addresses. Any thread; no state.
 */
#include <cairn/script/template.h>

#include "internal.h"

#include <cairn/base/must.h>

static bool is_key_hash(struct slice s)
{
	return s.n == 25 && s.p[0] == OP_DUP && s.p[1] == OP_HASH160 &&
	       s.p[2] == 20 && s.p[23] == OP_EQUALVERIFY &&
	       s.p[24] == OP_CHECKSIG;
}

/* The length that a key's first byte announces; the point is not checked. */
static size_t key_size(uint8_t first)
{
	if (first == 2 || first == 3)
		return 33;
	return first == 4 || first == 6 || first == 7 ? 65 : 0;
}

static bool is_key(struct slice s)
{
	return s.n > 0 && key_size(s.p[0]) == s.n;
}

static bool is_pubkey(struct slice s, struct slice *key)
{
	if ((s.n != 35 && s.n != 67) || s.p[0] != s.n - 2 ||
	    s.p[s.n - 1] != OP_CHECKSIG)
		return false;
	*key = slice_of(s.p + 1, s.n - 2);
	return is_key(*key);
}

/* A count from min to 20, as OP_1..OP_16 or, above, as the one-byte push that
 * is its only minimal form. */
static bool multisig_count(uint8_t op, struct slice data, unsigned min,
			   uint8_t *count)
{
	unsigned n;

	if (op >= OP_1 && op <= OP_16)
		n = op - OP_1 + 1u;
	else if (op == 1 && data.n == 1 && data.p[0] > 16)
		n = data.p[0];
	else
		return false;
	*count = (uint8_t)n;
	return n >= min && n <= SCRIPT_MULTISIG_KEYS;
}

static bool is_multisig(struct slice s, struct script_info *i)
{
	struct script_iter it;
	struct slice data;
	uint8_t op, announced;
	unsigned keys = 0;

	if (s.n == 0 || s.p[s.n - 1] != OP_CHECKMULTISIG)
		return false;
	script_iter_init(&it, s);
	if (!script_next(&it, &op, &data) ||
	    !multisig_count(op, data, 1, &i->required))
		return false;
	do {
		if (!script_next(&it, &op, &data))
			return false;
	} while (is_key(data) && ++keys <= SCRIPT_MULTISIG_KEYS);
	if (!multisig_count(op, data, i->required, &announced))
		return false;
	i->keys = announced;
	return keys == announced && it.p + 1 == it.end;
}

static enum script_type witness_type(const struct script_info *i)
{
	if (i->version == 0) {
		if (i->data.n == 20)
			return SCRIPT_WITNESS_V0_KEYHASH;
		return i->data.n == 32 ? SCRIPT_WITNESS_V0_SCRIPTHASH
				       : SCRIPT_NONSTANDARD;
	}
	if (i->version == 1 && i->data.n == 32)
		return SCRIPT_WITNESS_V1_TAPROOT;
	if (i->version == 1 && i->data.n == 2 && i->data.p[0] == 0x4e &&
	    i->data.p[1] == 0x73)
		return SCRIPT_ANCHOR;
	return SCRIPT_WITNESS_UNKNOWN;
}

static bool is_null_data(struct slice s)
{
	return s.n >= 1 && s.p[0] == OP_RETURN &&
	       script_is_push_only(slice_of(s.p + 1, s.n - 1));
}

void script_classify(struct script_info *i, struct slice script)
{
	static const struct script_info none = {.type = SCRIPT_NONSTANDARD};

	*i = none;
	if (script_is_p2sh(script)) {
		i->type = SCRIPT_SCRIPTHASH;
		i->data = slice_of(script.p + 2, 20);
	} else if (script_is_witness(script, &i->version, &i->data)) {
		i->type = witness_type(i);
	} else if (is_null_data(script)) {
		i->type = SCRIPT_NULLDATA;
		i->data = slice_of(script.p + 1, script.n - 1);
	} else if (is_pubkey(script, &i->data)) {
		i->type = SCRIPT_PUBKEY;
	} else if (is_key_hash(script)) {
		i->type = SCRIPT_PUBKEYHASH;
		i->data = slice_of(script.p + 3, 20);
	} else if (is_multisig(script, i)) {
		i->type = SCRIPT_MULTISIG;
	}
	/* What a form that did not fit left behind. */
	if (i->type == SCRIPT_NONSTANDARD)
		*i = none;
}

const char *script_type_name(enum script_type t)
{
	static const char *const names[] = {
	    [SCRIPT_NONSTANDARD] = "nonstandard",
	    [SCRIPT_ANCHOR] = "anchor",
	    [SCRIPT_PUBKEY] = "pubkey",
	    [SCRIPT_PUBKEYHASH] = "pubkeyhash",
	    [SCRIPT_SCRIPTHASH] = "scripthash",
	    [SCRIPT_MULTISIG] = "multisig",
	    [SCRIPT_NULLDATA] = "nulldata",
	    [SCRIPT_WITNESS_V0_KEYHASH] = "witness_v0_keyhash",
	    [SCRIPT_WITNESS_V0_SCRIPTHASH] = "witness_v0_scripthash",
	    [SCRIPT_WITNESS_V1_TAPROOT] = "witness_v1_taproot",
	    [SCRIPT_WITNESS_UNKNOWN] = "witness_unknown",
	};

	must((size_t)t < sizeof names / sizeof *names);
	return names[t];
}
