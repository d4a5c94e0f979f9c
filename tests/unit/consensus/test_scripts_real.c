/*
 * Real blocks with the outputs that they spend (format PVO1 of the data
 * folder): every input verifies under the flags of its block, and no longer
 * when the outputs are another's.
 */
#include "suites.h"

#include "testdata.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/consensus/flags.h>
#include <cairn/params/params.h>
#include <cairn/script/interp.h>
#include <cairn/wire/block.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* A block, and its coins in the order of its inputs. */
struct real {
	struct buf *block, *coins;
	struct block_view view;
	struct hash256 hash;
	struct txout_view *spent;
	uint32_t n;
	int32_t height;
	enum chain_id chain;
};

static void read_coins(struct real *r)
{
	struct rd rd;

	rd_init(&rd, buf_payload(r->coins));
	ck_assert_mem_eq(rd_take(&rd, 4), "PVO1", 4);
	ck_assert_mem_eq(rd_take(&rd, 32), r->hash.b, 32);
	r->n = rd_u32(&rd);
	ck_assert_uint_lt(r->n, 1000000);
	r->spent = xcalloc(r->n + 1, sizeof *r->spent);
	for (uint32_t i = 0; i < r->n; i++) {
		r->spent[i].value = (int64_t)rd_u64(&rd);
		rd_take(&rd, 5);
		r->spent[i].script = rd_varbytes(&rd);
	}
	ck_assert(rd_ok(&rd) && rd_left(&rd) == 0);
}

/* name: below the data folder, without its ending; ends with the height. */
static void real_init(struct real *r, enum chain_id chain, const char *name)
{
	char *bin = xasprintf("%s.bin", name);
	char *pv = xasprintf("%s.prevouts", name);
	size_t trailing;

	r->chain = chain;
	r->height = (int32_t)strtol(strrchr(name, '-') + 1, NULL, 10);
	r->block = td_read(bin);
	r->coins = td_read(pv);
	ck_assert_int_eq(
	    block_view_parse(&r->view, &trailing, buf_payload(r->block)), 0);
	sha256d(&r->hash, r->view.header, 80);
	read_coins(r);
	free(bin);
	free(pv);
}

static void real_fini(struct real *r)
{
	free(r->spent);
	block_view_fini(&r->view);
	buf_unref(r->block);
	buf_unref(r->coins);
}

/* Verify all inputs; counts them, and those with a witness. */
static void verify(const struct real *r, size_t *inputs, size_t *witnesses)
{
	unsigned flags =
	    script_flags(params_get(r->chain), r->height, &r->hash);
	const struct txout_view *spent = r->spent;
	struct script_failure f = {0, SCRIPT_ERR_OK};
	struct tx_sighash shared;

	for (uint32_t i = 1; i < r->view.n_tx; i++) {
		const struct tx_view *tx = &r->view.tx[i];

		tx_sighash_init(&shared, tx, spent);
		ck_assert_msg(
		    script_verify_inputs(&f, &shared, 0, tx->n_in, flags, NULL),
		    "height %d transaction %u input %u: %s", r->height, i,
		    f.input, script_err_name(f.err));
		spent += tx->n_in;
		*inputs += tx->n_in;
		*witnesses += tx_has_witness(tx) ? tx->n_in : 0;
	}
	ck_assert_ptr_eq(spent, r->spent + r->n);
}

static void check_folder(enum chain_id chain, const char *folder,
			 size_t *blocks, size_t *inputs, size_t *witnesses)
{
	char *path = xasprintf("%s/%s", td_folder(), folder);
	DIR *d = opendir(path);
	struct dirent *e;

	ck_assert(d != NULL);
	while ((e = readdir(d))) {
		char *dot = strrchr(e->d_name, '.');
		struct real r;
		char *name;

		if (!dot || strcmp(dot, ".bin") != 0)
			continue;
		*dot = '\0';
		name = xasprintf("%s/%s", folder, e->d_name);
		real_init(&r, chain, name);
		verify(&r, inputs, witnesses);
		real_fini(&r);
		free(name);
		++*blocks;
	}
	closedir(d);
	free(path);
}

START_TEST(every_input_of_real_blocks_verifies)
{
	size_t blocks = 0, inputs = 0, witnesses = 0;

	if (td_missing())
		return;
	check_folder(CHAIN_MAIN, "prevouts/mainnet", &blocks, &inputs,
		     &witnesses);
	check_folder(CHAIN_TEST, "prevouts/testnet3", &blocks, &inputs,
		     &witnesses);
	printf("real blocks: %zu blocks, %zu inputs, %zu of segregated "
	       "witness transactions\n",
	       blocks, inputs, witnesses);
	ck_assert_uint_ge(blocks, 18);
	ck_assert_uint_gt(inputs, 30000);
	ck_assert_uint_gt(witnesses, 1000);
}
END_TEST

/* The blocks hold enough signatures that a wrong output is always noticed. */
START_TEST(inputs_do_not_verify_with_the_outputs_of_others)
{
	struct script_failure f;
	struct tx_sighash shared;
	struct real r;
	size_t ok = 0, n = 0;

	if (td_missing())
		return;
	real_init(&r, CHAIN_MAIN, "prevouts/mainnet/mainnet-757739");
	for (uint32_t i = 1, at = 0; i < r.view.n_tx; i++) {
		const struct tx_view *tx = &r.view.tx[i];
		struct txout_view *spent = r.spent + at;

		for (uint32_t k = 0; k < tx->n_in; k++)
			spent[k].value++;
		tx_sighash_init(&shared, tx, spent);
		for (uint32_t k = 0; tx_has_witness(tx) && k < tx->n_in; k++) {
			if (spent[k].script.n != 22 && spent[k].script.n != 34)
				continue;
			ok += script_verify_inputs(
			    &f, &shared, k, 1,
			    script_flags(params_get(r.chain), r.height,
					 &r.hash),
			    NULL);
			n++;
		}
		at += tx->n_in;
	}
	ck_assert_uint_gt(n, 20);
	ck_assert_uint_eq(ok, 0);
	real_fini(&r);
}
END_TEST

Suite *scripts_real_suite(void)
{
	Suite *s = suite_create("scripts_real");
	TCase *t = tcase_create("scripts_real");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, every_input_of_real_blocks_verifies);
	tcase_add_test(t, inputs_do_not_verify_with_the_outputs_of_others);
	suite_add_tcase(s, t);
	return s;
}
