/*
 * The coins cache against the plain model, through reorganisations, flushes,
 * flushes cut off, kills and prefetches that come late.
 */
#include "coinbed.h"
#include "coinmodel.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/thread.h>

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/*
 * The property: whatever happens in whatever order, the cache answers as the
 * model does, and what is on disk is a state of the model or said to be none.
 */

struct delayed {
	struct coin_prefetch *p;
	pthread_t thread;
	bool running;
};

static void read_prefetch(void *arg)
{
	coin_prefetch_read(arg);
}

static void delayed_start(struct delayed *d, struct rand *r)
{
	uint8_t op[36];
	int n = (int)rand_below(r, 40);

	d->p = coin_prefetch_new(bed.v);
	while (n--) {
		model_outpoint(op, (int)rand_below(r, MODEL_OUTPOINTS));
		coin_prefetch_add(d->p, op);
	}
	d->running = rand_below(r, 2) == 0;
	if (d->running)
		thread_start(&d->thread, "read", read_prefetch, d->p);
	else
		coin_prefetch_read(d->p);
}

static void delayed_end(struct delayed *d)
{
	if (!d->p)
		return;
	if (d->running)
		pthread_join(d->thread, NULL);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, d->p), 0);
	d->p = NULL;
}

static void nap(struct rand *r, uint64_t max_us)
{
	struct timespec t = {.tv_nsec = (long)rand_below(r, max_us) * 1000};

	nanosleep(&t, NULL);
}

/* Come back after the view was closed with a flush unfinished or not: gives the
 * block that the cache is at then. */
static int come_back(const struct model *m)
{
	int to = bed.at.height < 0 ? 0 : model_block_of(&bed.at);

	if (!bed.rec.needed)
		return to;
	ck_assert_mem_eq(&bed.rec.from, &bed.at, sizeof bed.at);
	model_replay(m, bed.v, to, model_block_of(&bed.rec.to));
	return model_block_of(&bed.rec.to);
}

/* Stop in the middle of things, by an interrupt at some time or at once. */
static int crash(const struct model *m, struct rand *r)
{
	if (rand_below(r, 2)) {
		nap(r, 400);
		coinview_interrupt(bed.v);
	}
	bed_reopen(NULL);
	return come_back(m);
}

/* A flush for which the disk has so many bytes left; true when it was cut off.
 */
static bool cut_flush(const struct coin_marker *k, rlim_t room)
{
	int rc;

	limit_files(room);
	rc = coinview_flush(bed.v, k);
	limit_files(RLIM_INFINITY);
	ck_assert(rc == 0 || rc == E_NOSPACE);
	return rc != 0;
}

/* From where a restart came out back to step i of the walk. */
static void catch_up(const struct model *m, int at, int to)
{
	int path[4096];
	int n = 0, b = to;
	struct coin_marker k;

	while (at != b) {
		if (m->blocks[at].height >= m->blocks[b].height) {
			model_move(m, bed.v, at, m->blocks[at].parent);
			at = m->blocks[at].parent;
			k = model_marker(m, at);
			ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
		} else {
			ck_assert_int_lt(n, 4096);
			path[n++] = b;
			b = m->blocks[b].parent;
		}
	}
	while (n-- > 0) {
		model_move(m, bed.v, at, path[n]);
		at = path[n];
		k = model_marker(m, at);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
	}
}

static struct coinview_cfg random_cfg(struct rand *r)
{
	static const size_t budgets[] = {0, 40 << 10, 80 << 10, 1 << 20};
	struct coinview_cfg cfg = {
	    .budget = budgets[rand_below(r, 4)],
	    .max_unflushed = 1 + (uint32_t)rand_below(r, 30),
	    .batch = rand_below(r, 3) ? 60 : 400,
	};

	return cfg;
}

#define PROPERTY_STEPS 400

