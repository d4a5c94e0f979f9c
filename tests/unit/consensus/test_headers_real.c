/*
 * Real headers: every rule over whole runs of each network, every mainnet
 * retarget to height 604,800 with its chain work, published checkpoints, and
 * the mined chains of BIP54 that bend time as far as the present rules allow.
 */
#include "../testdata.h"
#include "model.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/consensus/work.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdio.h>
#include <stdlib.h>

/* A chain grown header by header. */
struct run {
	struct mnode *m;
	struct hash256 *hash;
	size_t n, cap;
	int32_t first;
	const struct params *p;
};

static void run_init(struct run *r, size_t cap, int32_t first, enum chain_id id)
{
	r->m = xcalloc(cap, sizeof *r->m);
	r->hash = xcalloc(cap, sizeof *r->hash);
	r->n = 0;
	r->cap = cap;
	r->first = first;
	r->p = params_get(id);
}

static void run_fini(struct run *r)
{
	free(r->m);
	free(r->hash);
}

/* Check header as the child of the last one and append it. The median is known
 * only where the run has eleven headers or starts at genesis. */
static void run_add(struct run *r, const uint8_t *header)
{
	struct mnode *m = &r->m[r->n], *prev = r->n ? m - 1 : NULL;
	struct header h;
	struct verdict v;
	char what[32];

	ck_assert_uint_lt(r->n, r->cap);
	header_get(&h, header);
	sha256d(&r->hash[r->n], header, HEADER_SIZE);
	m->prev = prev;
	m->height = r->first + (int32_t)r->n;
	m->time = h.time;
	m->bits = h.bits;
	snprintf(what, sizeof what, "height %d", m->height);
	ck_assert_msg(pow_ok(&r->hash[r->n], h.bits, r->p), "%s: pow", what);
	if (prev)
		ck_assert_msg(hash256_eq(&h.prev, &r->hash[r->n - 1]), "%s",
			      what);
	if (prev && (r->first == 0 || r->n >= MTP_WINDOW)) {
		v = header_check_context(&h, &model_reader, prev, h.time, r->p);
		assert_valid(&v, what);
		ck_assert_msg(
		    bits_transition_ok(r->p, m->height, prev->bits, h.bits),
		    "%s: transition", what);
	}
	r->n++;
}

static const struct {
	const char *file;
	enum chain_id id;
	int32_t first;
	size_t n;
	const char *last;
} runs[] = {
    {"headers/mainnet-0-10236.bin", CHAIN_MAIN, 0, 10237,
     "000000004f74d42205b9d7ae1cb5c1591e723894a71358fce73b7e0919628161"},
    {"headers/mainnet-822528-826560.bin", CHAIN_MAIN, 822528, 4033,
     "00000000000000000001e1885d28fef43a752607ec23602f04aa55002a693cd1"},
    {"headers/testnet3-0-6047.bin", CHAIN_TEST, 0, 6048, NULL},
    {"headers/signet-0-1007.bin", CHAIN_SIGNET, 0, 1008,
     "00000179435afbbe69fe5fe01b8460fe27546f882d765d475482a2fcada9296b"},
};

START_TEST(real_headers_pass_every_rule)
{
	struct buf *b;
	struct slice s;
	struct run r;
	char last[HASH256_STR];
	size_t i;

	if (td_missing())
		return;
	b = td_read(runs[_i].file);
	s = buf_payload(b);
	ck_assert_uint_eq(s.n, runs[_i].n * HEADER_SIZE);
	run_init(&r, runs[_i].n, runs[_i].first, runs[_i].id);
	for (i = 0; i < runs[_i].n; i++)
		run_add(&r, s.p + i * HEADER_SIZE);
	hash256_fmt(last, &r.hash[r.n - 1]);
	if (runs[_i].last)
		ck_assert_str_eq(last, runs[_i].last);
	run_fini(&r);
	buf_unref(b);
}
END_TEST

