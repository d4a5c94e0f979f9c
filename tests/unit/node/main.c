/* Runs every suite of node; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/node/options.h>
#include <stdlib.h>

#include <stdio.h>

#define MAX_WORDS 24

static const suite_fn suites[] = {
    block_options_suite, descriptors_suite, grants_suite,   interactions_suite,
    log_options_suite,   mailbox_suite,     options_suite,  params_apply_suite,
    pool_options_suite,  poolcopy_suite,    poolfile_suite, settings_suite,
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
	int rc = file_replace(path, slice_of(text, strlen(text)), 0600);

	ck_assert_int_eq(rc, 0);
	free(path);
}

/* Cut words at blanks into argv[1..]; gives argc. */
static int split(char *words, char *argv[MAX_WORDS + 1])
{
	static char name[] = "cairnd";
	int n = 1;

	argv[0] = name;
	while (*words) {
		ck_assert_int_le(n, MAX_WORDS);
		argv[n++] = words;
		words += strcspn(words, " ");
		if (*words)
			*words++ = '\0';
	}
	return n;
}

void conf_words(struct conf *c, enum chain_id chain, const char *words)
{
	char *copy = xstrdup(words), *argv[MAX_WORDS + 1];
	struct text err = TEXT_INIT;
	int rest, n = split(copy, argv);

	conf_init(c);
	c->net_only = option_net_only();
	c->section = chain_names(chain)->name;
	c->is_main = chain == CHAIN_MAIN;
	ck_assert_int_eq(conf_add_argv(c, &rest, n, argv, &err), 0);
	ck_assert_int_eq(rest, n);
	text_fini(&err);
	free(copy);
}

int load_words(struct settings *s, const char *words, struct text *err)
{
	char *copy = xstrdup(words), *argv[MAX_WORDS + 1];
	int n = split(copy, argv);
	int rc;

	settings_init(s);
	text_reset(err);
	rc = settings_load(s, n, argv, err);
	free(copy);
	return rc;
}

int main(void)
{
	return RUN_SUITES(suites);
}
