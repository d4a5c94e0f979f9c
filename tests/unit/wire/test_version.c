/* version, and the small fixed messages. */
#include "wiretest.h"

#include <cairn/wire/version.h>

static struct version_msg msg(const char *agent)
{
	struct version_msg m = {.version = 70016,
				.services = 0x0000000200000409u,
				.time_s = 1700000000,
				.recv_services = 1,
				.nonce = 0x0123456789abcdefu,
				.user_agent = agent,
				.height = 800000,
				.relay = false};

	m.addr_recv.net = NET_IPV4;
	m.addr_recv.n = 4;
	m.addr_recv.port = 8333;
	memcpy(m.addr_recv.b, "\x01\x02\x03\x04", 4);
	return m;
}

START_TEST(version_reads_as_it_was_written)
{
	struct version_msg m = msg("/Cairn:0.1.0/");
	uint8_t raw[200];
	size_t n = version_size(&m);
	struct version_view v;

	ck_assert_uint_eq(n, 86 + 13);
	ck_assert_ptr_eq(version_put(raw, &m), raw + n);
	ck_assert(version_view_parse(&v, slice_of(raw, n)));
	ck_assert_int_eq(v.version, 70016);
	ck_assert_uint_eq(v.services, m.services);
	ck_assert_int_eq(v.time_s, 1700000000);
	ck_assert_uint_eq(v.addr_recv.net, NET_IPV4);
	ck_assert_uint_eq(v.addr_recv.port, 8333);
	ck_assert_mem_eq(v.addr_recv.b, m.addr_recv.b, 4);
	ck_assert_uint_eq(v.recv_services, 1);
	ck_assert_ptr_eq(v.addr_from, raw + 46);
	ck_assert_uint_eq(le64_get(v.addr_from), m.services);
	ck_assert_uint_eq(v.nonce, m.nonce);
	ck_assert(slice_eq(v.user_agent, slice_of("/Cairn:0.1.0/", 13)));
	ck_assert_int_eq(v.height, 800000);
	ck_assert(!v.relay);
}
END_TEST

/* A message may end before any optional field, but not inside one: the fields
 * end at 46, 80, behind the user agent, the height and the relay flag. */
