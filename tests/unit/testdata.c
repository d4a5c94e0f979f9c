/*
 * The shared part of the unit tests: where the data lies, how it is read, and
 * memory that faults one byte behind a message. Knows nothing of Bitcoin.
 */
#include "testdata.h"

#include <cairn/base/buf.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_MAX ((size_t)64 << 20)

const char *td_folder(void)
{
	const char *dir = getenv("CAIRN_TEST_DATA");

	return dir && *dir ? dir : "../shared/data";
}

bool td_missing_in(const char *test_fn)
{
	size_t n = strlen(test_fn);

	if (path_is_dir(td_folder()))
		return false;
	/* check names the function behind START_TEST(x) x_fn. */
	if (n > 3 && strcmp(test_fn + n - 3, "_fn") == 0)
		n -= 3;
	printf("SKIP %.*s: no test data\n", (int)n, test_fn);
	return true;
}

struct buf *td_read(const char *name)
{
	char *path = path_join(td_folder(), name);
	struct buf *b = NULL;
	int rc = file_read(&b, path, FILE_MAX);

	ck_assert_msg(rc == 0, "%s: cannot be read (%d)", path, rc);
	free(path);
	return b;
}

char *td_read_text(const char *name)
{
	struct buf *b = td_read(name);
	struct slice s = buf_payload(b);
	char *text = xmalloc(s.n + 1);

	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	buf_unref(b);
	return text;
}

bool td_json_next(const char **at, const char *key, const char **val, size_t *n)
{
	char *quoted = xasprintf("\"%s\":", key);
	const char *p = strstr(*at, quoted);

	if (p) {
		p += strlen(quoted);
		p += strspn(p, " \n");
		if (*p == '"') {
			*val = ++p;
			*n = strcspn(p, "\"");
		} else {
			*val = p;
			*n = strcspn(p, ",}]\n");
		}
		*at = *val + *n;
	}
	free(quoted);
	return p != NULL;
}

char *td_json_str(const char **at, const char *key)
{
	const char *val;
	size_t n;

	if (!td_json_next(at, key, &val, &n))
		return NULL;
	return xasprintf("%.*s", (int)n, val);
}

uint8_t *td_hex(const char *hex, size_t n, size_t *size)
{
	char *copy = xmalloc(n + 1);
	uint8_t *out = xmalloc(n / 2 + 1);

	memcpy(copy, hex, n);
	copy[n] = '\0';
	ck_assert_msg(n % 2 == 0 && hex_parse(out, n / 2, copy), "bad hex");
	free(copy);
	*size = n / 2;
	return out;
}

size_t td_hex_into(uint8_t *dst, size_t cap, const char *hex)
{
	size_t n = strlen(hex) / 2;

	ck_assert_uint_le(n, cap);
	ck_assert_msg(hex_parse(dst, n, hex), "bad hex %s", hex);
	return n;
}

void td_guard_init(struct td_guard *g, size_t cap)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	g->size = (cap + page - 1) / page * page;
	g->map = mmap(NULL, g->size + page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(g->map != MAP_FAILED);
	ck_assert_int_eq(mprotect(g->map + g->size, page, PROT_NONE), 0);
}

void td_guard_fini(struct td_guard *g)
{
	munmap(g->map, g->size + (size_t)sysconf(_SC_PAGESIZE));
}

struct slice td_guard_put(struct td_guard *g, struct slice s)
{
	uint8_t *p = g->map + g->size - s.n;

	ck_assert_uint_le(s.n, g->size);
	if (s.n)
		memmove(p, s.p, s.n);
	return slice_of(p, s.n);
}
