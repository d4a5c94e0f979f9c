/* The client's pure parts: parameters, requests, what is printed. */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/rpc/client_params.h>
#include <cairn/rpc/client_print.h>
#include <cairn/rpc/client_request.h>

#include <stdlib.h>

static struct text t, err;
static struct arena a;

static void setup(void)
{
	arena_init(&a, 1u << 20);
}

static void teardown(void)
{
	text_fini(&t);
	text_fini(&err);
	arena_fini(&a);
}

/* Words between bars. */
static int request(const char *line, bool named)
{
	const char *words[20];
	char *copy = strdup(line), *p = copy;
	size_t n = 0;
	int rc;

	while (p)
		words[n++] = strsep(&p, "|");
	text_reset(&t);
	text_reset(&err);
	rc = client_request_put(&t, &err, words, n, named, "1");
	free(copy);
	return rc;
}

/* The params that line makes. */
static void check_line(const char *line, bool named, const char *params)
{
	char *want;

	ck_assert_msg(request(line, named) == 0, "%s: %s", line,
		      text_str(&err));
	ck_assert_int_gt(asprintf(&want,
				  "{\"method\":\"%.*s\",\"params\":%s,\"id\":"
				  "\"1\",\"jsonrpc\":\"2.0\"}",
				  (int)strcspn(line, "|"), line, params),
			 0);
	ck_assert_str_eq(t.p, want);
	free(want);
}

START_TEST(words_become_json_where_the_command_wants_it)
{
	check_line("getblockcount", false, "[]");
	check_line("getblockhash|1000", false, "[1000]");
	check_line("getblock|00ff|2", false, "[\"00ff\",2]");
	check_line("getblock|00ff|true", false, "[\"00ff\",true]");
	check_line("getblockheader|00ff|false", false, "[\"00ff\",false]");
	check_line("gettxout|00ff|0|true", false, "[\"00ff\",0,true]");
	check_line("generatetoaddress|5|bcrt1q|10", false, "[5,\"bcrt1q\",10]");
	check_line("generateblock|addr|[\"tx\"]|false", false,
		   "[\"addr\",[\"tx\"],false]");
	check_line("sendrawtransaction|0100|0.10", false, "[\"0100\",0.10]");
	check_line("getblockstats|1000|[\"a\"]", false, "[1000,[\"a\"]]");
	check_line("getblockstats|00000000abc", false, "[\"00000000abc\"]");
	check_line("gettxoutsetinfo|muhash|123|true", false,
		   "[\"muhash\",123,true]");
	check_line("gettxoutsetinfo|muhash|00ab", false,
		   "[\"muhash\",\"00ab\"]");
	check_line("addnode|1.2.3.4|onetry", false, "[\"1.2.3.4\",\"onetry\"]");
	check_line("disconnectnode||3", false, "[\"\",3]");
	check_line("logging|[\"net\"]|[]", false, "[[\"net\"],[]]");
	check_line("setmocktime|1700000000", false, "[1700000000]");
	check_line("submitblock|00|1", false, "[\"00\",\"1\"]");
	check_line("unknown|1|{}", false, "[\"1\",\"{}\"]");
	check_line("stop|10|11", false, "[10,\"11\"]");
	check_line("estimatesmartfee|6|economical|{}", false,
		   "[6,\"economical\",{}]");
}
END_TEST

START_TEST(word_that_must_be_json_and_is_none_is_refused)
{
	ck_assert_int_eq(request("getblockhash|abc", false), E_PARSE);
	ck_assert_str_eq(err.p, "Error parsing JSON: abc");
	ck_assert_int_eq(request("getblockhash|", false), E_PARSE);
	ck_assert_int_eq(request("getblockhash|height=x", true), E_PARSE);
	ck_assert_str_eq(err.p, "Error parsing JSON: x");
}
END_TEST

START_TEST(named_words_become_members)
{
	check_line("getblock|blockhash=00ff|verbosity=2", true,
		   "{\"blockhash\":\"00ff\",\"verbosity\":2}");
	check_line("getblock|blockhash=00ff|verbose=true", true,
		   "{\"blockhash\":\"00ff\",\"verbose\":true}");
	check_line("getblock|00ff|verbosity=2", true,
		   "{\"verbosity\":2,\"args\":[\"00ff\"]}");
	check_line("getblockhash|5", true, "{\"args\":[5]}");
	check_line("getblockcount", true, "{}");
	/* The last of equal names counts. */
	check_line("getblock|verbosity=1|blockhash=a|verbosity=2", true,
		   "{\"blockhash\":\"a\",\"verbosity\":2}");
	check_line("x|a=1|b=|c==", true,
		   "{\"a\":\"1\",\"b\":\"\",\"c\":\"=\"}");
	check_line("gettxspendingprevout|[]|mempool_only=true", true,
		   "{\"mempool_only\":true,\"args\":[[]]}");
	check_line("dumptxoutset|a=b|latest|rollback=00ff", true,
		   "{\"rollback\":\"00ff\",\"args\":[\"a=b\",\"latest\"]}");
}
END_TEST

