/*
 * Reading the settings: command line, data folder, configuration file, the
 * files it includes, network. Start only, one thread. What the options mean is
 * judged by the table (options.c) and by those who use them.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/node/options.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONF_NAME       "cairn.conf"
#define CONF_NAME_OTHER "bitcoin.conf"

void settings_init(struct settings *s)
{
	memset(s, 0, sizeof *s);
	conf_init(&s->conf);
	s->conf.net_only = option_net_only();
}

void settings_fini(struct settings *s)
{
	conf_fini(&s->conf);
	free(s->datadir);
	free(s->conf_path);
	text_fini(&s->notes);
}

const char **conf_list(const struct conf *c, const char *key)
{
	size_t n = conf_get_all(c, key, NULL, 0);
	const char **v = xcalloc(n + 1, sizeof *v);

	(void)conf_get_all(c, key, v, n);
	return v;
}

static enum settings_ask asked(const struct conf *c)
{
	if (conf_bool(c, "version", false))
		return ASK_VERSION;
	if (conf_bool(c, "help-debug", false))
		return ASK_HELP_DEBUG;
	if (conf_bool(c, "help", false) || conf_bool(c, "h", false) ||
	    conf_bool(c, "?", false))
		return ASK_HELP;
	return ASK_RUN;
}

/* An absolute path of dir, or of where it would be; NULL with a sentence. */
static char *absolute(const char *dir, struct text *err)
{
	char *p, *cwd;

	if (*dir == '/')
		return xstrdup(dir);
	cwd = realpath(".", NULL);
	if (!cwd) {
		text_printf(err, "cannot tell the current folder: %s",
			    err_str(-errno));
		return NULL;
	}
	p = path_join(cwd, dir);
	free(cwd);
	return p;
}

static char *default_datadir(void)
{
	const char *home = getenv("HOME");

	return path_join(home && *home ? home : "/", ".cairn");
}

/* Set s->datadir by what is known so far. A folder that was named must be
 * there: a slip of the pen would otherwise start a second chain. */
static int choose_datadir(struct settings *s, struct text *err)
{
	const char *given = conf_get(&s->conf, "datadir");

	free(s->datadir);
	s->datadir = NULL;
	if (!given || !*given) {
		s->datadir = default_datadir();
		return 0;
	}
	if (!path_is_dir(given)) {
		text_printf(err, "the data folder %s does not exist", given);
		return E_NOTFOUND;
	}
	s->datadir = absolute(given, err);
	return s->datadir ? 0 : E_NOTFOUND;
}

static char *in_datadir(const struct settings *s, const char *path)
{
	return *path == '/' ? xstrdup(path) : path_join(s->datadir, path);
}

/* The file to read, or NULL for none. */
static char *choose_conf(const struct settings *s)
{
	const char *given = conf_get(&s->conf, "conf");
	char *p;

	if (conf_negated(&s->conf, "conf"))
		return NULL;
	if (given && *given)
		return in_datadir(s, given);
	p = path_join(s->datadir, CONF_NAME);
	if (path_exists(p))
		return p;
	free(p);
	p = path_join(s->datadir, CONF_NAME_OTHER);
	if (path_exists(p))
		return p;
	free(p);
	return NULL;
}

static int read_file(struct settings *s, const char *path, struct text *err)
{
	if (path_is_dir(path)) {
		text_printf(err, "the configuration file %s is a folder", path);
		return -EISDIR;
	}
	return conf_add_file(&s->conf, path, err);
}

/* The network of -chain, if it is given; false with a sentence. */
static bool named_chain(const struct conf *c, const struct chain_names **row,
			struct text *err)
{
	const char *name = conf_get(c, "chain");

	*row = name ? chain_names_find(name) : NULL;
	if (!name || *row)
		return true;
	text_printf(err,
		    "-chain=%s: there is no such network; there are main, "
		    "test, testnet4, signet and regtest",
		    name);
	return false;
}

/* The network that the settings so far name; false with a sentence. Named twice
 * it has to be the same one. */
