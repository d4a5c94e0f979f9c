/*
 * cairn-cli: one command for a running node, over its unix socket or TCP, with
 * bitcoin-cli's options, output and exit codes. One thread, blocking. The HTTP,
 * the parameters and the output rules are the client half of rpc; here is what
 * concerns options, configuration files and terminals.
 */
#include <cairn/base/arena.h>
#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/conf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/params/names.h>
#include <cairn/rpc/client.h>
#include <cairn/rpc/client_print.h>
#include <cairn/rpc/client_request.h>

#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define REPLY_MEM    (4ull << 30)
#define COOKIE_MAX   4096
#define TIMEOUT_S    900
#define INCLUDES_MAX 64
#define WARMUP       (-28)

/* What the program knows; freed at exit. */
struct cli {
	struct conf conf;
	const struct chain_names *chain;
	char *datadir, *netdir;
	char *conf_path;    /* the file that was read, or would have been */
	char *pass;         /* from -stdinrpcpass */
	const char **words; /* method and parameters */
	size_t n_words, cap_words;
	char **lines; /* those of them that came from stdin */
	size_t n_lines, cap_lines;
	struct text request;
	struct text path; /* "/" or a wallet's */
	bool tcp_only;
	char *host;
	uint16_t port;
};

struct option {
	const char *name, *arg, *help;
};

static const struct option options[] = {
    {"help", NULL, "Print this text and exit (also -h and -?)"},
    {"version", NULL, "Print the version and exit"},
    {"conf", "file",
     "Read this configuration file, relative to the data directory (default: "
     "cairn.conf, or bitcoin.conf where there is none)"},
    {"datadir", "dir", "The node's data directory (default: ~/.cairn)"},
    {"chain", "name", "main (default), test, testnet4, signet or regtest"},
    {"testnet", NULL, "The same as -chain=test"},
    {"testnet4", NULL, "The same as -chain=testnet4"},
    {"signet", NULL, "The same as -chain=signet"},
    {"regtest", NULL, "The same as -chain=regtest"},
    {"getinfo", NULL, "Show an overview of the node"},
    {"named", NULL, "Parameters are given as name=value"},
    {"color", "when", "Colours in -getinfo: always, auto (default) or never"},
    {"rpcid", "id", "The request's id (default: 1)"},
    {"rpcclienttimeout", "n",
     "Seconds to wait for an answer, 0 for ever (default: 900)"},
    {"rpcconnect", "ip", "Connect over TCP to this host (default: 127.0.0.1)"},
    {"rpcport", "port",
     "Connect over TCP to this port (default: 8332, test 18332, testnet4 "
     "48332, "
     "signet 38332, regtest 18443)"},
    {"rpcuser", "user", "User name for TCP"},
    {"rpcpassword", "pw", "Password for TCP"},
    {"rpccookiefile", "file",
     "The cookie file, relative to the network's data directory (default: "
     ".cookie)"},
    {"rpcwait", NULL, "Wait until the node answers"},
    {"rpcwaittimeout", "n",
     "Seconds that -rpcwait waits, 0 for ever (default: 0)"},
    {"rpcwallet", "name", "Send the request to this wallet's path"},
    {"stdin", NULL,
     "Read more parameters from standard input, one a line until its end"},
    {"stdinrpcpass", NULL,
     "Read the password from standard input, before what -stdin reads"},
};

#define N_OPTIONS (sizeof options / sizeof *options)

/* The part of a file before any section gives these for mainnet only. */
static const char *const net_only[] = {"rpcport", NULL};

static int usage_error(const char *before, const char *what, const char *after)
{
	fprintf(stderr, "Error: %s%s%s\n", before, what, after);
	return EXIT_FAILURE;
}