START_TEST(named_word_may_be_a_value_with_an_equals_sign)
{
	check_line("decodepsbt|cHNidP8=", true, "{\"args\":[\"cHNidP8=\"]}");
	check_line("decodepsbt|psbt=cHNidP8=", true, "{\"psbt\":\"cHNidP8=\"}");
	check_line("testmempoolaccept|[\"a=b\"]", true,
		   "{\"args\":[[\"a=b\"]]}");
	check_line("verifymessage|addr|c2ln=|a=b", true,
		   "{\"args\":[\"addr\",\"c2ln=\",\"a=b\"]}");
}
END_TEST

START_TEST(info_request_is_a_batch)
{
	client_request_put_info(&t);
	ck_assert_str_eq(
	    t.p, "[{\"method\":\"getnetworkinfo\",\"params\":[],\"id\":0,"
		 "\"jsonrpc\":\"2.0\"},{\"method\":\"getblockchaininfo\","
		 "\"params\":[],\"id\":1,\"jsonrpc\":\"2.0\"}]");
}
END_TEST

START_TEST(wallet_paths_are_encoded)
{
	client_request_path(&t, NULL);
	ck_assert_str_eq(t.p, "/");
	text_reset(&t);
	client_request_path(&t, "");
	ck_assert_str_eq(t.p, "/wallet/");
	text_reset(&t);
	client_request_path(&t, "a b/\xc3\xa9-._~Z9");
	ck_assert_str_eq(t.p, "/wallet/a%20b%2f%c3%a9-._~Z9");
}
END_TEST

START_TEST(hosts_are_split_from_their_ports)
{
	static const struct {
		const char *in;
		bool ok;
		const char *host;
		uint16_t port;
	} v[] = {
	    {"127.0.0.1", true, "127.0.0.1", 7},
	    {"127.0.0.1:8332", true, "127.0.0.1", 8332},
	    {"localhost:1", true, "localhost", 1},
	    {"[::1]", true, "::1", 7},
	    {"[::1]:65535", true, "::1", 65535},
	    {"::1", true, "::1", 7},
	    {"fe80::1:2", true, "fe80::1:2", 7},
	    {"host:", false, NULL, 7},
	    {"host:0", false, NULL, 7},
	    {"host:65536", false, NULL, 7},
	    {"host:x", false, NULL, 7},
	    {"[::1]:", false, NULL, 7},
	};
	size_t i;

	for (i = 0; i < sizeof v / sizeof *v; i++) {
		uint16_t port = 7;
		char *host = NULL;

		ck_assert_msg(client_split_host(&host, &port, v[i].in) ==
				  v[i].ok,
			      "%s", v[i].in);
		ck_assert_uint_eq(port, v[i].port);
		if (v[i].ok)
			ck_assert_str_eq(host, v[i].host);
		free(host);
	}
}
END_TEST

static const struct json *parse(const char *s)
{
	struct json *v = NULL;

	ck_assert_msg(json_parse(&v, &a, slice_of(s, strlen(s))) == 0, "%s", s);
	return v;
}

/* A reply, and what becomes of it. */
static void check_reply(const char *reply, int rc, const char *on_out,
			const char *on_err)
{
	text_reset(&t);
	text_reset(&err);
	ck_assert_int_eq(client_print_reply(&t, &err, parse(reply)), rc);
	ck_assert_str_eq(text_str(&t), on_out);
	ck_assert_str_eq(text_str(&err), on_err);
}

START_TEST(results_are_shown_as_bitcoin_cli_does)
{
	check_reply("{\"result\":null,\"id\":1}", 0, "", "");
	check_reply("{\"result\":\"a\\n\\u00e9\",\"error\":null}", 0,
		    "a\n\xc3\xa9", "");
	check_reply("{\"result\":\"\"}", 0, "", "");
	check_reply("{\"result\":0.10000000}", 0, "0.10000000", "");
	check_reply("{\"result\":true}", 0, "true", "");
	check_reply("{\"result\":[]}", 0, "[\n]", "");
	check_reply(
	    "{\"result\":{\"a\":[1,\"b\"],\"c\":{}}}", 0,
	    "{\n  \"a\": [\n    1,\n    \"b\"\n  ],\n  \"c\": {\n  }\n}", "");
}
END_TEST

START_TEST(errors_are_shown_and_become_the_exit_code)
{
	check_reply("{\"error\":{\"code\":-8,\"message\":\"Block height out of "
		    "range\"},\"id\":1}",
		    8, "",
		    "error code: -8\nerror message:\n"
		    "Block height out of range");
	check_reply("{\"result\":null,\"error\":{\"code\":-28,\"message\":"
		    "\"Loading\"}}",
		    28, "", "error code: -28\nerror message:\nLoading");
	check_reply("{\"error\":{\"message\":\"x\"}}", 1, "",
		    "error message:\nx");
	check_reply("{\"error\":{\"code\":0,\"message\":\"x\"}}", 1, "",
		    "error code: 0\nerror message:\nx");
	check_reply("{\"error\":\"text\"}", 1, "", "error: \"text\"");
	check_reply("{}", 1, "",
		    "error: expected reply to have result, error and id "
		    "properties");
	check_reply("[]", 1, "",
		    "error: expected reply to have result, error and id "
		    "properties");
}
END_TEST

