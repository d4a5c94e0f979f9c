/* Addresses told and asked for. */
#include "lab.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

static struct lab lab;
static struct client cl;

static void setup(void)
{
	lab_init(&lab);
	lab_start(&lab);
	client_open(&cl, &lab);
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

static struct addr_entry entry_at(uint32_t i)
{
	struct addr_entry e = {.time_s = LAB_START,
			       .services = 9,
			       .addr = {.net = NET_IPV4, .n = 4, .port = 8333}};

	e.addr.b[0] = (uint8_t)(20 + i % 60);
	e.addr.b[1] = (uint8_t)(i / 60);
	e.addr.b[3] = 1;
	return e;
}

/* Tell addresses first .. first + n - 1. */
static void tell(uint32_t first, uint32_t n, bool v2)
{
	struct addr_entry *e = xcalloc(n + 1, sizeof *e);
	size_t size;
	uint8_t *b;

	for (uint32_t i = 0; i < n; i++)
		e[i] = entry_at(first + i);
	size = v2 ? addrv2_size(e, n) : addr_size(n);
	b = xmalloc(size);
	if (v2)
		addrv2_put(b, e, n);
	else
		addr_put(b, e, n);
	client_msg(&cl, v2 ? MSG_ADDRV2 : MSG_ADDR, slice_of(b, size));
	free(b);
	free(e);
}

static struct peer_info info(void)
{
	struct peer_info i;

	peer_get_info(lab.last_ready, &i);
	return i;
}

static size_t known(void)
{
	return addrbook_count(net_addrbook(lab.net));
}

START_TEST(inbound_peer_may_tell_one_address_and_then_one_in_ten_seconds)
{
	client_handshake(&cl);
	ck_assert(!info().addr_relay);
	tell(0, 10, false);
	client_sync(&cl, 1);
	ck_assert(info().addr_relay);
	ck_assert_uint_eq(info().addr_processed, 1);
	ck_assert_uint_eq(info().addr_rate_limited, 9);
	ck_assert_uint_eq(known(), 1);
	lab_forward(&lab, 100);
	tell(100, 20, true);
	client_sync(&cl, 2);
	ck_assert_uint_eq(info().addr_processed, 11);
	ck_assert_uint_eq(info().addr_rate_limited, 19);
}
END_TEST

START_TEST(tokens_never_exceed_a_thousand)
{
	client_handshake(&cl);
	lab_forward(&lab, 1000000);
	client_close(&cl);
	client_open(&cl, &lab);
	client_handshake(&cl);
	lab_forward(&lab, 30);
	tell(0, 1000, false);
	client_sync(&cl, 1);
	ck_assert_uint_eq(info().addr_processed, 4);
}
END_TEST

START_TEST(a_thousand_addresses_are_fine_and_one_more_is_not)
{
	client_handshake(&cl);
	tell(0, 1000, false);
	client_sync(&cl, 1);
	tell(0, 1001, false);
	client_await_eof(&cl);
}
END_TEST

START_TEST(addrv2_over_a_thousand_is_misbehaviour_too)
{
	client_handshake(&cl);
	tell(0, 1001, true);
	client_await_eof(&cl);
}
END_TEST

START_TEST(malformed_addresses_are_ignored)
{
	client_handshake(&cl);
	client_msg(&cl, MSG_ADDR, slice_of(NULL, 0));
	client_msg(&cl, MSG_ADDR, slice_of("\xfe\0\0\0\2", 5));
	client_msg(&cl, MSG_ADDRV2, slice_of("\1\0\0\0\0\1\1\5", 8));
	client_sync(&cl, 1);
	ck_assert_uint_eq(known(), 0);
}
END_TEST

/* Fill the book as if the DNS seeds had. */
static void fill(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct addr_entry e = entry_at(i);

		addrbook_add(net_addrbook(lab.net), &e, LAB_START);
	}
}

static uint32_t await_addr(bool v2)
{
	struct client_msg m = client_await(&cl, v2 ? MSG_ADDRV2 : MSG_ADDR);
	struct addr_view v;

	ck_assert(v2 ? addrv2_view_parse(&v, m.body)
		     : addr_view_parse(&v, m.body));
	return v.n;
}

START_TEST(getaddr_gives_23_percent_once)
{
	struct client_msg m;

	fill(1000);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	ck_assert_uint_eq(await_addr(false), 230);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	client_msg(&cl, MSG_PING, slice_of("12345678", 8));
	do {
		lab_until(&lab, client_next(&cl, &m));
		ck_assert_str_ne(m.name, "addr");
	} while (strcmp(m.name, "pong") != 0);
}
END_TEST

START_TEST(getaddr_answers_in_v2_to_those_who_asked_for_it)
{
	fill(100);
	client_version(&cl);
	client_msg(&cl, MSG_SENDADDRV2, slice_of(NULL, 0));
	client_msg(&cl, MSG_VERACK, slice_of(NULL, 0));
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	ck_assert_uint_eq(await_addr(true), 23);
}
END_TEST

