/* Addresses as text, as classes, as sockets. */
#include "../../../src/net/netaddr.h"
#include "suites.h"

#include <cairn/net/net.h>

#include <sys/socket.h>

static struct netaddr addr(const char *s)
{
	struct netaddr a;

	ck_assert_msg(netaddr_parse(&a, s, 8333), "%s", s);
	return a;
}

START_TEST(netaddr_parse_and_fmt_agree)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"1.2.3.4", "1.2.3.4:8333"},
	    {"1.2.3.4:5", "1.2.3.4:5"},
	    {"255.255.255.255:65535", "255.255.255.255:65535"},
	    {"::1", "[::1]:8333"},
	    {"[::1]", "[::1]:8333"},
	    {"[::1]:18444", "[::1]:18444"},
	    {"2001:db8::5", "[2001:db8::5]:8333"},
	    {"::", "[::]:8333"},
	    {"::ffff:1.2.3.4", "1.2.3.4:8333"},
	    {"[::ffff:1.2.3.4]:7", "1.2.3.4:7"},
	    {"0.0.0.0", "0.0.0.0:8333"},
	};
	char text[64];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct netaddr a = addr(cases[i].in);

		ck_assert_str_eq(netaddr_fmt(text, &a), cases[i].out);
	}
}
END_TEST

START_TEST(netaddr_parse_refuses_what_is_no_number)
{
	static const char *const cases[] = {
	    "",
	    "localhost",
	    "1.2.3",
	    "1.2.3.4:",
	    "1.2.3.4:0",
	    "1.2.3.4:65536",
	    "1.2.3.4:x",
	    "1.2.3.4:-1",
	    "[1.2.3.4]",
	    "[::1",
	    "[::1]x",
	    "[::1]:",
	    "[]",
	    "1.2.3.4.5",
	    "::1::",
	    "1.2.3.4: 5",
	    " 1.2.3.4",
	    "[::1]:123456",
	    /* Tor v2 inside IPv6 */
	    "fd87:d87e:eb43::1",
	};
	struct netaddr a;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(!netaddr_parse(&a, cases[i], 8333), "'%s'",
			      cases[i]);
}
END_TEST

START_TEST(host_split_keeps_names_and_bounds_them)
{
	char host[8];
	uint16_t port = 9;

	ck_assert(host_split(host, sizeof host, &port, "abc"));
	ck_assert_str_eq(host, "abc");
	ck_assert_uint_eq(port, 9);
	ck_assert(host_split(host, sizeof host, &port, "abc:77"));
	ck_assert_str_eq(host, "abc");
	ck_assert_uint_eq(port, 77);
	ck_assert(host_split(host, sizeof host, &port, "1234567"));
	ck_assert(!host_split(host, sizeof host, &port, "12345678"));
	ck_assert(!host_split(host, sizeof host, &port, ":1"));
	ck_assert(!host_split(host, sizeof host, &port, ""));
}
END_TEST

/* The first and last address of each range, and the neighbours outside it. */
START_TEST(netaddr_is_routable_outside_the_ranges_set_aside)
{
	static const char *const yes[] = {
	    "1.0.0.0",         "9.255.255.255",   "11.0.0.0",
	    "126.255.255.255", "128.0.0.0",       "172.15.255.255",
	    "172.32.0.0",      "192.167.255.255", "192.169.0.0",
	    "198.17.255.255",  "198.20.0.0",      "169.253.255.255",
	    "169.255.0.0",     "100.63.255.255",  "100.128.0.0",
	    "192.0.1.255",     "192.0.3.0",       "198.51.101.0",
	    "203.0.114.0",     "255.255.255.254", "2001:4860:4860::8888",
	    "fe81::1",         "fbff::1",         "2001:30::1",
	    "2001:db9::1",
	};
	static const char *const no[] = {
	    "0.0.0.0",     "0.255.255.255",
	    "10.0.0.0",    "10.255.255.255",
	    "127.0.0.1",   "127.255.255.255",
	    "172.16.0.0",  "172.31.255.255",
	    "192.168.0.0", "192.168.255.255",
	    "198.18.0.0",  "198.19.255.255",
	    "169.254.0.0", "169.254.255.255",
	    "100.64.0.0",  "100.127.255.255",
	    "192.0.2.0",   "198.51.100.255",
	    "203.0.113.7", "255.255.255.255",
	    "::",          "::1",
	    "fe80::1",     "fc00::1",
	    "fdff::1",     "2001:10::1",
	    "2001:1f::1",  "2001:20::1",
	    "2001:2f::1",  "2001:db8::1",
	};
	size_t i;

	for (i = 0; i < sizeof yes / sizeof *yes; i++) {
		struct netaddr a = addr(yes[i]);

		ck_assert_msg(netaddr_is_routable(&a), "%s", yes[i]);
		ck_assert_msg(!netaddr_is_local(&a), "%s", yes[i]);
	}
	for (i = 0; i < sizeof no / sizeof *no; i++) {
		struct netaddr a = addr(no[i]);

		ck_assert_msg(!netaddr_is_routable(&a), "%s", no[i]);
		ck_assert_str_eq(netaddr_network(&a), "not_publicly_routable");
	}
}
END_TEST

