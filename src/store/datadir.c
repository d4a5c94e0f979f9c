/*
 * The data folder at start: whose is it, may we have it, and the folders we
 * need. Main thread, before any other. Looks first and writes afterwards, so
 * that a folder of another node is left as it was found. Does not open a
 * database.
 */
#include <cairn/store/datadir.h>

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FORMAT_FILE  "cairn.format"
#define FORMAT_WORD  "cairn "
#define FORMAT_BYTES 64u

/* dir/a, or dir itself where a is "". */
static char *below(const char *dir, const char *a)
{
	return *a ? path_join(dir, a) : xstrdup(dir);
}

static bool has(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	bool yes = path_exists(path);

	free(path);
	return yes;
}

/* Read dir/cairn.format: 1 when it is there and readable by this version, 0
 * when it is not there, or a failure. */
static int format_read(const char *dir)
{
	char *path = path_join(dir, FORMAT_FILE);
	struct buf *b = NULL;
	struct text line = TEXT_INIT;
	int64_t version = 0;
	int rc = file_read(&b, path, FORMAT_BYTES);

	free(path);
	if (rc)
		return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
	text_put(&line, (const char *)buf_data(b), b->n);
	if (line.n && line.p[line.n - 1] == '\n')
		line.p[--line.n] = '\0';
	if (strncmp(text_str(&line), FORMAT_WORD, strlen(FORMAT_WORD)) != 0 ||
	    !i64_parse(&version, text_str(&line) + strlen(FORMAT_WORD)))
		rc = E_CORRUPT;
	else if (version > DATADIR_VERSION)
		rc = E_VERSION;
	else
		rc = version == DATADIR_VERSION ? 1 : E_CORRUPT;
	text_fini(&line);
	buf_unref(b);
	return rc;
}

/* What another node's blocks folder holds. */
static bool blocks_foreign(const char *dir)
{
	return has(dir, "index") || has(dir, "xor.dat") ||
	       has(dir, "blk00000.dat");
}

/* 0 when the folder with blocks (and, where net_dir is given, the coins beside
 * it) is ours or empty. */
static int recognise(struct text *err, const char *blocks, const char *net_dir)
{
	int rc = format_read(blocks);

	if (rc == 1)
		return 0;
	if (rc == E_VERSION) {
		text_printf(err,
			    "%s/%s was written by a newer version of cairn",
			    blocks, FORMAT_FILE);
		return rc;
	}
	if (rc) {
		text_printf(err, "Cannot read %s/%s: %s", blocks, FORMAT_FILE,
			    err_str(rc));
		return rc;
	}
	if (!blocks_foreign(blocks) &&
	    !(net_dir && has(net_dir, DATADIR_COINS)))
		return 0;
	text_printf(err,
		    "%s holds the data of another node; choose another "
		    "-datadir and read its blocks with -loadblock=%s/"
		    "blk00000.dat (and the files after it)",
		    net_dir ? net_dir : blocks, blocks);
	return E_FOREIGN;
}

static int make(struct text *err, const char *dir)
{
	int rc = dir_make(dir);

	if (rc)
		text_printf(err, "Cannot make the folder %s: %s", dir,
			    err_str(rc));
	return rc;
}

static int lock(int *fd, struct text *err, const char *dir)
{
	char *path = path_join(dir, ".lock");
	int rc = lock_take(fd, path);

	if (rc == E_LOCKED)
		text_printf(err,
			    "Cannot obtain a lock on folder %s: another node "
			    "is running on it",
			    dir);
	else if (rc)
		text_printf(err, "Cannot write to %s: %s", path, err_str(rc));
	free(path);
	return rc;
}

/* The format file is the first thing that is written: a folder whose making was
 * interrupted is empty or ours. */
static int format_write(struct text *err, const char *dir)
{
	char *path = path_join(dir, FORMAT_FILE);
	char *line = xasprintf("%s%d\n", FORMAT_WORD, DATADIR_VERSION);
	int rc = 0;

	if (!path_exists(path))
		rc = file_replace(path, slice_of(line, strlen(line)), 0600);
	if (rc)
		text_printf(err, "Cannot write %s: %s", path, err_str(rc));
	free(line);
	free(path);
	return rc;
}

/* Folders that the databases lie in, and the empty one for wallets that tools
 * written for bitcoind expect beside a node's data. */
static int make_rest(struct text *err, const struct datadir *d)
{
	char *indexes = path_join(d->net_dir, "indexes");
	char *wallets = path_join(d->net_dir, "wallets");
	int rc = make(err, indexes);

	if (rc == 0)
		rc = make(err, wallets);
	free(wallets);
	free(indexes);
	return rc;
}

static int open_in(struct datadir *d, struct text *err, const char *own_blocks,
		   bool apart)
{
	int rc = recognise(err, own_blocks, d->net_dir);

	if (rc == 0 && apart)
		rc = recognise(err, d->blocks_dir, NULL);
	if (rc == 0)
		rc = make(err, d->net_dir);
	if (rc == 0)
		rc = lock(&d->lock_fd, err, d->net_dir);
	if (rc == 0)
		rc = make(err, own_blocks);
	if (rc == 0)
		rc = format_write(err, own_blocks);
	if (rc == 0 && apart)
		rc = make(err, d->blocks_dir);
	if (rc == 0 && apart)
		rc = lock(&d->blocks_lock_fd, err, d->blocks_dir);
	if (rc == 0 && apart)
		rc = format_write(err, d->blocks_dir);
	if (rc == 0)
		rc = make_rest(err, d);
	return rc;
}

static void set_paths(struct datadir *d, const char *datadir,
		      const char *net_folder, const char *blocksdir)
{
	d->net_dir = below(datadir, net_folder);
	if (blocksdir) {
		char *net = below(blocksdir, net_folder);

		d->blocks_dir = path_join(net, DATADIR_BLOCKS);
		free(net);
	} else {
		d->blocks_dir = path_join(d->net_dir, DATADIR_BLOCKS);
	}
	d->coins_dir = path_join(d->net_dir, DATADIR_COINS);
	d->index_dir = path_join(d->net_dir, DATADIR_INDEX);
	d->filter_dir = path_join(d->net_dir, DATADIR_FILTER);
}

int datadir_open(struct datadir *d, struct text *err, const char *datadir,
		 const char *net_folder, const char *blocksdir)
{
	struct datadir n = {.lock_fd = -1, .blocks_lock_fd = -1};
	char *own_blocks;
	int rc;

	if (blocksdir && !path_is_dir(blocksdir)) {
		text_printf(err, "The -blocksdir folder %s does not exist",
			    blocksdir);
		return E_NOTFOUND;
	}
	set_paths(&n, datadir, net_folder, blocksdir);
	own_blocks = path_join(n.net_dir, DATADIR_BLOCKS);
	rc =
	    open_in(&n, err, own_blocks, strcmp(own_blocks, n.blocks_dir) != 0);
	free(own_blocks);
	if (rc)
		datadir_close(&n);
	else
		*d = n;
	return rc;
}

void datadir_close(struct datadir *d)
{
	if (d->blocks_lock_fd >= 0)
		close(d->blocks_lock_fd);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	free(d->filter_dir);
	free(d->index_dir);
	free(d->coins_dir);
	free(d->blocks_dir);
	free(d->net_dir);
	*d = (struct datadir){.lock_fd = -1, .blocks_lock_fd = -1};
}
