/* The data folder: made, locked, recognised. Start only. */
#ifndef CAIRN_STORE_DATADIR_H
#define CAIRN_STORE_DATADIR_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>

struct datadir {
	char *net_dir;	  /* datadir/<network folder> */
	char *blocks_dir; /* blk and rev files of this network */
	int lock_fd;
};

/* Make (umask 077), lock (.lock as bitcoind's too, cairn.lock) and recognise the
 * folder. E_FOREIGN for another node's data (chainstate, blocks/index or xor.dat
 * and no format file of ours), E_LOCKED, E_VERSION, -errno; err gets one sentence.
 * Nothing of a foreign folder is written. */
int datadir_open(struct datadir *d, struct text *err, const char *datadir,
		 const char *net_folder, const char *blocksdir_or_null)
    must_check;
void datadir_close(struct datadir *d);

#endif
