/*
 * The JSON of every message, by a table. One thread. Each function reads
 * through the view that the node uses too, so a message that is printed wrong
 * here is read wrong there. Bytes that should be text are printed as text with
 * whatever could harm a terminal escaped.
 */
#include "cairn-util.h"

#include <cairn/base/must.h>
#include <cairn/rpc/json.h>
#include <cairn/wire/bloom.h>
#include <cairn/wire/cfilter.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/feature.h>
#include <cairn/wire/inv.h>
#include <cairn/wire/locator.h>
#include <cairn/wire/obsolete.h>
#include <cairn/wire/version.h>

#include <arpa/inet.h>
#include <stdio.h>

/* Printable ASCII as it is, anything else and the backslash as \xNN. */
static void kstring(struct jw *w, const char *key, struct slice s)
{
	struct text t = TEXT_INIT;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] >= ' ' && s.p[i] <= '~' && s.p[i] != '\\')
			text_put(&t, (const char *)&s.p[i], 1);
		else
			text_printf(&t, "\\x%02x", s.p[i]);
	}
	jw_kstr(w, key, text_str(&t));
	text_fini(&t);
}

static void khex64(struct jw *w, const char *key, uint64_t v)
{
	char s[17];

	snprintf(s, sizeof s, "%016llx", (unsigned long long)v);
	jw_kstr(w, key, s);
}

static void hash_array(struct jw *w, const char *key, const uint8_t *p,
		       uint32_t n)
{
	jw_key(w, key);
	jw_arr(w);
	for (uint32_t i = 0; i < n; i++)
		jw_hash(w, hash256_at(p + (size_t)i * 32));
	jw_arr_end(w);
}

/* IP addresses in their usual form, keys of Tor and I2P in hexadecimal. */
static void netaddr_members(struct jw *w, const struct netaddr *a)
{
	static const char *const names[] = {"none",  "ipv4", "ipv6", "torv2",
					    "torv3", "i2p",  "cjdns"};
	char ip[INET6_ADDRSTRLEN];

	jw_kstr(w, "network", names[a->net]);
	if (a->net == NET_IPV4 && inet_ntop(AF_INET, a->b, ip, sizeof ip))
		jw_kstr(w, "address", ip);
	else if ((a->net == NET_IPV6 || a->net == NET_CJDNS) &&
		 inet_ntop(AF_INET6, a->b, ip, sizeof ip))
		jw_kstr(w, "address", ip);
	else
		jw_khex(w, "address", slice_of(a->b, a->n));
	jw_ki64(w, "port", a->port);
}

static void addr_entries(struct jw *w, struct addr_view *v)
{
	struct addr_entry e;
	uint32_t used = 0;

	jw_key(w, "addresses");
	jw_arr(w);
	for (; addr_next(v, &e); used++) {
		jw_obj(w);
		if (!v->timeless)
			jw_ki64(w, "time", e.time_s);
		khex64(w, "services", e.services);
		netaddr_members(w, &e.addr);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	jw_ki64(w, "unusable", v->n - used);
}

static void json_addr(struct jw *w, struct slice body, uint32_t version)
{
	struct addr_view v;
	bool ok = version < ADDR_TIME_VERSION ? addr_old_view_parse(&v, body)
					      : addr_view_parse(&v, body);

	must(ok);
	addr_entries(w, &v);
}

static void json_addrv2(struct jw *w, struct slice body, uint32_t version)
{
	struct addr_view v;
	bool ok = addrv2_view_parse(&v, body);

	(void)version;
	must(ok);
	addr_entries(w, &v);
}

static void alert_text(struct jw *w, const struct alert_text *t)
{
	struct slice rest = t->subvers;

	jw_ki64(w, "version", t->version);
	jw_ki64(w, "relay_until", t->relay_until_s);
	jw_ki64(w, "expiration", t->expiration_s);
	jw_ki64(w, "id", t->id);
	jw_ki64(w, "cancel", t->cancel);
	jw_key(w, "cancels");
	jw_arr(w);
	for (uint32_t i = 0; i < t->n_cancel; i++)
		jw_i64(w, (int32_t)le32_get(t->cancels + (size_t)i * 4));
	jw_arr_end(w);
	jw_ki64(w, "min_version", t->min_version);
	jw_ki64(w, "max_version", t->max_version);
	jw_key(w, "subvers");
	jw_arr(w);
	for (uint32_t i = 0; i < t->n_subver; i++)
		jw_hex(w, alert_string_next(&rest));
	jw_arr_end(w);
	jw_ki64(w, "priority", t->priority);
	kstring(w, "comment", t->comment);
	kstring(w, "status_bar", t->status_bar);
	kstring(w, "reserved", t->reserved);
}

static void json_alert(struct jw *w, struct slice body, uint32_t version)
{
	struct alert_view v;
	struct alert_text t;
	bool ok = alert_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_khex(w, "payload", v.payload);
	jw_khex(w, "signature", v.signature);
	if (alert_text_parse(&t, v.payload)) {
		jw_key(w, "alert");
		jw_obj(w);
		alert_text(w, &t);
		jw_obj_end(w);
	}
}

static void json_cfcheckpt(struct jw *w, struct slice body, uint32_t version)
{
	struct cfcheckpt_view v;
	bool ok = cfcheckpt_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "filtertype", v.filter_type);
	jw_khash(w, "stophash", v.stop);
	hash_array(w, "headers", v.headers, v.n);
}

