/* -whitelist (src/node/grants.c). */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/net/net.h>

#include <stdlib.h>

/* The grant that words lead to, or the sentence that refuses them. */
static const char *parse(struct net_grant *g, const char *words)
{
	static char sentence[200];
	struct net_grant *give = NULL;
	struct text err = TEXT_INIT;
	struct conf c;
	size_t n = 0;
	int rc;

	conf_init(&c);
	conf_words(&c, CHAIN_REGTEST, words);
	rc = grants_parse(&give, &n, &err, &c);
	snprintf(sentence, sizeof sentence, "%s", text_str(&err));
	if (rc == 0) {
		ck_assert_uint_eq(n, 1);
		*g = give[0];
	}
	free(give);
	text_fini(&err);
	conf_fini(&c);
	return rc ? sentence : NULL;
}

START_TEST(permissions_are_named_before_the_network)
{
	struct net_grant g;

	ck_assert_ptr_null(parse(&g, "-whitelist=relay,mempool@10.0.0.0/8"));
	ck_assert_uint_eq(g.perms, PERM_RELAY | PERM_MEMPOOL);
	ck_assert(g.in && !g.out);
	ck_assert_uint_eq(g.net.mask[12], 0xff);
	ck_assert_uint_eq(g.net.mask[13], 0);
	ck_assert_ptr_null(parse(&g, "-whitelist=noban,in,out@::1"));
	ck_assert_uint_eq(g.perms, PERM_NOBAN | PERM_DOWNLOAD);
	ck_assert(g.in && g.out);
	ck_assert_ptr_null(parse(&g, "-whitelist=all,out@1.2.3.4"));
	ck_assert_uint_eq(g.perms, PERM_ALL);
	ck_assert(!g.in && g.out);
	ck_assert_ptr_null(parse(&g, "-whitelist=@1.2.3.4"));
	ck_assert_uint_eq(g.perms, 0);
}
END_TEST

START_TEST(without_any_there_are_those_of_a_trusted_wallet)
{
	struct net_grant g;
	uint32_t own = PERM_NOBAN | PERM_DOWNLOAD | PERM_MEMPOOL;

	ck_assert_ptr_null(parse(&g, "-whitelist=1.2.3.4"));
	ck_assert_uint_eq(g.perms, own | PERM_RELAY);
	ck_assert_ptr_null(parse(&g, "-whitelist=1.2.3.4 -whitelistrelay=0"));
	ck_assert_uint_eq(g.perms, own);
	ck_assert_ptr_null(
	    parse(&g, "-whitelist=1.2.3.4 -whitelistforcerelay=1"));
	ck_assert_uint_eq(g.perms, own | PERM_RELAY | PERM_FORCE_RELAY);
}
END_TEST

START_TEST(nonsense_is_refused_with_a_sentence)
{
	struct net_grant g;

	ck_assert_str_eq(parse(&g, "-whitelist=oh@1.2.3.4"),
			 "Invalid P2P permission: 'oh'");
	ck_assert_str_eq(parse(&g, "-whitelist=noban@1.2.3.4:8333"),
			 "Invalid netmask specified in -whitelist: "
			 "'1.2.3.4:8333'");
	ck_assert_str_eq(parse(&g, "-whitelist=in@1.2.3.4"),
			 "Only direction was set, no permissions: "
			 "'in@1.2.3.4'");
}
END_TEST

Suite *grants_suite(void)
{
	Suite *s = suite_create("grants");
	TCase *c = tcase_create("grants");

	tcase_add_test(c, permissions_are_named_before_the_network);
	tcase_add_test(c, without_any_there_are_those_of_a_trusted_wallet);
	tcase_add_test(c, nonsense_is_refused_with_a_sentence);
	suite_add_tcase(s, c);
	return s;
}
