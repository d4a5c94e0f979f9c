/* What the two files of mining commands share. */
#ifndef CAIRN_NODE_RPC_MINING_H
#define CAIRN_NODE_RPC_MINING_H

#include "rpc_util.h"

#include <cairn/crypto/sha256.h>

void cmd_submitblock(struct rpc_call *c);
void cmd_submitheader(struct rpc_call *c);

#endif