static void json_cfheaders(struct jw *w, struct slice body, uint32_t version)
{
	struct cfheaders_view v;
	bool ok = cfheaders_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "filtertype", v.filter_type);
	jw_khash(w, "stophash", v.stop);
	jw_khash(w, "prevheader", v.prev_header);
	hash_array(w, "hashes", v.hashes, v.n);
}

static void json_cfilter(struct jw *w, struct slice body, uint32_t version)
{
	struct cfilter_view v;
	bool ok = cfilter_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "filtertype", v.filter_type);
	jw_khash(w, "blockhash", v.block);
	jw_khex(w, "filter", v.filter);
}

static void json_empty(struct jw *w, struct slice body, uint32_t version)
{
	(void)w;
	(void)body;
	(void)version;
}

static void json_feature(struct jw *w, struct slice body, uint32_t version)
{
	struct feature_view v;
	bool ok = feature_view_parse(&v, body);

	(void)version;
	must(ok);
	kstring(w, "id", v.id);
	jw_khex(w, "data", v.data);
}

static void json_feefilter(struct jw *w, struct slice body, uint32_t version)
{
	int64_t fee;
	bool ok = feefilter_parse(&fee, body);

	(void)version;
	must(ok);
	jw_kamount(w, "feerate", fee);
}

static void json_filteradd(struct jw *w, struct slice body, uint32_t version)
{
	struct slice element;
	bool ok = filteradd_parse(&element, body);

	(void)version;
	must(ok);
	jw_khex(w, "element", element);
}

static void json_filterload(struct jw *w, struct slice body, uint32_t version)
{
	struct filterload_view v;
	bool ok = filterload_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_khex(w, "filter", v.filter);
	jw_ki64(w, "hashfuncs", v.n_funcs);
	jw_ki64(w, "tweak", v.tweak);
	jw_ki64(w, "flags", v.flags);
}

static void json_getblocktxn(struct jw *w, struct slice body, uint32_t version)
{
	struct getblocktxn_view v;
	struct index_iter it;
	uint32_t i;
	bool ok = getblocktxn_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_khash(w, "blockhash", v.block);
	jw_key(w, "indexes");
	jw_arr(w);
	getblocktxn_indexes(&it, &v);
	while (getblocktxn_next(&it, &i))
		jw_i64(w, i);
	jw_arr_end(w);
}

static void json_getcf(struct jw *w, struct slice body, uint32_t version)
{
	struct getcf_view v;
	bool ok = getcf_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "filtertype", v.filter_type);
	jw_ki64(w, "startheight", v.start_height);
	jw_khash(w, "stophash", v.stop);
}

static void json_getcfcheckpt(struct jw *w, struct slice body, uint32_t version)
{
	struct getcfcheckpt_view v;
	bool ok = getcfcheckpt_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "filtertype", v.filter_type);
	jw_khash(w, "stophash", v.stop);
}

static const char *inv_name(uint32_t type)
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
	    {INV_TX, "tx"},
	    {INV_BLOCK, "block"},
	    {INV_FILTERED_BLOCK, "filtered-block"},
	    {INV_CMPCT_BLOCK, "cmpct-block"},
	    {INV_WTX, "wtx"},
	    {INV_WITNESS_TX, "witness-tx"},
	    {INV_WITNESS_BLOCK, "witness-block"},
	    {INV_FILTERED_BLOCK | INV_WITNESS_FLAG, "filtered-witness-block"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].type == type)
			return names[i].name;
	return "unknown";
}

