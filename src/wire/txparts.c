/*
 * Transactions written from values. Any thread. Whether the values make a valid
 * transaction is decided in consensus.
 */
#include <cairn/wire/txparts.h>

#include <cairn/base/must.h>

static size_t witness_size(const struct tx_msg *m)
{
	const struct slice *item = m->items;
	size_t size = 2; /* marker and flag */

	for (uint32_t i = 0; i < m->n_in; i++) {
		size += compact_size(m->n_items[i]);
		for (uint32_t n = m->n_items[i]; n > 0; n--, item++)
			size += compact_size(item->n) + item->n;
	}
	must(item != m->items);
	return size;
}

size_t tx_size(const struct tx_msg *m)
{
	size_t size = 4 + 4;

	must(m->n_in || !m->n_out);
	size += compact_size(m->n_in) + compact_size(m->n_out);
	for (uint32_t i = 0; i < m->n_in; i++)
		size += txin_size(&m->in[i]);
	for (uint32_t i = 0; i < m->n_out; i++)
		size += txout_size(&m->out[i]);
	if (m->n_items)
		size += witness_size(m);
	return size;
}

static uint8_t *witness_put(uint8_t *p, const struct tx_msg *m)
{
	const struct slice *item = m->items;

	for (uint32_t i = 0; i < m->n_in; i++) {
		p = compact_put(p, m->n_items[i]);
		for (uint32_t n = m->n_items[i]; n > 0; n--)
			p = varbytes_put(p, *item++);
	}
	return p;
}

uint8_t *tx_put(uint8_t *p, const struct tx_msg *m)
{
	p = le32_put(p, (uint32_t)m->version);
	if (m->n_items)
		p = le16_put(p, 0x0100);
	p = compact_put(p, m->n_in);
	for (uint32_t i = 0; i < m->n_in; i++)
		p = txin_put(p, &m->in[i]);
	p = compact_put(p, m->n_out);
	for (uint32_t i = 0; i < m->n_out; i++)
		p = txout_put(p, &m->out[i]);
	if (m->n_items)
		p = witness_put(p, m);
	return le32_put(p, m->lock_time);
}
