/*
 * Each message's parse function behind one prototype, so that any body can be
 * checked by the table. Any thread; allocates nothing, a block included.
 */
#include "validate.h"

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

#define TX_MIN 10u

/* The many whose form never changed and whose function is their view's. */
#define VALID_BY_VIEW(form)                                                    \
	bool form##_valid(struct slice body, uint32_t version)                 \
	{                                                                      \
		struct form##_view v;                                          \
		(void)version;                                                 \
		return form##_view_parse(&v, body);                            \
	}

VALID_BY_VIEW(alert)
VALID_BY_VIEW(blocktxn)
VALID_BY_VIEW(cfcheckpt)
VALID_BY_VIEW(cfheaders)
VALID_BY_VIEW(cfilter)
VALID_BY_VIEW(cmpctblock)
VALID_BY_VIEW(feature)
VALID_BY_VIEW(filterload)
VALID_BY_VIEW(getblocktxn)
VALID_BY_VIEW(getcf)
VALID_BY_VIEW(getcfcheckpt)
VALID_BY_VIEW(inv)
VALID_BY_VIEW(locator)
VALID_BY_VIEW(merkleblock)
VALID_BY_VIEW(reject)
VALID_BY_VIEW(version)

bool addr_valid(struct slice body, uint32_t version)
{
	struct addr_view v;

	return version < ADDR_TIME_VERSION ? addr_old_view_parse(&v, body)
					   : addr_view_parse(&v, body);
}

bool addrv2_valid(struct slice body, uint32_t version)
{
	struct addr_view v;

	(void)version;
	return addrv2_view_parse(&v, body);
}

/* Empty messages, and those of which nothing is known: Core looks at no byte.
 */
bool any_valid(struct slice body, uint32_t version)
{
	(void)body;
	(void)version;
	return true;
}

bool block_valid(struct slice body, uint32_t version)
{
	struct tx_view tx;
	struct rd r;
	uint32_t n;

	(void)version;
	rd_init(&r, body);
	rd_take(&r, HEADER_SIZE);
	n = rd_count(&r, TX_MIN);
	for (uint32_t i = 0; i < n && rd_ok(&r); i++)
		tx_view_parse(&tx, &r);
	return rd_ok(&r);
}

bool feefilter_valid(struct slice body, uint32_t version)
{
	int64_t fee;

	(void)version;
	return feefilter_parse(&fee, body);
}

bool filteradd_valid(struct slice body, uint32_t version)
{
	struct slice element;

	(void)version;
	return filteradd_parse(&element, body);
}

bool headers_valid(struct slice body, uint32_t version)
{
	struct headers_view v;
	bool over;

	(void)version;
	return headers_view_parse(&v, &over, body);
}

/* Before BIP 31 a ping had no nonce. */
bool nonce_valid(struct slice body, uint32_t version)
{
	uint64_t nonce;

	return version <= BIP31_VERSION || nonce_parse(&nonce, body);
}

bool sendcmpct_valid(struct slice body, uint32_t version)
{
	uint64_t cmpct_version;
	uint8_t announce;

	(void)version;
	return sendcmpct_parse(&announce, &cmpct_version, body);
}

bool sendtxrcncl_valid(struct slice body, uint32_t version)
{
	uint32_t rcncl_version;
	uint64_t salt;

	(void)version;
	return sendtxrcncl_parse(&rcncl_version, &salt, body);
}

bool tx_valid(struct slice body, uint32_t version)
{
	struct tx_view v;
	struct rd r;

	(void)version;
	rd_init(&r, body);
	return tx_view_parse(&v, &r);
}
