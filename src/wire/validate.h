/* The parse functions of the table of messages, one per form. */
#ifndef CAIRN_WIRE_VALIDATE_H
#define CAIRN_WIRE_VALIDATE_H

#include <cairn/base/bytes.h>

bool addr_valid(struct slice body, uint32_t version);
bool addrv2_valid(struct slice body, uint32_t version);
bool alert_valid(struct slice body, uint32_t version);
bool any_valid(struct slice body, uint32_t version);
bool block_valid(struct slice body, uint32_t version);
bool blocktxn_valid(struct slice body, uint32_t version);
bool cfcheckpt_valid(struct slice body, uint32_t version);
bool cfheaders_valid(struct slice body, uint32_t version);
bool cfilter_valid(struct slice body, uint32_t version);
bool cmpctblock_valid(struct slice body, uint32_t version);
bool feature_valid(struct slice body, uint32_t version);
bool feefilter_valid(struct slice body, uint32_t version);
bool filteradd_valid(struct slice body, uint32_t version);
bool filterload_valid(struct slice body, uint32_t version);
bool getblocktxn_valid(struct slice body, uint32_t version);
bool getcf_valid(struct slice body, uint32_t version);
bool getcfcheckpt_valid(struct slice body, uint32_t version);
bool headers_valid(struct slice body, uint32_t version);
bool inv_valid(struct slice body, uint32_t version);
bool locator_valid(struct slice body, uint32_t version);
bool merkleblock_valid(struct slice body, uint32_t version);
bool nonce_valid(struct slice body, uint32_t version);
bool reject_valid(struct slice body, uint32_t version);
bool sendcmpct_valid(struct slice body, uint32_t version);
bool sendtxrcncl_valid(struct slice body, uint32_t version);
bool tx_valid(struct slice body, uint32_t version);
bool version_valid(struct slice body, uint32_t version);

#endif
