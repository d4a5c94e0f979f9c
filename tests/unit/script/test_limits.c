/*
 * Verification where vectors do not reach: many and large items, results that
 * outlive their makers, the order of rules, spends that are known to have split
 * nodes.
 */
#include "fixture.h"
#include "scripttext.h"
#include "suites.h"

#include <stdio.h>

/* A script from text spent by P2WSH or as tapscript on n equal items. */
static enum script_err run_text(bool tap, const char *text, size_t n,
				struct slice item, unsigned flags)
{
	struct items stack = {0};
	enum script_err e;
	struct fix f;
	size_t size;
	uint8_t *script = st_script(text, &size);

	for (size_t i = 0; i < n; i++)
		items_add(&stack, item.p, item.n);
	if (tap)
		fix_tapscript(&f, slice_of(script, size), &stack);
	else
		fix_p2wsh(&f, slice_of(script, size), &stack);
	e = fix_verify(&f, 0, flags);
	fix_fini(&f);
	items_fini(&stack);
	free(script);
	return e;
}

#define RULES                                                                  \
	(SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT)

/* The limit on items is checked behind an operation and not at the start, so
 * version 0 may begin with any number. */
START_TEST(version_0_may_begin_with_more_items_than_the_limit)
{
	static const struct {
		const char *script;
		size_t n;
		enum script_err e;
	} t[] = {
	    {"2DROP", 1001, SCRIPT_ERR_CLEANSTACK},
	    {"2DROP", 1002, SCRIPT_ERR_CLEANSTACK},
	    {"2DROP", 1003, SCRIPT_ERR_STACK_SIZE},
	    {"DROP", 1001, SCRIPT_ERR_CLEANSTACK},
	    {"DROP", 1002, SCRIPT_ERR_STACK_SIZE},
	    {"NOP", 1000, SCRIPT_ERR_CLEANSTACK},
	    {"NOP", 1001, SCRIPT_ERR_STACK_SIZE},
	    {"", 1001, SCRIPT_ERR_CLEANSTACK},
	    {"", 5000, SCRIPT_ERR_CLEANSTACK},
	    {"DEPTH", 1099, SCRIPT_ERR_STACK_SIZE},
	    {"DEPTH", 1100, SCRIPT_ERR_STACK_SIZE},
	    {"3DUP", 1100, SCRIPT_ERR_STACK_SIZE},
	    {"3DUP", 1101, SCRIPT_ERR_STACK_SIZE},
	    {"3DUP", 100000, SCRIPT_ERR_STACK_SIZE},
	    {"RETURN", 100000, SCRIPT_ERR_OP_RETURN},
	    {"TOALTSTACK", 1000, SCRIPT_ERR_CLEANSTACK},
	    {"TOALTSTACK", 1101, SCRIPT_ERR_STACK_SIZE},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		enum script_err e = run_text(false, t[i].script, t[i].n,
					     slice_of("\1", 1), RULES);

		ck_assert_msg(e == t[i].e, "row %zu: %s", i,
			      script_err_name(e));
	}
}
END_TEST

/* 0x0bb8 and 0x03e8: of 3,001 items (one of them the number) there are 3,000
 * to pick from, the lowest of which are not kept. */
START_TEST(items_that_are_not_kept_still_count)
{
	struct slice n3000 = slice_of("\xb8\x0b", 2);
	struct slice n2999 = slice_of("\xb7\x0b", 2);
	struct slice n1000 = slice_of("\xe8\x03", 2);

	ck_assert_int_eq(run_text(false, "PICK", 3001, n3000, RULES),
			 SCRIPT_ERR_INVALID_STACK_OPERATION);
	ck_assert_int_eq(run_text(false, "ROLL", 3001, n3000, RULES),
			 SCRIPT_ERR_INVALID_STACK_OPERATION);
	ck_assert_int_eq(run_text(false, "PICK", 3001, n2999, RULES),
			 SCRIPT_ERR_STACK_SIZE);
	ck_assert_int_eq(run_text(false, "ROLL", 3001, n2999, RULES),
			 SCRIPT_ERR_STACK_SIZE);
	ck_assert_int_eq(run_text(false, "ROLL", 1002, n1000, RULES),
			 SCRIPT_ERR_STACK_SIZE);
	ck_assert_int_eq(run_text(false, "ROLL", 1001, n1000, RULES),
			 SCRIPT_ERR_INVALID_STACK_OPERATION);
}
END_TEST

START_TEST(tapscript_may_not_begin_with_more_items_than_the_limit)
{
	struct slice one = slice_of("\1", 1);

	ck_assert_int_eq(run_text(true, "", 1001, one, RULES),
			 SCRIPT_ERR_STACK_SIZE);
	ck_assert_int_eq(run_text(true, "", 1000, one, RULES),
			 SCRIPT_ERR_CLEANSTACK);
	ck_assert_int_eq(run_text(true, "", 1, one, RULES), SCRIPT_ERR_OK);
	ck_assert_int_eq(run_text(true, "RETURN", 1001, one, RULES),
			 SCRIPT_ERR_STACK_SIZE);
}
END_TEST