/* A row of a csv file: height,header,chainwork. False at the end. */
struct row {
	struct mnode m;
	struct hash256 hash;
	uint8_t header[HEADER_SIZE];
	struct u256 work;
};

static bool row_next(struct row *r, const char **at)
{
	const char *p = *at, *end = strchr(p, '\n');
	char hex[2 * HEADER_SIZE + 1], work[65];
	uint8_t be[32];
	struct header h;

	if (!*p)
		return false;
	ck_assert_int_eq(
	    sscanf(p, "%d,%160[0-9a-f],%64[0-9a-f]", &r->m.height, hex, work),
	    3);
	ck_assert(hex_parse(r->header, HEADER_SIZE, hex));
	ck_assert(hex_parse(be, 32, work));
	header_get(&h, r->header);
	sha256d(&r->hash, r->header, HEADER_SIZE);
	r->m.prev = NULL;
	r->m.time = h.time;
	r->m.bits = h.bits;
	r->work = u256_from_be(be);
	*at = end ? end + 1 : p + strlen(p);
	return true;
}

/* Work of from plus that of n headers with these bits. */
static struct u256 work_after(const struct u256 *from, uint32_t bits,
			      uint32_t n)
{
	struct u256 w = work_of_bits(bits);

	w = u256_mul(&w, n);
	return u256_add(from, &w);
}

static void assert_work(const struct row *r, const struct u256 *want)
{
	ck_assert_msg(u256_cmp(&r->work, want) == 0, "height %d: work",
		      r->m.height);
}

START_TEST(every_mainnet_retarget_and_its_work_are_recomputed)
{
	const struct params *p = params_get(CHAIN_MAIN);
	struct row first, last, next;
	struct u256 want;
	const char *at;
	char *text;
	int periods = 0;

	if (td_missing())
		return;
	text = td_read_text("headers/mainnet-retargets-0-604800.csv");
	at = strchr(text, '\n') + 1;
	ck_assert(row_next(&first, &at));
	want = work_of_bits(first.m.bits);
	assert_work(&first, &want);
	while (row_next(&last, &at) && row_next(&next, &at)) {
		last.m.prev = &first.m;
		ck_assert(pow_ok(&last.hash, last.m.bits, p));
		ck_assert(pow_ok(&next.hash, next.m.bits, p));
		ck_assert(hash256_eq(header_prev(next.header), &last.hash));
		ck_assert_msg(next_bits(&model_reader, &last.m, next.m.time,
					p) == next.m.bits,
			      "height %d", next.m.height);
		want = work_after(&first.work, first.m.bits, 2015);
		assert_work(&last, &want);
		want = work_after(&last.work, next.m.bits, 1);
		assert_work(&next, &want);
		first = next;
		first.m.prev = NULL;
		periods++;
	}
	ck_assert_int_eq(periods, 300);
	free(text);
}
END_TEST

static const struct {
	const char *file;
	enum chain_id id;
} checkpoints[] = {
    {"headers/checkpoints-mainnet.csv", CHAIN_MAIN},
    {"headers/checkpoints-signet.csv", CHAIN_SIGNET},
    {"headers/checkpoints-testnet3.csv", CHAIN_TEST},
};

/* The work between two checkpoints is known where no exception lowers it. */
START_TEST(checkpoints_agree_in_work_and_transitions)
{
	const struct params *p = params_get(checkpoints[_i].id);
	struct row a, b;
	struct u256 want;
	const char *at;
	char *text;
	int n = 0;

	if (td_missing())
		return;
	text = td_read_text(checkpoints[_i].file);
	at = strchr(text, '\n') + 1;
	ck_assert(row_next(&a, &at));
	for (; row_next(&b, &at); a = b) {
		ck_assert(pow_ok(&b.hash, b.m.bits, p));
		ck_assert_int_gt(u256_cmp(&b.work, &a.work), 0);
		if (p->min_difficulty_blocks || b.m.height != a.m.height + 2016)
			continue;
		ck_assert_msg(
		    bits_transition_ok(p, b.m.height, a.m.bits, b.m.bits),
		    "height %d", b.m.height);
		want = work_after(&a.work, a.m.bits, 2015);
		want = work_after(&want, b.m.bits, 1);
		assert_work(&b, &want);
		n++;
	}
	if (!p->min_difficulty_blocks)
		ck_assert_int_gt(n, 100);
	free(text);
}
END_TEST

