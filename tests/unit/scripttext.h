/*
 * The script notation of Bitcoin Core's vectors: numbers, 0x... as raw bytes,
 * 'text' as a push, names of operations. For tests that link script. Fails the
 * running test on what it cannot read.
 */
#ifndef CAIRN_TESTS_UNIT_SCRIPTTEXT_H
#define CAIRN_TESTS_UNIT_SCRIPTTEXT_H

#include "testdata.h"

#include <cairn/base/mem.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <check.h>
#include <stdlib.h>

static inline uint8_t *st_op(uint8_t *p, const char *word, size_t n)
{
	for (unsigned op = OP_RESERVED; op <= OP_CHECKSIGADD; op++) {
		const char *name = script_op_name((uint8_t)op);
		bool prefix = n > 3 && memcmp(word, "OP_", 3) == 0;

		if (strncmp(name, "OP_", 3) != 0)
			continue;
		name += prefix ? 0 : 3;
		if (strlen(name) == n && memcmp(name, word, n) == 0) {
			*p = (uint8_t)op;
			return p + 1;
		}
	}
	ck_abort_msg("no operation: %.*s", (int)n, word);
}

static inline uint8_t *st_word(uint8_t *p, const char *word, size_t n)
{
	size_t digits = word[0] == '-' && n > 1;

	if (n > 2 && word[0] == '0' && word[1] == 'x') {
		size_t size;
		uint8_t *raw = td_hex(word + 2, n - 2, &size);

		memcpy(p, raw, size);
		free(raw);
		return p + size;
	}
	if (word[0] == '\'')
		return script_put_push(p, slice_of(word + 1, n - 2));
	if (strspn(word + digits, "0123456789") == n - digits)
		return script_put_num(p, strtoll(word, NULL, 10));
	return st_op(p, word, n);
}

/* Fresh memory, which the caller frees. */
static inline uint8_t *st_script(const char *text, size_t *size)
{
	uint8_t *out = xmalloc(2 * strlen(text) + 16), *p = out;

	for (text += strspn(text, " \t\n"); *text;) {
		size_t n = strcspn(text, " \t\n");

		/* Copied so that a number ends where the word does. */
		char *word = xmalloc(n + 1);
		memcpy(word, text, n);
		word[n] = '\0';
		p = st_word(p, word, n);
		free(word);
		text += n;
		text += strspn(text, " \t\n");
	}
	*size = (size_t)(p - out);
	return out;
}

#endif
