/*
 * Options that imply others (bitcoind's parameter interactions), and those that
 * contradict each other. Pure functions over the settings; start only.
 */
#include <cairn/node/settings.h>

#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

#define MAX_CONNECTIONS_DEFAULT 125

/* Set key to value where nothing was given, and say so. */
static void imply(struct conf *c, const char *cause, const char *key,
		  const char *value, interaction_fn note, void *arg)
{
	struct text t = TEXT_INIT;

	if (!conf_soft_set(c, key, value))
		return;
	text_printf(&t, "parameter interaction: %s -> setting -%s=%s", cause,
		    key, value);
	note(arg, text_str(&t));
	text_fini(&t);
}

static bool given(const struct conf *c, const char *key)
{
	return conf_get_all(c, key, NULL, 0) > 0;
}

void interactions_apply(struct conf *c, interaction_fn note, void *arg)
{
	bool none = conf_i64(c, "maxconnections", MAX_CONNECTIONS_DEFAULT) <= 0;

	if (given(c, "bind"))
		imply(c, "-bind set", "listen", "1", note, arg);
	if (given(c, "connect") || conf_negated(c, "connect")) {
		imply(c, "-connect set", "dnsseed", "0", note, arg);
		imply(c, "-connect set", "listen", "0", note, arg);
	} else if (none) {
		imply(c, "-maxconnections=0", "dnsseed", "0", note, arg);
		imply(c, "-maxconnections=0", "listen", "0", note, arg);
	}
	if (!conf_bool(c, "listen", true)) {
		imply(c, "-listen=0", "natpmp", "0", note, arg);
		imply(c, "-listen=0", "discover", "0", note, arg);
		imply(c, "-listen=0", "listenonion", "0", note, arg);
		imply(c, "-listen=0", "i2pacceptincoming", "0", note, arg);
	}
	if (conf_bool(c, "blocksonly", false)) {
		imply(c, "-blocksonly=1", "whitelistrelay", "0", note, arg);
		imply(c, "-blocksonly=1", "maxmempool", "5", note, arg);
	}
	if (conf_bool(c, "whitelistforcerelay", false))
		imply(c, "-whitelistforcerelay=1", "whitelistrelay", "1", note,
		      arg);
}

static bool filter_type_ok(const struct conf *c, struct text *err)
{
	const char **v = conf_list(c, "blockfilterindex");
	const char *bad = NULL;
	size_t i;

	for (i = 0; v[i]; i++) {
		if (strcmp(v[i], "basic") != 0 && strcmp(v[i], "1") != 0 &&
		    strcmp(v[i], "0") != 0 && *v[i] != '\0')
			bad = v[i];
	}
	if (bad)
		text_printf(err, "Unknown -blockfilterindex value %s.", bad);
	free(v);
	return !bad;
}

static bool say(struct text *err, const char *sentence)
{
	text_puts(err, sentence);
	return false;
}

/* Where tests of bitcoind compare a sentence it is worded as there. */
bool interactions_agree(const struct conf *c, struct text *err)
{
	const char *filters = conf_get(c, "blockfilterindex");
	bool index = filters && strcmp(filters, "0") != 0;

	if (!filter_type_ok(c, err))
		return false;
	if (conf_bool(c, "peerblockfilters", false) && !index)
		return say(err, "Cannot set -peerblockfilters without "
				"-blockfilterindex.");
	if (conf_bool(c, "forcednsseed", false) &&
	    !conf_bool(c, "dnsseed", true))
		return say(err, "Cannot set -forcednsseed to true when setting "
				"-dnsseed to false.");
	if (given(c, "bind") && !conf_bool(c, "listen", true))
		return say(err, "-bind cannot be given together with "
				"-listen=0");
	if (!conf_bool(c, "listen", true) && conf_bool(c, "listenonion", false))
		return say(err, "-listenonion=1 cannot be given together with "
				"-listen=0");
	if (conf_i64(c, "peertimeout", 1) <= 0)
		return say(err, "peertimeout must be a positive integer.");
	return true;
}
