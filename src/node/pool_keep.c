/*
 * The pool over a restart: mempool.dat is read when the node is ready and
 * written when it stops, after peers and commands and before the chain. Loop,
 * but where said.
 */
#include "internal.h"
#include "pool_import.h"
#include "poolfile.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define FILE_NAME "mempool.dat"

char *pool_path(const struct node *n)
{
	return path_join(n->dir.net_dir, FILE_NAME);
}

unsigned pool_form(const struct node *n)
{
	return conf_bool(&n->conf, "persistmempoolv1", false) ? 1 : 2;
}

static bool wanted(const struct node *n)
{
	return conf_bool(&n->conf, "persistmempool", true);
}

bool node_mempool_loaded(const struct node *n)
{
	return __atomic_load_n(&n->pool_loaded, __ATOMIC_ACQUIRE);
}

static void on_loaded(void *arg, int rc)
{
	struct node *n = arg;

	n->pool_loading = false;
	if (rc != E_STOPPING)
		__atomic_store_n(&n->pool_loaded, true, __ATOMIC_RELEASE);
	if (n->pool_saved)
		pool_save(n, n->pool_saved);
}

void pool_load_start(struct node *n)
{
	static const struct pool_import_cfg cfg = {.deltas = true,
						   .unbroadcast = true};
	char *path;

	if (n->stopping)
		return;
	if (!wanted(n)) {
		on_loaded(n, 0);
		return;
	}
	path = pool_path(n);
	n->pool_loading = true;
	pool_import(n, path, &cfg, on_loaded, n);
	free(path);
}

/* One writing at the end. */
struct saving {
	struct node *node;
	struct pool_dump *dump;
};

static void on_saved(void *arg)
{
	struct saving *s = arg;
	struct node *n = s->node;

	pooldump_free(s->dump);
	free(s);
	n->pool_saved(n);
}

/* Read pool, which has nothing else to do any more. */
static void save_write(void *arg)
{
	struct saving *s = arg;
	struct node *n = s->node;
	char *path = pool_path(n);
	uint64_t size = 0;
	int rc = poolfile_write(path, s->dump, pool_form(n), &size);

	if (rc)
		log_warn(0, "the pool is not kept in %s: %s", path,
			 err_str(rc));
	else
		log_info(0, "mempool saved n=%zu bytes=%llu", s->dump->copy->n,
			 (unsigned long long)size);
	free(path);
	node_post(n, (struct task){on_saved, s});
}

/* Chain thread. */
static void save_copy(void *arg)
{
	struct saving *s = arg;

	s->dump = pooldump_take(chain_mempool(s->node->chain));
	if (!pool_submit(s->node->readers, (struct task){save_write, s}))
		node_post(s->node, (struct task){on_saved, s});
}

void pool_save(struct node *n, void (*done)(struct node *n))
{
	struct saving *s;

	n->pool_saved = done;
	if (n->pool_loading)
		return;
	if (!wanted(n) || !node_mempool_loaded(n)) {
		done(n);
		return;
	}
	s = xcalloc(1, sizeof *s);
	s->node = n;
	if (!chain_run(n->chain, (struct task){save_copy, s}))
		on_saved(s);
}
