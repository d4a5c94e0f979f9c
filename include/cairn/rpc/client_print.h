/*
 * What the client prints of an answer, by bitcoin-cli's rules: a text raw, null
 * as nothing, everything else as JSON with an indent of 2. Pure.
 */
#ifndef CAIRN_RPC_CLIENT_PRINT_H
#define CAIRN_RPC_CLIENT_PRINT_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>
#include <cairn/rpc/json.h>

/* Show the reply to one command: what belongs on standard output is appended to
 * out, on standard error to err, without a line end. Returns the exit code: 0,
 * or the error's code without its sign. */
int client_print_reply(struct text *out, struct text *err,
		       const struct json *v);
/* The same for the batch of client_request_put_info, as an overview. */
int client_print_info_reply(struct text *out, struct text *err,
			    const struct json *v, bool color);

#endif
