/*
 * Names the descriptor of an output script where no keys are known: what
 * Bitcoin Core prints as "desc". Scripts that hashes may be of can be given.
 * Any thread; no state.
 */
#include <cairn/address/descriptor.h>

#include <cairn/address/address.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>

/* Where a script stands, and which are known. */
struct infer {
	struct text *out;
	const struct params *params;
	const struct slice *known;
	size_t n_known;
	bool v0; /* in wsh(): keys are compressed */
};

/* Keys of any first byte but a hybrid one's; whether they are points is not
 * asked. */
static bool nameable(const struct infer *f, struct slice key)
{
	return key.p[0] == 2 || key.p[0] == 3 || (key.p[0] == 4 && !f->v0);
}

static bool multisig_nameable(const struct infer *f, struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (data.n > 1 && !nameable(f, data))
			return false;
	return true;
}

static void put_multisig(struct text *out, struct slice script,
			 unsigned required)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	text_printf(out, "multi(%u", required);
	script_iter_init(&it, script);
	while (script_next(&it, &op, &data)) {
		/* Counts above 16 are pushes too, of one byte. */
		if (data.n <= 1)
			continue;
		text_puts(out, ",");
		text_hex(out, data);
	}
	text_puts(out, ")");
}

static void put_call(struct text *out, const char *func, struct slice data)
{
	text_puts(out, func);
	text_hex(out, data);
	text_puts(out, ")");
}

/* The known script of a hash (of 20 or 32 bytes), or nothing. */
static struct slice find_known(const struct infer *f, struct slice hash)
{
	uint8_t h[32];

	for (size_t i = 0; i < f->n_known; i++) {
		if (hash.n == 32)
			sha256_once(h, f->known[i].p, f->known[i].n);
		else
			hash160(h, f->known[i].p, f->known[i].n);
		if (memcmp(h, hash.p, hash.n) == 0)
			return f->known[i];
	}
	return slice_of(NULL, 0);
}

/* Scripts that name their keys, anywhere but in tr(). */
static bool put_keys(const struct infer *f, struct slice script,
		     const struct script_info *i)
{
	if (i->type == SCRIPT_PUBKEY && nameable(f, i->data))
		put_call(f->out, "pk(", i->data);
	else if (i->type == SCRIPT_MULTISIG && multisig_nameable(f, script))
		put_multisig(f->out, script, i->required);
	else
		return false;
	return true;
}

/* wsh() around what is known to be in it. */
static bool put_wsh(const struct infer *f, const struct script_info *i)
{
	struct infer in = *f;
	struct script_info inner;
	struct slice script;
	size_t mark = f->out->n;

	if (i->type != SCRIPT_WITNESS_V0_SCRIPTHASH)
		return false;
	script = find_known(f, i->data);
	script_classify(&inner, script);
	in.v0 = true;
	text_puts(f->out, "wsh(");
	if (put_keys(&in, script, &inner)) {
		text_puts(f->out, ")");
		return true;
	}
	f->out->n = mark;
	return false;
}

static bool put_sh(const struct infer *f, const struct script_info *i)
{
	struct slice script;
	struct script_info inner;
	size_t mark = f->out->n;

	if (i->type != SCRIPT_SCRIPTHASH)
		return false;
	script = find_known(f, i->data);
	script_classify(&inner, script);
	text_puts(f->out, "sh(");
	if (put_keys(f, script, &inner) || put_wsh(f, &inner)) {
		text_puts(f->out, ")");
		return true;
	}
	f->out->n = mark;
	return false;
}

/* Scripts that have no keys to show: by address, else byte by byte. */
static void put_plain(const struct infer *f, struct slice script)
{
	char address[ADDRESS_STR];

	if (!address_of_script(address, script, f->params)) {
		put_call(f->out, "raw(", script);
		return;
	}
	text_puts(f->out, "addr(");
	text_puts(f->out, address);
	text_puts(f->out, ")");
}

static void put_top(const struct infer *f, struct slice script)
{
	struct script_info i;

	script_classify(&i, script);
	if (put_keys(f, script, &i) || put_sh(f, &i) || put_wsh(f, &i))
		return;
	if (i.type == SCRIPT_WITNESS_V1_TAPROOT && xonly_valid(i.data.p))
		put_call(f->out, "rawtr(", i.data);
	else
		put_plain(f, script);
}

void descriptor_of_script(struct text *out, struct slice script,
			  const struct slice *known, size_t n,
			  const struct params *p)
{
	struct infer f = {out, p, known, n, false};
	size_t start = out->n;
	char sum[9];
	bool ok;

	put_top(&f, script);
	ok = descriptor_checksum(sum, out->p + start, out->n - start);
	must(ok); /* every character above is of the set */
	text_puts(out, "#");
	text_puts(out, sum);
}
