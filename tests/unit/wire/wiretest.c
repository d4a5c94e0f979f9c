/* The shared checks of wiretest.h. One thread. */
#include "wiretest.h"

#include <stdlib.h>

#define CUT_ALL   8192u
#define CUT_EDGES 1000u
#define CUT_STEP  97u

static size_t next_cut(size_t n, size_t whole)
{
	if (whole <= CUT_ALL || n < CUT_EDGES || n + CUT_EDGES >= whole)
		return n + 1;
	return n + CUT_STEP < whole - CUT_EDGES ? n + CUT_STEP
						: whole - CUT_EDGES;
}

void check_cuts(body_fn parse, struct slice body)
{
	struct td_guard g;

	td_guard_init(&g, body.n + 1);
	for (size_t n = 0; n < body.n; n = next_cut(n, body.n)) {
		struct slice cut = td_guard_put(&g, slice_of(body.p, n));
		ck_assert_msg(!parse(cut), "accepted %zu of %zu bytes", n,
			      body.n);
	}
	ck_assert(parse(td_guard_put(&g, body)));
	td_guard_fini(&g);
}

void check_extra(body_fn parse, struct slice body, bool accepted)
{
	static const uint8_t extra[] = {0x00, 0x01, 0xfd, 0xff};
	uint8_t *p = malloc(body.n + 1);
	struct td_guard g;

	ck_assert_ptr_nonnull(p);
	memcpy(p, body.p, body.n);
	td_guard_init(&g, body.n + 1);
	ck_assert(parse(td_guard_put(&g, body)));
	for (size_t i = 0; i < sizeof extra; i++) {
		struct slice s = slice_of(p, body.n + 1);
		p[body.n] = extra[i];
		ck_assert_msg(parse(td_guard_put(&g, s)) == accepted,
			      "extra byte %02x", extra[i]);
	}
	td_guard_fini(&g);
	free(p);
}

void check_counts(body_fn parse, struct slice head, size_t tail_n)
{
	static const char *const bad[] = {
	    "fd0000",
	    "fdfc00",
	    "fe00000000",
	    "feffff0000",
	    "ff0000000000000000",
	    "ffffff000000000000",
	    "ffffffffff00000000",
	    "fe00000002",
	    "fe01000002",
	    "feffffffff",
	    "ff0000000001000000",
	    "ff0100000001000000",
	    "ffffffffffffffffff",
	    "fd",
	    "fe0000",
	};
	uint8_t *p = calloc(head.n + 9 + tail_n, 1);
	struct td_guard g;

	ck_assert_ptr_nonnull(p);
	td_guard_init(&g, head.n + 9 + tail_n);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		bool cut = strlen(bad[i]) == 2 || strlen(bad[i]) == 6;
		size_t n = head.n;
		memset(p, 0, head.n + 9 + tail_n);
		memcpy(p, head.p, head.n);
		n += td_hex_into(p + n, 9, bad[i]);
		/* The last two end inside the count. */
		n += cut && i > 12 ? 0 : tail_n;
		ck_assert_msg(!parse(td_guard_put(&g, slice_of(p, n))),
			      "count %s accepted", bad[i]);
	}
	td_guard_fini(&g);
	free(p);
}

void fill(uint8_t *p, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		p[i] = (uint8_t)(seed >> 24);
	}
}
