/* The suites of net's unit tests. */
#ifndef CAIRN_TESTS_UNIT_NET_SUITES_H
#define CAIRN_TESTS_UNIT_NET_SUITES_H

#include <check.h>

Suite *addrbook_suite(void);
Suite *deliver_suite(void);
Suite *dial_suite(void);
Suite *discouraged_suite(void);
Suite *gossip_suite(void);
Suite *handshake_suite(void);
Suite *listen_suite(void);
Suite *net_suite(void);
Suite *netaddr_suite(void);
Suite *peer_suite(void);
Suite *peer_io_suite(void);
Suite *ping_suite(void);
Suite *rx_suite(void);
Suite *sendq_suite(void);
Suite *tick_suite(void);

#endif
