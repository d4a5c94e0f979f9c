/*
 * cairn-bench: lists, filters, measures and prints the rows of all bench_*.c.
 * A row is warmed up while its number of ops for one run is found, then run 9
 * to 100 times; the minimum and the median are reported. One more run counts
 * allocations, so that counting does not slow what is timed.
 */
#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>

#include <stdio.h>
#include <stdlib.h>

#define RUNS_MIN 9
#define RUNS_MAX 100
#define RUN_NS   3000000u   /* a run lasts at least this long */
#define ROW_NS   300000000u /* no further run is begun after so long */
#define FILE_MAX ((size_t)64 << 20)

struct result {
	uint64_t n;
	int runs;
	double ns_min, ns_median, mb_per_s, allocs, alloc_bytes;
};

struct options {
	const char *filter;
	bool json, list;
	char commit[64], cpu[128];
};

static struct bench_set *sets;
static volatile uint64_t sink;

void bench_register(struct bench_set *set)
{
	struct bench_set **p = &sets;

	while (*p)
		p = &(*p)->next;
	*p = set;
}

void bench_fill(uint8_t *p, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		p[i] = (uint8_t)(seed >> 56);
	}
}

struct buf *bench_file(struct bench *b)
{
	const char *dir = getenv("CAIRN_TEST_DATA");
	struct buf *buf = NULL;
	char *path;

	path = path_join(dir && *dir ? dir : "../shared/data", b->row->file);
	if (file_read(&buf, path, FILE_MAX) != 0)
		b->why = "no test data";
	free(path);
	return buf;
}

struct buf *bench_small_tx(struct bench *b)
{
	static const char tx[] =
	    "0100000001"
	    "0000000000000000000000000000000000000000000000000000000000000000"
	    "ffffffff0704ffff001d0104ffffffff0100f2052a010000004341"
	    "0496b538e853519c726a2c91e61ec11600ae1390813a627c66fb8be7947be63c"
	    "52da7589379515d4e0a604f8141781e62294721166bf621e73a82cbf2342c858"
	    "eeac00000000";
	struct buf *buf = buf_new(sizeof tx / 2);

	b->why = "out of memory";
	if (!buf || !hex_parse(buf_data(buf), sizeof tx / 2, tx)) {
		buf_unref(buf);
		return NULL;
	}
	buf->n = sizeof tx / 2;
	return buf;
}

static uint64_t timed(struct bench *b, uint64_t n)
{
	uint64_t start = mono_ns();

	sink += b->row->run(b, n);
	return mono_ns() - start;
}

