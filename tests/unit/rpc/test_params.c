/* Named parameters, numbers and types of parameters. */
#include "fixture.h"

#include <stdlib.h>

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

/* Call echo with these parameters: its result. */
static void echo(const char *params, const char *want)
{
	char *body, *answer;

	ck_assert_int_gt(
	    asprintf(&body, "{\"method\":\"echo\",\"params\":%s}", params), 0);
	ck_assert_int_gt(
	    asprintf(&answer, "{\"result\":%s,\"error\":null}", want), 0);
	check_post(fd, body, 200, answer);
	free(answer);
	free(body);
}

/* Call method: an error with this code and message (as JSON holds it). */
static void fails(const char *method, const char *params, int code,
		  const char *msg)
{
	char *body, *answer;

	ck_assert_int_gt(asprintf(&body, "{\"method\":\"%s\",\"params\":%s}",
				  method, params),
			 0);
	ck_assert_int_gt(asprintf(&answer,
				  "{\"result\":null,\"error\":{\"code\":%d,"
				  "\"message\":\"%s\"}}",
				  code, msg),
			 0);
	check_post(fd, body, 500, answer);
	free(answer);
	free(body);
}

START_TEST(parameters_by_position)
{
	echo("[]", "[]");
	echo("null", "[]");
	echo("[1]", "[1]");
	echo("[null,\"a\",{\"b\":[]}]", "[null,\"a\",{\"b\":[]}]");
}
END_TEST

START_TEST(named_parameters_find_their_places)
{
	echo("{}", "[]");
	echo("{\"first\":1}", "[1]");
	echo("{\"third\":3,\"first\":1}", "[1,null,3]");
	echo("{\"second\":2}", "[null,2]");
	echo("{\"zwei\":2,\"first\":null}", "[null,2]");
}
END_TEST

START_TEST(parts_of_an_object_may_be_named_as_parameters)
{
	check_post(fd,
		   "{\"method\":\"typed\",\"params\":{\"max\":2,\"blockhash\":"
		   "\"a\",\"min\":[1]}}",
		   200,
		   "{\"result\":[\"a\",null,null,{\"min\":[1],\"max\":2}],"
		   "\"error\":null}");
	fails("typed", "{\"blockhash\":\"a\",\"min\":1,\"options\":{}}", -8,
	      "Parameter options conflicts with parameter min");
	fails("typed", "{\"blockhash\":\"a\",\".min\":1}", -8,
	      "Unknown named parameter .min");
	fails("typed", "[\"a\",1,2,3]", -3,
	      "Wrong type passed:\\n{\\n    \\\"Position 4 (options)\\\": "
	      "\\\"JSON value of type number is not of expected type "
	      "object\\\"\\n}");
}
END_TEST

START_TEST(args_hold_the_first_by_position)
{
	echo("{\"args\":[1,2]}", "[1,2]");
	echo("{\"args\":[1],\"third\":3}", "[1,null,3]");
	echo("{\"args\":[],\"third\":3}", "[null,null,3]");
	echo("{\"args\":[1,2],\"third\":3}", "[1,2,3]");
	fails("echo", "{\"args\":[1],\"first\":2}", -8,
	      "Parameter first specified twice both as positional and named "
	      "argument");
	fails("echo", "{\"args\":[1,2],\"zwei\":2}", -8,
	      "Parameter second|zwei specified twice both as positional and "
	      "named argument");
}
END_TEST

START_TEST(named_parameters_must_be_known_and_single)
{
	fails("echo", "{\"fourth\":1}", -8, "Unknown named parameter fourth");
	fails("echo", "{\"firs\":1}", -8, "Unknown named parameter firs");
	fails("echo", "{\"second|zwei\":1}", -8,
	      "Unknown named parameter second|zwei");
	fails("echo", "{\"first\":1,\"first\":2}", -8,
	      "Parameter first specified multiple times");
	fails("echo", "{\"second\":1,\"zwei\":2}", -8,
	      "Unknown named parameter zwei");
	fails("echo", "{\"\":1}", -8, "Unknown named parameter ");
}
END_TEST

