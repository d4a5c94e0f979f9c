/*
 * What a block of our own making signals. Pure, any thread. All deployments
 * that matter are buried: they are heights in the network's table, and
 * deploy_active in the header reads them.
 */
#include <cairn/consensus/deploy.h>

/* BIP9's top bits and no other. Bitcoin Core 31.99 knows one deployment, a
 * dummy that is started on regtest only; it has no rule, so it is not
 * signalled. */
int32_t block_version_for(const struct params *p, int32_t height)
{
	(void)p;
	(void)height;
	return 0x20000000;
}