/* Ops that make a run long enough, found by doubling: also the warm-up. */
static uint64_t find_n(struct bench *b)
{
	uint64_t n = 1, ns = timed(b, 1);

	while (ns < RUN_NS && n < (UINT64_C(1) << 40)) {
		n *= 2;
		ns = timed(b, n);
	}
	return n;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Short runs and many: on a machine that does other things too, the least of
 * them is one that nothing came between. Returns how many, sorted. */
static int run_often(uint64_t ns[RUNS_MAX], struct bench *b, uint64_t n)
{
	uint64_t start = mono_ns();
	int i = 0;

	while (i < RUNS_MIN || (i < RUNS_MAX && mono_ns() - start < ROW_NS))
		ns[i++] = timed(b, n);
	qsort(ns, (size_t)i, sizeof *ns, by_value);
	return i;
}

static void measure(struct result *r, struct bench *b)
{
	double ops = b->row->per ? (double)b->row->per : 1;
	struct bench_allocs allocs;
	uint64_t ns[RUNS_MAX];

	r->n = find_n(b);
	r->runs = run_often(ns, b, r->n);
	bench_allocs_start();
	sink += b->row->run(b, r->n);
	allocs = bench_allocs_stop();
	ops *= (double)r->n;
	r->ns_min = (double)ns[0] / ops;
	r->ns_median = (double)ns[r->runs / 2] / ops;
	r->mb_per_s = (double)b->bytes * (double)r->n * 1000 / (double)ns[0];
	r->allocs = (double)allocs.calls / ops;
	r->alloc_bytes = (double)allocs.bytes / ops;
}

static void print_json(const struct options *o, const struct bench_row *row,
		       const struct result *r)
{
	printf("{\"name\":\"%s\",\"n\":%llu,\"ns_per_op\":%.3f,"
	       "\"ns_median\":%.3f,\"mb_per_s\":%.1f,\"allocs_per_op\":%.3f,"
	       "\"bytes_per_op\":%.1f,\"runs\":%d,\"unit\":\"%s\","
	       "\"commit\":\"%s\",\"cpu\":\"%s\"}\n",
	       row->name, (unsigned long long)r->n, r->ns_min, r->ns_median,
	       r->mb_per_s, r->allocs, r->alloc_bytes, r->runs,
	       row->unit ? row->unit : "op", o->commit, o->cpu);
}

static void print_text(const struct bench_row *row, const struct result *r)
{
	printf("%-28s %11llu %14.2f %14.2f %9.0f %9.1f %12.0f  %s\n", row->name,
	       (unsigned long long)r->n, r->ns_min, r->ns_median, r->mb_per_s,
	       r->allocs, r->alloc_bytes, row->unit ? row->unit : "op");
}

static void run_row(const struct options *o, const struct bench_row *row)
{
	struct bench b = {.row = row};
	struct result r;

	if (o->list) {
		printf("%s\n", row->name);
		return;
	}
	if (!row->setup(&b)) {
		fprintf(stderr, "SKIP %s: %s\n", row->name,
			b.why ? b.why : "cannot be set up");
		return;
	}
	measure(&r, &b);
	if (o->json)
		print_json(o, row, &r);
	else
		print_text(row, &r);
	fflush(stdout);
	if (row->fini)
		row->fini(&b);
}

/* The first line of a command, or "unknown". */
static void ask(char *dst, size_t cap, const char *command)
{
	FILE *f = popen(command, "r");

	if (!f || !fgets(dst, (int)cap, f))
		snprintf(dst, cap, "unknown");
	dst[strcspn(dst, "\n\"\\")] = '\0';
	if (f)
		pclose(f);
}

static int usage(FILE *to)
{
	fputs(
	    "Usage: cairn-bench [--filter=NAME] [--json] [--list]\n"
	    "Measures the rows whose name contains NAME (all without it).\n"
	    "  --json  one JSON object a row\n"
	    "  --list  only the names\n"
	    "Inputs are read from $CAIRN_TEST_DATA (default ../shared/data);\n"
	    "rows without theirs are skipped and named on standard error.\n",
	    to);
	return to == stdout ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* False at an unknown argument. */
static bool parse_options(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			o->json = true;
		else if (strcmp(argv[i], "--list") == 0)
			o->list = true;
		else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
			o->filter = argv[++i];
		else if (strncmp(argv[i], "--filter=", 9) == 0)
			o->filter = argv[i] + 9;
		else
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = {0};
	int rc;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	if (!parse_options(&o, argc, argv))
		return usage(stderr);
	rc = crypto_init();
	if (rc)
		fprintf(stderr, "crypto: %s\n", err_str(rc));
	if (o.json) {
		ask(o.commit, sizeof o.commit,
		    "git describe --always --dirty 2>/dev/null");
		ask(o.cpu, sizeof o.cpu,
		    "sed -n 's/^model name[^:]*: //p' /proc/cpuinfo");
	} else if (!o.list) {
		printf("%-28s %11s %14s %14s %9s %9s %12s  %s\n", "name", "n",
		       "ns", "ns median", "MB/s", "allocs", "bytes", "per");
	}
	for (struct bench_set *s = sets; s; s = s->next) {
		for (size_t i = 0; i < s->n; i++) {
			if (!o.filter || strstr(s->rows[i].name, o.filter))
				run_row(&o, &s->rows[i]);
		}
	}
	return EXIT_SUCCESS;
}
