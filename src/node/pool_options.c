/*
 * What the options ask of the pool of transactions: its policy and its bounds.
 * Pure functions over the settings; start only. Sentences are bitcoind's.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>
#include <cairn/consensus/check.h>

#define MAX_MB       300
#define EXPIRY_HOURS 336
#define CLUSTER_MOST 64 /* transactions */
/* A pool must hold some clusters of the largest size: bytes of memory for each
 * virtual byte of one. */
#define BYTES_PER_CLUSTER_VBYTE 40
#define MB                      1000000

/* A rate in coins where the option was given. */
static bool take_rate(int64_t *rate, const struct conf *c, const char *key,
		      struct text *err)
{
	const char *v = conf_get(c, key);

	if (!v || amount_parse(rate, v))
		return true;
	text_printf(err, "Invalid amount for -%s=<amount>: '%s'", key, v);
	return false;
}

/* Who raises what a replacement pays on top means both rates, unless both were
 * given. */
static void raise_min_rate(struct policy *p, interaction_fn note, void *arg)
{
	struct text t = TEXT_INIT;

	p->min_relay_rate = p->incremental_rate;
	text_printf(&t,
		    "Increasing minrelaytxfee to %lld.%08lld BTC/kvB to match "
		    "incrementalrelayfee",
		    p->min_relay_rate / COIN, p->min_relay_rate % COIN);
	note(arg, text_str(&t));
	text_fini(&t);
}

static bool take_rates(struct policy *p, const struct conf *c, struct text *err,
		       interaction_fn note, void *arg)
{
	if (!take_rate(&p->incremental_rate, c, "incrementalrelayfee", err) ||
	    !take_rate(&p->min_relay_rate, c, "minrelaytxfee", err) ||
	    !take_rate(&p->dust_relay_rate, c, "dustrelayfee", err))
		return false;
	if (!conf_get(c, "minrelaytxfee") &&
	    p->incremental_rate > p->min_relay_rate)
		raise_min_rate(p, note, arg);
	return true;
}

/* What is told apart by the form of a transaction. */
static bool take_standard(struct policy *p, const struct conf *c,
			  enum chain_id chain, struct text *err)
{
	p->bare_multisig = conf_bool(c, "permitbaremultisig", p->bare_multisig);
	p->data_carrier = conf_i64(c, "datacarriersize", p->data_carrier);
	if (!conf_bool(c, "datacarrier", true))
		p->data_carrier = -1;
	p->bytes_per_sigop =
	    (uint32_t)conf_i64(c, "bytespersigop", (int64_t)p->bytes_per_sigop);
	p->require_standard = !conf_bool(c, "acceptnonstdtxn", false);
	if (p->require_standard || chain != CHAIN_MAIN)
		return true;
	text_printf(err,
		    "acceptnonstdtxn is not currently supported for %s chain",
		    chain_names(chain)->name);
	return false;
}

static bool take_cluster(struct policy *p, const struct conf *c,
			 struct text *err)
{
	int64_t count = conf_i64(c, "limitclustercount", p->cluster_count);

	p->cluster_vbytes =
	    1000 * conf_i64(c, "limitclustersize", p->cluster_vbytes / 1000);
	p->cluster_count = (uint32_t)count;
	if (count >= 1 && count <= CLUSTER_MOST)
		return true;
	text_printf(err,
		    count > 0
			? "limitclustercount must be less than or equal to %d"
			: "limitclustercount must be between 1 and %d",
		    CLUSTER_MOST);
	return false;
}

static bool take_size(struct pool_settings *p, const struct conf *c,
		      struct text *err)
{
	int64_t least = p->policy.cluster_vbytes * BYTES_PER_CLUSTER_VBYTE;
	int64_t mb = conf_i64(c, "maxmempool", MAX_MB);

	p->expiry_s = 3600 * conf_i64(c, "mempoolexpiry", EXPIRY_HOURS);
	p->bytes = mb > 0 ? mb * MB : 0;
	if (mb == 0 || p->bytes >= least)
		return true;
	text_printf(err, "-maxmempool must be at least %lld MB",
		    (long long)((least + MB - 1) / MB));
	return false;
}

int pool_options(struct pool_settings *p, struct text *err,
		 const struct conf *c, enum chain_id chain, interaction_fn note,
		 void *arg)
{
	struct pool_settings s = {.policy = policy_default};

	if (!take_rates(&s.policy, c, err, note, arg) ||
	    !take_standard(&s.policy, c, chain, err) ||
	    !take_cluster(&s.policy, c, err) || !take_size(&s, c, err))
		return E_INVALID;
	*p = s;
	return 0;
}
