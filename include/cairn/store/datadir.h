/* The data folder: made, locked, recognised. Start only. */
#ifndef CAIRN_STORE_DATADIR_H
#define CAIRN_STORE_DATADIR_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>

/* Names below net_dir. They are those that tools written for bitcoind keep when
 * they copy a node's folder; DATADIR_FORMAT tells whose data they hold. */
#define DATADIR_COINS   "chainstate"
#define DATADIR_INDEX   "indexes/headers"
#define DATADIR_FILTER  "indexes/filter"
#define DATADIR_BLOCKS  "blocks"
#define DATADIR_FORMAT  "blocks/cairn.format"
#define DATADIR_VERSION 1

struct datadir {
	char *net_dir;    /* datadir/<network folder> */
	char *blocks_dir; /* blk and rev files of this network */
	char *coins_dir, *index_dir, *filter_dir; /* databases, parents made */
	int lock_fd;                              /* on net_dir/.lock */
	int blocks_lock_fd; /* on blocks_dir's own .lock, or -1 */
};

/* Recognise, make (folders 0700, files 0600) and lock the folder: bitcoind's
 * own .lock, so that neither node starts on the other's data. net_folder is ""
 * on main. With blocksdir the blk and rev files live in blocksdir/<network
 * folder>/blocks. E_FOREIGN for another node's data (chainstate, blocks/index,
 * xor.dat or block files without a format file of ours), E_LOCKED, E_VERSION,
 * E_NOTFOUND when blocksdir is not there, E_NOSPACE, E_IO, -errno; err then
 * gets one sentence and d is not changed. Nothing of a foreign folder is
 * written. */
int datadir_open(struct datadir *d, struct text *err, const char *datadir,
		 const char *net_folder,
		 const char *blocksdir_or_null) must_check;
/* Unlocks and frees. */
void datadir_close(struct datadir *d);

#endif
