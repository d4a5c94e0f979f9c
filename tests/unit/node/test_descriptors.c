/* File descriptors: who gets how many of them. */
#include "../../../src/node/internal.h"
#include "suites.h"

static const struct {
	unsigned want;
	uint64_t limit;
	unsigned peers, rpc;
} rows[] = {
    {125, 1048576, 125, 4096}, {125, 1024, 125, 643}, {125, 4477, 125, 4096},
    {125, 413, 125, 32},       {125, 400, 112, 32},   {125, 320, 32, 32},
    {125, 256, 1, 32},         {125, 10, 1, 32},      {0, 1024, 0, 768},
    {4000, 1024, 736, 32},
};

START_TEST(peers_come_before_rpc_and_files_before_both)
{
	unsigned peers, rpc;
	int i = _i;

	descriptors_split(&peers, &rpc, rows[i].want, rows[i].limit);
	ck_assert_msg(peers == rows[i].peers, "row %d: %u peers", i, peers);
	ck_assert_msg(rpc == rows[i].rpc, "row %d: %u for rpc", i, rpc);
}
END_TEST

Suite *descriptors_suite(void)
{
	Suite *s = suite_create("descriptors");
	TCase *tc = tcase_create("split");

	tcase_add_loop_test(tc, peers_come_before_rpc_and_files_before_both, 0,
			    (int)(sizeof rows / sizeof *rows));
	suite_add_tcase(s, tc);
	return s;
}