static void print_help(void)
{
	size_t i;

	printf("Usage: cairn-cli [options] <command> [params]\n"
	       "       cairn-cli [options] -named <command> [name=value]...\n"
	       "       cairn-cli [options] help [command]\n\n"
	       "Sends one command to a running cairnd and prints its answer. "
	       "Uses the node's\nunix socket unless one of the TCP options "
	       "(-rpcconnect, -rpcport, -rpcuser,\n-rpcpassword, "
	       "-rpccookiefile, -stdinrpcpass) is given.\n\nOptions:\n");
	for (i = 0; i < N_OPTIONS; i++)
		printf("  -%s%s%s%s\n       %s\n", options[i].name,
		       options[i].arg ? "=<" : "",
		       options[i].arg ? options[i].arg : "",
		       options[i].arg ? ">" : "", options[i].help);
}

static const struct option *option_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_OPTIONS; i++)
		if (strcmp(options[i].name, name) == 0)
			return &options[i];
	return NULL;
}

static bool wants_help(const struct conf *c)
{
	return conf_bool(c, "help", false) || conf_bool(c, "h", false) ||
	       conf_bool(c, "?", false);
}

/* The command line holds our options only; files may hold the daemon's. */
static int check_options(const struct conf *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const char *key = c->items[i].key;

		if (c->items[i].from != CONF_ARGV || option_find(key) ||
		    strcmp(key, "h") == 0 || strcmp(key, "?") == 0)
			continue;
		fprintf(stderr,
			"Error parsing command line arguments: Invalid "
			"parameter -%s\n",
			key);
		return EXIT_FAILURE;
	}
	return 0;
}

static char *default_datadir(void)
{
	const char *home = getenv("HOME");

	return path_join(home && *home ? home : "/", ".cairn");
}

/* The data directory by what is known so far; a named one must exist. */
static int choose_datadir(struct cli *cli)
{
	const char *dir = conf_get(&cli->conf, "datadir");

	free(cli->datadir);
	if (!dir || !*dir) {
		cli->datadir = default_datadir();
		return 0;
	}
	cli->datadir = xstrdup(dir);
	if (path_is_dir(dir))
		return 0;
	return usage_error("Specified data directory \"", dir,
			   "\" does not exist.");
}

static char *below(const char *dir, const char *path)
{
	return *path == '/' ? xstrdup(path) : path_join(dir, path);
}

static void choose_conf_path(struct cli *cli)
{
	const char *given = conf_get(&cli->conf, "conf");
	char *other;

	cli->conf_path =
	    below(cli->datadir, given && *given ? given : "cairn.conf");
	if (given || path_exists(cli->conf_path))
		return;
	other = below(cli->datadir, "bitcoin.conf");
	if (path_exists(other)) {
		free(cli->conf_path);
		cli->conf_path = other;
	} else {
		free(other);
	}
}

static int read_file(struct cli *cli, const char *path)
{
	struct text err = TEXT_INIT;
	int rc = conf_add_file(&cli->conf, path, &err);

	if (rc)
		fprintf(stderr, "Error reading configuration file: %s\n",
			text_str(&err));
	text_fini(&err);
	return rc ? EXIT_FAILURE : 0;
}

static int read_conf(struct cli *cli)
{
	if (conf_negated(&cli->conf, "conf"))
		return 0;
	choose_conf_path(cli);
	if (!conf_get(&cli->conf, "conf") && !path_exists(cli->conf_path))
		return 0;
	return read_file(cli, cli->conf_path);
}

/* Included files may not include others: one level, as bitcoind has it. */
static int read_includes(struct cli *cli)
{
	const char *names[INCLUDES_MAX];
	char *copies[INCLUDES_MAX];
	size_t n = conf_get_all(&cli->conf, "includeconf", names, INCLUDES_MAX);
	size_t i;
	int rc = 0;

	if (n > INCLUDES_MAX)
		n = INCLUDES_MAX;
	/* Reading moves the items that the names live in. */
	for (i = 0; i < n; i++)
		copies[i] = below(cli->datadir, names[i]);
	for (i = 0; i < n; i++) {
		if (rc == 0)
			rc = read_file(cli, copies[i]);
		free(copies[i]);
	}
	return rc;
}

