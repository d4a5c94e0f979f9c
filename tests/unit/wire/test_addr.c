/* addr and addrv2; the rules of BIP 155 as Bitcoin Core applies them. */
#include "wiretest.h"

#include <cairn/wire/addr.h>

#include <stdlib.h>

#define HEAD "0100000001" /* time 1, services 1 (as a CompactSize) */

static bool drain(struct addr_view *v)
{
	struct addr_entry e;
	uint32_t sum = 0, n = 0;

	while (addr_next(v, &e)) {
		ck_assert_uint_le(e.addr.n, sizeof e.addr.b);
		ck_assert_uint_gt(e.addr.n, 0);
		sum += e.time_s + e.addr.b[e.addr.n - 1];
		n++;
	}
	ck_assert_uint_le(n, v->n);
	return sum != UINT32_MAX;
}

static bool v1_ok(struct slice body)
{
	struct addr_view v;

	return addr_view_parse(&v, body) && drain(&v);
}

static bool v2_ok(struct slice body)
{
	struct addr_view v;

	return addrv2_view_parse(&v, body) && drain(&v);
}

static const uint8_t sizes[] = {
    [NET_IPV4] = 4,   [NET_IPV6] = 16, [NET_TORV2] = 0,
    [NET_TORV3] = 32, [NET_I2P] = 32,  [NET_CJDNS] = 16,
};

static struct addr_entry entry(uint8_t net, uint32_t seed)
{
	struct addr_entry e = {.time_s = 1700000000 + seed,
			       .services = (uint64_t)seed << 20 | 9};

	e.addr.net = net;
	e.addr.n = sizes[net];
	e.addr.port = (uint16_t)(8333 + seed);
	fill(e.addr.b, e.addr.n, seed + 1);
	if (net == NET_CJDNS)
		e.addr.b[0] = 0xfc;
	return e;
}

static void check_same(const struct addr_entry *a, const struct addr_entry *b)
{
	ck_assert_uint_eq(a->time_s, b->time_s);
	ck_assert_uint_eq(a->services, b->services);
	ck_assert_uint_eq(a->addr.net, b->addr.net);
	ck_assert_uint_eq(a->addr.n, b->addr.n);
	ck_assert_uint_eq(a->addr.port, b->addr.port);
	ck_assert_mem_eq(a->addr.b, b->addr.b, 32);
}

START_TEST(addr_reads_as_it_was_written)
{
	struct addr_entry e[3] = {entry(NET_IPV4, 1), entry(NET_IPV6, 2),
				  entry(NET_IPV4, 3)},
			  got;
	uint8_t raw[1 + 3 * 30];
	struct addr_view v;

	ck_assert_uint_eq(addr_size(3), sizeof raw);
	ck_assert_ptr_eq(addr_put(raw, e, 3), raw + sizeof raw);
	ck_assert(addr_view_parse(&v, slice_of(raw, sizeof raw)));
	ck_assert_uint_eq(v.n, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert(addr_next(&v, &got));
		check_same(&got, &e[i]);
	}
	ck_assert(!addr_next(&v, &got));
	check_cuts(v1_ok, slice_of(raw, sizeof raw));
	check_extra(v1_ok, slice_of(raw, sizeof raw), true);
	check_counts(v1_ok, slice_of("", 0), 4096);
}
END_TEST

static bool old_ok(struct slice body)
{
	struct addr_view v;

	return addr_old_view_parse(&v, body) && drain(&v);
}

