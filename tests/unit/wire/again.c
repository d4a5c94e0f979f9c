/* The functions of again.h. One thread. */
#include "again.h"

#include "wiretest.h"

#include <cairn/wire/addr.h>
#include <cairn/wire/bloom.h>
#include <cairn/wire/cfilter.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/feature.h>
#include <cairn/wire/inv.h>
#include <cairn/wire/locator.h>
#include <cairn/wire/merkleblock.h>
#include <cairn/wire/obsolete.h>
#include <cairn/wire/txparts.h>
#include <cairn/wire/version.h>

#include <stdlib.h>

static uint8_t *inv_again(uint8_t *out, struct slice body)
{
	struct inv_view v;
	uint8_t *p;

	ck_assert(inv_view_parse(&v, body));
	p = inv_count_put(out, v.n);
	for (uint32_t i = 0; i < v.n; i++)
		p = inv_item_put(p, inv_type(&v, i), inv_hash(&v, i));
	return p;
}

static uint8_t *addr_again(uint8_t *out, struct slice body)
{
	struct addr_entry *e = calloc(ADDR_MAX, sizeof *e);
	struct addr_view v;
	uint32_t n = 0;

	ck_assert_ptr_nonnull(e);
	ck_assert(addr_view_parse(&v, body));
	ck_assert_uint_le(v.n, ADDR_MAX);
	while (addr_next(&v, &e[n]))
		n++;
	ck_assert_uint_eq(n, v.n);
	ck_assert_uint_eq(addr_size(n), body.n);
	out = addr_put(out, e, n);
	free(e);
	return out;
}

static uint8_t *locator_again(uint8_t *out, struct slice body)
{
	struct locator_view v;

	ck_assert(locator_view_parse(&v, body));
	ck_assert_uint_eq(locator_size(v.n), body.n);
	return locator_put(out, v.version, hash256_at(v.hashes), v.n, v.stop);
}

static uint8_t *headers_again(uint8_t *out, struct slice body)
{
	struct headers_view v;
	bool over;

	ck_assert(headers_view_parse(&v, &over, body));
	ck_assert_uint_eq(headers_size(v.n), body.n);
	return headers_put(out, v.first, v.stride, v.n);
}

static uint8_t *version_again(uint8_t *out, struct slice body)
{
	struct version_view v;
	struct version_msg m = {0};
	char agent[USER_AGENT_MAX + 1] = {0};

	ck_assert(version_view_parse(&v, body));
	memcpy(agent, v.user_agent.p, v.user_agent.n);
	m.version = v.version;
	m.services = v.services;
	m.time_s = v.time_s;
	m.addr_recv = v.addr_recv;
	m.nonce = v.nonce;
	m.user_agent = agent;
	m.height = v.height;
	m.relay = v.relay;
	ck_assert_uint_eq(version_size(&m), body.n);
	m.recv_services = v.recv_services;
	ck_assert_ptr_eq(v.addr_from, body.p + 46);
	version_put(out, &m);
	memcpy(out + 46, v.addr_from, 26);
	return out + version_size(&m);
}

/* The values of a transaction in lists of their own. */
static void witness_of(struct tx_msg *m, uint32_t *n_items, struct slice *items,
		       const struct tx_view *v)
{
	struct tx_iter it, stack;

	m->n_items = n_items;
	m->items = items;
	txwits(&it, v);
	while (txwit_next(&it, &stack)) {
		*n_items++ = stack.left;
		while (witem_next(&stack, items))
			items++;
	}
}

static uint8_t *tx_put_again(uint8_t *out, const struct tx_view *v)
{
	struct txin_view *in = calloc(v->n_in + 1, sizeof *in);
	struct txout_view *o = calloc(v->n_out + 1, sizeof *o);
	uint32_t *n_items = calloc(v->n_in + 1, sizeof *n_items);
	struct slice *items = calloc(v->size, sizeof *items);
	struct tx_msg m = {.version = v->version,
			   .n_in = v->n_in,
			   .n_out = v->n_out,
			   .in = in,
			   .out = o,
			   .lock_time = v->lock_time};
	struct tx_iter it;

	ck_assert(in && o && n_items && items);
	txins(&it, v);
	for (uint32_t i = 0; txin_next(&it, &in[i]);)
		i++;
	txouts(&it, v);
	for (uint32_t i = 0; txout_next(&it, &o[i]);)
		i++;
	if (tx_has_witness(v))
		witness_of(&m, n_items, items, v);
	ck_assert_uint_eq(tx_size(&m), v->size);
	out = tx_put(out, &m);
	free(in);
	free(o);
	free(n_items);
	free(items);
	return out;
}

