/*
 * Bitcoin Core's script_tests.json: every case with its error, and with flags
 * added or taken away at random, which must not change a verdict the wrong way.
 */
#include "fixture.h"
#include "scripttext.h"
#include "suites.h"
#include "testjson.h"
#include "verifiers.h"

#include <stdio.h>

/* One case as it is read. */
struct scase {
	struct items witness;
	int64_t value;
	uint8_t output[32]; /* of the leaf in the witness */
	uint8_t *sig, *pubkey;
	size_t sig_n, pubkey_n;
	unsigned flags;
	const char *want;
};

static void read_witness(struct scase *c, const struct tj *j)
{
	uint8_t control[33];

	for (size_t i = 0; i + 1 < j->n; i++) {
		const char *s = j->at[i].str;

		if (strncmp(s, "#SCRIPT#", 8) == 0) {
			size_t n;
			uint8_t *p = st_script(s + 8, &n);

			items_add(&c->witness, p, n);
			free(p);
		} else if (strcmp(s, "#CONTROLBLOCK#") == 0) {
			fix_leaf(control, c->output, 0xc0,
				 c->witness.at[c->witness.n - 1]);
			items_add(&c->witness, control, 33);
		} else {
			items_add_hex(&c->witness, s);
		}
	}
	c->value = (int64_t)(strtod(j->at[j->n - 1].str, NULL) * 1e8 + 0.5);
}

static uint8_t *read_pubkey(const struct scase *c, const char *text, size_t *n)
{
	uint8_t *p;

	if (strcmp(text, "0x51 0x20 #TAPROOTOUTPUT#") != 0)
		return st_script(text, n);
	p = xmalloc(34);
	p[0] = OP_1;
	p[1] = 32;
	memcpy(p + 2, c->output, 32);
	*n = 34;
	return p;
}

/* False for a comment. */
static bool read_case(struct scase *c, const struct tj *j)
{
	const struct tj *at = j->at;

	memset(c, 0, sizeof *c);
	if (j->n == 1)
		return false;
	if (at->kind == TJ_ARRAY)
		read_witness(c, at++);
	c->sig = st_script(at[0].str, &c->sig_n);
	c->pubkey = read_pubkey(c, at[1].str, &c->pubkey_n);
	ck_assert_msg(script_flags_parse(&c->flags, at[2].str), "flags %s",
		      at[2].str);
	if (c->flags & SCRIPT_VERIFY_CLEANSTACK)
		c->flags = flags_fill(c->flags);
	c->want = at[3].str;
	return true;
}

static void free_case(struct scase *c)
{
	items_fini(&c->witness);
	free(c->sig);
	free(c->pubkey);
}

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8 & SCRIPT_FLAGS_ALL;
}

static void try_other_flags(const struct fix *f, const struct scase *c,
			    bool valid, size_t k, uint32_t *seed)
{
	for (int i = 0; i < 64; i++) {
		unsigned extra = next_random(seed);
		unsigned flags = valid ? c->flags & ~extra : c->flags | extra;
		enum script_err e;

		if (!script_flags_ok(flags))
			continue;
		e = fix_verify(f, 0, flags);
		ck_assert_msg((e == SCRIPT_ERR_OK) == valid,
			      "case %zu with flags %x: %s", k, flags,
			      script_err_name(e));
	}
}

static void check_case(const struct scase *c, size_t k, uint32_t *seed)
{
	bool valid = strcmp(c->want, "OK") == 0;
	enum script_err e;
	struct fix f;

	fix_credit(&f, slice_of(c->sig, c->sig_n),
		   slice_of(c->pubkey, c->pubkey_n), &c->witness, c->value);
	e = verify_all_ways(&f, 0, c->flags);
	ck_assert_msg(strcmp(script_err_name(e), c->want) == 0,
		      "case %zu: %s where %s expected", k, script_err_name(e),
		      c->want);
	try_other_flags(&f, c, valid, k, seed);
	fix_fini(&f);
}

START_TEST(script_vectors_give_the_errors_of_bitcoin_core)
{
	uint32_t seed = 1;
	size_t checked = 0;
	struct scase c;
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/script_tests.json");
	for (size_t k = 0; k < all->n; k++) {
		if (read_case(&c, &all->at[k])) {
			check_case(&c, k, &seed);
			checked++;
		}
		free_case(&c);
	}
	tj_free(all);
	printf("script_tests: %zu cases\n", checked);
	ck_assert_uint_gt(checked, 1200);
}
END_TEST

Suite *script_vectors_suite(void)
{
	Suite *s = suite_create("script_vectors");
	TCase *t = tcase_create("script_vectors");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, script_vectors_give_the_errors_of_bitcoin_core);
	suite_add_tcase(s, t);
	return s;
}
