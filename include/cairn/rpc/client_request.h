/* What the client sends, and where: bodies, paths, addresses. Pure. */
#ifndef CAIRN_RPC_CLIENT_REQUEST_H
#define CAIRN_RPC_CLIENT_REQUEST_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>

/* Append the request for a command: words are the method and its parameters,
 * which are name=value when named. E_PARSE with a sentence in err (t is then
 * unfinished). */
int client_request_put(struct text *t, struct text *err,
		       const char *const *words, size_t n, bool named,
		       const char *id) must_check;
/* Append the batch behind -getinfo: getnetworkinfo with id 0, getblockchaininfo
 * with id 1. */
void client_request_put_info(struct text *t);
/* Append the path of requests to a wallet, or "/" when wallet is NULL. */
void client_request_path(struct text *t, const char *wallet);
/* Split host, host:port, [v6] or [v6]:port; an address with several colons and
 * no brackets has no port. Gives *host; *port only when there is one. False
 * when the port is none. */
bool client_split_host(char **host, uint16_t *port, const char *s) must_check;
/* A port number as text: 1..65535. */
bool client_port_parse(uint16_t *port, const char *s) must_check;

#endif
