/* How large the witnesses of standard programs are, each limit at its edge. */
#include "form.h"
#include "suites.h"

#include <cairn/mempool/policy.h>

#define B20 "0x14 0xcccccccccccccccccccccccccccccccccccccccc"
#define B32                                                                    \
	"0x20 "                                                                \
	"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define PKH  "DUP HASH160 " B20 " EQUALVERIFY CHECKSIG"
#define SH   "HASH160 " B20 " EQUAL"
#define WPKH "0 " B20
#define WSH  "0 " B32
#define TR   "1 " B32
#define P2A  "1 0x02 0x4e73"

static struct form f;

static void setup(void)
{
	form_init(&f);
	form_out(&f, 10000, form_script(PKH));
}

static void spend(struct slice sig, const char *script)
{
	form_in(&f, sig, form_script(script));
}

/* The only input spends this program, as it is or by its hash. */
static void spend_program(const char *program, bool in_p2sh)
{
	setup();
	if (in_p2sh)
		spend(form_push(form_script(program)), SH);
	else
		spend(form_script(""), program);
}

static void item(size_t n, uint8_t first)
{
	struct slice s = form_bytes(n, 0);

	if (n)
		((uint8_t *)(uintptr_t)s.p)[0] = first;
	form_item(&f, s);
}

static bool judge(void)
{
	return policy_witness(form_tx(&f), f.spent);
}

START_TEST(inputs_without_witness_are_not_judged)
{
	spend(form_script("NOP"), PKH);
	spend(form_script(""), P2A);
	spend(form_script("RESERVED"), SH);
	ck_assert(judge());
	spend(form_script(""), WPKH);
	item(72, 0);
	ck_assert(judge());
}
END_TEST

START_TEST(anchors_take_no_witness)
{
	spend_program(P2A, false);
	item(0, 0);
	ck_assert(!judge());
	/* By its hash it is a program that means nothing yet. */
	spend_program(P2A, true);
	item(0, 0);
	ck_assert(judge());
}
END_TEST

START_TEST(only_witness_programs_take_a_witness)
{
	static const char *const scripts[] = {PKH, "1", "", "RETURN"};

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		spend_program(scripts[i], false);
		item(0, 0);
		ck_assert_msg(!judge(), "%s", scripts[i]);
		spend_program(scripts[i], true);
		item(0, 0);
		ck_assert_msg(!judge(), "%s by its hash", scripts[i]);
	}
}
END_TEST

START_TEST(every_input_is_judged_by_what_it_spends)
{
	spend(form_script(""), WPKH);
	item(600, 0);
	spend(form_script(""), PKH);
	ck_assert(judge());
	item(0, 0);
	ck_assert(!judge());
}
END_TEST

START_TEST(a_redeem_script_must_be_found)
{
	spend(form_script(""), SH);
	item(0, 0);
	ck_assert(!judge());
	f.sig[0] = form_script("RESERVED");
	ck_assert(!judge());
	f.sig[0] = form_push(form_script(WPKH));
	ck_assert(judge());
}
END_TEST

START_TEST(key_hashes_have_no_limits)
{
	spend_program(WPKH, _i);
	for (int i = 0; i < 200; i++)
		item(81, 0);
	item(3601, 0);
	ck_assert(judge());
}
END_TEST

START_TEST(witness_scripts_may_have_3600_bytes)
{
	spend_program(WSH, _i);
	item(3600, 0);
	ck_assert(judge());
	spend_program(WSH, _i);
	item(3601, 0);
	ck_assert(!judge());
}
END_TEST

START_TEST(items_of_witness_scripts_may_have_80_bytes)
{
	spend_program(WSH, _i);
	item(80, 0);
	item(1, 0);
	ck_assert(judge());
	for (int at = 0; at < 3; at++) {
		spend_program(WSH, _i);
		for (int i = 0; i < 3; i++)
			item(i == at ? 81 : 80, 0);
		item(1, 0);
		ck_assert_msg(!judge(), "item %d", at);
	}
}
END_TEST

