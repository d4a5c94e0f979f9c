/* Credentials and method lists. */
#include "suites.h"

#include <cairn/base/err.h>

#include <stdlib.h>

static struct auth a;
static struct text err;

/* Depends on key and message so that a swap or a wrong field shows. */
static void toy_hmac(uint8_t out[32], struct slice key, struct slice msg)
{
	memset(out, 0, 32);
	memcpy(out, key.p, key.n < 16 ? key.n : 16);
	memcpy(out + 16, msg.p, msg.n < 16 ? msg.n : 16);
}

/* "salt" and "secret" through it. */
#define LINE                                                                   \
	"carol:salt$"                                                          \
	"73616c7400000000000000000000000073656372657400000000000000000000"

static int init(const struct rpc_cfg *cfg, const char *cookie)
{
	struct rpc_cfg c = *cfg;

	c.hmac_sha256 = toy_hmac;
	text_reset(&err);
	return auth_init(&a, &err, &c, cookie);
}

static void teardown(void)
{
	auth_fini(&a);
	text_fini(&err);
}

/* The user that scheme and pair prove, "" for none. */
static const char *user(const char *scheme, const char *pair)
{
	char b64[256], header[300];
	const char *u;

	base64_put(b64, slice_of(pair, strlen(pair)));
	snprintf(header, sizeof header, "%s%s", scheme, b64);
	u = auth_user(&a, header);
	return u ? u : "";
}

START_TEST(cookie_is_a_user_unless_a_password_is_set)
{
	struct rpc_cfg cfg = {.whitelist_default = -1};

	ck_assert_int_eq(init(&cfg, "00ff"), 0);
	ck_assert_str_eq(user("Basic ", "__cookie__:00ff"), "__cookie__");
	ck_assert_str_eq(user("Basic ", "__cookie__:00fe"), "");
	ck_assert_str_eq(user("Basic ", "__cookie__:00f"), "");
	ck_assert_str_eq(user("Basic ", "__cookie__:00ff0"), "");
	ck_assert_str_eq(user("Basic ", "__cookie__:"), "");
	ck_assert_str_eq(user("Basic ", "other:00ff"), "");
	auth_fini(&a);
	cfg.user = "bob";
	cfg.password = "x:y";
	ck_assert_int_eq(init(&cfg, "00ff"), 0);
	ck_assert_str_eq(user("Basic ", "__cookie__:00ff"), "");
	ck_assert_str_eq(user("Basic ", "bob:x:y"), "bob");
}
END_TEST

START_TEST(empty_password_opens_nothing)
{
	static const char *const pairs[] = {":", "", "a:", ":a", "__cookie__:"};
	struct rpc_cfg cfg = {.user = "", .password = ""};
	size_t i;

	ck_assert_int_eq(init(&cfg, NULL), 0);
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
		ck_assert_str_eq(user("Basic ", pairs[i]), "");
}
END_TEST

START_TEST(rpcauth_line_checks_the_salted_hash)
{
	static const char *const lines[] = {"dave:a$00", LINE, NULL};
	struct rpc_cfg cfg = {.auth = lines};

	ck_assert_int_eq(init(&cfg, NULL), 0);
	ck_assert_str_eq(user("Basic ", "carol:secret"), "carol");
	ck_assert_str_eq(user("Basic ", "carol:secres"), "");
	ck_assert_str_eq(user("Basic ", "carol:"), "");
	ck_assert_str_eq(user("Basic ", "dave:secret"), "");
}
END_TEST

START_TEST(rpcauth_line_of_another_form_stops_the_start)
{
	static const char *const bad[] = {"carol",   "carol:salt", "a:b:c$d",
					  "a:b$c$d", "carol$salt", ""};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *lines[] = {bad[i], NULL};
		struct rpc_cfg cfg = {.auth = lines};

		ck_assert_int_eq(init(&cfg, NULL), E_INVALID);
		ck_assert_ptr_nonnull(strstr(text_str(&err), "-rpcauth"));
		auth_fini(&a);
	}
}
END_TEST

