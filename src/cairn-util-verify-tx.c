/*
 * cairn-util verify-tx: asks the script interpreter about transactions, one a
 * line of JSON on standard input, one answer a line on standard output. One
 * thread. Knows no chain: what a transaction spends comes with it.
 */
#include "cairn-util.h"

#include <cairn/base/arena.h>
#include <cairn/base/err.h>
#include <cairn/consensus/check.h>
#include <cairn/script/interp.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where all inputs are asked for, the transaction itself is judged first. False
 * when there is no answer, for want of memory. */
static bool answer(const struct util_request *r)
{
	struct verdict v = r->one ? verdict_valid() : tx_check(r->tx);
	struct script_failure f;
	struct tx_sighash shared;

	if (v.kind == V_UNKNOWN)
		return false;
	if (v.kind == V_INVALID) {
		printf("{\"valid\": false, \"error\": \"%s\"}\n", v.reject);
		return true;
	}
	tx_sighash_init(&shared, r->tx, r->spent);
	if (script_verify_inputs(&f, &shared, r->input,
				 r->one ? 1 : r->tx->n_in, r->flags, NULL))
		puts("{\"valid\": true}");
	else
		printf("{\"valid\": false, \"input\": %u, \"error\": "
		       "\"%s\"}\n",
		       f.input, script_err_name(f.err));
	return true;
}

static bool is_blank(struct slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!memchr(" \t\r", line.p[i], 3))
			return false;
	return true;
}

/* Why a line has no answer; NULL when it got one. */
static const char *take(struct util_request *r, struct arena *a,
			const struct util_lines *l, struct slice line)
{
	if (l->too_long)
		return "the line is longer than 32 MiB";
	arena_reset(a);
	if (!util_request_parse(r, a, line))
		return r->why;
	return answer(r) ? NULL : err_str(E_NOMEM);
}

static int each_line(bool *all_ok, struct util_lines *l, struct arena *a)
{
	unsigned long long number = 0;
	struct util_request r;
	struct slice line;
	const char *why;
	int rc;

	while ((rc = util_lines_next(l, &line)) == 1) {
		number++;
		if (!l->too_long && is_blank(line))
			continue;
		why = take(&r, a, l, line);
		if (!why)
			continue;
		*all_ok = false;
		printf("{\"line\": %llu, \"error\": \"%s\"}\n", number, why);
	}
	return rc;
}

int util_verify_tx(int argc, char **argv)
{
	struct util_lines l;
	struct arena a;
	bool all_ok = true;
	int rc;

	(void)argv;
	if (argc != 0)
		return UTIL_USAGE;
	rc = util_lines_init(&l, STDIN_FILENO, UTIL_REQUEST_LINE_MAX);
	if (rc == 0) {
		arena_init(&a, UTIL_REQUEST_MEMORY);
		rc = each_line(&all_ok, &l, &a);
		arena_fini(&a);
	}
	util_lines_fini(&l);
	if (rc) {
		fprintf(stderr, "cairn-util: standard input: %s\n",
			err_str(rc));
		return EXIT_FAILURE;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("cairn-util: standard output cannot be written\n",
		      stderr);
		return EXIT_FAILURE;
	}
	return all_ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