static uint8_t *tx_again(uint8_t *out, struct slice body)
{
	struct tx_view v;
	struct rd r;

	rd_init(&r, body);
	ck_assert(tx_view_parse(&v, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
	return tx_put_again(out, &v);
}

static uint8_t *block_again(uint8_t *out, struct slice body)
{
	struct block_view v;
	struct header h;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, body), 0);
	ck_assert_uint_eq(trailing, 0);
	header_get(&h, v.header);
	out = compact_put(header_put(out, &h), v.n_tx);
	for (uint32_t i = 0; i < v.n_tx; i++)
		out = tx_put_again(out, &v.tx[i]);
	block_view_fini(&v);
	return out;
}

static uint8_t *blocktxn_again(uint8_t *out, struct slice body)
{
	struct blocktxn_view v;
	struct blocktxn_iter it;
	struct tx_view tx;

	ck_assert(blocktxn_view_parse(&v, body));
	out = blocktxn_head_put(out, v.block, v.n);
	blocktxns(&it, &v);
	while (blocktxn_next(&it, &tx))
		out = tx_put_again(out, &tx);
	return out;
}

static uint8_t *cmpctblock_again(uint8_t *out, struct slice body)
{
	struct cmpctblock_view v;
	struct prefilled_iter it;
	struct prefilled t;
	uint32_t next = 0;

	ck_assert(cmpctblock_view_parse(&v, body));
	out = cmpctblock_head_put(out, v.header, v.nonce, v.n_short);
	for (uint32_t i = 0; i < v.n_short; i++)
		out = cmpct_short_id_put(out, cmpct_short_id(&v, i));
	out = compact_put(out, v.n_prefilled);
	prefilleds(&it, &v);
	while (prefilled_next(&it, &t)) {
		out = prefilled_put(out, t.index - next,
				    slice_of(t.tx.p, t.tx.size));
		next = t.index + 1;
	}
	return out;
}

static uint8_t *getblocktxn_again(uint8_t *out, struct slice body)
{
	struct getblocktxn_view v;
	struct index_iter it;
	uint16_t index[64];
	uint32_t i, n = 0;

	ck_assert(getblocktxn_view_parse(&v, body));
	ck_assert_uint_le(v.n, 64);
	getblocktxn_indexes(&it, &v);
	while (getblocktxn_next(&it, &i))
		index[n++] = (uint16_t)i;
	return getblocktxn_put(out, v.block, index, n);
}

static uint8_t *addrv2_again(uint8_t *out, struct slice body)
{
	struct addr_entry e[64];
	struct addr_view v;
	uint32_t n = 0;

	ck_assert(addrv2_view_parse(&v, body));
	while (n < 64 && addr_next(&v, &e[n]))
		n++;
	return addrv2_put(out, e, n);
}

static uint8_t *cfcheckpt_again(uint8_t *out, struct slice body)
{
	struct cfcheckpt_view v;

	ck_assert(cfcheckpt_view_parse(&v, body));
	out = cfcheckpt_head_put(out, v.filter_type, v.stop, v.n);
	for (uint32_t i = 0; i < v.n; i++)
		out = bytes_put(out, cfcheckpt_at(&v, i)->b, 32);
	return out;
}

static uint8_t *cfheaders_again(uint8_t *out, struct slice body)
{
	struct cfheaders_view v;

	ck_assert(cfheaders_view_parse(&v, body));
	out =
	    cfheaders_head_put(out, v.filter_type, v.stop, v.prev_header, v.n);
	return bytes_put(out, v.hashes, (size_t)v.n * 32);
}

static uint8_t *cfilter_again(uint8_t *out, struct slice body)
{
	struct cfilter_view v;

	ck_assert(cfilter_view_parse(&v, body));
	return cfilter_put(out, v.filter_type, v.block, v.filter);
}

static uint8_t *getcf_again(uint8_t *out, struct slice body)
{
	struct getcf_view v;

	ck_assert(getcf_view_parse(&v, body));
	return getcf_put(out, v.filter_type, v.start_height, v.stop);
}

static uint8_t *getcfcheckpt_again(uint8_t *out, struct slice body)
{
	struct getcfcheckpt_view v;

	ck_assert(getcfcheckpt_view_parse(&v, body));
	return getcfcheckpt_put(out, v.filter_type, v.stop);
}

static uint8_t *feature_again(uint8_t *out, struct slice body)
{
	struct feature_view v;

	ck_assert(feature_view_parse(&v, body));
	return feature_put(out, &v);
}

static uint8_t *feefilter_again(uint8_t *out, struct slice body)
{
	int64_t fee;

	ck_assert(feefilter_parse(&fee, body));
	return feefilter_put(out, fee);
}

