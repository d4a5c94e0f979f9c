/*
 * Everything before the loop: settings judged, network chosen, background, data
 * folder locked, log opened, process id written. Main thread, alone; whatever
 * is wrong ends in one sentence. Opens no socket and no database.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/sha256.h>
#include <cairn/node/options.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_NAME "debug.log"
#define PID_NAME "cairnd.pid"

static void note_interaction(void *arg, const char *line)
{
	text_printf(arg, "%s\n", line);
}

static int take_fail_block(struct node *n, struct text *err)
{
	const char *v = conf_get(&n->conf, "testfailblock");
	struct hash256 h;

	if (!v)
		return 0;
	if (!hash256_parse(&h, v)) {
		text_printf(err, "-testfailblock=%s is not the hash of a block",
			    v);
		return E_INVALID;
	}
	hash256_fmt(n->fail_block, &h);
	return 0;
}

/* What needs no folder and no terminal: so that a wrong value is told before
 * anything is done. */
static int judge(struct node *n, struct settings *s, uint32_t *mask, int *level,
		 struct text *err)
{
	const char *filters;
	int rc = params_apply(&n->params, err, &n->conf, s->chain);

	if (rc)
		return rc;
	interactions_apply(&n->conf, note_interaction, &s->notes);
	if (!interactions_agree(&n->conf, err))
		return E_INVALID;
	rc = pool_options(&n->pool, err, &n->conf, s->chain, note_interaction,
			  &s->notes);
	if (!rc)
		rc = block_options(&n->block, err, &n->conf);
	if (!rc)
		rc = grants_parse(&n->grants, &n->n_grants, err, &n->conf);
	if (rc)
		return rc;
	n->user_agent = user_agent_make(&n->conf, err);
	if (!n->user_agent)
		return E_INVALID;
	filters = conf_get(&n->conf, "blockfilterindex");
	n->filters = filters && strcmp(filters, "0") != 0;
	clock_set_mock(&n->clock, conf_i64(&n->conf, "mocktime", 0));
	rc = take_fail_block(n, err);
	return rc ? rc : log_options(&n->conf, mask, level, err);
}

static bool in_background(const struct conf *c)
{
	return conf_bool(c, "daemon", false) ||
	       conf_bool(c, "daemonwait", false);
}

static int go_background(struct node *n, struct text *err)
{
	int fd;

	if (!in_background(&n->conf))
		return 0;
	fd = daemon_detach();
	if (fd < 0) {
		text_printf(err, "cannot go into the background: %s",
			    err_str(fd));
		return fd;
	}
	n->daemon_fd = fd;
	return 0;
}

static char *in_net_dir(const struct node *n, const char *name)
{
	return *name == '/' ? xstrdup(name) : path_join(n->dir.net_dir, name);
}

static int open_log(struct node *n, uint32_t mask, int level, struct text *err)
{
	const struct conf *c = &n->conf;
	const char *name = conf_get(c, "debuglogfile");
	int rc;

	log_set_console(conf_bool(c, "printtoconsole", !in_background(c)));
	log_set_time_micros(conf_bool(c, "logtimemicros", false));
	log_set_mask(mask);
	log_set_level((enum log_level)level);
	if (conf_negated(c, "debuglogfile"))
		return 0;
	n->log_path = in_net_dir(n, name && *name ? name : LOG_NAME);
	rc = log_open_file(n->log_path);
	if (rc)
		text_printf(err, "Could not open debug log file %s: %s",
			    n->log_path, err_str(rc));
	return rc;
}

static void log_note(void *arg, bool warn, const char *line)
{
	(void)arg;
	if (warn)
		log_warn(0, "%s", line);
	else
		log_info(0, "%s", line);
}

static void log_lines(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		log_info(0, "%.*s", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void log_start(const struct node *n, const struct settings *s)
{
	char magic[9];

	log_info(0,
		 "Cairn " CAIRN_VERSION " chain=%s datadir=%s conf=%s pid=%d",
		 n->params.names->name, n->dir.net_dir,
		 n->conf_path ? n->conf_path : "none", (int)getpid());
	log_lines(text_str(&s->notes));
	options_note(&n->conf, log_note, NULL);
	if (n->params.id == CHAIN_SIGNET) {
		hex_put(magic, slice_of(n->params.magic, 4));
		log_info(0, "signet magic=%s", magic);
	}
}

static void choose_lanes(void)
{
	int rc = crypto_init();

	if (rc)
		log_warn(0, "a fast hash disagrees with OpenSSL and is not "
			    "used");
	log_info(0, "hash lanes: %s", crypto_lanes());
}

static int write_pid(struct node *n, struct text *err)
{
	const char *name = conf_get(&n->conf, "pid");
	char *path;
	int fd;

	if (conf_negated(&n->conf, "pid"))
		return 0;
	path = in_net_dir(n, name && *name ? name : PID_NAME);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || dprintf(fd, "%d\n", (int)getpid()) < 0) {
		int rc = -errno;

		text_printf(err, "cannot write the process id to %s: %s", path,
			    err_str(rc));
		free(path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	close(fd);
	n->pid_path = path;
	return 0;
}

static int open_folder(struct node *n, const struct settings *s,
		       struct text *err)
{
	return datadir_open(&n->dir, err, s->datadir, n->params.names->folder,
			    conf_get(&n->conf, "blocksdir"));
}

int node_prepare(struct node *n, struct settings *s, struct text *err)
{
	uint32_t mask = 0;
	int level = LOG_DEBUG, rc;

	/* The node keeps what it will ask later. */
	n->conf = s->conf;
	conf_init(&s->conf);
	n->conf_path = s->conf_path;
	s->conf_path = NULL;
	rc = judge(n, s, &mask, &level, err);
	if (rc == 0)
		rc = go_background(n, err);
	if (rc == 0)
		rc = open_folder(n, s, err);
	if (rc == 0)
		rc = open_log(n, mask, level, err);
	if (rc)
		return rc;
	log_start(n, s);
	choose_lanes();
	return write_pid(n, err);
}

void node_release(struct node *n)
{
	if (n->pid_path)
		unlink(n->pid_path);
	log_close();
	if (n->dir.net_dir)
		datadir_close(&n->dir);
	if (n->daemon_fd >= 0)
		close(n->daemon_fd);
	if (n->params.names)
		params_apply_fini(&n->params);
	conf_fini(&n->conf);
	free(n->conf_path);
	free(n->log_path);
	free(n->pid_path);
	free(n->user_agent);
	free(n->grants);
}
