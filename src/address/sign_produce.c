/*
 * Makes the scripts and signatures of one input, by what its output asks for:
 * first the script itself, then what is behind its hash, twice at most. Any
 * thread; secrets stay where they are.
 */
#include "sign.h"

#include <cairn/crypto/oldhash.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/taptree.h>

#define MONEY_MAX 2100000000000000 /* satoshi */

enum version { BASE, V0 };

static bool amount_known(int64_t value)
{
	return value >= 0 && value <= MONEY_MAX;
}

static struct slice found_sig(const struct sign_input *w, const uint8_t id[20])
{
	for (size_t i = 0; i < w->n_sigs; i++)
		if (memcmp(w->sigs[i].id, id, 20) == 0)
			return w->sigs[i].sig;
	return slice_of(NULL, 0);
}

static struct slice found_pub(const struct sign_input *w, const uint8_t id[20])
{
	const struct sign_key *k = signer_key(w->s, id);

	for (size_t i = 0; i < w->n_sigs; i++)
		if (memcmp(w->sigs[i].id, id, 20) == 0)
			return w->sigs[i].pub;
	return k ? slice_of(k->pub, k->n) : slice_of(NULL, 0);
}

/* An ECDSA signature with its type, by a key that is there; or empty. Keys in
 * witnesses must be compressed. */
static struct slice make_sig(struct sign_input *w, const uint8_t id[20],
			     struct slice code, enum version v)
{
	const struct sign_key *k = signer_key(w->s, id);
	uint8_t type = w->type == SIGHASH_DEFAULT ? SIGHASH_ALL : w->type;
	uint8_t hash[32], *sig;
	size_t n;

	if (!k ||
	    (v == V0 && (k->n != 33 || !amount_known(w->in->spent->value))))
		return slice_of(NULL, 0);
	sig = sign_alloc(w, SIG_MAX);
	if (!sig)
		return slice_of(NULL, 0);
	if (v == V0)
		sighash_v0(hash, w->in, code, type);
	else
		sighash_legacy(hash, w->in, code, type);
	n = secret_sign(w->s->ctx, sig, k->secret, hash);
	if (n == 0)
		return slice_of(NULL, 0);
	sig[n++] = type;
	return slice_of(sig, n);
}

static struct slice sig_of(struct sign_input *w, const uint8_t id[20],
			   struct slice code, enum version v)
{
	struct slice sig = found_sig(w, id);

	return sig.n ? sig : make_sig(w, id, code, v);
}

static void put(struct sign_stack *s, struct slice item)
{
	s->item[s->n++] = item;
}

static bool solve_key(struct sign_input *w, struct sign_stack *s,
		      struct slice pub, struct slice code, enum version v)
{
	struct slice sig;
	uint8_t id[20];

	hash160(id, pub.p, pub.n);
	sig = sig_of(w, id, code, v);
	if (sig.n)
		put(s, sig);
	return sig.n > 0;
}

static bool solve_key_hash(struct sign_input *w, struct sign_stack *s,
			   const uint8_t id[20], struct slice code,
			   enum version v)
{
	struct slice pub = found_pub(w, id), sig;

	if (!pub.n)
		return false;
	sig = sig_of(w, id, code, v);
	if (!sig.n)
		return false;
	put(s, sig);
	put(s, pub);
	return true;
}

/* One item more than needed in front, then signatures in the order of the keys.
 * Of those that are missing half are put as empty ones, as Bitcoin Core does:
 * the result is incomplete either way. */
static bool solve_multisig(struct sign_input *w, struct sign_stack *s,
			   unsigned required, struct slice code, enum version v)
{
	struct script_iter it;
	struct slice data;
	uint8_t op, id[20];
	bool ok;

	put(s, slice_of(NULL, 0));
	script_iter_init(&it, code);
	while (script_next(&it, &op, &data) && s->n < required + 1) {
		struct slice sig;

		if (data.n <= 1)
			continue;
		hash160(id, data.p, data.n);
		sig = sig_of(w, id, code, v);
		if (sig.n)
			put(s, sig);
	}
	ok = s->n == required + 1;
	for (size_t i = 0; i + s->n < required + 1; i++)
		put(s, slice_of(NULL, 0));
	return ok;
}

/* The script that a hash is of: given, or found in the input. */
static struct slice find_script(const struct sign_input *w,
				const uint8_t hash[20])
{
	struct slice s = signer_script(w->s, hash);
	uint8_t h[20];

	if (s.p)
		return s;
	hash160(h, w->redeem.p, w->redeem.n);
	if (memcmp(h, hash, 20) == 0)
		return w->redeem;
	hash160(h, w->inner.p, w->inner.n);
	return memcmp(h, hash, 20) == 0 ? w->inner : slice_of(NULL, 0);
}

static bool solve_hash(struct sign_input *w, struct sign_stack *s,
		       const uint8_t hash[20])
{
	struct slice script = find_script(w, hash);

	if (script.p)
		put(s, script);
	return script.p != NULL;
}

static bool solve_taproot(struct sign_input *w, struct sign_stack *s,
			  const uint8_t output[32])
{
	const struct sign_tap *t = signer_tap(w->s, output);
	struct tap_context tap = {.separator_pos = TAP_NO_SEPARATOR};
	uint8_t hash[32], tweak[32], *sig;

	if (!t || !w->can_tap || !sighash_taproot(hash, w->in, &tap, w->type))
		return false;
	sig = sign_alloc(w, 65);
	if (!sig)
		return false;
	tap_tweak_hash(tweak, t->key->pub + 1, NULL);
	if (!secret_sign_schnorr(w->s->ctx, sig, t->key->secret,
				 t->tweaked ? tweak : NULL, hash, NULL))
		return false;
	sig[64] = w->type;
	put(s, slice_of(sig, w->type == SIGHASH_DEFAULT ? 64 : 65));
	return true;
}

