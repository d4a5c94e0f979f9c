/*
 * The hash that taproot's signatures cover (BIP 341), with what tapscript adds
 * (BIP 342). Any thread.
 */
#include "internal.h"

#include <cairn/base/must.h>
#include <cairn/crypto/tagged.h>

static bool type_is_defined(uint8_t type)
{
	return type <= 3 || (type >= 0x81 && type <= 0x83);
}

/* The parts that all inputs share, as far as the type covers them. */
static uint8_t *put_shared(uint8_t *p, const struct tx_sighash *tx,
			   uint8_t type)
{
	p = le32_put(p, (uint32_t)tx->tx->version);
	p = le32_put(p, tx->tx->lock_time);
	if (!sighash_one_input(type)) {
		p = bytes_put(p, tx->prevouts, 32);
		p = bytes_put(p, tx->amounts, 32);
		p = bytes_put(p, tx->scripts, 32);
		p = bytes_put(p, tx->sequences, 32);
	}
	if ((type & 3) < SIGHASH_NONE)
		p = bytes_put(p, tx->all_outputs, 32);
	return p;
}

/* This input by what it is, where it is not covered by the shared parts. */
static void hash_input(struct sha256 *h, const struct script_input *in)
{
	uint8_t b[OUTPOINT_SIZE + 8 + 9], *p = b;

	p = bytes_put(p, in->in.prevout, OUTPOINT_SIZE);
	p = le64_put(p, (uint64_t)in->spent->value);
	p = compact_put(p, in->spent->script.n);
	sha256_put(h, b, (size_t)(p - b));
	sha256_put(h, in->spent->script.p, in->spent->script.n);
	p = le32_put(b, in->in.sequence);
	sha256_put(h, b, (size_t)(p - b));
}

static void hash_output(struct tap_context *tap, const struct script_input *in)
{
	if (!tap->has_output)
		sha256_once(tap->output, in->output.p, in->output.n);
	tap->has_output = true;
}

static uint8_t *put_leaf(uint8_t *p, const struct tap_context *tap)
{
	p = bytes_put(p, tap->leaf, 32);
	*p++ = 0; /* version of the key */
	return le32_put(p, tap->separator_pos);
}

bool sighash_taproot(uint8_t out[32], const struct script_input *in,
		     struct tap_context *tap, uint8_t type)
{
	bool single = (type & 3) == SIGHASH_SINGLE;
	uint8_t b[2 + 8 + 5 * 32 + 1], *p = b;
	struct sha256 h;

	if (!type_is_defined(type) || (single && !in->output.n))
		return false;
	must(in->tx->taproot);
	*p++ = 0; /* epoch */
	*p++ = type;
	p = put_shared(p, in->tx, type);
	*p++ = (uint8_t)(tap->has_leaf << 1 | tap->has_annex);
	tagged_init(&h, TAG_TAP_SIGHASH);
	sha256_put(&h, b, (size_t)(p - b));
	p = b;
	if (sighash_one_input(type))
		hash_input(&h, in);
	else
		p = le32_put(p, in->index);
	if (tap->has_annex)
		p = bytes_put(p, tap->annex, 32);
	if (single) {
		hash_output(tap, in);
		p = bytes_put(p, tap->output, 32);
	}
	if (tap->has_leaf)
		p = put_leaf(p, tap);
	sha256_put(&h, b, (size_t)(p - b));
	sha256_end(&h, out);
	return true;
}
