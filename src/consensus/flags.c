/*
 * Script rules by height, and the blocks that do not obey those which hold from
 * genesis on. Pure, any thread. Source: Bitcoin Core 31.99,
 * script_flag_exceptions and GetBlockScriptFlags.
 */
#include <cairn/consensus/flags.h>

#include <cairn/base/endian.h>
#include <cairn/consensus/deploy.h>
#include <cairn/script/flags.h>

/* A hash as it is printed, in four words. */
static const struct exception {
	enum chain_id chain;
	uint64_t hash[4];
	unsigned flags; /* in place of those that always hold */
} exceptions[] = {
    /* Height 170060: an output of P2SH's form is spent without its script. */
    {CHAIN_MAIN,
     {0x00000000000002dc, 0x756eebf4f49723ed, 0x8d30cc28a5f108eb,
      0x94b1ba88ac4f9c22},
     0},
    /* Height 692261: taproot outputs were spent before its activation. */
    {CHAIN_MAIN,
     {0x0000000000000000, 0x000f14c35b2d841e, 0x986ab5441de8c585,
      0xd5ffe55ea1e395ad},
     SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS},
    {CHAIN_TEST,
     {0x00000000dd30457c, 0x001f4095d208cc12, 0x96b0eed002427aa5,
      0x99874af7a432b105},
     0},
};

static bool is_block(const struct exception *e, const struct hash256 *h)
{
	for (size_t i = 0; i < 4; i++)
		if (le64_get(h->b + 24 - 8 * i) != e->hash[i])
			return false;
	return true;
}

static unsigned base_flags(const struct params *p, const struct hash256 *hash)
{
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
		if (exceptions[i].chain == p->id &&
		    is_block(&exceptions[i], hash))
			return exceptions[i].flags;
	return SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS |
	       SCRIPT_VERIFY_TAPROOT;
}

unsigned script_flags(const struct params *p, int32_t height,
		      const struct hash256 *block_hash)
{
	unsigned flags = base_flags(p, block_hash);

	if (deploy_active(p, DEPLOY_BIP66, height))
		flags |= SCRIPT_VERIFY_DERSIG;
	if (deploy_active(p, DEPLOY_BIP65, height))
		flags |= SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY;
	if (deploy_active(p, DEPLOY_CSV, height))
		flags |= SCRIPT_VERIFY_CHECKSEQUENCEVERIFY;
	if (deploy_active(p, DEPLOY_SEGWIT, height))
		flags |= SCRIPT_VERIFY_NULLDUMMY;
	return flags;
}