START_TEST(header_of_another_form_proves_nothing)
{
	static const char *const bad[] = {
	    "",           "Basic",
	    "Basic ",     "Bearer dTpw",
	    "Basic !!!!", "Basic dTpw=",
	    "Basic dTp",  "BasicdTpw",
	    "Basic dXA=", "Digest username=\"u\""};
	struct rpc_cfg cfg = {.user = "u", .password = "p"};
	size_t i;

	ck_assert_int_eq(init(&cfg, NULL), 0);
	ck_assert_str_eq(auth_user(&a, "Basic dTpw"), "u");
	ck_assert_str_eq(auth_user(&a, "basic   dTpw \t"), "u");
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!auth_user(&a, bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(longest_header_is_no_overflow)
{
	struct rpc_cfg cfg = {.user = "u", .password = "p"};
	char *h = malloc(HEAD_MAX + 1);
	size_t n;

	ck_assert_int_eq(init(&cfg, NULL), 0);
	memcpy(h, "Basic ", 6);
	memset(h + 6, 'A', HEAD_MAX - 6);
	for (n = HEAD_MAX - 8; n <= HEAD_MAX; n++) {
		h[n] = '\0';
		ck_assert_ptr_null(auth_user(&a, h));
		h[n] = 'A';
	}
	free(h);
}
END_TEST

START_TEST(whitelist_names_the_methods_of_a_user)
{
	static const char *const lines[] = {"bob:getblock,help", "eve:", "joe",
					    NULL};
	struct rpc_cfg cfg = {.whitelist = lines, .whitelist_default = -1};

	ck_assert_int_eq(init(&cfg, NULL), 0);
	ck_assert(auth_may_call(&a, "bob"));
	ck_assert(auth_may_call_method(&a, "bob", "getblock"));
	ck_assert(auth_may_call_method(&a, "bob", "help"));
	ck_assert(!auth_may_call_method(&a, "bob", "stop"));
	ck_assert(!auth_may_call_method(&a, "bob", "getbloc"));
	ck_assert(!auth_may_call_method(&a, "bob", ""));
	ck_assert(auth_may_call(&a, "eve"));
	ck_assert(!auth_may_call_method(&a, "eve", "help"));
	ck_assert(!auth_may_call_method(&a, "joe", "help"));
	ck_assert(!auth_may_call(&a, "ann"));
}
END_TEST

START_TEST(two_whitelists_of_a_user_intersect)
{
	static const char *const lines[] = {"bob:a, b ,c", "bob:b,c,d",
					    "bob:c,b", NULL};
	struct rpc_cfg cfg = {.whitelist = lines, .whitelist_default = 0};

	ck_assert_int_eq(init(&cfg, NULL), 0);
	ck_assert(!auth_may_call_method(&a, "bob", "a"));
	ck_assert(auth_may_call_method(&a, "bob", "b"));
	ck_assert(auth_may_call_method(&a, "bob", "c"));
	ck_assert(!auth_may_call_method(&a, "bob", "d"));
	ck_assert(auth_may_call(&a, "ann"));
	ck_assert(auth_may_call_method(&a, "ann", "a"));
}
END_TEST

START_TEST(whitelist_default_refuses_users_without_a_list)
{
	struct rpc_cfg cfg = {.whitelist_default = 1};

	ck_assert_int_eq(init(&cfg, NULL), 0);
	ck_assert(!auth_may_call(&a, "bob"));
	cfg.whitelist_default = -1;
	ck_assert_int_eq(init(&cfg, NULL), 0);
	ck_assert(auth_may_call(&a, "bob"));
	ck_assert(auth_may_call_method(&a, "bob", "stop"));
}
END_TEST

Suite *auth_suite(void)
{
	Suite *su = suite_create("auth");
	TCase *t = tcase_create("auth");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, cookie_is_a_user_unless_a_password_is_set);
	tcase_add_test(t, empty_password_opens_nothing);
	tcase_add_test(t, rpcauth_line_checks_the_salted_hash);
	tcase_add_test(t, rpcauth_line_of_another_form_stops_the_start);
	tcase_add_test(t, header_of_another_form_proves_nothing);
	tcase_add_test(t, longest_header_is_no_overflow);
	tcase_add_test(t, whitelist_names_the_methods_of_a_user);
	tcase_add_test(t, two_whitelists_of_a_user_intersect);
	tcase_add_test(t, whitelist_default_refuses_users_without_a_list);
	suite_add_tcase(su, t);
	return su;
}
