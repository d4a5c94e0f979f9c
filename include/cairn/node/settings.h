/*
 * From the command line and the configuration files to the values that the
 * parts of the node are built with. Start only.
 */
#ifndef CAIRN_NODE_SETTINGS_H
#define CAIRN_NODE_SETTINGS_H

#include <cairn/base/attr.h>
#include <cairn/base/conf.h>
#include <cairn/mempool/policy.h>
#include <cairn/params/params.h>

/* What the command line asks for. */
enum settings_ask { ASK_RUN, ASK_HELP, ASK_HELP_DEBUG, ASK_VERSION };

struct settings {
	struct conf conf;
	enum settings_ask ask;
	enum chain_id chain;
	char *datadir;     /* absolute; NULL only with ASK_HELP and the like */
	char *conf_path;   /* the file that was read, or NULL */
	struct text notes; /* one line each, for the log once it is open */
};

void settings_init(struct settings *s);
void settings_fini(struct settings *s);

/* Read the command line and the files that it names, choose the network, judge
 * every option. E_PARSE, E_INVALID or -errno with one sentence in err.
 * The file is -conf (relative to the datadir), else cairn.conf, else
 * bitcoin.conf in the datadir; its includeconf lines are followed one level. */
int settings_load(struct settings *s, int argc, char **argv,
		  struct text *err) must_check;

/* Each line is one interaction that was applied, for the log. */
typedef void (*interaction_fn)(void *arg, const char *line);
/* bitcoind's parameter interactions: options that imply others set those that
 * were not given. Changes c only. */
void interactions_apply(struct conf *c, interaction_fn note, void *arg);
/* Options that contradict each other: false with one sentence in err. */
bool interactions_agree(const struct conf *c, struct text *err) must_check;

/* Copy the chain's row and apply -signetchallenge, -signetseednode,
 * -minimumchainwork, -assumevalid and what deployments_apply applies. E_INVALID
 * with one sentence in err. The copy owns what it does not share with the row.
 */
int params_apply(struct params *p, struct text *err, const struct conf *c,
		 enum chain_id chain) must_check;
void params_apply_fini(struct params *p);
/* -testactivationheight, -vbparams and -test=bip94, into a copy of a row. p may
 * be changed in part on failure. E_INVALID with one sentence in err. */
int deployments_apply(struct params *p, struct text *err,
		      const struct conf *c) must_check;

/* What the pool of transactions is made with. */
struct pool_settings {
	struct policy policy;
	int64_t bytes;    /* -maxmempool */
	int64_t expiry_s; /* -mempoolexpiry */
};
/* Bitcoin Core's defaults and the options over them, after interactions_apply.
 * E_INVALID with one sentence in err; p is untouched then. note may be told one
 * interaction more. */
int pool_options(struct pool_settings *p, struct text *err,
		 const struct conf *c, enum chain_id chain, interaction_fn note,
		 void *arg) must_check;

/* How the blocks that are made here are filled. */
struct block_settings {
	uint32_t max_weight;      /* -blockmaxweight */
	uint32_t reserved_weight; /* -blockreservedweight: for the coinbase */
	int64_t min_rate;         /* -blockmintxfee, satoshi per 1,000 vbytes */
};
/* Bitcoin Core's defaults and the options over them. E_INVALID with one
 * sentence in err; b is untouched then. */
int block_options(struct block_settings *b, struct text *err,
		  const struct conf *c) must_check;

struct net_grant;
/* -whitelist, with what -whitelistrelay and -whitelistforcerelay imply, as an
 * array of n; free() it. E_INVALID with one sentence in err. */
int grants_parse(struct net_grant **give, size_t *n, struct text *err,
		 const struct conf *c) must_check;

/* The user agent "/Cairn:x.y.z(comment; comment)/" with the -uacomment values.
 * NULL with a sentence in err; the caller frees. */
char *user_agent_make(const struct conf *c, struct text *err) must_check;
/* Categories and level from -debug, -debugexclude and -loglevel. */
int log_options(const struct conf *c, uint32_t *mask, int *level,
		struct text *err) must_check;
/* All values of a key as a NULL-ended list of borrowed strings; the caller
 * frees the list. */
const char **conf_list(const struct conf *c, const char *key) must_check;

#endif
