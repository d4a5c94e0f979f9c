/* The bodies of samples.h. One thread. */
#include "samples.h"

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
#include <cairn/wire/version.h>

static struct hash256 hash_of(uint32_t seed)
{
	struct hash256 h;

	fill(h.b, 32, seed);
	return h;
}

static struct slice text(const char *s)
{
	return slice_of(s, strlen(s));
}

uint8_t *sample_tx_put(uint8_t *p, bool witness)
{
	size_t n = td_hex_into(p, 6, witness ? "020000000001" : "02000000");

	p += n;
	*p++ = 2;
	for (uint32_t i = 0; i < 2; i++) {
		fill(p, 36, i + 5);
		p = compact_put(p + 36, 3 * i);
		fill(p, 3 * i + 4, i + 9);
		p += 3 * i + 4;
	}
	*p++ = 2;
	for (uint32_t i = 0; i < 2; i++) {
		p = le64_put(p, 5000 + i);
		p = compact_put(p, 22);
		fill(p, 22, i + 11);
		p += 22;
	}
	if (witness)
		p += td_hex_into(p, 8, "0202aabb01cc00");
	return le32_put(p, 800000);
}

uint8_t *sample_header_put(uint8_t *p)
{
	fill(p, HEADER_SIZE, 3);
	return p + HEADER_SIZE;
}

static uint8_t *put_empty(uint8_t *p)
{
	return p;
}

static struct addr_entry entry(uint8_t net, uint8_t n, uint32_t seed)
{
	struct addr_entry e = {.time_s = 1700000000 + seed, .services = 9};

	e.addr.net = net;
	e.addr.n = n;
	e.addr.port = 8333;
	fill(e.addr.b, n, seed);
	return e;
}

static uint8_t *put_addr(uint8_t *p)
{
	struct addr_entry e[2] = {entry(NET_IPV4, 4, 1),
				  entry(NET_IPV6, 16, 2)};

	return addr_put(p, e, 2);
}

static uint8_t *put_addrv2(uint8_t *p)
{
	struct addr_entry e[3] = {entry(NET_IPV4, 4, 1), entry(NET_IPV6, 16, 2),
				  entry(NET_TORV3, 32, 3)};

	e[1].services = 0x1000000000u;
	return addrv2_put(p, e, 3);
}

/* Version 1, no ids cancelled, one version of software named. */
static uint8_t *put_alert(uint8_t *p)
{
	uint8_t in[200];
	size_t n = td_hex_into(in, sizeof in,
			       "01000000"
			       "0102030405060708"
			       "1112131415161718"
			       "64000000"
			       "00000000"
			       "0201000000ffffffff"
			       "00000000"
			       "ffffff7f"
			       "01062f782f792f7a"
			       "32000000"
			       "03616263"
			       "0464656667"
			       "00");
	struct alert_view v = {slice_of(in, n), text("signature")};

	return alert_put(p, &v);
}

static uint8_t *put_block(uint8_t *p)
{
	p = sample_header_put(p);
	*p++ = 2;
	p = sample_tx_put(p, false);
	return sample_tx_put(p, true);
}

static uint8_t *put_blocktxn(uint8_t *p)
{
	struct hash256 h = hash_of(1);

	p = blocktxn_head_put(p, &h, 2);
	p = sample_tx_put(p, true);
	return sample_tx_put(p, false);
}

static uint8_t *put_cfcheckpt(uint8_t *p)
{
	struct hash256 h = hash_of(1);

	p = cfcheckpt_head_put(p, FILTER_BASIC, &h, 2);
	fill(p, 64, 4);
	return p + 64;
}

static uint8_t *put_cfheaders(uint8_t *p)
{
	struct hash256 h = hash_of(1), prev = hash_of(2);

	p = cfheaders_head_put(p, FILTER_BASIC, &h, &prev, 2);
	fill(p, 64, 4);
	return p + 64;
}

static uint8_t *put_cfilter(uint8_t *p)
{
	struct hash256 h = hash_of(1);

	return cfilter_put(p, FILTER_BASIC, &h, text("a filter"));
}

static uint8_t *put_cmpctblock(uint8_t *p)
{
	uint8_t header[HEADER_SIZE], tx[400];
	struct slice s = slice_of(tx, (size_t)(sample_tx_put(tx, true) - tx));

	sample_header_put(header);
	p = cmpctblock_head_put(p, header, 0x1122334455667788u, 3);
	for (uint64_t i = 0; i < 3; i++)
		p = cmpct_short_id_put(p, 0xa1b2c3d4e5f6u + i);
	p = compact_put(p, 2);
	p = prefilled_put(p, 0, s);
	return prefilled_put(p, 2, s);
}

static uint8_t *put_feature(uint8_t *p)
{
	struct feature_view v = {text("BIP-TEST"), text("data")};

	return feature_put(p, &v);
}

static uint8_t *put_feefilter(uint8_t *p)
{
	return feefilter_put(p, 1000);
}

static uint8_t *put_filteradd(uint8_t *p)
{
	return filteradd_put(p, text("an element"));
}

static uint8_t *put_filterload(uint8_t *p)
{
	struct filterload_view v = {text("bits"), 5, 77,
				    BLOOM_UPDATE_P2PUBKEY_ONLY};

	return filterload_put(p, &v);
}