START_TEST(items_of_witness_scripts_may_be_100)
{
	spend_program(WSH, _i);
	for (int i = 0; i < 100; i++)
		item(1, 0);
	item(1, 0);
	ck_assert(judge());
	item(1, 0);
	ck_assert(!judge());
}
END_TEST

START_TEST(keys_of_taproot_have_no_limits)
{
	spend_program(TR, false);
	item(5000, 0x50);
	ck_assert(judge());
}
END_TEST

START_TEST(annexes_mean_nothing_yet)
{
	spend_program(TR, false);
	item(64, 0);
	item(1, 0x50);
	ck_assert(!judge());
	spend_program(TR, false);
	item(1, 0);
	item(33, 0xc0);
	item(1, 0x50);
	ck_assert(!judge());
	spend_program(TR, false);
	item(1, 0x50);
	item(33, 0xc0);
	ck_assert(judge());
}
END_TEST

START_TEST(control_blocks_are_not_empty)
{
	spend_program(TR, false);
	item(1, 0);
	item(0, 0);
	ck_assert(!judge());
}
END_TEST

START_TEST(items_of_tapscripts_may_have_80_bytes)
{
	spend_program(TR, false);
	for (int i = 0; i < 200; i++)
		item(80, 0);
	item(9000, 0);
	item(33, 0xc0);
	ck_assert(judge());
	for (uint8_t odd = 0; odd < 2; odd++) {
		for (int at = 0; at < 3; at++) {
			spend_program(TR, false);
			for (int i = 0; i < 3; i++)
				item(i == at ? 81 : 80, 0);
			item(1, 0);
			item(33, 0xc0 + odd);
			ck_assert_msg(!judge(), "item %d", at);
		}
	}
}
END_TEST

START_TEST(other_leaves_have_no_limits)
{
	static const uint8_t first[] = {0xc2, 0xbe, 0x00, 0x51};

	for (size_t i = 0; i < sizeof first; i++) {
		spend_program(TR, false);
		item(81, 0);
		item(1, 0);
		item(33, first[i]);
		ck_assert_msg(judge(), "%02x", first[i]);
	}
}
END_TEST

START_TEST(taproot_by_its_hash_is_no_taproot)
{
	spend_program(TR, true);
	item(81, 0);
	item(1, 0);
	item(33, 0xc0);
	ck_assert(judge());
}
END_TEST

START_TEST(other_programs_have_no_limits)
{
	static const char *const other[] = {"2 " B32, "1 " B20, "0 " B20,
					    "16 " B32};

	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		spend_program(other[i], _i);
		item(600, 0);
		item(3601, 0);
		item(33, 0xc0);
		ck_assert_msg(judge(), "%s", other[i]);
	}
}
END_TEST

Suite *policy_witness_suite(void)
{
	Suite *s = suite_create("policy_witness");
	TCase *t = tcase_create("policy_witness");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, inputs_without_witness_are_not_judged);
	tcase_add_test(t, anchors_take_no_witness);
	tcase_add_test(t, only_witness_programs_take_a_witness);
	tcase_add_test(t, every_input_is_judged_by_what_it_spends);
	tcase_add_test(t, a_redeem_script_must_be_found);
	tcase_add_loop_test(t, key_hashes_have_no_limits, 0, 2);
	tcase_add_loop_test(t, witness_scripts_may_have_3600_bytes, 0, 2);
	tcase_add_loop_test(t, items_of_witness_scripts_may_have_80_bytes, 0,
			    2);
	tcase_add_loop_test(t, items_of_witness_scripts_may_be_100, 0, 2);
	tcase_add_test(t, keys_of_taproot_have_no_limits);
	tcase_add_test(t, annexes_mean_nothing_yet);
	tcase_add_test(t, control_blocks_are_not_empty);
	tcase_add_test(t, items_of_tapscripts_may_have_80_bytes);
	tcase_add_test(t, other_leaves_have_no_limits);
	tcase_add_test(t, taproot_by_its_hash_is_no_taproot);
	tcase_add_loop_test(t, other_programs_have_no_limits, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