static int choose_chain(struct cli *cli)
{
	static const struct {
		const char *flag;
		enum chain_id id;
	} flags[] = {{"testnet", CHAIN_TEST},
		     {"testnet4", CHAIN_TESTNET4},
		     {"signet", CHAIN_SIGNET},
		     {"regtest", CHAIN_REGTEST}};
	const char *name = conf_get(&cli->conf, "chain");
	int given = name != NULL;
	size_t i;

	cli->chain = chain_names(CHAIN_MAIN);
	if (name)
		cli->chain = chain_names_find(name);
	if (!cli->chain)
		return usage_error("Unknown chain ", name, ".");
	for (i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (!conf_chain_flag(&cli->conf, flags[i].flag))
			continue;
		cli->chain = chain_names(flags[i].id);
		given++;
	}
	if (given > 1)
		return usage_error("Invalid combination of -regtest, "
				   "-signet, -testnet, -testnet4 and "
				   "-chain: at most one can be used.",
				   "", "");
	cli->conf.section = cli->chain->name;
	cli->conf.is_main = cli->chain->id == CHAIN_MAIN;
	return 0;
}

static int configure(struct cli *cli)
{
	int rc;

	cli->conf.net_only = net_only;
	rc = choose_datadir(cli);
	if (rc == 0)
		rc = read_conf(cli);
	if (rc == 0)
		rc = choose_chain(cli);
	if (rc == 0)
		rc = read_includes(cli);
	/* The file may name another folder, and an included one the chain. */
	if (rc == 0)
		rc = choose_datadir(cli);
	if (rc == 0)
		rc = choose_chain(cli);
	if (rc == 0)
		cli->netdir = *cli->chain->folder
				  ? path_join(cli->datadir, cli->chain->folder)
				  : xstrdup(cli->datadir);
	return rc;
}

/* From here on a failure is told as "error: ..." and the exit code is 1. */
static int fail(const char *what)
{
	fprintf(stderr, "error: %s\n", what);
	return EXIT_FAILURE;
}

static int fail_with(const char *what, const char *about)
{
	fprintf(stderr, "error: %s%s\n", what, about);
	return EXIT_FAILURE;
}

static int choose_server(struct cli *cli)
{
	static const char *const tcp[] = {"rpcconnect", "rpcport", "rpcuser",
					  "rpcpassword", "rpccookiefile"};
	const char *connect = conf_get(&cli->conf, "rpcconnect");
	const char *port = conf_get(&cli->conf, "rpcport");
	uint16_t in_connect = 0;
	size_t i;

	cli->tcp_only = cli->pass != NULL;
	for (i = 0; i < sizeof tcp / sizeof *tcp; i++)
		if (conf_has(&cli->conf, tcp[i]))
			cli->tcp_only = true;
	if (!connect || conf_negated(&cli->conf, "rpcconnect"))
		connect = "127.0.0.1";
	cli->port = cli->chain->rpc_port;
	if (!client_split_host(&cli->host, &in_connect, connect))
		return fail_with("Invalid port provided in -rpcconnect: ",
				 connect);
	if (in_connect)
		cli->port = in_connect;
	if (!port)
		return 0;
	if (!client_port_parse(&cli->port, port))
		return fail_with("Invalid port provided in -rpcport: ", port);
	if (in_connect)
		fprintf(stderr,
			"Warning: Port specified in both -rpcconnect and "
			"-rpcport. Using -rpcport %u\n",
			cli->port);
	return 0;
}

/* One line without its end; NULL at the end of input. */
static char *read_line(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n = getline(&line, &cap, stdin);

	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return line;
}

/* Read the password; a terminal does not show it. */
static int read_password(struct cli *cli)
{
	bool tty = isatty(STDIN_FILENO);
	struct termios old, quiet;
	bool hidden = tty && tcgetattr(STDIN_FILENO, &old) == 0;

	if (hidden) {
		quiet = old;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
		fprintf(stderr, "RPC password> ");
	}
	cli->pass = read_line();
	if (hidden) {
		tcsetattr(STDIN_FILENO, TCSANOW, &old);
		fprintf(stderr, "\n");
	}
	if (!cli->pass)
		return fail("-stdinrpcpass specified but failed to read from "
			    "standard input");
	return 0;
}

static void add_word(struct cli *cli, const char *word)
{
	arr_grow(&cli->words, &cli->cap_words, cli->n_words + 1,
		 sizeof *cli->words);
	cli->words[cli->n_words++] = word;
}

