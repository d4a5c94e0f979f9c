/*
 * Bitcoin Core's tx_valid.json and tx_invalid.json. The flags of a valid
 * transaction are those that must be left out: with all others it verifies,
 * with fewer too, and with any of the left out ones added it does not. Those of
 * an invalid one are the least that make it fail.
 */
#include "suites.h"

#include "scripttext.h"
#include "testjson.h"

#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/consensus/check.h>
#include <cairn/script/interp.h>

#include <stdio.h>

/* One case of either file. */
struct txcase {
	size_t k;
	uint8_t *raw;
	struct tx_view tx;
	struct txout_view *spent; /* scripts are owned by script[] */
	uint8_t **script;
	struct tx_sighash shared;
};

static bool is_outpoint(const struct tj *row, const uint8_t *outpoint)
{
	struct hash256 h;

	ck_assert(hash256_parse(&h, row->at[0].str));
	return memcmp(h.b, outpoint, 32) == 0 &&
	       (uint32_t)strtol(row->at[1].str, NULL, 10) ==
		   outpoint_index(outpoint);
}

static void read_spent(struct txcase *c, const struct tj *rows)
{
	struct tx_iter it;
	struct txin_view in;

	txins(&it, &c->tx);
	for (uint32_t i = 0; txin_next(&it, &in); i++) {
		for (size_t k = 0; k < rows->n && !c->script[i]; k++) {
			const struct tj *row = &rows->at[k];
			size_t n;

			if (!is_outpoint(row, in.prevout))
				continue;
			c->script[i] = st_script(row->at[2].str, &n);
			c->spent[i].script = slice_of(c->script[i], n);
			if (row->n > 3)
				c->spent[i].value =
				    strtoll(row->at[3].str, NULL, 10);
		}
	}
}

static void case_init(struct txcase *c, const struct tj *j, size_t k)
{
	struct rd r;
	size_t n;

	c->k = k;
	c->raw = td_hex(j->at[1].str, strlen(j->at[1].str), &n);
	rd_init(&r, slice_of(c->raw, n));
	ck_assert_msg(tx_view_parse(&c->tx, &r) && rd_left(&r) == 0, "case %zu",
		      k);
	c->spent = xcalloc(c->tx.n_in + 1, sizeof *c->spent);
	c->script = xcalloc(c->tx.n_in + 1, sizeof *c->script);
	read_spent(c, &j->at[0]);
	tx_sighash_init(&c->shared, &c->tx, c->spent);
}

static void case_fini(struct txcase *c)
{
	for (uint32_t i = 0; i < c->tx.n_in; i++)
		free(c->script[i]);
	free(c->script);
	free(c->spent);
	free(c->raw);
}

static bool verifies(const struct txcase *c, unsigned flags,
		     struct script_failure *f)
{
	/* A case whose file names no output for an input is malformed. */
	for (uint32_t i = 0; i < c->tx.n_in; i++)
		ck_assert_msg(c->script[i] != NULL, "case %zu: no output",
			      c->k);
	return script_verify_inputs(f, &c->shared, 0, c->tx.n_in, flags, NULL);
}

static void expect(const struct txcase *c, unsigned flags, bool valid,
		   size_t *runs)
{
	struct script_failure f = {0, SCRIPT_ERR_OK};
	bool ok = verifies(c, flags, &f);

	++*runs;
	ck_assert_msg(ok == valid, "case %zu with flags %x: input %u %s", c->k,
		      flags, f.input, script_err_name(f.err));
}

static unsigned trim(unsigned flags)
{
	if (!(flags & SCRIPT_VERIFY_P2SH))
		flags &= ~(unsigned)SCRIPT_VERIFY_WITNESS;
	if (!(flags & SCRIPT_VERIFY_WITNESS))
		flags &= ~(unsigned)SCRIPT_VERIFY_CLEANSTACK;
	return flags;
}

static unsigned fill(unsigned flags)
{
	if (flags & SCRIPT_VERIFY_CLEANSTACK)
		flags |= SCRIPT_VERIFY_WITNESS;
	if (flags & SCRIPT_VERIFY_WITNESS)
		flags |= SCRIPT_VERIFY_P2SH;
	return flags;
}