static uint8_t *put_locator(uint8_t *p)
{
	struct hash256 h[2] = {hash_of(1), hash_of(2)};

	return locator_put(p, 70016, h, 2, &h[1]);
}

static uint8_t *put_getblocktxn(uint8_t *p)
{
	static const uint16_t index[] = {0, 1, 7, 300, 65535};
	struct hash256 h = hash_of(1);

	return getblocktxn_put(p, &h, index, 5);
}

static uint8_t *put_getcf(uint8_t *p)
{
	struct hash256 h = hash_of(1);

	return getcf_put(p, FILTER_BASIC, 1000, &h);
}

static uint8_t *put_getcfcheckpt(uint8_t *p)
{
	struct hash256 h = hash_of(1);

	return getcfcheckpt_put(p, FILTER_BASIC, &h);
}

static uint8_t *put_inv(uint8_t *p)
{
	struct hash256 h = hash_of(1);

	p = inv_count_put(p, 2);
	p = inv_item_put(p, INV_WITNESS_BLOCK, &h);
	return inv_item_put(p, INV_WTX, &h);
}

/* The second count takes three bytes, so the headers must be walked. */
static uint8_t *put_headers(uint8_t *p)
{
	*p++ = 2;
	p = sample_header_put(p);
	*p++ = 0;
	p = sample_header_put(p);
	return compact_put(p, 300);
}

static uint8_t *put_merkleblock(uint8_t *p)
{
	uint8_t header[HEADER_SIZE], match[7] = {0, 1, 0, 0, 0, 0, 1};
	struct hash256 txid[7], scratch[7];
	struct merkle_pick m = {txid, match, 7};

	sample_header_put(header);
	for (uint32_t i = 0; i < 7; i++)
		txid[i] = hash_of(i);
	return merkle_pick_put(p, header, &m, scratch);
}

static uint8_t *put_nonce(uint8_t *p)
{
	return nonce_put(p, 0x1122334455667788u);
}

static uint8_t *put_reject(uint8_t *p)
{
	struct hash256 h = hash_of(1);
	struct reject_view v = {text("tx"), 0x10, text("bad"),
				slice_of(h.b, 32)};

	return reject_put(p, &v);
}

static uint8_t *put_sendcmpct(uint8_t *p)
{
	return sendcmpct_put(p, 1, 2);
}

static uint8_t *put_sendtxrcncl(uint8_t *p)
{
	return sendtxrcncl_put(p, 1, 0x1122334455667788u);
}

static uint8_t *put_tx(uint8_t *p)
{
	return sample_tx_put(p, true);
}

static uint8_t *put_version(uint8_t *p)
{
	struct version_msg m = {.version = 70016,
				.services = NODE_NETWORK,
				.time_s = 1700000000,
				.nonce = 5,
				.user_agent = "/sample/",
				.height = 7,
				.relay = true};

	return version_put(p, &m);
}

static uint8_t *(*const puts_of[MSG_COUNT])(uint8_t *p) = {
    [MSG_UNKNOWN] = put_empty,
    [MSG_ADDR] = put_addr,
    [MSG_ADDRV2] = put_addrv2,
    [MSG_ALERT] = put_alert,
    [MSG_BLOCK] = put_block,
    [MSG_BLOCKTXN] = put_blocktxn,
    [MSG_CFCHECKPT] = put_cfcheckpt,
    [MSG_CFHEADERS] = put_cfheaders,
    [MSG_CFILTER] = put_cfilter,
    [MSG_CMPCTBLOCK] = put_cmpctblock,
    [MSG_FEATURE] = put_feature,
    [MSG_FEEFILTER] = put_feefilter,
    [MSG_FILTERADD] = put_filteradd,
    [MSG_FILTERCLEAR] = put_empty,
    [MSG_FILTERLOAD] = put_filterload,
    [MSG_GETADDR] = put_empty,
    [MSG_GETBLOCKS] = put_locator,
    [MSG_GETBLOCKTXN] = put_getblocktxn,
    [MSG_GETCFCHECKPT] = put_getcfcheckpt,
    [MSG_GETCFHEADERS] = put_getcf,
    [MSG_GETCFILTERS] = put_getcf,
    [MSG_GETDATA] = put_inv,
    [MSG_GETHEADERS] = put_locator,
    [MSG_HEADERS] = put_headers,
    [MSG_INV] = put_inv,
    [MSG_MEMPOOL] = put_empty,
    [MSG_MERKLEBLOCK] = put_merkleblock,
    [MSG_NOTFOUND] = put_inv,
    [MSG_PING] = put_nonce,
    [MSG_PONG] = put_nonce,
    [MSG_REJECT] = put_reject,
    [MSG_SENDADDRV2] = put_empty,
    [MSG_SENDCMPCT] = put_sendcmpct,
    [MSG_SENDHEADERS] = put_empty,
    [MSG_SENDTXRCNCL] = put_sendtxrcncl,
    [MSG_TX] = put_tx,
    [MSG_VERACK] = put_empty,
    [MSG_VERSION] = put_version,
    [MSG_WTXIDRELAY] = put_empty,
};

size_t sample_put(uint8_t *p, enum msg_type t)
{
	size_t n = (size_t)(puts_of[t](p) - p);

	ck_assert_uint_le(n, SAMPLE_MAX);
	return n;
}