static bool choose_chain(const struct conf *c, enum chain_id *chain,
			 struct text *err)
{
	static const struct {
		const char *key;
		enum chain_id id;
	} flags[] = {{"regtest", CHAIN_REGTEST},
		     {"signet", CHAIN_SIGNET},
		     {"testnet", CHAIN_TEST},
		     {"testnet4", CHAIN_TESTNET4}};
	const struct chain_names *row;
	size_t i;

	if (!named_chain(c, &row, err))
		return false;
	for (i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (!conf_chain_flag(c, flags[i].key))
			continue;
		if (row && row->id != flags[i].id) {
			text_puts(err, "only one of -chain, -regtest, -signet, "
				       "-testnet and -testnet4 can be given");
			return false;
		}
		row = chain_names(flags[i].id);
	}
	*chain = row ? row->id : CHAIN_MAIN;
	return true;
}

static int use_chain(struct settings *s, struct text *err)
{
	if (!choose_chain(&s->conf, &s->chain, err))
		return E_INVALID;
	s->conf.section = chain_names(s->chain)->name;
	s->conf.is_main = s->chain == CHAIN_MAIN;
	return 0;
}

static bool is_include(const struct conf *c, size_t i, const char *section)
{
	const struct conf_item *it = &c->items[i];

	return it->from == CONF_FILE && strcmp(it->key, "includeconf") == 0 &&
	       strcmp(it->section, section) == 0;
}

/* Read what [section] of the first n items includes. */
static int include_section(struct settings *s, size_t n, const char *section,
			   struct text *err)
{
	size_t i, from = 0;
	int rc = 0;

	for (i = 0; i < n; i++) {
		if (is_include(&s->conf, i, section) &&
		    s->conf.items[i].negated)
			from = i + 1;
	}
	for (i = from; i < n && rc == 0; i++) {
		char *path;

		if (!is_include(&s->conf, i, section))
			continue;
		path = in_datadir(s, s->conf.items[i].value);
		rc = read_file(s, path, err);
		free(path);
	}
	return rc;
}

/* Files that an included file includes are not read, as in bitcoind. */
static void note_nested(struct settings *s, size_t from)
{
	size_t i;

	for (i = from; i < s->conf.n; i++) {
		const struct conf_item *it = &s->conf.items[i];

		if (strcmp(it->key, "includeconf") == 0 && !it->negated)
			text_printf(&s->notes,
				    "%s:%u: includeconf in an included file "
				    "is passed over\n",
				    it->file, it->line);
	}
}

static int read_included(struct settings *s, struct text *err)
{
	size_t n = s->conf.n;
	int rc;

	if (conf_negated(&s->conf, "includeconf"))
		return 0;
	rc = include_section(s, n, s->conf.section, err);
	if (rc == 0)
		rc = include_section(s, n, "", err);
	note_nested(s, n);
	return rc;
}

static int read_files(struct settings *s, struct text *err)
{
	int rc = choose_datadir(s, err);

	if (rc)
		return rc;
	s->conf_path = choose_conf(s);
	if (s->conf_path) {
		rc = read_file(s, s->conf_path, err);
		if (rc)
			return rc;
	}
	/* Included files may be named below the section of a network that the
	 * first file chooses, and may move the data folder. */
	rc = use_chain(s, err);
	if (rc == 0)
		rc = read_included(s, err);
	if (rc == 0)
		rc = use_chain(s, err);
	return rc ? rc : choose_datadir(s, err);
}

static int read_argv(struct settings *s, int argc, char **argv,
		     struct text *err)
{
	int rest = 0;
	int rc = conf_add_argv(&s->conf, &rest, argc, argv, err);

	if (rc == 0)
		rc = options_check_names(&s->conf, err);
	if (rc == 0 && rest < argc) {
		text_printf(err, "unexpected word '%s'", argv[rest]);
		rc = E_INVALID;
	}
	/* bitcoind's words, which tests of it look for. */
	if (rc)
		text_puts(err, " (Error parsing command line arguments)");
	return rc;
}

int settings_load(struct settings *s, int argc, char **argv, struct text *err)
{
	int rc = read_argv(s, argc, argv, err);

	if (rc)
		return rc;
	s->ask = asked(&s->conf);
	if (s->ask != ASK_RUN)
		return 0;
	rc = read_files(s, err);
	return rc ? rc : options_check(&s->conf, s->chain, err);
}