/* What a script asks for, onto s: signatures and keys, or where it is a hash
 * what that is of. False when it cannot be satisfied; s then holds what there
 * is. */
static bool solve(struct sign_input *w, struct sign_stack *s,
		  struct script_info *i, struct slice script, enum version v)
{
	uint8_t hash[20];

	s->n = 0;
	script_classify(i, script);
	switch (i->type) {
	case SCRIPT_PUBKEY:
		return solve_key(w, s, i->data, script, v);
	case SCRIPT_PUBKEYHASH:
		return solve_key_hash(w, s, i->data.p, script, v);
	case SCRIPT_MULTISIG:
		return solve_multisig(w, s, i->required, script, v);
	case SCRIPT_SCRIPTHASH:
		return solve_hash(w, s, i->data.p);
	case SCRIPT_WITNESS_V0_SCRIPTHASH:
		ripemd160(hash, i->data.p, i->data.n);
		return solve_hash(w, s, hash);
	case SCRIPT_WITNESS_V0_KEYHASH:
		put(s, i->data);
		return true;
	case SCRIPT_WITNESS_V1_TAPROOT:
		return solve_taproot(w, s, i->data.p);
	case SCRIPT_ANCHOR:
		return true;
	case SCRIPT_NONSTANDARD:
	case SCRIPT_NULLDATA:
	case SCRIPT_WITNESS_UNKNOWN:
		break;
	}
	return false;
}

static void set_witness(struct sign_input *w, const struct sign_stack *s)
{
	memcpy(w->items, s->item, s->n * sizeof *s->item);
	w->witness = w->items;
	w->n_witness = (uint32_t)s->n;
}

static bool solve_v0_key(struct sign_input *w, struct sign_stack *s)
{
	uint8_t *code = sign_alloc(w, 25);
	struct script_info i;
	bool ok;

	if (!code)
		return false;
	code[0] = OP_DUP;
	code[1] = OP_HASH160;
	code[2] = 20;
	memcpy(code + 3, s->item[0].p, 20);
	code[23] = OP_EQUALVERIFY;
	code[24] = OP_CHECKSIG;
	ok = solve(w, s, &i, slice_of(code, 25), V0);
	set_witness(w, s);
	return ok;
}

static bool solve_v0_script(struct sign_input *w, struct sign_stack *s)
{
	struct slice code = s->item[0];
	struct script_info i;
	bool ok = solve(w, s, &i, code, V0) && i.type != SCRIPT_SCRIPTHASH &&
		  i.type != SCRIPT_WITNESS_V0_SCRIPTHASH &&
		  i.type != SCRIPT_WITNESS_V0_KEYHASH;

	put(s, code);
	set_witness(w, s);
	return ok;
}

/* A push as short as the item allows. */
static uint8_t *put_item(uint8_t *p, struct slice v)
{
	if (v.n == 1 && v.p[0] >= 1 && v.p[0] <= 16)
		return script_put_num(p, v.p[0]);
	if (v.n == 1 && v.p[0] == 0x81)
		return script_put_num(p, -1);
	return script_put_push(p, v);
}

static void set_script_sig(struct sign_input *w, const struct sign_stack *s)
{
	size_t size = 0;
	uint8_t *b, *p;

	for (size_t i = 0; i < s->n; i++)
		size += s->item[i].n + 5;
	b = p = sign_alloc(w, size + 1);
	if (!b)
		return;
	for (size_t i = 0; i < s->n; i++)
		p = put_item(p, s->item[i]);
	w->script_sig = slice_of(b, (size_t)(p - b));
}

/* What a witness answers for; s is what is left for the script. The witness is
 * emptied where none is asked for. */
static bool solve_witness(struct sign_input *w, struct sign_stack *s,
			  enum script_type type, bool p2sh, bool ok)
{
	bool witness = true;

	if (ok && type == SCRIPT_WITNESS_V0_KEYHASH) {
		ok = solve_v0_key(w, s);
	} else if (ok && type == SCRIPT_WITNESS_V0_SCRIPTHASH) {
		ok = solve_v0_script(w, s);
	} else if (type == SCRIPT_WITNESS_V1_TAPROOT && !p2sh) {
		/* What was there stays where nothing was made. */
		if (ok)
			set_witness(w, s);
	} else {
		witness = false;
		w->n_witness = 0;
	}
	if (witness)
		s->n = 0;
	return ok;
}

void sign_produce(struct sign_input *w)
{
	struct slice output = w->in->spent->script, redeem = {0};
	struct sign_stack s;
	struct script_info i;
	bool ok = solve(w, &s, &i, output, BASE), p2sh = false;

	if (ok && i.type == SCRIPT_SCRIPTHASH) {
		redeem = s.item[0];
		p2sh = true;
		ok = solve(w, &s, &i, redeem, BASE) &&
		     i.type != SCRIPT_SCRIPTHASH;
	}
	ok = solve_witness(w, &s, i.type, p2sh, ok);
	if (p2sh)
		put(&s, redeem);
	set_script_sig(w, &s);
	w->result->complete = ok && sign_verify(w, NULL, w->script_sig,
						w->witness, w->n_witness, NULL);
}
