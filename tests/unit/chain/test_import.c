/* Reading foreign block files: whatever lies in them, in any order. */
#include "../testdata.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/base/text.h>
#include <cairn/chain/import.h>

#include <stdlib.h>

#define TIP "3de082158b117acd088306c395d09771bb7cbf0b7355796c1b1e0bd748ef9bed"

struct file {
	uint8_t *p;
	size_t n, cap;
};

static void put(struct file *f, const void *p, size_t n)
{
	arr_grow(&f->p, &f->cap, f->n + n, 1);
	memcpy(f->p + f->n, p, n);
	f->n += n;
}

static void put_record(struct file *f, const struct rig *r, struct slice b)
{
	uint8_t head[8];

	memcpy(head, r->params.magic, 4);
	le32_put(head + 4, (uint32_t)b.n);
	put(f, head, 8);
	put(f, b.p, b.n);
}

static char *save(const struct file *f, const char *dir, const char *name)
{
	char *path = path_join(dir, name);

	ck_assert_int_eq(file_replace(path, slice_of(f->p, f->n), 0600), 0);
	return path;
}

struct ended {
	bool done;
	struct import_result r;
};

static void on_done(void *arg, const struct import_result *r)
{
	struct ended *e = arg;

	e->r = *r;
	e->done = true;
}

/* Import the files and wait. */
static struct import_result run(struct rig *r, const char *const *paths,
				size_t n)
{
	struct ended e = {.done = false};
	struct import *i = import_start(r->c, paths, n, on_done, &e);

	rig_until(r, &e.done);
	import_free(i);
	return e.r;
}

struct setup {
	struct rig r;
	struct blockfile_data d;
	struct file f;
	char *dir;
};

static void setup(struct setup *s)
{
	memset(s, 0, sizeof *s);
	blocks_read(&s->d, "chains/regtest-kernel-0-206.blk");
	rig_init(&s->r, CHAIN_REGTEST, NULL);
	rig_start(&s->r);
	s->dir = scratch_new();
}

static void setup_fini(struct setup *s)
{
	blocks_fini(&s->d);
	rig_fini(&s->r);
	scratch_free(s->dir);
	free(s->f.p);
}

static struct import_result import_one(struct setup *s, const char *name)
{
	char *path = save(&s->f, s->dir, name);
	const char *paths[1] = {path};
	struct import_result res = run(&s->r, paths, 1);

	free(path);
	return res;
}

static void assert_all_there(struct setup *s)
{
	char hash[HASH256_STR];

	ck_assert_int_eq(chain_tip(s->r.c)->height, 206);
	ck_assert_str_eq(hash256_fmt(hash, &chain_tip(s->r.c)->hash), TIP);
}

START_TEST(import_reads_a_file_in_order_and_knows_it_the_second_time)
{
	struct import_result res;
	struct setup s;
	size_t i;

	if (td_missing())
		return;
	setup(&s);
	for (i = 0; i < s.d.n; i++)
		put_record(&s.f, &s.r, s.d.blocks[i]);
	res = import_one(&s, "bootstrap.dat");
	ck_assert_int_eq(res.rc, 0);
	ck_assert_uint_eq(res.files, 1);
	ck_assert_uint_eq(res.blocks, 206);
	ck_assert_uint_eq(res.known, 1);
	assert_all_there(&s);
	res = import_one(&s, "bootstrap.dat");
	ck_assert_uint_eq(res.blocks, 0);
	ck_assert_uint_eq(res.known, 207);
	setup_fini(&s);
}
END_TEST

/* Junk of every kind: zeros, half a magic, a magic with a length that swallows
 * what follows, a record that does not parse. */
static void put_junk(struct setup *s, struct rand *rnd)
{
	uint8_t junk[64];
	size_t n = rand_below(rnd, sizeof junk), i;

	switch (rand_below(rnd, 5)) {
	case 0:
		memset(junk, 0, sizeof junk);
		put(&s->f, junk, n);
		break;
	case 1:
		put(&s->f, s->r.params.magic, n % 4);
		break;
	case 2:
		put(&s->f, s->r.params.magic, 4);
		le32_put(junk, 1000);
		put(&s->f, junk, 4);
		break;
	case 3:
		put(&s->f, s->r.params.magic, 4);
		le32_put(junk, 0xffffffffu);
		put(&s->f, junk, 4);
		break;
	default:
		for (i = 0; i < n; i++)
			junk[i] = (uint8_t)rand_u64(rnd);
		put(&s->f, junk, n);
	}
}

START_TEST(import_passes_over_junk_and_a_cut_off_tail)
{
	struct import_result res;
	struct setup s;
	struct rand rnd;
	size_t i;

	if (td_missing())
		return;
	setup(&s);
	rand_seed(&rnd, 2026);
	for (i = 0; i < s.d.n; i++) {
		put_junk(&s, &rnd);
		put_record(&s.f, &s.r, s.d.blocks[i]);
	}
	put_record(&s.f, &s.r, s.d.blocks[206]);
	s.f.n -= 50;
	res = import_one(&s, "blk00000.dat");
	ck_assert_int_eq(res.rc, 0);
	ck_assert_uint_eq(res.blocks, 206);
	assert_all_there(&s);
	setup_fini(&s);
}
END_TEST

