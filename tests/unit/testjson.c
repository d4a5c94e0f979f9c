/*
 * A small JSON reader for tests: a recursive descent that builds a tree. Not
 * for input from anybody but the data folder.
 */
#include "testjson.h"

#include "testdata.h"

#include <cairn/base/mem.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static void value(struct tj *j, const char **p);

static void space(const char **p)
{
	*p += strspn(*p, " \t\r\n");
}

static void expect(const char **p, char c)
{
	space(p);
	ck_assert_msg(**p == c, "expected '%c' at: %.40s", c, *p);
	++*p;
}

/* A code point of the basic plane as UTF-8. */
static char *put_utf8(char *dst, unsigned c)
{
	if (c < 0x80) {
		*dst++ = (char)c;
	} else if (c < 0x800) {
		*dst++ = (char)(0xc0 | c >> 6);
		*dst++ = (char)(0x80 | (c & 63));
	} else {
		*dst++ = (char)(0xe0 | c >> 12);
		*dst++ = (char)(0x80 | (c >> 6 & 63));
		*dst++ = (char)(0x80 | (c & 63));
	}
	return dst;
}

static char *escape(char *dst, const char **p)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *known = **p ? strchr(from, **p) : NULL;
	unsigned c;

	if (known) {
		*dst++ = to[known - from];
		++*p;
		return dst;
	}
	ck_assert_msg(sscanf(*p, "u%4x", &c) == 1, "bad escape: %.10s", *p);
	*p += 5;
	return put_utf8(dst, c);
}

static char *string(const char **p)
{
	const char *end;
	char *s, *dst;

	expect(p, '"');
	for (end = *p; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	s = dst = xmalloc((size_t)(end - *p) + 1);
	while (**p && **p != '"') {
		if (**p != '\\') {
			*dst++ = *(*p)++;
			continue;
		}
		++*p;
		dst = escape(dst, p);
	}
	*dst = '\0';
	expect(p, '"');
	return s;
}

static void members(struct tj *j, const char **p, char end)
{
	size_t cap = 0;

	space(p);
	while (**p != end) {
		struct tj *kid;

		if (j->n > 0)
			expect(p, ',');
		arr_grow(&j->at, &cap, j->n + 1, sizeof *j->at);
		kid = &j->at[j->n++];
		memset(kid, 0, sizeof *kid);
		if (j->kind == TJ_OBJECT) {
			space(p);
			kid->key = string(p);
			expect(p, ':');
		}
		value(kid, p);
		space(p);
	}
	expect(p, end);
}

static void word(struct tj *j, const char **p)
{
	size_t n = strcspn(*p, ",]} \t\r\n");

	ck_assert_msg(n > 0, "expected a value at: %.40s", *p);
	j->kind = TJ_WORD;
	j->str = xasprintf("%.*s", (int)n, *p);
	*p += n;
}

static void value(struct tj *j, const char **p)
{
	space(p);
	switch (**p) {
	case '{':
		j->kind = TJ_OBJECT;
		++*p;
		members(j, p, '}');
		break;
	case '[':
		j->kind = TJ_ARRAY;
		++*p;
		members(j, p, ']');
		break;
	case '"':
		j->kind = TJ_STRING;
		j->str = string(p);
		break;
	default:
		word(j, p);
	}
}

struct tj *tj_parse(const char *text)
{
	struct tj *j = xcalloc(1, sizeof *j);

	value(j, &text);
	space(&text);
	ck_assert_msg(*text == '\0', "junk behind the text: %.40s", text);
	return j;
}

struct tj *tj_read(const char *name)
{
	char *text = td_read_text(name);
	struct tj *j = tj_parse(text);

	free(text);
	return j;
}

static void fini(struct tj *j)
{
	for (size_t i = 0; i < j->n; i++)
		fini(&j->at[i]);
	free(j->at);
	free(j->key);
	free(j->str);
}

void tj_free(struct tj *j)
{
	if (j)
		fini(j);
	free(j);
}

const struct tj *tj_find(const struct tj *j, const char *key)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->at[i].key && strcmp(j->at[i].key, key) == 0)
			return &j->at[i];
	return NULL;
}

const struct tj *tj_get(const struct tj *j, const char *key)
{
	const struct tj *v = tj_find(j, key);

	ck_assert_msg(v != NULL, "no member %s", key);
	return v;
}

const char *tj_str(const struct tj *j, const char *key)
{
	const struct tj *v = tj_get(j, key);

	ck_assert_msg(v->kind == TJ_STRING, "%s is no string", key);
	return v->str;
}

bool tj_true(const struct tj *j, const char *key)
{
	const struct tj *v = tj_find(j, key);

	return v && v->kind == TJ_WORD && strcmp(v->str, "true") == 0;
}
