/*
 * Rules of a header in its place: the difficulty it must have on each network,
 * its time, its version. Pure functions, any thread; ancestors are asked
 * through a chain_reader. Proof of work itself is pow_ok's, in work.c.
 */
#include <cairn/consensus/headers.h>

#include <cairn/consensus/deploy.h>
#include <cairn/consensus/work.h>

#include <inttypes.h>
#include <stdio.h>

/* Target of bits stretched by timespan, at most the network's limit. */
static struct u256 stretch(uint32_t bits, int64_t timespan,
			   const struct params *p)
{
	struct u256 limit = u256_from_be(p->pow_limit), target;

	/* Bits were checked when their header came; the wrapping product is
	 * part of the rule. */
	(void)target_from_bits(&target, bits);
	target = u256_mul(&target, (uint64_t)timespan);
	target = u256_div_u64(&target, (uint64_t)p->target_timespan_s);
	return u256_cmp(&target, &limit) > 0 ? limit : target;
}

/* The first header of a new period. */
static uint32_t retarget(const struct chain_reader *r, const void *prev,
			 const struct params *p)
{
	int32_t first_height = r->height(prev) - (p->retarget_interval - 1);
	const void *first;
	int64_t timespan;
	struct u256 target;

	if (p->no_retarget)
		return r->bits(prev);
	first = r->ancestor(prev, first_height);
	timespan = (int64_t)r->time(prev) - (int64_t)r->time(first);
	if (timespan < p->target_timespan_s / 4)
		timespan = p->target_timespan_s / 4;
	if (timespan > p->target_timespan_s * 4)
		timespan = p->target_timespan_s * 4;
	/* BIP94: only the first block of a period is sure to have the real
	 * difficulty, since it may not use the 20-minute exception. */
	target =
	    stretch(p->bip94 ? r->bits(first) : r->bits(prev), timespan, p);
	return target_to_bits(&target);
}

/* The testnets' exception within a period: 20 minutes after its parent a header
 * must have the least difficulty; otherwise that of the last one that did not
 * use the exception. */
static uint32_t min_difficulty_bits(const struct chain_reader *r,
				    const void *prev, uint32_t time,
				    const struct params *p)
{
	const void *n = prev, *up;
	int32_t height = r->height(prev);

	if ((int64_t)time > (int64_t)r->time(prev) + 2 * p->target_spacing_s)
		return p->pow_limit_bits;
	while (height % p->retarget_interval != 0 &&
	       r->bits(n) == p->pow_limit_bits && (up = r->prev(n)) != NULL) {
		n = up;
		height--;
	}
	return r->bits(n);
}

uint32_t next_bits(const struct chain_reader *r, const void *prev,
		   uint32_t time, const struct params *p)
{
	if ((r->height(prev) + 1) % p->retarget_interval == 0)
		return retarget(r, prev, p);
	if (p->min_difficulty_blocks)
		return min_difficulty_bits(r, prev, time, p);
	return r->bits(prev);
}

uint32_t median_time(uint32_t *times, unsigned n)
{
	unsigned i, k;

	/* Insertion sort: the times of a chain are nearly sorted. */
	for (i = 1; i < n; i++) {
		uint32_t t = times[i];

		for (k = i; k > 0 && times[k - 1] > t; k--)
			times[k] = times[k - 1];
		times[k] = t;
	}
	return times[n / 2];
}

int64_t median_time_past(const struct chain_reader *r, const void *node)
{
	uint32_t times[MTP_WINDOW];
	unsigned n = 0, i;

	for (; node && n < MTP_WINDOW; node = r->prev(node))
		times[n++] = r->time(node);
	/* They were read from the latest to the earliest. */
	for (i = 0; i < n / 2; i++) {
		uint32_t t = times[i];

		times[i] = times[n - 1 - i];
		times[n - 1 - i] = t;
	}
	return median_time(times, n);
}

static struct verdict bad_version(int32_t version)
{
	char reject[VERDICT_REJECT];

	snprintf(reject, sizeof reject, "bad-version(0x%08" PRIx32 ")",
		 (uint32_t)version);
	return verdict_invalidf(INV_HEADER, reject,
				"rejected nVersion=0x%08" PRIx32 " block",
				(uint32_t)version);
}

static bool version_outdated(int32_t version, int32_t height,
			     const struct params *p)
{
	return (version < 2 && deploy_active(p, DEPLOY_BIP34, height)) ||
	       (version < 3 && deploy_active(p, DEPLOY_BIP66, height)) ||
	       (version < 4 && deploy_active(p, DEPLOY_BIP65, height));
}

int64_t least_time(const struct chain_reader *r, const void *prev,
		   const struct params *p)
{
	int64_t least = (r->mtp ? r->mtp(prev) : median_time_past(r, prev)) + 1;
	int64_t warp = (int64_t)r->time(prev) - MAX_TIMEWARP_S;

	if ((r->height(prev) + 1) % p->retarget_interval == 0 && least < warp)
		return warp;
	return least;
}

struct verdict header_check_context(const struct header *h,
				    const struct chain_reader *r,
				    const void *prev, int64_t now_s,
				    const struct params *p)
{
	int32_t height = r->height(prev) + 1;
	int64_t mtp = r->mtp ? r->mtp(prev) : median_time_past(r, prev);

	if (h->bits != next_bits(r, prev, h->time, p))
		return verdict_invalid(INV_HEADER, "bad-diffbits",
				       "incorrect proof of work");
	if ((int64_t)h->time <= mtp)
		return verdict_invalid(INV_HEADER, "time-too-old",
				       "block's timestamp is too early");
	if (p->bip94 && height % p->retarget_interval == 0 &&
	    (int64_t)h->time < (int64_t)r->time(prev) - MAX_TIMEWARP_S)
		return verdict_invalid(INV_HEADER, "time-timewarp-attack",
				       "block's timestamp is too early on "
				       "diff adjustment block");
	if ((int64_t)h->time > now_s + MAX_FUTURE_BLOCK_TIME_S)
		return verdict_invalid(INV_TIME_FUTURE, "time-too-new",
				       "block timestamp too far in the future");
	if (version_outdated(h->version, height, p))
		return bad_version(h->version);
	return verdict_valid();
}

/* A target as it is after a trip through its compact form. */
static struct u256 rounded(const struct u256 *target)
{
	struct u256 r;

	(void)target_from_bits(&r, target_to_bits(target));
	return r;
}

bool bits_transition_ok(const struct params *p, int32_t height,
			uint32_t old_bits, uint32_t new_bits)
{
	struct u256 seen, easiest, hardest;

	if (p->min_difficulty_blocks)
		return true;
	if (height % p->retarget_interval != 0)
		return old_bits == new_bits;
	(void)target_from_bits(&seen, new_bits);
	easiest = stretch(old_bits, p->target_timespan_s * 4, p);
	hardest = stretch(old_bits, p->target_timespan_s / 4, p);
	easiest = rounded(&easiest);
	hardest = rounded(&hardest);
	return u256_cmp(&seen, &easiest) <= 0 && u256_cmp(&seen, &hardest) >= 0;
}