static void json_inv(struct jw *w, struct slice body, uint32_t version)
{
	struct inv_view v;
	bool ok = inv_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_key(w, "items");
	jw_arr(w);
	for (uint32_t i = 0; i < v.n; i++) {
		jw_obj(w);
		jw_ki64(w, "type", inv_type(&v, i));
		jw_kstr(w, "name", inv_name(inv_type(&v, i)));
		jw_khash(w, "hash", inv_hash(&v, i));
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void json_locator(struct jw *w, struct slice body, uint32_t version)
{
	struct locator_view v;
	bool ok = locator_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "version", v.version);
	hash_array(w, "locator", v.hashes, v.n);
	jw_khash(w, "stophash", v.stop);
}

static void json_nonce(struct jw *w, struct slice body, uint32_t version)
{
	uint64_t nonce;

	if (version > BIP31_VERSION && nonce_parse(&nonce, body))
		jw_ku64(w, "nonce", nonce);
}

static void json_reject(struct jw *w, struct slice body, uint32_t version)
{
	struct reject_view v;
	bool ok = reject_view_parse(&v, body);

	(void)version;
	must(ok);
	kstring(w, "message", v.message);
	jw_ki64(w, "code", v.code);
	kstring(w, "reason", v.reason);
	if (v.data.n == 32)
		jw_khash(w, "hash", hash256_at(v.data.p));
	else
		jw_khex(w, "data", v.data);
}

static void json_sendcmpct(struct jw *w, struct slice body, uint32_t version)
{
	uint8_t announce;
	uint64_t cmpct_version;
	bool ok = sendcmpct_parse(&announce, &cmpct_version, body);

	(void)version;
	must(ok);
	jw_ki64(w, "announce", announce);
	jw_ku64(w, "version", cmpct_version);
}

static void json_sendtxrcncl(struct jw *w, struct slice body, uint32_t version)
{
	uint32_t rcncl_version;
	uint64_t salt;
	bool ok = sendtxrcncl_parse(&rcncl_version, &salt, body);

	(void)version;
	must(ok);
	jw_ki64(w, "version", rcncl_version);
	jw_ku64(w, "salt", salt);
}

static void version_addr(struct jw *w, const char *key, uint64_t services,
			 const struct netaddr *a)
{
	jw_key(w, key);
	jw_obj(w);
	khex64(w, "services", services);
	netaddr_members(w, a);
	jw_obj_end(w);
}

static void json_version(struct jw *w, struct slice body, uint32_t version)
{
	struct version_view v;
	struct netaddr from = {0};
	bool ok = version_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_ki64(w, "version", v.version);
	khex64(w, "services", v.services);
	jw_ki64(w, "time", v.time_s);
	version_addr(w, "addr_recv", v.recv_services, &v.addr_recv);
	if (v.addr_from) {
		netaddr_get16(&from, v.addr_from + 8);
		from.port = be16_get(v.addr_from + 24);
		version_addr(w, "addr_from", le64_get(v.addr_from), &from);
	}
	jw_ku64(w, "nonce", v.nonce);
	kstring(w, "subver", v.user_agent);
	jw_ki64(w, "startheight", v.height);
	jw_kbool(w, "relay", v.relay);
}

static void (*const json_of[MSG_COUNT])(struct jw *w, struct slice body,
					uint32_t version) = {
    [MSG_UNKNOWN] = json_empty,
    [MSG_ADDR] = json_addr,
    [MSG_ADDRV2] = json_addrv2,
    [MSG_ALERT] = json_alert,
    [MSG_BLOCK] = util_block,
    [MSG_BLOCKTXN] = util_blocktxn,
    [MSG_CFCHECKPT] = json_cfcheckpt,
    [MSG_CFHEADERS] = json_cfheaders,
    [MSG_CFILTER] = json_cfilter,
    [MSG_CMPCTBLOCK] = util_cmpctblock,
    [MSG_FEATURE] = json_feature,
    [MSG_FEEFILTER] = json_feefilter,
    [MSG_FILTERADD] = json_filteradd,
    [MSG_FILTERCLEAR] = json_empty,
    [MSG_FILTERLOAD] = json_filterload,
    [MSG_GETADDR] = json_empty,
    [MSG_GETBLOCKS] = json_locator,
    [MSG_GETBLOCKTXN] = json_getblocktxn,
    [MSG_GETCFCHECKPT] = json_getcfcheckpt,
    [MSG_GETCFHEADERS] = json_getcf,
    [MSG_GETCFILTERS] = json_getcf,
    [MSG_GETDATA] = json_inv,
    [MSG_GETHEADERS] = json_locator,
    [MSG_HEADERS] = util_headers,
    [MSG_INV] = json_inv,
    [MSG_MEMPOOL] = json_empty,
    [MSG_MERKLEBLOCK] = util_merkleblock,
    [MSG_NOTFOUND] = json_inv,
    [MSG_PING] = json_nonce,
    [MSG_PONG] = json_nonce,
    [MSG_REJECT] = json_reject,
    [MSG_SENDADDRV2] = json_empty,
    [MSG_SENDCMPCT] = json_sendcmpct,
    [MSG_SENDHEADERS] = json_empty,
    [MSG_SENDTXRCNCL] = json_sendtxrcncl,
    [MSG_TX] = util_tx,
    [MSG_VERACK] = json_empty,
    [MSG_VERSION] = json_version,
    [MSG_WTXIDRELAY] = json_empty,
};

void util_msg_members(struct jw *w, enum msg_type t, struct slice body,
		      uint32_t version)
{
	json_of[t](w, body, version);
}
