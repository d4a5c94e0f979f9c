/*
 * Chain names, folders below the datadir and default ports. Read-only data, any
 * thread. Stands alone so that the client can link it without the rules; it
 * knows nothing of blocks. Source: Bitcoin Core 31.99 chainparamsbase and
 * chainparams.
 */
#include <cairn/params/names.h>

#include "tables.h"

#include <cairn/base/must.h>

const struct chain_names chain_name_rows[CHAIN_COUNT] = {
    [CHAIN_MAIN] = {CHAIN_MAIN, "main", "", 8333, 8334, 8332},
    [CHAIN_TEST] = {CHAIN_TEST, "test", "testnet3", 18333, 18334, 18332},
    [CHAIN_TESTNET4] = {CHAIN_TESTNET4, "testnet4", "testnet4", 48333, 48334,
			48332},
    [CHAIN_SIGNET] = {CHAIN_SIGNET, "signet", "signet", 38333, 38334, 38332},
    [CHAIN_REGTEST] = {CHAIN_REGTEST, "regtest", "regtest", 18444, 18445,
		       18443},
};

const struct chain_names *chain_names(enum chain_id id)
{
	must(id >= CHAIN_MAIN && id < CHAIN_COUNT);
	return &chain_name_rows[id];
}

const struct chain_names *chain_names_find(const char *name)
{
	size_t i;

	for (i = 0; i < CHAIN_COUNT; i++)
		if (strcmp(chain_name_rows[i].name, name) == 0)
			return &chain_name_rows[i];
	return NULL;
}