static uint8_t *sendcmpct_again(uint8_t *out, struct slice body)
{
	uint64_t version;
	uint8_t announce;

	ck_assert(sendcmpct_parse(&announce, &version, body));
	return sendcmpct_put(out, announce, version);
}

static uint8_t *sendtxrcncl_again(uint8_t *out, struct slice body)
{
	uint32_t version;
	uint64_t salt;

	ck_assert(sendtxrcncl_parse(&version, &salt, body));
	return sendtxrcncl_put(out, version, salt);
}

static uint8_t *nothing_again(uint8_t *out, struct slice body)
{
	(void)body;
	return out;
}

static uint8_t *nonce_again(uint8_t *out, struct slice body)
{
	uint64_t nonce;

	ck_assert(nonce_parse(&nonce, body));
	return nonce_put(out, nonce);
}

static uint8_t *filterload_again(uint8_t *out, struct slice body)
{
	struct filterload_view v;

	ck_assert(filterload_view_parse(&v, body));
	ck_assert(filterload_in_limits(&v));
	ck_assert_uint_eq(filterload_size(v.filter.n), body.n);
	return filterload_put(out, &v);
}

static uint8_t *filteradd_again(uint8_t *out, struct slice body)
{
	struct slice s;

	ck_assert(filteradd_parse(&s, body));
	ck_assert_uint_eq(filteradd_size(s.n), body.n);
	return filteradd_put(out, s);
}

static uint8_t *merkleblock_again(uint8_t *out, struct slice body)
{
	struct merkleblock_view v;

	ck_assert(merkleblock_view_parse(&v, body));
	ck_assert_uint_eq(merkleblock_size(v.n_hashes, v.flags.n), body.n);
	return merkleblock_put(out, &v);
}

static uint8_t *reject_again(uint8_t *out, struct slice body)
{
	struct reject_view v;

	ck_assert(reject_view_parse(&v, body));
	ck_assert_uint_eq(reject_size(&v), body.n);
	return reject_put(out, &v);
}

static uint8_t *alert_again(uint8_t *out, struct slice body)
{
	struct alert_view v;
	struct alert_text t;

	ck_assert(alert_view_parse(&v, body));
	ck_assert(alert_text_parse(&t, v.payload));
	ck_assert_uint_eq(alert_size(&v), body.n);
	return alert_put(out, &v);
}

static uint8_t *(*const again[MSG_COUNT])(uint8_t *out, struct slice body) = {
    [MSG_ADDR] = addr_again,
    [MSG_ADDRV2] = addrv2_again,
    [MSG_ALERT] = alert_again,
    [MSG_BLOCK] = block_again,
    [MSG_BLOCKTXN] = blocktxn_again,
    [MSG_CFCHECKPT] = cfcheckpt_again,
    [MSG_CFHEADERS] = cfheaders_again,
    [MSG_CFILTER] = cfilter_again,
    [MSG_CMPCTBLOCK] = cmpctblock_again,
    [MSG_FEATURE] = feature_again,
    [MSG_FEEFILTER] = feefilter_again,
    [MSG_FILTERADD] = filteradd_again,
    [MSG_FILTERCLEAR] = nothing_again,
    [MSG_FILTERLOAD] = filterload_again,
    [MSG_GETADDR] = nothing_again,
    [MSG_GETBLOCKS] = locator_again,
    [MSG_GETBLOCKTXN] = getblocktxn_again,
    [MSG_GETCFCHECKPT] = getcfcheckpt_again,
    [MSG_GETCFHEADERS] = getcf_again,
    [MSG_GETCFILTERS] = getcf_again,
    [MSG_GETDATA] = inv_again,
    [MSG_GETHEADERS] = locator_again,
    [MSG_HEADERS] = headers_again,
    [MSG_INV] = inv_again,
    [MSG_MEMPOOL] = nothing_again,
    [MSG_MERKLEBLOCK] = merkleblock_again,
    [MSG_NOTFOUND] = inv_again,
    [MSG_PING] = nonce_again,
    [MSG_PONG] = nonce_again,
    [MSG_REJECT] = reject_again,
    [MSG_SENDADDRV2] = nothing_again,
    [MSG_SENDCMPCT] = sendcmpct_again,
    [MSG_SENDHEADERS] = nothing_again,
    [MSG_SENDTXRCNCL] = sendtxrcncl_again,
    [MSG_TX] = tx_again,
    [MSG_VERACK] = nothing_again,
    [MSG_VERSION] = version_again,
    [MSG_WTXIDRELAY] = nothing_again,
};

size_t message_again(uint8_t *out, enum msg_type t, struct slice body)
{
	ck_assert_msg(again[t], "%s is not written", msg_row(t)->name);
	return (size_t)(again[t](out, body) - out);
}