/* 0x50 is OP_RESERVED elsewhere and OP_SUCCESS80 here. */
START_TEST(success_comes_before_every_limit)
{
	uint8_t *big = xcalloc(1, 11000);
	struct slice item = slice_of(big, 11000), none = slice_of("", 0);
	unsigned discourage = SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS;

	ck_assert_int_eq(run_text(true, "0x50", 1, item, RULES), SCRIPT_ERR_OK);
	ck_assert_int_eq(run_text(true, "0x50 0x4c", 1, item, RULES),
			 SCRIPT_ERR_OK);
	ck_assert_int_eq(run_text(true, "IF RETURN VERIF 0x50", 1, item, RULES),
			 SCRIPT_ERR_OK);
	ck_assert_int_eq(run_text(true, "0x4d0902", 1, item, RULES),
			 SCRIPT_ERR_BAD_OPCODE);
	ck_assert_int_eq(run_text(true, "0x50", 500001, none, RULES),
			 SCRIPT_ERR_OK);
	ck_assert_int_eq(
	    run_text(true, "0x50", 500001, none, RULES | discourage),
	    SCRIPT_ERR_DISCOURAGE_OP_SUCCESS);
	ck_assert_int_eq(run_text(true, "1", 1, item, RULES),
			 SCRIPT_ERR_PUSH_SIZE);
	free(big);
}
END_TEST

START_TEST(every_opcode_is_success_or_is_not_as_bip342_lists)
{
	static const uint8_t none[] = {0x00};

	for (unsigned op = 0x4f; op <= 0xff; op++) {
		bool listed =
		    op == 80 || op == 98 || (op >= 126 && op <= 129) ||
		    (op >= 131 && op <= 134) || (op >= 137 && op <= 138) ||
		    (op >= 141 && op <= 142) || (op >= 149 && op <= 153) ||
		    (op >= 187 && op <= 254);
		struct items stack = {0};
		uint8_t script[2] = {OP_RETURN, (uint8_t)op};
		struct fix f;

		items_add(&stack, none, 0);
		fix_tapscript(&f, slice_of(script, 2), &stack);
		ck_assert_msg((fix_verify(&f, 0, RULES) == SCRIPT_ERR_OK) ==
				  listed,
			      "opcode %u", op);
		fix_fini(&f);
		items_fini(&stack);
	}
}
END_TEST

