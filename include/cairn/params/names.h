/* Chain names, folders and ports: what the client needs to find a node. */
#ifndef CAIRN_PARAMS_NAMES_H
#define CAIRN_PARAMS_NAMES_H

#include <stdint.h>

enum chain_id {
	CHAIN_MAIN,
	CHAIN_TEST,
	CHAIN_TESTNET4,
	CHAIN_SIGNET,
	CHAIN_REGTEST,
	CHAIN_COUNT
};

struct chain_names {
	enum chain_id id;
	const char *name;   /* -chain=, getblockchaininfo, config section */
	const char *folder; /* below the datadir; "" for main */
	uint16_t p2p_port;
	uint16_t onion_port;
	uint16_t rpc_port;
};

/* The row of one chain. Static storage. */
const struct chain_names *chain_names(enum chain_id id);
/* The row whose name is name ("main", "test", "testnet4", ...), or NULL. */
const struct chain_names *chain_names_find(const char *name);

#endif
