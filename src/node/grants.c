/*
 * -whitelist, -whitelistrelay and -whitelistforcerelay: what peers of some
 * networks may do. Pure functions over the settings; start only. Words and
 * sentences are bitcoind's.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/net/net.h>

#include <stdlib.h>
#include <string.h>

#define IN  (1u << 30)
#define OUT (1u << 31)

static const struct {
	const char *word;
	uint32_t perms;
} words[] = {
    {"bloomfilter", PERM_BLOOM},
    {"bloom", PERM_BLOOM},
    {"noban", PERM_NOBAN | PERM_DOWNLOAD},
    {"forcerelay", PERM_FORCE_RELAY | PERM_RELAY},
    {"mempool", PERM_MEMPOOL},
    {"download", PERM_DOWNLOAD},
    {"all", PERM_ALL},
    {"relay", PERM_RELAY},
    {"addr", PERM_ADDR},
    {"in", IN},
    {"out", OUT},
    {"", 0},
};

static bool take_word(uint32_t *perms, const char *s, size_t n,
		      struct text *err)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].word) != n ||
		    memcmp(words[i].word, s, n) != 0)
			continue;
		*perms |= words[i].perms;
		return true;
	}
	text_printf(err, "Invalid P2P permission: '%.*s'", (int)n, s);
	return false;
}

static bool take_words(uint32_t *perms, const char *s, const char *end,
		       struct text *err)
{
	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t n = (size_t)((comma ? comma : end) - s);
		if (!take_word(perms, s, n, err))
			return false;
		s += n + 1;
	}
	return true;
}

/* Who is only named may do what an operator's own wallet needs. */
static uint32_t implied(const struct conf *c)
{
	uint32_t perms = PERM_MEMPOOL | PERM_NOBAN | PERM_DOWNLOAD;

	if (conf_bool(c, "whitelistforcerelay", false))
		perms |= PERM_FORCE_RELAY | PERM_RELAY;
	if (conf_bool(c, "whitelistrelay", true))
		perms |= PERM_RELAY;
	return perms;
}

static bool grant_parse(struct net_grant *g, const char *s,
			const struct conf *c, struct text *err)
{
	const char *at = strchr(s, '@');
	uint32_t perms = at ? 0 : implied(c);

	if (at && !take_words(&perms, s, at, err))
		return false;
	if (at && (perms & (IN | OUT)) && !(perms & ~(IN | OUT))) {
		text_printf(err, "Only direction was set, no permissions: '%s'",
			    s);
		return false;
	}
	g->out = (perms & OUT) != 0;
	g->in = (perms & IN) != 0 || !g->out;
	g->perms = perms & ~(IN | OUT);
	s = at ? at + 1 : s;
	if (subnet_parse(&g->net, s))
		return true;
	text_printf(err, "Invalid netmask specified in -whitelist: '%s'", s);
	return false;
}

int grants_parse(struct net_grant **give, size_t *n, struct text *err,
		 const struct conf *c)
{
	const char **v = conf_list(c, "whitelist");
	struct net_grant *g;
	size_t count = 0, i = 0;

	while (v[count])
		count++;
	g = xcalloc(count + 1, sizeof *g);
	while (i < count && grant_parse(&g[i], v[i], c, err))
		i++;
	free(v);
	if (i < count) {
		free(g);
		return E_INVALID;
	}
	*give = g;
	*n = count;
	return 0;
}
