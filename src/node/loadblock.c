/*
 * Reading block files once the node is ready: its own again (-reindex), then
 * those of -loadblock. What became of it is told. Loop; the reading is the
 * chain's.
 */
#include "internal.h"
#include "pool_import.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/chain/import.h>

#include <stdlib.h>

/* No more blocks from files: the tip is what it was, and the pool may follow.
 */
static void go_on(struct node *n)
{
	pool_load_start(n);
	if (!conf_bool(&n->conf, "stopafterblockimport", false))
		return;
	log_info(0, "stopping after the import");
	node_stop(n);
}

/* False when the node is stopping: it goes on with that. */
static bool has_ended(struct node *n, const struct import_result *r)
{
	n->importing = false;
	if (n->stopping) {
		stop_after_import(n);
		return false;
	}
	if (r->rc)
		log_warn(0, "import of %s: %s", r->path ? r->path : "blocks",
			 err_str(r->rc));
	return true;
}

static void on_done(void *arg, const struct import_result *r)
{
	struct node *n = arg;

	if (has_ended(n, r))
		go_on(n);
}

static void load_others(struct node *n)
{
	const char **paths = conf_list(&n->conf, "loadblock");
	size_t count = 0;

	while (paths[count])
		count++;
	if (count) {
		n->importing = true;
		n->import = import_start(n->chain, paths, count, on_done, n);
	} else {
		go_on(n);
	}
	free(paths);
}

/* Peers were not asked for blocks that lie on the disk. */
static void on_own_done(void *arg, const struct import_result *r)
{
	struct node *n = arg;

	if (!has_ended(n, r))
		return;
	import_free(n->import);
	n->import = NULL;
	peers_start(n);
	load_others(n);
}

void loadblock_start(struct node *n)
{
	if (!chain_reindexing(n->chain)) {
		peers_start(n);
		load_others(n);
		return;
	}
	n->importing = true;
	n->import = import_own_files(n->chain, on_own_done, n);
}