/* Before version 31402 an address came without a time. */
START_TEST(addr_of_old_peers_has_no_times)
{
	struct addr_entry e[2] = {entry(NET_IPV4, 1), entry(NET_IPV6, 2)}, got;
	uint8_t raw[1 + 2 * 26];
	struct addr_view v;

	ck_assert_uint_eq(addr_old_size(2), sizeof raw);
	ck_assert_ptr_eq(addr_old_put(raw, e, 2), raw + sizeof raw);
	ck_assert(addr_old_view_parse(&v, slice_of(raw, sizeof raw)));
	ck_assert_uint_eq(v.n, 2);
	for (int i = 0; i < 2; i++) {
		e[i].time_s = 100000000;
		ck_assert(addr_next(&v, &got));
		check_same(&got, &e[i]);
	}
	ck_assert(!addr_next(&v, &got));
	check_cuts(old_ok, slice_of(raw, sizeof raw));
	check_extra(old_ok, slice_of(raw, sizeof raw), true);
	check_counts(old_ok, slice_of("", 0), 4096);
}
END_TEST

START_TEST(addrv2_reads_every_network_as_it_was_written)
{
	static const uint8_t nets[] = {NET_IPV4, NET_IPV6, NET_TORV3, NET_I2P,
				       NET_CJDNS};
	struct addr_entry e[5], got;
	uint8_t raw[300];
	struct addr_view v;
	size_t n;

	for (uint32_t i = 0; i < 5; i++)
		e[i] = entry(nets[i], i * 1000);
	n = addrv2_size(e, 5);
	ck_assert_ptr_eq(addrv2_put(raw, e, 5), raw + n);
	ck_assert(addrv2_view_parse(&v, slice_of(raw, n)));
	for (int i = 0; i < 5; i++) {
		ck_assert(addr_next(&v, &got));
		check_same(&got, &e[i]);
	}
	ck_assert(!addr_next(&v, &got));
	check_cuts(v2_ok, slice_of(raw, n));
	check_extra(v2_ok, slice_of(raw, n), true);
	check_counts(v2_ok, slice_of("", 0), 4096);
}
END_TEST

START_TEST(vectors_over_the_limit_are_left_to_the_caller)
{
	struct addr_entry *e = calloc(ADDR_MAX + 1, sizeof *e);
	uint8_t *raw = malloc(addr_size(ADDR_MAX + 1));
	struct addr_view v;

	ck_assert(e && raw);
	for (uint32_t i = 0; i <= ADDR_MAX; i++)
		e[i] = entry(NET_IPV4, i);
	addr_put(raw, e, ADDR_MAX + 1);
	ck_assert(addr_view_parse(&v, slice_of(raw, addr_size(ADDR_MAX + 1))));
	ck_assert_uint_eq(v.n, ADDR_MAX + 1);
	addrv2_put(raw, e, ADDR_MAX + 1);
	ck_assert(
	    addrv2_view_parse(&v, slice_of(raw, addrv2_size(e, ADDR_MAX + 1))));
	ck_assert_uint_eq(v.n, ADDR_MAX + 1);
	check_cuts(v2_ok, slice_of(raw, addrv2_size(e, ADDR_MAX + 1)));
	free(e);
	free(raw);
}
END_TEST

/* One addrv2 entry: network, length and address are given in hex. */
static size_t one_v2(uint8_t *raw, const char *net_len_addr)
{
	size_t n = td_hex_into(raw, 600, "01" HEAD);

	n += td_hex_into(raw + n, 600, net_len_addr);
	raw[n++] = 0x20;
	raw[n++] = 0x8d;
	return n;
}

enum fate { USED, SKIPPED, REFUSED };

static void check_fate(const char *hex, enum fate want)
{
	uint8_t raw[1400];
	struct addr_view v;
	struct addr_entry e;
	enum fate got = REFUSED;
	struct td_guard g;

	td_guard_init(&g, sizeof raw);
	if (addrv2_view_parse(
		&v, td_guard_put(&g, slice_of(raw, one_v2(raw, hex)))))
		got = addr_next(&v, &e) ? USED : SKIPPED;
	ck_assert_msg(got == want, "%s: %d, not %d", hex, got, want);
	if (got == USED)
		ck_assert_uint_eq(e.addr.port, 8333);
	td_guard_fini(&g);
}