START_TEST(version_may_end_between_its_optional_fields_only)
{
	struct version_msg m = msg("/x/");
	uint8_t raw[200];
	size_t n = version_size(&m);
	struct version_view v;
	struct td_guard g;

	version_put(raw, &m);
	td_guard_init(&g, n);
	for (size_t cut = 0; cut <= n; cut++) {
		struct slice s = td_guard_put(&g, slice_of(raw, cut));
		bool end = cut == 46 || cut == 80 || cut == 84 || cut == 88 ||
			   cut == 89;
		ck_assert_msg(version_view_parse(&v, s) == end, "cut %zu", cut);
		if (!end)
			continue;
		ck_assert_uint_eq(v.nonce, cut >= 80 ? m.nonce : 1);
		ck_assert_int_eq(v.addr_from != NULL, cut >= 80);
		ck_assert_uint_eq(v.user_agent.n, cut >= 84 ? 3 : 0);
		ck_assert_int_eq(v.height, cut >= 88 ? 800000 : -1);
		ck_assert_int_eq(v.relay, cut < 89);
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(bytes_behind_version_are_ignored)
{
	struct version_msg m = msg("");
	uint8_t raw[200];
	size_t n = version_size(&m);
	struct version_view v;

	version_put(raw, &m);
	memset(raw + n, 0xff, 50);
	ck_assert(version_view_parse(&v, slice_of(raw, n + 50)));
	ck_assert(!v.relay);
	ck_assert_uint_eq(v.user_agent.n, 0);
}
END_TEST

START_TEST(a_user_agent_has_at_most_256_bytes)
{
	char agent[USER_AGENT_MAX + 2];
	uint8_t raw[500];
	struct version_msg m;
	struct version_view v;
	size_t n;

	memset(agent, 'a', sizeof agent);
	agent[USER_AGENT_MAX] = '\0';
	m = msg(agent);
	n = version_size(&m);
	version_put(raw, &m);
	ck_assert(version_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(v.user_agent.n, 256);
	/* One more byte: the count at 80 is fd 00 01, then fd 01 01. */
	memmove(raw + 84, raw + 83, n - 83);
	raw[81] = 1;
	ck_assert(!version_view_parse(&v, slice_of(raw, n + 1)));
	raw[82] = 0; /* and it is not minimal */
	ck_assert(!version_view_parse(&v, slice_of(raw, n + 1)));
}
END_TEST

START_TEST(a_negative_time_reads_as_zero)
{
	struct version_msg m = msg("");
	uint8_t raw[200];
	struct version_view v;

	m.time_s = -5;
	version_put(raw, &m);
	ck_assert(version_view_parse(&v, slice_of(raw, version_size(&m))));
	ck_assert_int_eq(v.time_s, 0);
}
END_TEST

START_TEST(an_unusable_receiver_address_is_no_network)
{
	struct version_msg m = msg("");
	uint8_t raw[200];
	struct version_view v;

	m.addr_recv.net = NET_TORV3;
	version_put(raw, &m);
	ck_assert(version_view_parse(&v, slice_of(raw, version_size(&m))));
	ck_assert_uint_eq(v.addr_recv.net, NET_NONE);
	ck_assert_uint_eq(v.addr_recv.n, 0);
	ck_assert_uint_eq(v.addr_recv.port, 8333);
}
END_TEST

static bool nonce_ok(struct slice body)
{
	uint64_t nonce;

	return nonce_parse(&nonce, body) && nonce == 0x8877665544332211u;
}

static bool feefilter_ok(struct slice body)
{
	int64_t fee;

	return feefilter_parse(&fee, body) && fee == -0x778899aabbccddefLL;
}

static bool sendcmpct_ok(struct slice body)
{
	uint64_t version;
	uint8_t announce;

	return sendcmpct_parse(&announce, &version, body) && announce == 2 &&
	       version == 0x0102030405060708u;
}

static bool sendtxrcncl_ok(struct slice body)
{
	uint32_t version;
	uint64_t salt;

	return sendtxrcncl_parse(&version, &salt, body) &&
	       version == 0x44332211u && salt == 0x0102030405060708u;
}

START_TEST(small_messages_read_as_they_were_written)
{
	uint8_t raw[12];

	ck_assert_ptr_eq(nonce_put(raw, 0x8877665544332211u), raw + NONCE_SIZE);
	ck_assert(nonce_ok(slice_of(raw, NONCE_SIZE)));
	ck_assert_ptr_eq(feefilter_put(raw, -0x778899aabbccddefLL),
			 raw + FEEFILTER_SIZE);
	ck_assert(feefilter_ok(slice_of(raw, FEEFILTER_SIZE)));
	ck_assert_ptr_eq(sendcmpct_put(raw, 2, 0x0102030405060708u),
			 raw + SENDCMPCT_SIZE);
	ck_assert(sendcmpct_ok(slice_of(raw, SENDCMPCT_SIZE)));
	ck_assert_ptr_eq(sendtxrcncl_put(raw, 0x44332211u, 0x0102030405060708u),
			 raw + SENDTXRCNCL_SIZE);
	ck_assert(sendtxrcncl_ok(slice_of(raw, SENDTXRCNCL_SIZE)));
}
END_TEST

START_TEST(small_messages_need_their_bytes_and_ignore_more)
{
	uint8_t raw[9];

	td_hex_into(raw, 9, "1122334455667788");
	check_cuts(nonce_ok, slice_of(raw, 8));
	check_extra(nonce_ok, slice_of(raw, 8), true);
	check_cuts(feefilter_ok, slice_of(raw, 8));
	check_extra(feefilter_ok, slice_of(raw, 8), true);
	td_hex_into(raw, 9, "020807060504030201");
	check_cuts(sendcmpct_ok, slice_of(raw, 9));
	check_extra(sendcmpct_ok, slice_of(raw, 9), true);
	uint8_t rcncl[12];
	td_hex_into(rcncl, 12, "112233440807060504030201");
	check_cuts(sendtxrcncl_ok, slice_of(rcncl, 12));
	check_extra(sendtxrcncl_ok, slice_of(rcncl, 12), true);
}
END_TEST

Suite *version_suite(void)
{
	Suite *s = suite_create("version");
	TCase *t = tcase_create("version"), *f = tcase_create("small");

	tcase_add_test(t, version_reads_as_it_was_written);
	tcase_add_test(t, version_may_end_between_its_optional_fields_only);
	tcase_add_test(t, bytes_behind_version_are_ignored);
	tcase_add_test(t, a_user_agent_has_at_most_256_bytes);
	tcase_add_test(t, a_negative_time_reads_as_zero);
	tcase_add_test(t, an_unusable_receiver_address_is_no_network);
	tcase_add_test(f, small_messages_read_as_they_were_written);
	tcase_add_test(f, small_messages_need_their_bytes_and_ignore_more);
	suite_add_tcase(s, t);
	suite_add_tcase(s, f);
	return s;
}