static void read_words(struct cli *cli)
{
	char *line;

	while ((line = read_line()) != NULL) {
		arr_grow(&cli->lines, &cli->cap_lines, cli->n_lines + 1,
			 sizeof *cli->lines);
		cli->lines[cli->n_lines++] = line;
		add_word(cli, line);
	}
}

static int make_request(struct cli *cli, bool info)
{
	const char *id = conf_get(&cli->conf, "rpcid");
	const char *wallet = conf_get(&cli->conf, "rpcwallet");
	struct text err = TEXT_INIT;
	int rc = 0;

	if (conf_negated(&cli->conf, "rpcwallet"))
		wallet = NULL;
	client_request_path(&cli->path, wallet);
	if (info && cli->n_words)
		return fail("-getinfo takes no arguments");
	if (!info && cli->n_words == 0)
		return fail("too few parameters (need at least command)");
	if (info)
		client_request_put_info(&cli->request);
	else if (client_request_put(
		     &cli->request, &err, cli->words, cli->n_words,
		     conf_bool(&cli->conf, "named", false), id ? id : "1"))
		rc = fail(text_str(&err));
	text_fini(&err);
	return rc;
}

/* How the credentials were found, for the sentence when they are refused. */
enum cookie { COOKIE_READ, COOKIE_UNREADABLE, COOKIE_OFF, COOKIE_NOT_ASKED };

static char *cookie_path(const struct cli *cli)
{
	const char *name = conf_get(&cli->conf, "rpccookiefile");

	return below(cli->netdir, name && *name ? name : ".cookie");
}

static enum cookie read_cookie(const struct cli *cli, char **pair)
{
	struct buf *b;
	char *path;
	int rc;

	if (conf_negated(&cli->conf, "rpccookiefile"))
		return COOKIE_OFF;
	path = cookie_path(cli);
	rc = file_read(&b, path, COOKIE_MAX);
	free(path);
	if (rc)
		return COOKIE_UNREADABLE;
	*pair = xasprintf("%.*s", (int)b->n, (const char *)buf_data(b));
	(*pair)[strcspn(*pair, "\r\n")] = '\0';
	buf_unref(b);
	return COOKIE_READ;
}

static enum cookie credentials(const struct cli *cli, char **pair)
{
	const char *user = conf_get(&cli->conf, "rpcuser");
	const char *pass =
	    cli->pass ? cli->pass : conf_get(&cli->conf, "rpcpassword");

	if (!pass || !*pass)
		return read_cookie(cli, pair);
	*pair = xasprintf("%s:%s", user ? user : "", pass);
	return COOKIE_NOT_ASKED;
}

/* What the server said, or that nobody could be reached. */
struct reply {
	int status;
	struct text body, why;
	enum cookie cookie;
	bool lost; /* -rpcwait may try again */
};

static int64_t timeout_s(const struct cli *cli)
{
	return conf_i64(&cli->conf, "rpcclienttimeout", TIMEOUT_S);
}

/* One attempt over the unix socket (path) or TCP (path NULL). */
static int attempt(const struct cli *cli, struct reply *r, const char *path,
		   const char *pair)
{
	struct rpc_client_cfg cfg = {.unix_path = path,
				     .host = path ? NULL : cli->host,
				     .port = cli->port,
				     .user_password = pair,
				     .timeout_s = timeout_s(cli)};
	struct rpc_client *c;
	int rc;

	text_reset(&r->why);
	text_reset(&r->body);
	rc = rpc_client_open(&c, &r->why, &cfg);
	if (rc)
		return rc;
	rc = rpc_client_post(c, &r->status, &r->body, &r->why,
			     text_str(&cli->path),
			     slice_of(cli->request.p, cli->request.n));
	rpc_client_close(c);
	return rc;
}

/* Over the unix socket: without a password at first, since the system tells the
 * server who we are, then with the cookie. False: nobody listens there. */
