/*
 * JSON files of the data folder as a tree, for tests of folders that do not
 * link the JSON library. Strict about structure, lenient about numbers, which
 * stay text. Fails the running test on malformed input. One thread.
 */
#ifndef CAIRN_TESTS_UNIT_TESTJSON_H
#define CAIRN_TESTS_UNIT_TESTJSON_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

enum tj_kind { TJ_OBJECT, TJ_ARRAY, TJ_STRING, TJ_WORD };

struct tj {
	enum tj_kind kind;
	char *key;     /* in an object, else NULL */
	char *str;     /* string, or number and the like as text */
	struct tj *at; /* n children */
	size_t n;
};

/* Parse a text; the caller frees with tj_free. */
struct tj *tj_parse(const char *text) must_check;
/* A file below the data folder. */
struct tj *tj_read(const char *name) must_check;
void tj_free(struct tj *j);

/* The member called key, or NULL. */
const struct tj *tj_find(const struct tj *j, const char *key);
/* The same where it must be there. */
const struct tj *tj_get(const struct tj *j, const char *key);
/* The text of a string member that must be there. */
const char *tj_str(const struct tj *j, const char *key);
/* Whether a member is there and true. */
bool tj_true(const struct tj *j, const char *key);

#endif
