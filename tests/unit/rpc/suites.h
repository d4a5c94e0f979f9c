/* What the suites of this folder share. */
#ifndef CAIRN_TEST_RPC_SUITES_H
#define CAIRN_TEST_RPC_SUITES_H

#include "../../../src/rpc/internal.h"

#include <check.h>

Suite *json_suite(void);
Suite *jw_suite(void);
Suite *auth_suite(void);
Suite *head_suite(void);
Suite *conn_suite(void);
Suite *call_suite(void);
Suite *request_suite(void);
Suite *params_suite(void);
Suite *stream_suite(void);
Suite *help_suite(void);
Suite *listen_suite(void);
Suite *client_suite(void);
Suite *client_text_suite(void);

#endif