START_TEST(each_network_takes_its_own_length_only)
{
	static const struct {
		const char *hex;
		enum fate fate;
	} row[] = {
	    {"010401020304", USED},
	    {"010501020304aa", REFUSED},
	    {"0103010203", REFUSED},
	    {"0100", REFUSED},
	    {"02100102030405060708090a0b0c0d0e0f10", USED},
	    {"020401020304", REFUSED},
	    {"030af1f2f3f4f5f6f7f8f9fa", SKIPPED},
	    {"0303010203", SKIPPED},
	    {"040101", REFUSED},
	    {"0500", REFUSED},
	    {"0610fc000001000200030004000500060007", USED},
	    {"0610aa000001000200030004000500060007", SKIPPED},
	    {"0610fd000001000200030004000500060007", SKIPPED},
	    {"060100", REFUSED},
	    {"0700", SKIPPED},
	    {"aa00", SKIPPED},
	    {"0004aabbccdd", SKIPPED},
	    {"ff0401020304", SKIPPED},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		check_fate(row[i].hex, row[i].fate);
}
END_TEST

START_TEST(ipv6_that_stands_for_something_else_is_skipped)
{
	check_fate("021000000000000000000000ffff01020304", SKIPPED);
	check_fate("0210fd87d87eeb430102030405060708090a", SKIPPED);
	check_fate("0210fd6b88c08724ca978112ca1bbdcafac2", SKIPPED);
	check_fate("021000000000000000000000000000000000", SKIPPED);
	check_fate("021000000000000000000000fffe01020304", USED);
	check_fate("0210fd87d87eeb440102030405060708090a", USED);
	check_fate("021000000000000000000000000000000001", USED);
}
END_TEST

START_TEST(an_address_may_take_512_bytes_and_no_more)
{
	char hex[2 * 520 + 1] = "aafd0002";

	memset(hex + 8, 'b', 2 * 512);
	hex[8 + 2 * 512] = '\0';
	check_fate(hex, SKIPPED);
	memcpy(hex, "aafd0102", 8);
	memset(hex + 8, 'b', 2 * 513);
	hex[8 + 2 * 513] = '\0';
	check_fate(hex, REFUSED);
	check_fate("aafe0000000201020304050607", REFUSED);
}
END_TEST

START_TEST(a_skipped_entry_does_not_hide_the_next)
{
	uint8_t raw[64];
	struct addr_view v;
	struct addr_entry e;
	size_t n = td_hex_into(raw, sizeof raw,
			       "03" HEAD "aa0401020304"
			       "0001" HEAD "0300"
			       "0002" HEAD "010405060708"
			       "0003");

	ck_assert(addrv2_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(v.n, 3);
	ck_assert(addr_next(&v, &e));
	ck_assert_uint_eq(e.addr.port, 3);
	ck_assert_uint_eq(e.addr.net, NET_IPV4);
	ck_assert_uint_eq(e.addr.b[0], 5);
	ck_assert(!addr_next(&v, &e));
}
END_TEST

START_TEST(in_addr_ipv4_comes_mapped_and_torv2_is_skipped)
{
	uint8_t raw[1 + 4 * 30] = {4};
	struct addr_view v;
	struct addr_entry e;

	td_hex_into(raw + 1 + 12, 16, "00000000000000000000ffff01020304");
	td_hex_into(raw + 31 + 12, 16, "fd87d87eeb430102030405060708090a");
	td_hex_into(raw + 61 + 12, 16, "fd6b88c08724ca978112ca1bbdcafac2");
	td_hex_into(raw + 91 + 12, 16, "20010db8000000000000000000000001");
	ck_assert(addr_view_parse(&v, slice_of(raw, sizeof raw)));
	ck_assert(addr_next(&v, &e));
	ck_assert_uint_eq(e.addr.net, NET_IPV4);
	ck_assert_uint_eq(e.addr.n, 4);
	ck_assert_uint_eq(e.addr.b[3], 4);
	ck_assert(addr_next(&v, &e));
	ck_assert_uint_eq(e.addr.net, NET_IPV6);
	ck_assert_uint_eq(e.addr.b[0], 0x20);
	ck_assert(!addr_next(&v, &e));
}
END_TEST

START_TEST(services_are_any_minimal_number)
{
	static const struct {
		const char *services;
		bool ok;
	} row[] = {
	    {"00", true},
	    {"fdffff", true},
	    {"feffffffff", true},
	    {"ffffffffffffffffff", true},
	    {"fd0100", false},
	    {"feffff0000", false},
	    {"ffffffffff00000000", false},
	};
	uint8_t raw[64];

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = td_hex_into(raw, sizeof raw, "0101000000");
		n += td_hex_into(raw + n, 9, row[i].services);
		n += td_hex_into(raw + n, 32, "010401020304208d");
		ck_assert_msg(v2_ok(slice_of(raw, n)) == row[i].ok, "%s",
			      row[i].services);
	}
}
END_TEST

START_TEST(networks_that_16_bytes_cannot_say_become_zeros)
{
	struct addr_entry e = entry(NET_TORV3, 4);
	uint8_t raw[26], zero[16] = {0};

	ck_assert_ptr_eq(netaddr_put26(raw, 9, &e.addr), raw + 26);
	ck_assert_uint_eq(raw[0], 9);
	ck_assert_mem_eq(raw + 8, zero, 16);
	ck_assert_uint_eq(be16_get(raw + 24), e.addr.port);
}
END_TEST

/* "valid": true means used, false skipped, none at all refused. */
static enum fate vector_fate(const char *row, const char *end)
{
	const char *valid = strstr(row, "\"valid\"");

	if (!valid || valid > end)
		return REFUSED;
	return strncmp(valid + 9, "true", 4) == 0 ? USED : SKIPPED;
}

START_TEST(published_addresses_have_their_fate)
{
	if (td_missing())
		return;
	char *text = td_read_text("vectors/bips/bip155-addresses.json");
	const char *at = text;
	size_t rows = 0;
	char *hex;

	while ((hex = td_json_str(&at, "network_length_address")) != NULL) {
		const char *end = strchr(at, '}');
		enum fate fate = vector_fate(at, end);
		/* Core reads its own names from its files only. */
		if (strncmp(hex, "0210fd6b88c08724", 16) == 0)
			fate = SKIPPED;
		/* Cut or wrong within: the two bytes of the port that follow
		 * do not mend it. */
		check_fate(hex, fate);
		free(hex);
		rows++;
	}
	ck_assert_uint_eq(rows, 20);
	free(text);
}
END_TEST

Suite *addr_suite(void)
{
	Suite *s = suite_create("addr");
	TCase *t = tcase_create("addr"), *b = tcase_create("bip155");

	tcase_add_test(t, addr_reads_as_it_was_written);
	tcase_add_test(t, addr_of_old_peers_has_no_times);
	tcase_add_test(t, in_addr_ipv4_comes_mapped_and_torv2_is_skipped);
	tcase_add_test(t, networks_that_16_bytes_cannot_say_become_zeros);
	tcase_add_test(t, vectors_over_the_limit_are_left_to_the_caller);
	tcase_add_test(b, addrv2_reads_every_network_as_it_was_written);
	tcase_add_test(b, each_network_takes_its_own_length_only);
	tcase_add_test(b, ipv6_that_stands_for_something_else_is_skipped);
	tcase_add_test(b, an_address_may_take_512_bytes_and_no_more);
	tcase_add_test(b, a_skipped_entry_does_not_hide_the_next);
	tcase_add_test(b, services_are_any_minimal_number);
	tcase_add_test(b, published_addresses_have_their_fate);
	tcase_set_timeout(t, 30);
	suite_add_tcase(s, t);
	suite_add_tcase(s, b);
	return s;
}
