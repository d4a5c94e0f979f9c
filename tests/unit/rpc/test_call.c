/* Calls: where they run, how they end, what the envelopes say. */
#include "fixture.h"

static struct server *s;
static int fd;

static void setup(void)
{
	s = server_start(NULL);
	fd = dial(s);
}

static void teardown(void)
{
	hang_up(fd);
	server_stop(s);
}

START_TEST(legacy_answer_has_result_error_and_id)
{
	check_post(fd, "{\"method\":\"seven\",\"id\":1}", 200,
		   "{\"result\":7,\"error\":null,\"id\":1}");
	check_post(fd, "{\"jsonrpc\":\"1.0\",\"method\":\"seven\",\"id\":null}",
		   200, "{\"result\":7,\"error\":null,\"id\":null}");
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
}
END_TEST

START_TEST(version_two_answer_has_one_of_result_and_error)
{
	check_post(fd,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"seven\",\"id\":\"a\"}",
		   200, "{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":\"a\"}");
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"fail\",\"id\":2}",
		   200,
		   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-8,\"message\":"
		   "\"Block \\\"x\\\" not found\"},\"id\":2}");
}
END_TEST

START_TEST(call_hops_between_its_places)
{
	check_post(
	    fd, "{\"method\":\"hop\",\"id\":1}", 200,
	    "{\"result\":\"rpc-0 chain loop \",\"error\":null,\"id\":1}");
}
END_TEST

Suite *call_suite(void)
{
	Suite *su = suite_create("call");
	TCase *t = tcase_create("envelope");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, legacy_answer_has_result_error_and_id);
	tcase_add_test(t, version_two_answer_has_one_of_result_and_error);
	tcase_add_test(t, call_hops_between_its_places);
	suite_add_tcase(su, t);
	return su;
}
