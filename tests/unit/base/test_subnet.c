/* Networks as an operator writes them (src/base/subnet.c). */
#include <cairn/base/subnet.h>

#include "suites.h"

#include <arpa/inet.h>

static bool has(const char *net, const char *addr)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	struct sockaddr_in in4 = {.sin_family = AF_INET};
	struct subnet s;

	ck_assert_msg(subnet_parse(&s, net), "%s", net);
	if (inet_pton(AF_INET, addr, &in4.sin_addr) == 1)
		return subnet_has(&s, (struct sockaddr *)&in4);
	ck_assert_int_eq(inet_pton(AF_INET6, addr, &in6.sin6_addr), 1);
	return subnet_has(&s, (struct sockaddr *)&in6);
}

START_TEST(subnet_has_the_addresses_of_its_prefix)
{
	ck_assert(has("127.0.0.0/8", "127.255.3.4"));
	ck_assert(!has("127.0.0.0/8", "128.0.0.1"));
	ck_assert(has("1.2.3.4", "1.2.3.4"));
	ck_assert(!has("1.2.3.4", "1.2.3.5"));
	ck_assert(has("10.1.2.3/255.255.0.0", "10.1.200.1"));
	ck_assert(!has("10.1.2.3/255.255.0.0", "10.2.2.3"));
	ck_assert(has("10.0.0.0/9", "10.127.0.0"));
	ck_assert(!has("10.0.0.0/9", "10.128.0.0"));
	ck_assert(has("1.2.3.4/32", "1.2.3.4"));
	ck_assert(!has("1.2.3.4/32", "1.2.3.5"));
	ck_assert(has("::1", "::1"));
	ck_assert(!has("::1", "::2"));
	ck_assert(has("[::1]", "::1"));
	ck_assert(has("[fe80::]/10", "febf::1"));
	ck_assert(has("fe80::/10", "febf::1"));
	ck_assert(!has("fe80::/10", "fec0::1"));
	ck_assert(has("2001:db8::/ffff:ffff::", "2001:db8:1::9"));
}
END_TEST

START_TEST(subnet_of_all_v4_has_no_v6_but_mapped_ones)
{
	ck_assert(has("0.0.0.0/0", "8.8.8.8"));
	ck_assert(!has("0.0.0.0/0", "2001:db8::1"));
	ck_assert(has("0.0.0.0/0", "::ffff:8.8.8.8"));
	ck_assert(has("::/0", "2001:db8::1"));
	ck_assert(has("127.0.0.0/8", "::ffff:127.0.0.1"));
}
END_TEST

START_TEST(subnet_parse_refuses_what_is_no_network)
{
	static const char *const bad[] = {
	    "",
	    "x",
	    "1.2.3",
	    "1.2.3.4/",
	    "1.2.3.4/33",
	    "1.2.3.4/-1",
	    "1.2.3.4/-0",
	    "1.2.3.4/255.0.255.0",
	    "::1/129",
	    "::1/255.0.0.0",
	    "1.2.3.4/ffff::",
	    "1.2.3.4/8/8",
	    "1.2.3.4:80",
	    "[::1",
	    "[]",
	    "[",
	    "/8",
	    "localhost",
	    "1.2.3.256",
	    ("000000000000000000000000000000000000"
	     "00000000000000000000000000001")};
	struct subnet s;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!subnet_parse(&s, bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(subnet_has_no_unix_address)
{
	struct sockaddr sa = {.sa_family = AF_UNIX};
	struct subnet s;

	ck_assert(subnet_parse(&s, "::/0"));
	ck_assert(!subnet_has(&s, &sa));
}
END_TEST

Suite *subnet_suite(void)
{
	Suite *su = suite_create("subnet");
	TCase *t = tcase_create("subnet");

	tcase_add_test(t, subnet_has_the_addresses_of_its_prefix);
	tcase_add_test(t, subnet_of_all_v4_has_no_v6_but_mapped_ones);
	tcase_add_test(t, subnet_parse_refuses_what_is_no_network);
	tcase_add_test(t, subnet_has_no_unix_address);
	suite_add_tcase(su, t);
	return su;
}
