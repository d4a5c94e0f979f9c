/*
 * Settings from the command line and from configuration files, with bitcoind's
 * rules of precedence. Knows no option by name but those that bitcoind forbids
 * in one of the places: conf, includeconf, rpcpassword. Read-only after start,
 * then any thread.
 *
 * Order: command line (the last one given wins for single values), the
 * network's section, the part before any section (the first one given wins in
 * files). -nofoo is foo=0; -nofoo=0 is foo=1. One or two dashes.
 */
#ifndef CAIRN_BASE_CONF_H
#define CAIRN_BASE_CONF_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>

enum conf_from { CONF_ARGV, CONF_FILE, CONF_FORCED };

struct conf_item {
	char *section; /* "" before any; NULL when not from a file */
	char *key;     /* without dashes and "no" */
	char *value;   /* "" when none was given; "0" when negated */
	bool negated;  /* -nofoo: clears all values given before it */
	enum conf_from from;
	char *file; /* where it stood, NULL for the command line */
	unsigned line;
};

struct conf {
	struct conf_item *items;
	size_t n, cap;
	const char *section; /* the chosen network's section, borrowed */
	const char *const *net_only; /* keys that the part before any section
					may give for mainnet only; NULL-ended */
	bool is_main;
};

void conf_init(struct conf *c);
void conf_fini(struct conf *c);

/* Take options from argv[1..]; stops at the first word without a dash and gives
 * its index in *rest (argc when none). A lone "-" is such a word. E_PARSE with
 * a sentence in err: an empty or dotted name, or includeconf (as bitcoind). */
int conf_add_argv(struct conf *c, int *rest, int argc, char **argv,
		  struct text *err) must_check;
/* Take key=value lines; '#' starts a comment (refused inside rpcpassword, as
 * bitcoind does), [name] a section. E_PARSE with a sentence in err that names
 * file and line, -errno or E_LIMIT when it cannot be read. includeconf is
 * collected, not followed. */
int conf_add_file(struct conf *c, const char *path,
		  struct text *err) must_check;
/* Set by parameter interaction; lowest precedence ("soft set"): only when the
 * key has no value. True when it was set. */
bool conf_soft_set(struct conf *c, const char *key, const char *value);

/* The single value, or NULL when not given; "0" when negated. Borrowed. */
const char *conf_get(const struct conf *c, const char *key);
/* All values for a multi-value key: command line first, then the section, then
 * the rest. Fills up to max borrowed strings, returns how many there are. A
 * negation clears those of lower precedence and before it. */
size_t conf_get_all(const struct conf *c, const char *key, const char **v,
		    size_t max);
bool conf_has(const struct conf *c, const char *key);
/* -nofoo was the last word on foo. */
bool conf_negated(const struct conf *c, const char *key);
/* "", "1" and other non-zero integers are true, as in bitcoind. */
bool conf_bool(const struct conf *c, const char *key, bool dflt);
/* Leading integer as bitcoind reads it; dflt when absent. */
int64_t conf_i64(const struct conf *c, const char *key, int64_t dflt);
/* A network switch (regtest, signet, testnet, testnet4), which is asked before
 * a section is chosen and by bitcoind's own rules: sections do not count, the
 * last one given wins in files too, and a negation at the end does not. */
bool conf_chain_flag(const struct conf *c, const char *key);

#endif
