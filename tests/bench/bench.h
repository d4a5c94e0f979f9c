/*
 * The frame of cairn-bench. A file bench_<x>.c holds rows and names them once
 * with BENCH_ROWS; main lists, filters, measures and prints them. One thread,
 * unless a row starts its own.
 */
#ifndef CAIRN_TESTS_BENCH_BENCH_H
#define CAIRN_TESTS_BENCH_BENCH_H

#include <cairn/base/bytes.h>

struct bench_row;
struct buf;

/* One row while it is measured. */
struct bench {
	const struct bench_row *row;
	void *data;      /* what setup made */
	size_t bytes;    /* input or output bytes of one op; 0: no MB/s */
	const char *why; /* set by a setup that fails: why the row is skipped */
};

struct bench_row {
	const char *name;
	/* Make the input. False, with why set, skips the row. */
	bool (*setup)(struct bench *b);
	/* Do the op n times; returns a value to which every op contributes. */
	uint64_t (*run)(struct bench *b, uint64_t n);
	void (*fini)(struct bench *b); /* NULL: nothing to free */
	uint32_t arg;                  /* for setup: a size, a form */
	const char *file;              /* for setup: below the data folder */
	uint32_t per;                  /* figures are per op / per; 0 means 1 */
	const char *unit; /* what per counts: "byte", "leaf"; NULL: "op" */
};

struct bench_set {
	const struct bench_row *rows;
	size_t n;
	struct bench_set *next;
};

void bench_register(struct bench_set *set);

/* Register the array of rows of this file before main runs. */
#define BENCH_ROWS(array)                                                      \
	static void __attribute__((constructor)) bench_rows_register(void)     \
	{                                                                      \
		static struct bench_set set = {                                \
		    array, sizeof(array) / sizeof *(array), NULL};             \
		bench_register(&set);                                          \
	}                                                                      \
	struct bench_set

/* The file of the row below $CAIRN_TEST_DATA (default ../shared/data), or NULL
 * with why set. The caller gives it up with buf_unref. */
struct buf *bench_file(struct bench *b);

/* A transaction of 134 bytes: one input and one output of the first blocks. The
 * same rules. */
struct buf *bench_small_tx(struct bench *b);

/* Keep the compiler from knowing what memory holds or that nobody reads it. */
#define bench_barrier(p) __asm__ volatile("" : "+r"(p) : : "memory")

/* Bytes that only the seed decides. */
void bench_fill(uint8_t *p, size_t n, uint64_t seed);

/* Calls of malloc, calloc, realloc and bytes asked for, while counting. */
struct bench_allocs {
	uint64_t calls, bytes;
};
void bench_allocs_start(void);
struct bench_allocs bench_allocs_stop(void);

#endif
