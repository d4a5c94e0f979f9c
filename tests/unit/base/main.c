/* Runs every suite of base; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <stdlib.h>

#include <stdio.h>

static const suite_fn suites[] = {
    arena_suite, attr_suite,        buf_suite,    bytes_suite, clock_suite,
    conf_suite,  delimited_suite,   endian_suite, err_suite,   file_suite,
    hmap_suite,  log_suite,         mem_suite,    must_suite,  rand_suite,
    rd_suite,    small_bytes_suite, subnet_suite, text_suite,  thread_suite,
};

char *scratch_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = path_join(tmp ? tmp : "/tmp", "cairn-test-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

void scratch_free(char *dir)
{
	ck_assert_int_eq(dir_remove(dir), 0);
	free(dir);
}

void scratch_put(const char *dir, const char *name, const char *text)
{
	char *path = path_join(dir, name);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	free(path);
}

int main(void)
{
	return RUN_SUITES(suites);
}