#define NETWORK                                                                \
	"{\"version\":10000,\"timeoffset\":-1,\"connections\":10,"             \
	"\"connections_in\":2,\"connections_out\":8,\"networks\":["            \
	"{\"name\":\"ipv4\",\"proxy\":\"\"},"                                  \
	"{\"name\":\"ipv6\",\"proxy\":\"127.0.0.1:9\"},"                       \
	"{\"name\":\"onion\",\"proxy\":\"127.0.0.1:10\"},"                     \
	"{\"name\":\"i2p\",\"proxy\":\"127.0.0.1:9\"}],"                       \
	"\"relayfee\":0.00000100,\"warnings\":[\"one\",\"two\"]}"
#define CHAIN                                                                  \
	"{\"chain\":\"main\",\"blocks\":500,\"headers\":1000,"                 \
	"\"verificationprogress\":0.5,\"difficulty\":1.5}"

START_TEST(overview_shows_what_bitcoin_cli_shows)
{
	const struct json *v = parse("[{\"id\":1,\"result\":" CHAIN
				     "},{\"id\":0,\"result\":" NETWORK "}]");

	ck_assert_int_eq(client_print_info_reply(&t, &err, v, false), 0);
	ck_assert_str_eq(
	    t.p, "Chain: main\n"
		 "Blocks: 500\n"
		 "Headers: 1000\n"
		 "Verification progress: \u2592\u2592\u2592\u2592\u2592\u2592"
		 "\u2592\u2592\u2592\u2592\u2591\u2591\u2591\u2591\u2591\u2591"
		 "\u2591\u2591\u2591\u2591 50.0000%\n"
		 "Difficulty: 1.5\n"
		 "\n"
		 "Network: in 2, out 8, total 10\n"
		 "Version: 10000\n"
		 "Time offset (s): -1\n"
		 "Proxies: 127.0.0.1:9 (ipv6, i2p), 127.0.0.1:10 (onion)\n"
		 "Min tx relay fee rate (BTC/kvB): 0.00000100\n"
		 "\n"
		 "Warnings: one; two");
	ck_assert_uint_eq(err.n, 0);
}
END_TEST

START_TEST(overview_has_colours_when_asked)
{
	const struct json *v =
	    parse("[{\"id\":0,\"result\":{\"warnings\":\"\",\"networks\":[]}},"
		  "{\"id\":1,\"result\":{\"chain\":\"test\","
		  "\"verificationprogress\":1}}]");

	ck_assert_int_eq(client_print_info_reply(&t, &err, v, true), 0);
	ck_assert_ptr_nonnull(strstr(t.p, "\x1b[34mChain: test\x1b[0m\n"));
	ck_assert_ptr_nonnull(strstr(t.p, "progress: 100.0000%\n"));
	ck_assert_ptr_nonnull(strstr(t.p, "\x1b[32mNetwork: in "));
	ck_assert_ptr_nonnull(strstr(t.p, "Proxies: n/a\n"));
	ck_assert_ptr_nonnull(strstr(t.p, "\x1b[33mWarnings:\x1b[0m (none)"));
}
END_TEST

START_TEST(overview_passes_errors_on)
{
	static const char warm[] =
	    "[{\"id\":0,\"error\":{\"code\":-28,\"message\":\"Loading\"}},"
	    "{\"id\":1,\"error\":{\"code\":-28,\"message\":\"Loading\"}}]";

	ck_assert_int_eq(client_print_info_reply(&t, &err, parse(warm), false),
			 28);
	ck_assert_uint_eq(t.n, 0);
	ck_assert_int_eq(client_print_info_reply(&t, &err, parse("[]"), false),
			 1);
	ck_assert_int_eq(client_print_info_reply(&t, &err, parse("5"), false),
			 1);
	ck_assert_int_eq(
	    client_print_info_reply(
		&t, &err, parse("{\"error\":{\"code\":-32700}}"), false),
	    32700);
}
END_TEST

Suite *client_text_suite(void)
{
	Suite *su = suite_create("client_text");
	TCase *tc = tcase_create("text");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, words_become_json_where_the_command_wants_it);
	tcase_add_test(tc, word_that_must_be_json_and_is_none_is_refused);
	tcase_add_test(tc, named_words_become_members);
	tcase_add_test(tc, named_word_may_be_a_value_with_an_equals_sign);
	tcase_add_test(tc, info_request_is_a_batch);
	tcase_add_test(tc, wallet_paths_are_encoded);
	tcase_add_test(tc, hosts_are_split_from_their_ports);
	tcase_add_test(tc, results_are_shown_as_bitcoin_cli_does);
	tcase_add_test(tc, errors_are_shown_and_become_the_exit_code);
	tcase_add_test(tc, overview_shows_what_bitcoin_cli_shows);
	tcase_add_test(tc, overview_has_colours_when_asked);
	tcase_add_test(tc, overview_passes_errors_on);
	suite_add_tcase(su, tc);
	return su;
}
