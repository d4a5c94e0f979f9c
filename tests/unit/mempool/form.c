/* The writer of transactions of any form. */
#include "form.h"

#include "scripttext.h"

#define ROOM (1u << 20)

static uint8_t parts[ROOM], bytes[2 * ROOM];
static size_t used;

static uint8_t *take(size_t n)
{
	uint8_t *p = parts + used;

	ck_assert_uint_le(n, ROOM - used);
	used += n;
	return p;
}

struct slice form_script(const char *text)
{
	size_t n;
	uint8_t *script = st_script(text, &n), *p = take(n);

	memcpy(p, script, n);
	free(script);
	return slice_of(p, n);
}

struct slice form_bytes(size_t n, uint8_t value)
{
	uint8_t *p = take(n);

	memset(p, value, n);
	return slice_of(p, n);
}

struct slice form_push(struct slice s)
{
	uint8_t *p = take(s.n + 5);

	return slice_of(p, (size_t)(script_put_push(p, s) - p));
}

void form_init(struct form *f)
{
	memset(f, 0, sizeof *f);
	f->version = 2;
	used = 0;
}

void form_in(struct form *f, struct slice script_sig, struct slice spent)
{
	ck_assert_uint_lt(f->n_in, FORM_PARTS);
	f->sig[f->n_in] = script_sig;
	f->spent[f->n_in++] = (struct txout_view){100000, spent};
}

void form_item(struct form *f, struct slice item)
{
	ck_assert_uint_lt(f->n_items, FORM_PARTS);
	f->item[f->n_items++] = item;
	f->stack[f->n_in - 1]++;
}

void form_out(struct form *f, int64_t value, struct slice script)
{
	ck_assert_uint_lt(f->n_out, FORM_PARTS);
	f->out[f->n_out++] = (struct txout_view){value, script};
}

static uint8_t *put_bytes(uint8_t *p, struct slice s)
{
	return bytes_put(compact_put(p, s.n), s.p, s.n);
}

static uint8_t *put_inputs(uint8_t *p, const struct form *f)
{
	p = compact_put(p, f->n_in);
	for (uint32_t i = 0; i < f->n_in; i++) {
		memset(p, f->coinbase ? 0 : (int)i + 1, 32);
		p = le32_put(p + 32, f->coinbase ? UINT32_MAX : 0);
		p = put_bytes(p, f->sig[i]);
		p = le32_put(p, UINT32_MAX);
	}
	return p;
}

static uint8_t *put_outputs(uint8_t *p, const struct form *f)
{
	p = compact_put(p, f->n_out);
	for (uint32_t i = 0; i < f->n_out; i++) {
		p = le64_put(p, (uint64_t)f->out[i].value);
		p = put_bytes(p, f->out[i].script);
	}
	return p;
}

static uint8_t *put_witness(uint8_t *p, const struct form *f)
{
	uint32_t next = 0;

	for (uint32_t i = 0; f->n_items && i < f->n_in; i++) {
		p = compact_put(p, f->stack[i]);
		for (uint32_t k = 0; k < f->stack[i]; k++)
			p = put_bytes(p, f->item[next++]);
	}
	return p;
}

const struct tx_view *form_tx(struct form *f)
{
	uint8_t *p = le32_put(bytes, (uint32_t)f->version);
	struct rd r;

	if (f->n_items)
		p = bytes_put(p, "\0\1", 2);
	p = put_inputs(p, f);
	p = put_outputs(p, f);
	p = put_witness(p, f);
	p = le32_put(p, 0);
	rd_init(&r, slice_of(bytes, (size_t)(p - bytes)));
	ck_assert(tx_view_parse(&f->tx, &r));
	return &f->tx;
}
