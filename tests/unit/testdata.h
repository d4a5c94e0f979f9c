/*
 * What unit tests of every folder share: the data folder, files of it, skip
 * lines, hexadecimal, guard pages. Linked into each test binary; needs base and
 * check only. One thread.
 */
#ifndef CAIRN_TESTS_UNIT_TESTDATA_H
#define CAIRN_TESTS_UNIT_TESTDATA_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct buf;

/* The folder of published vectors: $CAIRN_TEST_DATA, else ../shared/data. */
const char *td_folder(void);
/* True, after one line `SKIP <test>: no test data`, where that folder is
 * missing. Called as td_missing(): the name is that of the running test. */
bool td_missing_in(const char *test_fn);
#define td_missing() td_missing_in(__func__)

/* The whole of a file below the folder; fails the test where it cannot be read.
 * The caller gives it up with buf_unref. */
struct buf *td_read(const char *name) must_check;
/* The same as a C string, which the caller frees. */
char *td_read_text(const char *name) must_check;

/* Find the next "key": at or after *at (flat JSON as in the data folder, no
 * escapes) and move *at behind its value. *val borrows the value without its
 * quotes, n characters. False when the key does not come again. */
bool td_json_next(const char **at, const char *key, const char **val,
		  size_t *n);
/* The value as a fresh C string, or NULL when the key does not come again. */
char *td_json_str(const char **at, const char *key) must_check;

/* Decode n hex digits into fresh memory; *size bytes. Fails the test on junk.
 */
uint8_t *td_hex(const char *hex, size_t n, size_t *size) must_check;
/* The same from a C string, into dst of at least strlen / 2 bytes; returns the
 * number of bytes. */
size_t td_hex_into(uint8_t *dst, size_t cap, const char *hex);

/* Memory that ends at a page which must not be touched. */
struct td_guard {
	uint8_t *map;
	size_t size; /* bytes before the guard page */
};

void td_guard_init(struct td_guard *g, size_t cap);
void td_guard_fini(struct td_guard *g);
/* Copy s so that its last byte lies directly before the guard page. */
struct slice td_guard_put(struct td_guard *g, struct slice s);

#endif