START_TEST(netaddr_is_local_for_loopback_only)
{
	struct netaddr a = addr("127.0.0.1"), b = addr("::1"), c = addr("::2"),
		       d = addr("10.0.0.1");

	ck_assert(netaddr_is_local(&a));
	ck_assert(netaddr_is_local(&b));
	ck_assert(!netaddr_is_local(&c));
	ck_assert(!netaddr_is_local(&d));
}
END_TEST

START_TEST(netaddr_group_is_the_16_of_ipv4_and_the_32_of_ipv6)
{
	struct netaddr a = addr("1.2.3.4"), b = addr("1.2.255.1"),
		       c = addr("1.3.3.4");
	struct netaddr d = addr("2a01:1:2::1"), e = addr("2a01:1:3::1"),
		       f = addr("2a01:2:2::1");
	struct netaddr l = addr("127.0.0.1"), m = addr("::1");

	ck_assert_uint_eq(netaddr_group(&a), netaddr_group(&b));
	ck_assert_uint_ne(netaddr_group(&a), netaddr_group(&c));
	ck_assert_uint_eq(netaddr_group(&d), netaddr_group(&e));
	ck_assert_uint_ne(netaddr_group(&d), netaddr_group(&f));
	ck_assert_uint_eq(netaddr_group(&l), netaddr_group(&m));
	ck_assert_uint_ne(netaddr_group(&a), netaddr_group(&d));
}
END_TEST

START_TEST(netaddr_survives_a_socket_address)
{
	static const char *const cases[] = {"1.2.3.4:99", "[2a01::7]:98"};
	struct sockaddr_storage ss;
	struct netaddr a, b;

	for (size_t i = 0; i < 2; i++) {
		a = addr(cases[i]);
		ck_assert(netaddr_to_sock(&ss, &a));
		ck_assert(netaddr_from_sock(&b, (struct sockaddr *)&ss));
		ck_assert(netaddr_eq(&a, &b));
	}
	a.net = NET_TORV3;
	ck_assert(!netaddr_to_sock(&ss, &a));
	ss.ss_family = AF_UNIX;
	ck_assert(!netaddr_from_sock(&b, (struct sockaddr *)&ss));
}
END_TEST

Suite *netaddr_suite(void)
{
	Suite *s = suite_create("netaddr");
	TCase *t = tcase_create("netaddr");

	tcase_add_test(t, netaddr_parse_and_fmt_agree);
	tcase_add_test(t, netaddr_parse_refuses_what_is_no_number);
	tcase_add_test(t, host_split_keeps_names_and_bounds_them);
	tcase_add_test(t, netaddr_is_routable_outside_the_ranges_set_aside);
	tcase_add_test(t, netaddr_is_local_for_loopback_only);
	tcase_add_test(t, netaddr_group_is_the_16_of_ipv4_and_the_32_of_ipv6);
	tcase_add_test(t, netaddr_survives_a_socket_address);
	suite_add_tcase(s, t);
	return s;
}