/* Version 0xc2 means nothing yet, but only where the output commits to it. */
START_TEST(unknown_leaf_versions_are_valid_when_committed_to)
{
	uint8_t control[33], pubkey[34] = {OP_1, 32}, script[] = {OP_RETURN};
	struct items w = {0};
	struct fix f;

	fix_leaf(control, pubkey + 2, 0xc2, slice_of(script, 1));
	items_add(&w, script, 1);
	items_add(&w, control, 33);
	fix_credit(&f, slice_of(NULL, 0), slice_of(pubkey, 34), &w, 1);
	ck_assert_int_eq(fix_verify(&f, 0, RULES), SCRIPT_ERR_OK);
	ck_assert_int_eq(fix_verify(&f, 0, SCRIPT_FLAGS_ALL),
			 SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
	fix_fini(&f);
	pubkey[10] ^= 1;
	fix_credit(&f, slice_of(NULL, 0), slice_of(pubkey, 34), &w, 1);
	ck_assert_int_eq(fix_verify(&f, 0, RULES),
			 SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
	fix_fini(&f);
	items_fini(&w);
}
END_TEST

START_TEST(scripts_may_be_longer_than_items)
{
	char text[9000 * 5 + 64];
	size_t n = 0;
	struct slice none = slice_of("", 0);

	/* 9,990 bytes of numbers that are dropped: 99 operations. */
	for (int i = 0; i < 99; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "0x4c61 0x%0194d 2DROP 1 ", 0);
	/* One item is there, each round adds one and takes two. */
	ck_assert_int_eq(run_text(false, text, 1, none, RULES), SCRIPT_ERR_OK);
	snprintf(text + n, sizeof text - n, "NOP NOP");
	ck_assert_int_eq(run_text(false, text, 1, none, RULES),
			 SCRIPT_ERR_SCRIPT_SIZE);
	ck_assert_int_eq(run_text(true, text, 1, none, RULES), SCRIPT_ERR_OK);
}
END_TEST

/*
 * Hashes make hashes until the cells have been used many times over, with 900
 * alive, some of them on the other stack; then each must still be the hash of
 * the one below.
 */
START_TEST(results_keep_their_bytes_while_others_come_and_go)
{
	const unsigned alive = 900, aside = 400, churn = 5000;
	char *text = xmalloc(200000), *p = text;

	p = stpcpy(p, "'seed' ");
	for (unsigned i = 0; i < alive; i++)
		p = stpcpy(p, "DUP SHA256 ");
	for (unsigned i = 0; i < aside; i++)
		p = stpcpy(p, "TOALTSTACK ");
	for (unsigned i = 0; i < churn; i++)
		p = stpcpy(p, "DUP HASH256 DROP ");
	for (unsigned i = 0; i < aside; i++)
		p = stpcpy(p, "FROMALTSTACK ");
	for (unsigned i = 0; i < alive; i++)
		p = stpcpy(p, "OVER SHA256 EQUALVERIFY ");
	stpcpy(p, "'seed' EQUAL");
	ck_assert_int_eq(run_text(true, text, 0, slice_of("", 0), RULES),
			 SCRIPT_ERR_OK);
	/* With one of them replaced it must not be. */
	p = strstr(text, "OVER SHA256 EQUALVERIFY");
	memcpy(p, "1ADD", 4);
	ck_assert_int_ne(run_text(true, text, 0, slice_of("", 0), RULES),
			 SCRIPT_ERR_OK);
	free(text);
}
END_TEST

/* Cells are as many as can be needed: 1,000 results at once, all new, at the
 * moment when none is left. */
START_TEST(a_stack_full_of_results_is_possible)
{
	char *text = xmalloc(400000), *p = text;

	for (unsigned i = 0; i < 999; i++)
		p = stpcpy(p, "7 SHA1 ");
	for (unsigned i = 0; i < 3000; i++)
		p = stpcpy(p, "7 SHA256 DROP ");
	for (unsigned i = 0; i < 998; i++)
		p = stpcpy(p, "EQUALVERIFY 7 SHA1 ");
	/* EQUALVERIFY takes two and 7 SHA1 gives one: one is left. */
	stpcpy(p, "0x14 0x5d1be7e9dda1ee8896be5b7e34a85ee16452a7b4 EQUAL");
	ck_assert_int_eq(run_text(true, text, 0, slice_of("", 0), RULES),
			 SCRIPT_ERR_OK);
	free(text);
}
END_TEST

/* Version 0xffffffff is large and not negative (BIP 68 and 112). */
START_TEST(versions_are_compared_without_a_sign)
{
	static const struct {
		uint32_t version;
		enum script_err e;
	} t[] = {
	    {0, SCRIPT_ERR_UNSATISFIED_LOCKTIME},
	    {1, SCRIPT_ERR_UNSATISFIED_LOCKTIME},
	    {2, SCRIPT_ERR_OK},
	    {0x7fffffff, SCRIPT_ERR_OK},
	    {0xffffffff, SCRIPT_ERR_OK},
	};
	uint8_t script[] = {OP_5, OP_CHECKSEQUENCEVERIFY}, *p;
	struct items none = {0};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct fix f;

		fix_credit(&f, slice_of(NULL, 0), slice_of(script, 2), &none,
			   1);
		p = f.raw;
		le32_put(p, t[i].version);
		le32_put(p + 4 + 1 + 36 + 1, 5);
		f.tx.version = (int32_t)t[i].version;
		ck_assert_int_eq(
		    fix_verify(&f, 0, SCRIPT_VERIFY_CHECKSEQUENCEVERIFY),
		    t[i].e);
		fix_fini(&f);
	}
}
END_TEST

START_TEST(anchors_are_spent_without_a_witness)
{
	uint8_t anchor[] = {OP_1, 2, 0x4e, 0x73};
	struct items none = {0}, w = {0};
	struct fix f;

	fix_credit(&f, slice_of(NULL, 0), slice_of(anchor, 4), &none, 1);
	ck_assert_int_eq(fix_verify(&f, 0, SCRIPT_FLAGS_ALL), SCRIPT_ERR_OK);
	fix_fini(&f);
	anchor[3] ^= 1;
	items_add(&w, anchor, 1);
	fix_credit(&f, slice_of(NULL, 0), slice_of(anchor, 4), &w, 1);
	ck_assert_int_eq(fix_verify(&f, 0, RULES), SCRIPT_ERR_OK);
	ck_assert_int_eq(fix_verify(&f, 0, SCRIPT_FLAGS_ALL),
			 SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
	fix_fini(&f);
	items_fini(&w);
}
END_TEST

Suite *limits_suite(void)
{
	Suite *s = suite_create("limits");
	TCase *t = tcase_create("limits");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, version_0_may_begin_with_more_items_than_the_limit);
	tcase_add_test(t, items_that_are_not_kept_still_count);
	tcase_add_test(t,
		       tapscript_may_not_begin_with_more_items_than_the_limit);
	tcase_add_test(t, success_comes_before_every_limit);
	tcase_add_test(t, every_opcode_is_success_or_is_not_as_bip342_lists);
	tcase_add_test(t, unknown_leaf_versions_are_valid_when_committed_to);
	tcase_add_test(t, scripts_may_be_longer_than_items);
	tcase_add_test(t, results_keep_their_bytes_while_others_come_and_go);
	tcase_add_test(t, a_stack_full_of_results_is_possible);
	tcase_add_test(t, versions_are_compared_without_a_sign);
	tcase_add_test(t, anchors_are_spent_without_a_witness);
	suite_add_tcase(s, t);
	return s;
}