static unsigned next_random(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8 & SCRIPT_FLAGS_ALL;
}

static unsigned read_flags(const struct tj *j)
{
	unsigned flags = 0;

	ck_assert_msg(script_flags_parse(&flags, j->at[2].str), "%s",
		      j->at[2].str);
	return flags;
}

static void check_valid(const struct txcase *c, unsigned without,
			uint32_t *seed, size_t *runs)
{
	const unsigned flags = SCRIPT_FLAGS_ALL & ~without;

	ck_assert_uint_eq(flags, fill(flags));
	ck_assert(tx_check(&c->tx).kind == V_VALID);
	expect(c, flags, true, runs);
	for (unsigned i = 0; i < SCRIPT_FLAG_BITS; i++) {
		unsigned fewer = trim(without & ~(1u << i));

		expect(c, trim(flags & ~(1u << i)), true, runs);
		expect(c, trim(flags & ~next_random(seed)), true, runs);
		/* None of the left out ones can be left in. */
		if (fewer != without)
			expect(c, SCRIPT_FLAGS_ALL & ~fewer, false, runs);
	}
}

static void check_invalid(const struct txcase *c, unsigned flags,
			  uint32_t *seed, size_t *runs)
{
	ck_assert_uint_eq(flags, fill(flags));
	expect(c, flags, false, runs);
	for (unsigned i = 0; i < SCRIPT_FLAG_BITS; i++) {
		unsigned fewer = trim(flags & ~(1u << i));

		expect(c, fill(flags | 1u << i), false, runs);
		expect(c, fill(flags | next_random(seed)), false, runs);
		/* Each of them is needed. */
		if (fewer != flags)
			expect(c, fewer, true, runs);
	}
}

START_TEST(valid_transactions_verify_with_all_flags_but_those_named)
{
	uint32_t seed = 1;
	size_t n = 0, runs = 0;
	struct txcase c;
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/tx_valid.json");
	for (size_t k = 0; k < all->n; k++) {
		if (all->at[k].at[0].kind != TJ_ARRAY)
			continue;
		case_init(&c, &all->at[k], k);
		check_valid(&c, read_flags(&all->at[k]), &seed, &runs);
		case_fini(&c);
		n++;
	}
	printf("tx_valid: %zu cases, %zu runs\n", n, runs);
	ck_assert_uint_eq(n, 121);
	tj_free(all);
}
END_TEST

START_TEST(invalid_transactions_fail_with_the_flags_named_and_more)
{
	uint32_t seed = 2;
	size_t n = 0, bad = 0, runs = 0;
	struct txcase c;
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/tx_invalid.json");
	for (size_t k = 0; k < all->n; k++) {
		const struct tj *j = &all->at[k];

		if (j->at[0].kind != TJ_ARRAY)
			continue;
		case_init(&c, j, k);
		if (strcmp(j->at[2].str, "BADTX") == 0) {
			ck_assert_msg(tx_check(&c.tx).kind == V_INVALID,
				      "case %zu", k);
			bad++;
		} else {
			ck_assert_msg(tx_check(&c.tx).kind == V_VALID,
				      "case %zu", k);
			check_invalid(&c, read_flags(j), &seed, &runs);
		}
		case_fini(&c);
		n++;
	}
	printf("tx_invalid: %zu cases, %zu without scripts, %zu runs\n", n, bad,
	       runs);
	ck_assert_uint_eq(n, 93);
	tj_free(all);
}
END_TEST

Suite *tx_vectors_suite(void)
{
	Suite *s = suite_create("tx_vectors");
	TCase *t = tcase_create("tx_vectors");

	tcase_set_timeout(t, 120);
	tcase_add_test(
	    t, valid_transactions_verify_with_all_flags_but_those_named);
	tcase_add_test(t,
		       invalid_transactions_fail_with_the_flags_named_and_more);
	suite_add_tcase(s, t);
	return s;
}