static void shuffle(struct slice *v, size_t n, struct rand *rnd)
{
	for (; n > 1; n--) {
		size_t k = rand_below(rnd, n);
		struct slice t = v[n - 1];

		v[n - 1] = v[k];
		v[k] = t;
	}
}

START_TEST(import_takes_blocks_in_any_order_over_several_files)
{
	const char *paths[2];
	struct import_result res;
	struct file second = {NULL, 0, 0};
	struct setup s;
	struct rand rnd;
	char *a, *b;
	size_t i;

	if (td_missing())
		return;
	setup(&s);
	rand_seed(&rnd, (uint64_t)_i);
	shuffle(s.d.blocks, s.d.n, &rnd);
	for (i = 0; i < s.d.n; i++)
		put_record(i < 100 ? &s.f : &second, &s.r, s.d.blocks[i]);
	a = save(&s.f, s.dir, "a.dat");
	b = save(&second, s.dir, "b.dat");
	paths[0] = a;
	paths[1] = b;
	res = run(&s.r, paths, 2);
	ck_assert_int_eq(res.rc, 0);
	ck_assert_uint_eq(res.blocks, 206);
	ck_assert_uint_eq(res.orphans, 0);
	assert_all_there(&s);
	free(a);
	free(b);
	free(second.p);
	setup_fini(&s);
}
END_TEST

START_TEST(import_counts_blocks_whose_parent_is_nowhere)
{
	struct import_result res;
	struct setup s;
	size_t i;

	if (td_missing())
		return;
	setup(&s);
	for (i = 0; i < s.d.n; i++)
		if (i != 150)
			put_record(&s.f, &s.r, s.d.blocks[i]);
	res = import_one(&s, "x.dat");
	ck_assert_int_eq(res.rc, 0);
	ck_assert_uint_eq(res.blocks, 149);
	ck_assert_uint_eq(res.orphans, 56);
	ck_assert_int_eq(chain_tip(s.r.c)->height, 149);
	setup_fini(&s);
}
END_TEST

START_TEST(import_undoes_the_obfuscation_of_a_blocks_folder)
{
	static const uint8_t key[8] = {0x13, 0x37, 0, 0xff, 9, 8, 7, 6};
	struct import_result res;
	struct setup s;
	char *path;
	size_t i;

	if (td_missing())
		return;
	setup(&s);
	for (i = 0; i < s.d.n; i++)
		put_record(&s.f, &s.r, s.d.blocks[i]);
	path = path_join(s.dir, "xor.dat");
	ck_assert_int_eq(file_replace(path, slice_of(key, 8), 0600), 0);
	free(path);
	/* A plain file beside a key is read as it is. */
	res = import_one(&s, "bootstrap.dat");
	ck_assert_uint_eq(res.blocks, 206);
	rig_fini(&s.r);
	rig_init(&s.r, CHAIN_REGTEST, NULL);
	rig_start(&s.r);
	for (i = 0; i < s.f.n; i++)
		s.f.p[i] ^= key[i % 8];
	res = import_one(&s, "blk00000.dat");
	ck_assert_int_eq(res.rc, 0);
	ck_assert_uint_eq(res.blocks, 206);
	assert_all_there(&s);
	setup_fini(&s);
}
END_TEST

START_TEST(import_tells_a_file_that_is_not_there)
{
	const char *paths[1] = {"/nonexistent/blk00000.dat"};
	struct import_result res;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	res = run(&r, paths, 1);
	ck_assert_int_ne(res.rc, 0);
	ck_assert_ptr_nonnull(res.path);
	rig_fini(&r);
}
END_TEST

START_TEST(import_stops_when_asked)
{
	struct ended e = {.done = false};
	struct import *i;
	const char *paths[1];
	struct setup s;
	uint64_t blocks;
	double share;
	char *path;
	size_t k;

	if (td_missing())
		return;
	setup(&s);
	for (k = 0; k < s.d.n; k++)
		put_record(&s.f, &s.r, s.d.blocks[k]);
	path = save(&s.f, s.dir, "x.dat");
	paths[0] = path;
	i = import_start(s.r.c, paths, 1, on_done, &e);
	import_stop(i);
	rig_until(&s.r, &e.done);
	ck_assert_int_eq(e.r.rc, E_STOPPING);
	import_progress(i, &blocks, &share);
	ck_assert_uint_eq(blocks, e.r.blocks);
	import_free(i);
	free(path);
	setup_fini(&s);
}
END_TEST

Suite *import_suite(void)
{
	Suite *s = suite_create("import");
	TCase *tc = tcase_create("files");

	tcase_set_timeout(tc, 120);
	tcase_add_test(
	    tc, import_reads_a_file_in_order_and_knows_it_the_second_time);
	tcase_add_test(tc, import_passes_over_junk_and_a_cut_off_tail);
	tcase_add_loop_test(
	    tc, import_takes_blocks_in_any_order_over_several_files, 1, 6);
	tcase_add_test(tc, import_counts_blocks_whose_parent_is_nowhere);
	tcase_add_test(tc, import_undoes_the_obfuscation_of_a_blocks_folder);
	tcase_add_test(tc, import_tells_a_file_that_is_not_there);
	tcase_add_test(tc, import_stops_when_asked);
	suite_add_tcase(s, tc);
	return s;
}
