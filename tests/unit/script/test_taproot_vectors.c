/*
 * The corpora of segregated witness and taproot spends that Bitcoin Core's own
 * tests made: script_assets_test.json and the dumped cases of feature_taproot.
 * Each case has a spend that must verify, one that must not, or both.
 */
#include "fixture.h"
#include "suites.h"
#include "testdata.h"
#include "testjson.h"
#include "verifiers.h"

#include <cairn/base/mem.h>
#include <cairn/base/text.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *read_all(int fd)
{
	size_t cap = 0, n = 0;
	char *text = NULL;
	ssize_t got = 1;

	while (got > 0) {
		arr_grow(&text, &cap, n + 65536 + 1, 1);
		got = read(fd, text + n, 65536);
		n += got > 0 ? (size_t)got : 0;
	}
	text[n] = '\0';
	return text;
}

/* A compressed file of the data folder, through gzip; NULL, with a line that
 * says so, where that cannot be run. */
static char *gunzip(const char *name)
{
	char *path = xasprintf("%s/%s", td_folder(), name), *text = NULL;
	char gzip[] = "gzip", dc[] = "-dc";
	char *argv[] = {gzip, dc, path, NULL};
	posix_spawn_file_actions_t fa;
	int fd[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, fd[1], 1);
	posix_spawn_file_actions_addclose(&fa, fd[0]);
	posix_spawn_file_actions_addclose(&fa, fd[1]);
	if (posix_spawnp(&pid, "gzip", &fa, NULL, argv, environ) == 0) {
		close(fd[1]);
		text = read_all(fd[0]);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	} else {
		close(fd[1]);
		printf("SKIP %s: no gzip\n", name);
	}
	close(fd[0]);
	posix_spawn_file_actions_destroy(&fa);
	free(path);
	return text;
}

/* What is counted over a corpus. */
struct tally {
	size_t cases, valid, invalid, runs;
};

static const unsigned consensus_flags[] = {
    SCRIPT_VERIFY_P2SH,
    SCRIPT_VERIFY_DERSIG,
    SCRIPT_VERIFY_NULLDUMMY,
    SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
    SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
    SCRIPT_VERIFY_WITNESS,
    SCRIPT_VERIFY_TAPROOT,
};

/* The i-th set of flags that blocks can have; false where they do not go
 * together. */
static bool flag_set(unsigned i, unsigned *flags)
{
	*flags = 0;
	for (unsigned k = 0; k < 7; k++)
		if (i >> k & 1)
			*flags |= consensus_flags[k];
	if ((*flags & SCRIPT_VERIFY_TAPROOT) &&
	    !(*flags & SCRIPT_VERIFY_WITNESS))
		return false;
	return script_flags_ok(*flags);
}

static void expect(const struct fix *f, uint32_t index, unsigned flags,
		   bool valid, const struct tj *j, struct tally *t)
{
	enum script_err e = fix_verify(f, index, flags);

	t->runs++;
	ck_assert_msg((e == SCRIPT_ERR_OK) == valid,
		      "case %zu (%s) with flags %x: %s", t->cases,
		      tj_str(j, "comment"), flags, script_err_name(e));
}

/* Sets of flags that are passed over: sanitized builds are ten times slower. */
#ifdef CAIRN_DEBUG
#define STEP 64u
#else
#define STEP 8u
#endif

/* The spend under its flags, and under an eighth of all others, a different one
 * each time, for which its verdict is known. */
static void check_spend(const struct fix *plain, uint32_t index,
			const struct tj *j, const char *key, unsigned flags,
			struct tally *t)
{
	const struct tj *spend = tj_find(j, key);
	bool valid = strcmp(key, "success") == 0, fin = tj_true(j, "final");
	struct items sig = {0}, w = {0};
	struct fix f;
	unsigned other;

	if (!spend)
		return;
	items_add_hex(&sig, tj_str(spend, "scriptSig"));
	items_add_json(&w, tj_get(spend, "witness"));
	fix_change(&f, plain, index, sig.at[0], &w);
	expect(&f, index, flags, valid, j, t);
	verify_all_ways(&f, index, flags);
	for (unsigned i = t->cases % STEP; i < 128; i += STEP) {
		if (!flag_set(i, &other))
			continue;
		if (valid ? fin || (other & flags) == other
			  : (other & flags) == flags)
			expect(&f, index, other, valid, j, t);
	}
	*(valid ? &t->valid : &t->invalid) += 1;
	fix_fini(&f);
	items_fini(&sig);
	items_fini(&w);
}

static void check_case(const struct tj *j, struct tally *t)
{
	const struct tj *spent = tj_get(j, "prevouts");
	uint32_t index = (uint32_t)strtoul(tj_get(j, "index")->str, NULL, 10);
	unsigned flags;
	struct fix f;

	fix_init_hex(&f, tj_str(j, "tx"));
	ck_assert_uint_eq(spent->n, f.tx.n_in);
	for (uint32_t i = 0; i < spent->n; i++)
		fix_spent_hex(&f, i, spent->at[i].str);
	fix_ready(&f);
	ck_assert(script_flags_parse(&flags, tj_str(j, "flags")));
	check_spend(&f, index, j, "success", flags, t);
	check_spend(&f, index, j, "failure", flags, t);
	fix_fini(&f);
	t->cases++;
}

static void report(const char *name, const struct tally *t)
{
	printf("%s: %zu cases, %zu must verify, %zu must not, %zu runs\n", name,
	       t->cases, t->valid, t->invalid, t->runs);
}

START_TEST(script_assets_have_the_verdicts_of_bitcoin_core)
{
	struct tally t = {0};
	struct tj *all;
	char *text;

	if (td_missing())
		return;
	text = gunzip("vectors/taproot/script_assets_test.json.gz");
	if (!text)
		return;
	all = tj_parse(text);
	free(text);
	for (size_t k = 0; k < all->n; k++)
		check_case(&all->at[k], &t);
	tj_free(all);
	report("script_assets", &t);
	ck_assert_uint_eq(t.cases, 2243);
	ck_assert_uint_eq(t.valid + t.invalid, 3735);
}
END_TEST

START_TEST(taproot_reference_cases_have_the_verdicts_of_bitcoin_core)
{
	struct tally t = {0};
	char *text, *line, *rest;

	if (td_missing())
		return;
	text = rest = gunzip("vectors/taproot/taproot-ref.jsonl.gz");
	if (!text)
		return;
	while ((line = strsep(&rest, "\n"))) {
		struct tj *j;

		if (!*line)
			continue;
		j = tj_parse(line);
		check_case(j, &t);
		tj_free(j);
	}
	free(text);
	report("taproot-ref", &t);
	ck_assert_uint_eq(t.cases, 2760);
	ck_assert_uint_eq(t.valid + t.invalid, 5243);
}
END_TEST

Suite *taproot_vectors_suite(void)
{
	Suite *s = suite_create("taproot_vectors");
	TCase *t = tcase_create("taproot_vectors");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, script_assets_have_the_verdicts_of_bitcoin_core);
	tcase_add_test(
	    t, taproot_reference_cases_have_the_verdicts_of_bitcoin_core);
	suite_add_tcase(s, t);
	return s;
}
