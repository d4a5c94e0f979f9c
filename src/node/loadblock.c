/*
 * -loadblock: the import is started when the node is ready, and what became of
 * it is told. Loop; the reading is the chain's.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/chain/import.h>

#include <stdlib.h>

static void on_done(void *arg, const struct import_result *r)
{
	struct node *n = arg;

	n->importing = false;
	if (n->stopping) {
		stop_after_import(n);
		return;
	}
	if (r->rc)
		log_warn(0, "import of %s: %s", r->path ? r->path : "blocks",
			 err_str(r->rc));
	if (conf_bool(&n->conf, "stopafterblockimport", false)) {
		log_info(0, "stopping after the import");
		node_stop(n);
	}
}

void loadblock_start(struct node *n)
{
	const char **paths = conf_list(&n->conf, "loadblock");
	size_t count = 0;

	while (paths[count])
		count++;
	if (count) {
		n->importing = true;
		n->import = import_start(n->chain, paths, count, on_done, n);
	} else if (conf_bool(&n->conf, "stopafterblockimport", false)) {
		node_stop(n);
	}
	free(paths);
}
