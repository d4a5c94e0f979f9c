/* A coins cache over a database in a scratch folder, for the tests of both. */
#ifndef TESTS_UNIT_CHAIN_COINBED_H
#define TESTS_UNIT_CHAIN_COINBED_H

#include <cairn/chain/coins.h>

#include <sys/resource.h>

struct kv;

struct bed {
	char *dir, *db;
	struct kv *kv;
	struct coinview *v;
	struct coinview_cfg cfg;
	struct coin_marker at;
	struct coin_recovery rec;
	int syncs; /* atomic: calls of the sync function */
};

extern struct bed bed;

/* The fixture: an open, empty view; the log goes into the folder. */
void bed_setup(void);
void bed_teardown(void);

void bed_open(void);
void bed_close(void);
/* Close and open again, with other settings where given. */
void bed_reopen(const struct coinview_cfg *cfg);
/* The sync function: counts. */
int bed_sync(void *arg);

/* The marker of a block of that height. */
struct coin_marker bed_mark(int32_t height);
/* The model's outpoint k and the coin of a seed: added, spent, looked up; with
 * seed 0 it must not be there. */
void bed_add(int k, uint32_t seed, bool fresh);
void bed_spend(int k, uint32_t seed);
void bed_expect(int k, uint32_t seed);
/* Must succeed. */
void bed_boundary(int32_t height);
void bed_flush(int32_t height);
size_t bed_disk_coins(void);
struct coinview_stats bed_stats(void);

/* A full disk, played by a limit on the size of files; RLIM_INFINITY ends it.
 */
void limit_files(rlim_t n);

#endif