static bool over_unix(const struct cli *cli, struct reply *r)
{
	char *path = path_join(cli->netdir, "cairn.sock"), *pair = NULL;
	int rc = E_CLOSED;

	if (!cli->tcp_only && path_exists(path))
		rc = attempt(cli, r, path, NULL);
	if (rc == 0 && r->status == 401) {
		r->cookie = read_cookie(cli, &pair);
		if (pair)
			rc = attempt(cli, r, path, pair);
	}
	free(pair);
	free(path);
	return rc == 0;
}

static void call(const struct cli *cli, struct reply *r)
{
	char *pair = NULL;
	int rc;

	r->lost = false;
	if (over_unix(cli, r))
		return;
	r->cookie = credentials(cli, &pair);
	rc = attempt(cli, r, NULL, pair);
	if (pair)
		explicit_bzero(pair, strlen(pair));
	free(pair);
	r->lost = rc != 0;
}

static int fail_lost(const struct cli *cli, const struct reply *r, bool waited)
{
	fprintf(stderr,
		"error: %sError while attempting to communicate with server "
		"%s:%u (%s)\n\n"
		"Make sure the cairnd server is running and that you are "
		"connecting to the correct RPC port.\n"
		"Use \"cairn-cli -help\" for more info.\n",
		waited ? "timeout on transient error: " : "", cli->host,
		cli->port, text_str(&r->why));
	return EXIT_FAILURE;
}

static int fail_auth(const struct cli *cli, const struct reply *r)
{
	static const char *const why[] = {
	    [COOKIE_READ] = "Cookie file credentials were invalid and no "
			    "rpcpassword was specified.",
	    [COOKIE_UNREADABLE] = "Failed to read cookie file and no "
				  "rpcpassword was specified.",
	    [COOKIE_OFF] = "Cookie file was disabled via -norpccookiefile and "
			   "no rpcpassword was specified.",
	    [COOKIE_NOT_ASKED] = "Incorrect rpcuser or rpcpassword were "
				 "specified.",
	};

	fprintf(stderr,
		"error: Authorization failed: %s Configuration file: (%s)\n",
		why[r->cookie], cli->conf_path ? cli->conf_path : "");
	return EXIT_FAILURE;
}

/* Statuses under which the body is a JSON-RPC answer. */
static bool is_rpc_status(int status)
{
	return status < 400 || status == 400 || status == 404 || status == 500;
}

static int check_reply(const struct cli *cli, const struct reply *r)
{
	char n[16];

	if (r->status == 401)
		return fail_auth(cli, r);
	if (r->status == 503)
		return fail_with("Server response: ", text_str(&r->body));
	snprintf(n, sizeof n, "%d", r->status);
	if (!is_rpc_status(r->status))
		return fail_with("server returned HTTP error ", n);
	if (r->body.n == 0)
		return fail("no response from server");
	return 0;
}

static void print(FILE *f, const struct text *t)
{
	if (t->n == 0)
		return;
	fwrite(t->p, 1, t->n, f);
	fputc('\n', f);
}

static int show(const struct json *v, bool info, bool color)
{
	struct text out = TEXT_INIT, err = TEXT_INIT;
	int rc = info ? client_print_info_reply(&out, &err, v, color)
		      : client_print_reply(&out, &err, v);

	print(stdout, &out);
	print(stderr, &err);
	text_fini(&out);
	text_fini(&err);
	return rc;
}

static const struct json *error_of(const struct json *reply)
{
	const struct json *e = json_member(reply, "error");

	return e && e->type != JSON_NULL ? e : NULL;
}

/* -color says; -1 for a value that is none. */
static int wants_color(const struct cli *cli)
{
	const char *when = conf_get(&cli->conf, "color");

	if (!when || strcmp(when, "auto") == 0)
		return isatty(STDOUT_FILENO);
	if (strcmp(when, "always") == 0)
		return 1;
	return strcmp(when, "never") == 0 ? 0 : -1;
}

/* The server is there but not ready: under -rpcwait that counts as absent. */
static bool in_warmup(const struct json *v)
{
	const struct json *first = v->type == JSON_ARRAY && v->n ? v->kids : v;
	int64_t code;

	return json_i64(&code, json_member(error_of(first), "code")) &&
	       code == WARMUP;
}

