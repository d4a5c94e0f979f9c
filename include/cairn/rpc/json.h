/*
 * JSON in (over yajl, behind one file) and out. Numbers stay text both ways, so
 * amounts are exact. A value is read into one arena; writing goes piece by
 * piece into whatever sink the writer has. One thread per value or writer.
 */
#ifndef CAIRN_RPC_JSON_H
#define CAIRN_RPC_JSON_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct arena;
struct text;

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER, /* s is its text */
	JSON_STRING, /* s is its bytes, NUL-terminated too; may hold NULs */
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_type type;
	struct slice s;     /* NUMBER, STRING */
	struct json *kids;  /* ARRAY, OBJECT: n values in order */
	struct slice *keys; /* OBJECT: n keys, NUL-terminated too */
	size_t n;
};

#define JSON_DEPTH_MAX 512

/* Parse a whole text (surrounding white space allowed). The value lives in a.
 * Refuses depth over JSON_DEPTH_MAX, lone surrogates, invalid UTF-8, trailing
 * junk; the first of two equal keys wins in json_member. 0, E_PARSE, E_LIMIT
 * (arena). */
int json_parse(struct json **v, struct arena *a, struct slice text) must_check;

/* Member by key, or NULL. */
const struct json *json_member(const struct json *obj, const char *key);
/* The text of a STRING as json_parse gave it, else NULL. A NUL inside is \1 in
 * it: the text is as long as the string, and it is none of the words that the
 * string only begins with. */
const char *json_str(const struct json *v);
/* A NUMBER that is an integer in range. */
bool json_i64(int64_t *out, const struct json *v);
/* A NUMBER as a double. */
bool json_f64(double *out, const struct json *v);
/* A NUMBER (or numeric STRING) as satoshi with up to 8 decimals, exact. */
bool json_amount(int64_t *sat, const struct json *v);

/* The writer. Keys and values come in order; nesting is checked by must(). */
struct jw;
typedef void (*jw_sink_fn)(void *arg, const char *p, size_t n);

/* A writer into sink, which gets the text in pieces, the last of them when the
 * document is complete. sink NULL: the text is only counted. indent: pretty
 * print with 2 spaces (the client), else compact as bitcoind prints. */
struct jw *jw_new(jw_sink_fn sink, void *arg, bool indent) must_check;
void jw_free(struct jw *w);
/* Begin a new document with the same writer; drops what was not handed on. */
void jw_reset(struct jw *w);
/* Hand on what is buffered, in the middle of a document. */
void jw_flush(struct jw *w);
/* The document has its one value, every container closed. */
bool jw_complete(const struct jw *w);
/* Bytes of the document so far. */
uint64_t jw_count(const struct jw *w);

void jw_obj(struct jw *w);
void jw_obj_end(struct jw *w);
void jw_arr(struct jw *w);
void jw_arr_end(struct jw *w);
void jw_key(struct jw *w, const char *k);
void jw_null(struct jw *w);
void jw_bool(struct jw *w, bool v);
void jw_i64(struct jw *w, int64_t v);
void jw_u64(struct jw *w, uint64_t v);
/* 16 significant digits as bitcoind prints doubles. */
void jw_f64(struct jw *w, double v);
/* Satoshi as a number with 8 decimals. */
void jw_amount(struct jw *w, int64_t sat);
/* A number given as text. */
void jw_num(struct jw *w, const char *s);
void jw_str(struct jw *w, const char *s);
void jw_strn(struct jw *w, const char *s, size_t n);
void jw_hex(struct jw *w, struct slice s);
/* A hash in display order. */
void jw_hash(struct jw *w, const struct hash256 *h);
/* A parsed value as it was. */
void jw_value(struct jw *w, const struct json *v);

/* Key and value in one call. */
void jw_kstr(struct jw *w, const char *k, const char *s);
void jw_ki64(struct jw *w, const char *k, int64_t v);
void jw_ku64(struct jw *w, const char *k, uint64_t v);
void jw_kf64(struct jw *w, const char *k, double v);
void jw_kbool(struct jw *w, const char *k, bool v);
void jw_khash(struct jw *w, const char *k, const struct hash256 *h);
void jw_khex(struct jw *w, const char *k, struct slice s);
void jw_kamount(struct jw *w, const char *k, int64_t sat);

#endif