START_TEST(getaddr_gives_a_thousand_at_most)
{
	fill(5000);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	ck_assert_uint_eq(await_addr(false), 1000);
}
END_TEST

START_TEST(getaddr_gives_everyone_the_same_for_a_day)
{
	struct client_msg m;
	uint8_t first[3 + 230 * 30];

	fill(1000);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	m = client_await(&cl, MSG_ADDR);
	ck_assert_uint_le(m.body.n, sizeof first);
	memcpy(first, m.body.p, m.body.n);
	client_close(&cl);
	client_open(&cl, &lab);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	m = client_await(&cl, MSG_ADDR);
	ck_assert_mem_eq(m.body.p, first, m.body.n);
	client_close(&cl);
	lab_forward(&lab, 28 * 3600);
	client_open(&cl, &lab);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	m = client_await(&cl, MSG_ADDR);
	ck_assert_mem_ne(m.body.p, first, m.body.n);
}
END_TEST

START_TEST(getaddr_sample_follows_a_book_that_doubled)
{
	fill(100);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	ck_assert_uint_eq(await_addr(false), 23);
	fill(199);
	client_close(&cl);
	client_open(&cl, &lab);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	ck_assert_uint_eq(await_addr(false), 23);
	fill(200);
	client_close(&cl);
	client_open(&cl, &lab);
	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	ck_assert_uint_eq(await_addr(false), 46);
}
END_TEST

START_TEST(discouraged_hosts_are_not_learned)
{
	struct addr_entry e = entry_at(0);

	client_handshake(&cl);
	discouraged_add(&lab.net->discouraged, &e.addr);
	tell(0, 1, false);
	client_sync(&cl, 1);
	ck_assert_uint_eq(known(), 0);
	lab_forward(&lab, 10);
	tell(1, 1, false);
	client_sync(&cl, 2);
	ck_assert_uint_eq(known(), 1);
}
END_TEST

START_TEST(getaddr_with_an_empty_book_is_not_answered)
{
	struct client_msg m;

	client_handshake(&cl);
	client_msg(&cl, MSG_GETADDR, slice_of(NULL, 0));
	client_msg(&cl, MSG_PING, slice_of("12345678", 8));
	do {
		lab_until(&lab, client_next(&cl, &m));
		ck_assert_str_ne(m.name, "addr");
	} while (strcmp(m.name, "pong") != 0);
}
END_TEST

START_TEST(addresses_with_impossible_times_are_taken_as_old)
{
	struct addr_entry e = entry_at(1), out;
	uint8_t b[40];

	client_handshake(&cl);
	e.time_s = LAB_START + 601;
	addr_put(b, &e, 1);
	client_msg(&cl, MSG_ADDR, slice_of(b, addr_size(1)));
	client_sync(&cl, 1);
	ck_assert_uint_eq(addrbook_sample(net_addrbook(lab.net), &out, 1), 1);
	ck_assert_uint_eq(out.time_s, LAB_START - 5 * 86400 - 7200);
}
END_TEST

START_TEST(addresses_of_useless_nodes_are_not_kept)
{
	struct addr_entry e = entry_at(1);
	uint8_t b[40];

	client_handshake(&cl);
	e.services = NODE_WITNESS;
	addr_put(b, &e, 1);
	client_msg(&cl, MSG_ADDR, slice_of(b, addr_size(1)));
	client_sync(&cl, 1);
	ck_assert_uint_eq(known(), 0);
	ck_assert_uint_eq(info().addr_processed, 0);
}
END_TEST

Suite *gossip_suite(void)
{
	Suite *s = suite_create("gossip");
	TCase *t = tcase_create("gossip");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(
	    t, inbound_peer_may_tell_one_address_and_then_one_in_ten_seconds);
	tcase_add_test(t, tokens_never_exceed_a_thousand);
	tcase_add_test(t, a_thousand_addresses_are_fine_and_one_more_is_not);
	tcase_add_test(t, addrv2_over_a_thousand_is_misbehaviour_too);
	tcase_add_test(t, malformed_addresses_are_ignored);
	tcase_add_test(t, getaddr_gives_23_percent_once);
	tcase_add_test(t, getaddr_answers_in_v2_to_those_who_asked_for_it);
	tcase_add_test(t, getaddr_gives_a_thousand_at_most);
	tcase_add_test(t, getaddr_gives_everyone_the_same_for_a_day);
	tcase_add_test(t, getaddr_sample_follows_a_book_that_doubled);
	tcase_add_test(t, discouraged_hosts_are_not_learned);
	tcase_add_test(t, getaddr_with_an_empty_book_is_not_answered);
	tcase_add_test(t, addresses_with_impossible_times_are_taken_as_old);
	tcase_add_test(t, addresses_of_useless_nodes_are_not_kept);
	suite_add_tcase(s, t);
	return s;
}
