/*
 * Names the descriptor of an output script where no keys are known: what
 * Bitcoin Core prints as "desc". Any thread; no state.
 */
#include <cairn/address/descriptor.h>

#include <cairn/address/address.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/script/template.h>

/* Keys of any first byte but a hybrid one's; whether they are points is not
 * asked. */
static bool nameable(struct slice key)
{
	return key.p[0] == 2 || key.p[0] == 3 || key.p[0] == 4;
}

static bool multisig_nameable(struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (data.n > 1 && !nameable(data))
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

/* x is that of a point. */
static bool is_xonly(struct slice x)
{
	uint8_t even[33] = {2};

	memcpy(even + 1, x.p, 32);
	return pubkey_valid(slice_of(even, sizeof even));
}

/* Scripts that have no keys to show: by address, else byte by byte. */
static void put_plain(struct text *out, struct slice script,
		      const struct params *p)
{
	char address[ADDRESS_STR];

	if (!address_of_script(address, script, p)) {
		put_call(out, "raw(", script);
		return;
	}
	text_puts(out, "addr(");
	text_puts(out, address);
	text_puts(out, ")");
}

void descriptor_of_script(struct text *out, struct slice script,
			  const struct params *p)
{
	size_t start = out->n;
	struct script_info i;
	char sum[9];
	bool known;

	script_classify(&i, script);
	if (i.type == SCRIPT_PUBKEY && nameable(i.data))
		put_call(out, "pk(", i.data);
	else if (i.type == SCRIPT_MULTISIG && multisig_nameable(script))
		put_multisig(out, script, i.required);
	else if (i.type == SCRIPT_WITNESS_V1_TAPROOT && is_xonly(i.data))
		put_call(out, "rawtr(", i.data);
	else
		put_plain(out, script, p);
	known = descriptor_checksum(sum, out->p + start, out->n - start);
	must(known); /* every character above is of the set */
	text_puts(out, "#");
	text_puts(out, sum);
}
