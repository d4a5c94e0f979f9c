/*
 * Making everything again from the block files (-reindex): what else there is
 * is removed at start, and the files are imported in place (import.c). A file
 * beside them says how far that has come, so that a stop in the middle loses
 * nothing: without it, whatever lies behind the blocks that the index knows
 * would be cut off. Chain thread, while loading and at the end.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/store/datadir.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define STATE_FILE "reindex"
/* What is made from the blocks is being removed; and it is gone. */
#define STATE_REMOVE "remove\n"
#define STATE_READ   "read\n"

static char *state_path(const struct chain *c)
{
	return path_join(c->cfg.blocks_dir, STATE_FILE);
}

static int state_write(const struct chain *c, const char *state)
{
	char *path = state_path(c);
	int rc = file_replace(path, slice_of(state, strlen(state)), 0600);

	free(path);
	return rc;
}

static bool state_is(const struct buf *b, const char *state)
{
	return b && b->n == strlen(state) &&
	       memcmp(buf_payload(b).p, state, b->n) == 0;
}

static int remove_folder(const struct chain *c, const char *name)
{
	char *path = path_join(c->cfg.data_dir, name);
	int rc = path_exists(path) ? dir_remove(path) : 0;

	free(path);
	return rc;
}

int reindex_remove_coins(struct chain *c)
{
	return remove_folder(c, DATADIR_COINS);
}

/* Undo files go with their first record, as the index names none. */
static int remove_all(struct chain *c)
{
	int rc = state_write(c, STATE_REMOVE);

	if (rc == 0)
		rc = reindex_remove_coins(c);
	if (rc == 0)
		rc = remove_folder(c, DATADIR_FILTER);
	if (rc == 0)
		rc = remove_folder(c, DATADIR_INDEX);
	return rc ? rc : state_write(c, STATE_READ);
}

/* Blocks of a lost index are not to be written over. */
static bool index_is_lost(const struct chain *c)
{
	char *path = path_join(c->cfg.data_dir, DATADIR_INDEX "/CURRENT");
	int32_t file = -1;
	uint32_t end = 0;
	bool lost = !path_exists(path) &&
		    blockfile_find_end(&file, &end, c->cfg.blocks_dir,
				       BLOCKFILE_BLK) == 0 &&
		    end > 0;

	free(path);
	return lost;
}

int reindex_begin(struct chain *c)
{
	char *path = state_path(c);
	struct buf *state = NULL;
	int rc = file_read(&state, path, 16);

	free(path);
	if (rc == -ENOENT)
		rc = 0;
	if (rc == 0 &&
	    (c->cfg.rebuild == REBUILD_ALL || state_is(state, STATE_REMOVE) ||
	     (!state && index_is_lost(c))))
		rc = remove_all(c);
	else if (rc == 0 && !state)
		goto out;
	__atomic_store_n(&c->reindexing, rc == 0, __ATOMIC_RELEASE);
	if (rc == 0)
		log_info(LOG_BLOCKSTORAGE, "the block files are read again");
out:
	buf_unref(state);
	return rc;
}

/* Control work: what was read is in the index for good. */
void reindex_end(struct chain *c, void *arg)
{
	char *path = state_path(c);
	int rc;

	(void)arg;
	index_seal(c);
	rc = index_commit_wait(c);
	if (rc == 0 && unlink(path) != 0)
		rc = file_error(errno);
	if (rc == 0)
		rc = dir_sync(c->cfg.blocks_dir);
	if (rc == 0)
		__atomic_store_n(&c->reindexing, false, __ATOMIC_RELEASE);
	else if (rc != E_STOPPING)
		log_warn(LOG_BLOCKSTORAGE,
			 "the block files will be read again at the next "
			 "start: %s",
			 err_str(rc));
	free(path);
}

bool chain_reindexing(struct chain *c)
{
	return __atomic_load_n(&c->reindexing, __ATOMIC_ACQUIRE);
}