START_TEST(coinview_is_the_plain_map_whatever_happens)
{
	struct delayed late = {.p = NULL};
	struct coinview_cfg cfg;
	struct coin_marker k;
	struct model m;
	struct rand r;
	int i, at = 0;

	rand_seed(&r, 1000 + (uint64_t)_i);
	model_init(&m, (uint64_t)_i, PROPERTY_STEPS);
	cfg = random_cfg(&r);
	bed_reopen(&cfg);
	for (i = 0; i < m.n_walk; i++) {
		if (!late.p && rand_below(&r, 3) == 0)
			delayed_start(&late, &r);
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
		k = model_marker(&m, at);
		if (rand_below(&r, 8) == 0)
			coinview_want_flush(bed.v);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
		ck_assert_uint_le(bed_stats().unflushed, cfg.max_unflushed);
		if (late.p && rand_below(&r, 4) == 0)
			delayed_end(&late);
		if (rand_below(&r, 10) == 0)
			model_check(&m, bed.v, at);
		if (rand_below(&r, 25) == 0) {
			ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
			model_check_disk(&m, bed.v, at);
		}
		if (rand_below(&r, 20) == 0) {
			delayed_end(&late);
			at = crash(&m, &r);
			model_check(&m, bed.v, at);
			catch_up(&m, at, m.walk[i]);
			at = m.walk[i];
			model_check(&m, bed.v, at);
		}
	}
	delayed_end(&late);
	model_check(&m, bed.v, at);
	k = model_marker(&m, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

/* Cut off after any number of batches, and again while that is repaired: by
 * moves that themselves flush, and by the flush that would have ended it. */
static void walk_with_cuts(uint64_t seed, int *cuts, int *twice)
{
	struct coinview_cfg cfg = {
	    .budget = 1 << 20, .max_unflushed = 1000, .batch = 60};
	int i, at = 0;
	struct coin_marker k;
	struct model m;
	struct rand r;

	rand_seed(&r, seed);
	model_init(&m, 5, 1200);
	bed_reopen(&cfg);
	for (i = 0; i < m.n_walk; i++) {
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
		k = model_marker(&m, at);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
		if (i % 10 || !cut_flush(&k, 200 + rand_below(&r, 2000)))
			continue;
		/* A small budget writes halves of the way. */
		cfg.budget = rand_below(&r, 2) ? 0 : 1 << 20;
		bed_reopen(&cfg);
		*cuts += bed.rec.needed;
		at = come_back(&m);
		model_check(&m, bed.v, at);
		k = model_marker(&m, at);
		if (cut_flush(&k, 200 + rand_below(&r, 500))) {
			bed_reopen(NULL);
			*twice += bed.rec.needed;
			at = come_back(&m);
			model_check(&m, bed.v, at);
		}
		cfg.budget = 1 << 20;
		bed_reopen(&cfg);
		at = come_back(&m);
		catch_up(&m, at, m.walk[i]);
		at = m.walk[i];
	}
	k = model_marker(&m, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}

START_TEST(coinview_recovers_from_a_flush_cut_off_anywhere)
{
	int cuts = 0, twice = 0;
	uint64_t seed;

	/* How often the second cut hits is a matter of timing. */
	for (seed = 77; seed == 77 || (twice == 0 && seed < 97); seed++) {
		bed_teardown();
		bed_setup();
		walk_with_cuts(seed, &cuts, &twice);
	}
	ck_assert_int_gt(cuts, 20);
	ck_assert_int_gt(twice, 0);
}
END_TEST

/*
 * A process that is killed.
 */

#define KILL_STEPS 20000

/* In the process that is killed; the variable says "seed:folder". */
START_TEST(child_walks_until_it_is_killed)
{
	const char *arg = getenv(COINVIEW_CHILD);
	struct coin_marker k;
	struct model m;
	int i, at = 0;
	char *end;

	model_init(&m, strtoull(arg, &end, 10), KILL_STEPS);
	bed.db = end + 1;
	bed.cfg = (struct coinview_cfg){
	    .budget = 1 << 20, .max_unflushed = 16, .batch = 60};
	bed_open();
	for (i = 0; i < m.n_walk; i++) {
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
		k = model_marker(&m, at);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
	}
	bed_close();
	model_fini(&m);
}
END_TEST

Suite *coinview_child_suite(void)
{
	Suite *s = suite_create("child");
	TCase *t = tcase_create("child");

	tcase_add_test(t, child_walks_until_it_is_killed);
	suite_add_tcase(s, t);
	return s;
}

static pid_t child_start(uint64_t seed)
{
	char self[] = "/proc/self/exe";
	char *argv[] = {self, NULL};
	char *env = xasprintf(COINVIEW_CHILD "=%llu:%s",
			      (unsigned long long)seed, bed.db);
	char *envp[] = {env, NULL};
	pid_t pid;

	ck_assert_int_eq(posix_spawn(&pid, self, NULL, NULL, argv, envp), 0);
	free(env);
	return pid;
}

START_TEST(coinview_comes_back_after_a_kill_at_any_time)
{
	uint64_t seed = 500 + (uint64_t)_i;
	struct coin_marker k;
	struct model m;
	struct rand r;
	int status, at;
	pid_t pid;

	rand_seed(&r, seed);
	bed_close();
	bed.cfg = (struct coinview_cfg){
	    .budget = 1 << 20, .max_unflushed = 16, .batch = 200};
	pid = child_start(seed);
	nap(&r, 60000);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	model_init(&m, seed, KILL_STEPS);
	bed_open();
	at = come_back(&m);
	model_check(&m, bed.v, at);
	k = model_marker(&m, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

START_TEST(coinview_on_a_full_disk_fails_for_good_and_recovers_with_space)
{
	struct coinview_cfg cfg = {
	    .budget = 1 << 20, .max_unflushed = 1000, .batch = 200};
	struct coin_marker k;
	struct model m;
	int at = 0, i;

	bed_reopen(&cfg);
	model_init(&m, 9, 300);
	for (i = 0; i < m.n_walk; i++) {
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
	}
	k = model_marker(&m, at);
	ck_assert(cut_flush(&k, 1500));
	/* There is space again, but what was torn is not written on. */
	ck_assert_int_eq(coinview_flush(bed.v, &k), E_NOSPACE);
	bed_reopen(NULL);
	ck_assert(bed.rec.needed);
	ck_assert_int_eq(bed.rec.from.height, -1);
	ck_assert_int_eq(model_block_of(&bed.rec.to), at);
	model_replay(&m, bed.v, 0, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

static TCase *properties(void)
{
	TCase *t = tcase_create("properties");

	tcase_add_checked_fixture(t, bed_setup, bed_teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, coinview_is_the_plain_map_whatever_happens, 0,
			    16);
	tcase_add_test(t, coinview_recovers_from_a_flush_cut_off_anywhere);
	tcase_add_loop_test(t, coinview_comes_back_after_a_kill_at_any_time, 0,
			    12);
	tcase_add_test(
	    t, coinview_on_a_full_disk_fails_for_good_and_recovers_with_space);
	return t;
}

Suite *coinview_model_suite(void)
{
	Suite *s = suite_create("coinview_model");

	suite_add_tcase(s, properties());
	return s;
}
