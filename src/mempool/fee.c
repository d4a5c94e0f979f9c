/*
 * Fees by rate and virtual sizes, rounded as Bitcoin Core rounds them. Pure.
 */
#include <cairn/mempool/policy.h>

#include <cairn/consensus/check.h>

/* A fee is at most 2^51 and a rate a little more than that in a thousandth:
 * products are taken in 128 bits. */
__extension__ typedef __int128 wide;

int64_t rate_fee(int64_t rate, int64_t vsize)
{
	wide w = (wide)rate * vsize;
	wide fee = w / 1000 + (w % 1000 > 0);

	return fee > MAX_MONEY ? MAX_MONEY : (int64_t)fee;
}

int64_t rate_of(int64_t fee, int64_t vsize)
{
	wide w = (wide)fee * 1000;

	if (vsize <= 0)
		return 0;
	return (int64_t)(w / vsize - (w % vsize < 0));
}

int64_t policy_weight(uint32_t weight, uint32_t sigops_cost,
		      uint32_t bytes_per_sigop)
{
	uint64_t by_sigops = (uint64_t)sigops_cost * bytes_per_sigop;

	return (int64_t)(by_sigops > weight ? by_sigops : weight);
}