START_TEST(more_names_than_allowed_are_refused)
{
	struct text t = TEXT_INIT;
	int i;

	for (i = 0; i < 300; i++)
		text_printf(&t, "%s\"n%d\":1", i ? "," : "{", i);
	text_puts(&t, "}");
	fails("echo", t.p, -8, "Too many named parameters");
	text_fini(&t);
}
END_TEST

START_TEST(wrong_number_of_parameters_is_answered_with_the_help)
{
	struct answer a;

	send_post(fd, "{\"method\":\"seven\",\"params\":[1]}");
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 500);
	ck_assert_str_eq(a.body.p,
			 "{\"result\":null,\"error\":{\"code\":-1,\"message\":"
			 "\"seven\\n\\nAnswers seven.\\n\\nResult:\\nn    "
			 "(numeric) seven\\n\"}}\n");
	answer_fini(&a);
	send_post(fd, "{\"method\":\"typed\"}");
	ck_assert(recv_answer(fd, &a));
	ck_assert_ptr_nonnull(
	    strstr(a.body.p, "\"code\":-1,\"message\":\"typed \\\"blockhash"));
	answer_fini(&a);
	send_post(fd, "{\"method\":\"echo\",\"params\":[1,2,3,4]}");
	ck_assert(recv_answer(fd, &a));
	ck_assert_ptr_nonnull(strstr(a.body.p, "\"code\":-1,"));
	answer_fini(&a);
}
END_TEST

START_TEST(wrong_types_are_told_together)
{
	fails("typed", "[5]", -3,
	      "Wrong type passed:\\n{\\n    \\\"Position 1 (blockhash)\\\": "
	      "\\\"JSON value of type number is not of expected type string"
	      "\\\"\\n}");
	fails("typed", "[null,1,\"x\",[],true]", -3,
	      "Wrong type passed:\\n{\\n    \\\"Position 1 (blockhash)\\\": "
	      "\\\"JSON value of type null is not of expected type string\\\","
	      "\\n    \\\"Position 3 (height)\\\": \\\"JSON value of type "
	      "string is not of expected type number\\\","
	      "\\n    \\\"Position 4 (options)\\\": \\\"JSON value of type "
	      "array is not of expected type object\\\","
	      "\\n    \\\"Position 5 (list)\\\": \\\"JSON value of type bool "
	      "is not of expected type array\\\"\\n}");
}
END_TEST

START_TEST(parameter_of_several_types_complains_for_itself)
{
	fails("typed", "[\"a\",\"b\"]", -3,
	      "JSON value of type string is not of expected type number");
	check_post(fd, "{\"method\":\"typed\",\"params\":[\"a\",true]}", 200,
		   "{\"result\":[\"a\",true],\"error\":null}");
	check_post(fd, "{\"method\":\"typed\",\"params\":[\"a\",2,null,{}]}",
		   200, "{\"result\":[\"a\",2,null,{}],\"error\":null}");
	check_post(fd,
		   "{\"method\":\"typed\",\"params\":{\"blockhash\":\"a\","
		   "\"verbose\":false}}",
		   200, "{\"result\":[\"a\",false],\"error\":null}");
}
END_TEST

Suite *params_suite(void)
{
	Suite *su = suite_create("params");
	TCase *t = tcase_create("params");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, parameters_by_position);
	tcase_add_test(t, named_parameters_find_their_places);
	tcase_add_test(t, parts_of_an_object_may_be_named_as_parameters);
	tcase_add_test(t, args_hold_the_first_by_position);
	tcase_add_test(t, named_parameters_must_be_known_and_single);
	tcase_add_test(t, more_names_than_allowed_are_refused);
	tcase_add_test(t, wrong_number_of_parameters_is_answered_with_the_help);
	tcase_add_test(t, wrong_types_are_told_together);
	tcase_add_test(t, parameter_of_several_types_complains_for_itself);
	suite_add_tcase(su, t);
	return su;
}