/* The server's cookie comes last, when all else of it stands. */
static bool is_starting(const struct reply *r)
{
	return r->status == 401 && r->cookie == COOKIE_UNREADABLE;
}

static void sleep_s(time_t s)
{
	struct timespec ts = {.tv_sec = s};

	nanosleep(&ts, NULL);
}

/* Call until there is an answer, or patience ends. Gives the parsed answer. */
static int call_and_wait(const struct cli *cli, struct reply *r,
			 struct arena *a, struct json **v)
{
	bool wait = conf_bool(&cli->conf, "rpcwait", false);
	int64_t s = conf_i64(&cli->conf, "rpcwaittimeout", 0);
	uint64_t until = mono_ns() + (uint64_t)(s > 0 ? s : 0) * 1000000000u;
	int rc;

	for (;; sleep_s(1)) {
		bool late = s > 0 && mono_ns() >= until;

		call(cli, r);
		if (r->lost && (!wait || late))
			return fail_lost(cli, r, wait);
		if (r->lost || (wait && !late && is_starting(r)))
			continue;
		rc = check_reply(cli, r);
		if (rc)
			return rc;
		arena_reset(a);
		if (json_parse(v, a, slice_of(r->body.p, r->body.n)) != 0)
			return fail("couldn't parse reply from server");
		if (!wait || !in_warmup(*v))
			return 0;
		if (late)
			return fail("timeout on transient error: server in "
				    "warmup");
	}
}

static int run(struct cli *cli)
{
	bool info = conf_bool(&cli->conf, "getinfo", false);
	int color = wants_color(cli);
	struct reply r = {.status = 0};
	struct arena a;
	struct json *v;
	int rc;

	if (color < 0)
		return fail("Invalid value for -color option. Valid values: "
			    "always, auto, never.");
	rc = make_request(cli, info);
	if (rc)
		return rc;
	arena_init(&a, REPLY_MEM);
	rc = call_and_wait(cli, &r, &a, &v);
	if (rc == 0)
		rc = show(v, info, color);
	arena_fini(&a);
	text_fini(&r.body);
	text_fini(&r.why);
	return rc;
}

static void cli_fini(struct cli *cli)
{
	size_t i;

	for (i = 0; i < cli->n_lines; i++)
		free(cli->lines[i]);
	free(cli->lines);
	free(cli->words);
	free(cli->datadir);
	free(cli->netdir);
	free(cli->conf_path);
	free(cli->pass);
	free(cli->host);
	text_fini(&cli->path);
	text_fini(&cli->request);
	conf_fini(&cli->conf);
}

/* Options, files, standard input: all that comes before the request. */
static int prepare(struct cli *cli, int argc, char **argv, int rest)
{
	int rc = check_options(&cli->conf);

	if (rc == 0)
		rc = configure(cli);
	for (; rest < argc; rest++)
		add_word(cli, argv[rest]);
	if (rc == 0 && conf_bool(&cli->conf, "stdinrpcpass", false))
		rc = read_password(cli);
	if (rc == 0 && conf_bool(&cli->conf, "stdin", false))
		read_words(cli);
	return rc ? rc : choose_server(cli);
}

int main(int argc, char **argv)
{
	struct cli cli = {.datadir = NULL};
	struct text err = TEXT_INIT;
	int rest, rc = EXIT_FAILURE;

	conf_init(&cli.conf);
	if (conf_add_argv(&cli.conf, &rest, argc, argv, &err)) {
		fprintf(stderr, "Error parsing command line arguments: %s\n",
			text_str(&err));
	} else if (conf_bool(&cli.conf, "version", false)) {
		printf("Cairn RPC client version v%s\n", CAIRN_VERSION);
		rc = EXIT_SUCCESS;
	} else if (argc < 2 || wants_help(&cli.conf)) {
		print_help();
		rc = argc < 2 ? usage_error("too few parameters", "", "") : 0;
	} else {
		rc = prepare(&cli, argc, argv, rest);
		if (rc == 0)
			rc = run(&cli);
	}
	text_fini(&err);
	cli_fini(&cli);
	return rc;
}
