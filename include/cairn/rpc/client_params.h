/*
 * From words of a command line to JSON parameters: which of a command's
 * parameters are JSON and which are plain text, as bitcoin-cli has it. Pure.
 */
#ifndef CAIRN_RPC_CLIENT_PARAMS_H
#define CAIRN_RPC_CLIENT_PARAMS_H

#include <cairn/base/attr.h>
#include <cairn/base/text.h>
#include <cairn/rpc/json.h>

/* Write the n words as an array, in order. E_PARSE with a sentence in err when
 * one that must be JSON is none; the writer's document is then unfinished. */
int client_params_put(struct jw *w, struct text *err, const char *method,
		      const char *const *words, size_t n) must_check;
/* Write them as an object (-named): name=value, the last of equal names counts;
 * words without a name become "args". */
int client_params_put_named(struct jw *w, struct text *err, const char *method,
			    const char *const *words, size_t n) must_check;

#endif
