/*
 * What the options ask of the blocks that are made here. Pure functions over
 * the settings; start only. Sentences are bitcoind's.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>
#include <cairn/consensus/check.h>

#define RESERVED_LEAST   2000
#define RESERVED_DEFAULT 8000
#define MIN_RATE_DEFAULT 1

static bool in_block(struct text *err, const char *key, int64_t weight)
{
	if (weight >= 0 && weight <= MAX_BLOCK_WEIGHT)
		return true;
	text_printf(err,
		    "-%s (%llu) exceeds consensus maximum block weight (%d)",
		    key, (unsigned long long)weight, (int)MAX_BLOCK_WEIGHT);
	return false;
}

static bool weights_ok(struct text *err, int64_t reserved, int64_t most)
{
	if (reserved >= 0 && reserved < RESERVED_LEAST) {
		text_printf(err,
			    "-blockreservedweight (%lld) is lower than minimum "
			    "safety value of (%d)",
			    (long long)reserved, RESERVED_LEAST);
		return false;
	}
	if (!in_block(err, "blockreservedweight", reserved) ||
	    !in_block(err, "blockmaxweight", most))
		return false;
	if (reserved <= most)
		return true;
	text_printf(err,
		    "-blockreservedweight (%lld) exceeds -blockmaxweight "
		    "(%lld)",
		    (long long)reserved, (long long)most);
	return false;
}

int block_options(struct block_settings *b, struct text *err,
		  const struct conf *c)
{
	int64_t reserved = conf_i64(c, "blockreservedweight", RESERVED_DEFAULT);
	int64_t most = conf_i64(c, "blockmaxweight", MAX_BLOCK_WEIGHT);
	const char *rate = conf_get(c, "blockmintxfee");
	int64_t min_rate = MIN_RATE_DEFAULT;

	if (rate && !amount_parse(&min_rate, rate)) {
		text_printf(err,
			    "Invalid amount for -blockmintxfee=<amount>: '%s'",
			    rate);
		return E_INVALID;
	}
	if (!weights_ok(err, reserved, most))
		return E_INVALID;
	b->max_weight = (uint32_t)most;
	b->reserved_weight = (uint32_t)reserved;
	b->min_rate = min_rate;
	return 0;
}