static enum chain_id net_of(const char *name)
{
	if (strcmp(name, "mainnet") == 0)
		return CHAIN_MAIN;
	if (strcmp(name, "testnet4") == 0)
		return CHAIN_TESTNET4;
	if (strcmp(name, "signet") == 0)
		return CHAIN_SIGNET;
	ck_assert_str_eq(name, "testnet3");
	return CHAIN_TEST;
}

static long field(const char **at, const char *key, int base)
{
	char *s = td_json_str(at, key);
	long v;

	ck_assert_msg(s != NULL, "no %s", key);
	v = strtol(s, NULL, base);
	free(s);
	return v;
}

START_TEST(published_retargets_are_recomputed)
{
	struct mnode first = {NULL, 0, 0, 0, 0}, last;
	const char *at;
	char *text, *net;
	uint32_t want;
	int n = 0;

	if (td_missing())
		return;
	text = td_read_text("vectors/core/retarget.json");
	at = text;
	while ((net = td_json_str(&at, "net")) != NULL) {
		first.time = (uint32_t)field(&at, "first_time", 10);
		last.height = (int32_t)field(&at, "last_height", 10);
		last.time = (uint32_t)field(&at, "last_time", 10);
		first.bits = (uint32_t)field(&at, "first_bits", 16);
		last.bits = (uint32_t)field(&at, "last_bits", 16);
		want = (uint32_t)field(&at, "expect", 16);
		first.height = last.height - 2015;
		last.prev = &first;
		ck_assert_msg(next_bits(&model_reader, &last, last.time + 1,
					params_get(net_of(net))) == want,
			      "%s after %d", net, last.height);
		free(net);
		n++;
	}
	ck_assert_int_eq(n, 52);
	free(text);
}
END_TEST

/* The file is a tree of objects; a header belongs to the chain of those in the
 * objects around it, so an object's end takes its headers back. */
START_TEST(bip54_time_bending_chains_are_valid_today)
{
	uint8_t header[HEADER_SIZE];
	size_t depth[32], d = 0, n = 0;
	struct run r;
	char *text, *p, hex[2 * HEADER_SIZE + 1];

	if (td_missing())
		return;
	text = td_read_text("headers/bip54-timestamps.json");
	run_init(&r, 4096, 0, CHAIN_MAIN);
	for (p = text; *p; p++) {
		if (*p == '{') {
			ck_assert_uint_lt(d, 32);
			depth[d++] = r.n;
		} else if (*p == '}') {
			r.n = depth[--d];
		} else if (*p == '"') {
			size_t len = strcspn(++p, "\"");

			if (len == 2 * HEADER_SIZE) {
				memcpy(hex, p, len);
				hex[len] = '\0';
				ck_assert(hex_parse(header, HEADER_SIZE, hex));
				run_add(&r, header);
				n++;
			}
			p += len;
		}
	}
	ck_assert_uint_eq(d, 0);
	ck_assert_uint_eq(n, 4049);
	run_fini(&r);
	free(text);
}
END_TEST

Suite *headers_real_suite(void)
{
	Suite *s = suite_create("headers_real");
	TCase *t = tcase_create("real headers");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, real_headers_pass_every_rule, 0,
			    sizeof runs / sizeof *runs);
	tcase_add_test(t, every_mainnet_retarget_and_its_work_are_recomputed);
	tcase_add_loop_test(t, checkpoints_agree_in_work_and_transitions, 0,
			    sizeof checkpoints / sizeof *checkpoints);
	tcase_add_test(t, published_retargets_are_recomputed);
	tcase_add_test(t, bip54_time_bending_chains_are_valid_today);
	suite_add_tcase(s, t);
	return s;
}
