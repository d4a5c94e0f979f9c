/* Filters built from blocks and coins against published ones. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/rd.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/filter/gcs.h>
#include <cairn/wire/block.h>

#include <stdlib.h>

static struct buf *built(struct gcs_builder *b)
{
	struct buf *f = NULL;

	ck_assert_int_eq(gcs_build(&f, b), 0);
	gcs_builder_fini(b);
	ck_assert(gcs_valid(buf_payload(f)));
	return f;
}

/* The filter in hex and its header. */
static void check_filter(struct buf *f, const char *filter_hex,
			 const char *prev, const char *header)
{
	size_t n;
	uint8_t *want = td_hex(filter_hex, strlen(filter_hex), &n);
	struct hash256 hash, prev_header, got, want_header;

	ck_assert(slice_eq(buf_payload(f), slice_of(want, n)));
	ck_assert(hash256_parse(&prev_header, prev));
	ck_assert(hash256_parse(&want_header, header));
	filter_hash(&hash, buf_payload(f));
	filter_header(&got, &hash, &prev_header);
	ck_assert(hash256_eq(&got, &want_header));
	free(want);
	buf_unref(f);
}

START_TEST(filters_and_headers_are_those_of_bip_158)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/blockfilters.json");
	ck_assert_uint_ge(all->n, 11);
	for (size_t i = 1; i < all->n; i++) {
		const struct tj *c = all->at[i].at;
		struct gcs_builder b;
		struct hash256 hash, want_hash;
		size_t n;
		uint8_t *raw = td_hex(c[2].str, strlen(c[2].str), &n);

		add_block(&b, &hash, slice_of(raw, n));
		ck_assert(hash256_parse(&want_hash, c[1].str));
		ck_assert(hash256_eq(&hash, &want_hash));
		for (size_t k = 0; k < c[3].n; k++) {
			const char *hex = c[3].at[k].str;
			size_t size;
			uint8_t *script = td_hex(hex, strlen(hex), &size);

			gcs_add_script(&b, slice_of(script, size));
			free(script);
		}
		check_filter(built(&b), c[5].str, c[4].str, c[6].str);
		free(raw);
	}
	tj_free(all);
}
END_TEST

/* The scripts of the coins that a block spends ("PVO1"). */
static void add_coins(struct gcs_builder *b, const struct hash256 *hash,
		      struct slice pvo, size_t inputs)
{
	struct rd r;
	uint32_t n;

	rd_init(&r, pvo);
	ck_assert_mem_eq(rd_take(&r, 4), "PVO1", 4);
	ck_assert_mem_eq(rd_take(&r, 32), hash->b, 32);
	n = rd_u32(&r);
	ck_assert_uint_eq(n, inputs);
	for (uint32_t i = 0; i < n; i++) {
		rd_take(&r, 8 + 4 + 1);
		gcs_add_script(b, rd_varbytes(&r));
	}
	ck_assert(rd_ok(&r) && rd_left(&r) == 0);
}

static void check_real_block(const struct tj *c)
{
	const char *name = tj_str(c, "block");
	char *coins = xasprintf("%.*s.prevouts", (int)strlen(name) - 4, name);
	struct buf *block = td_read(name), *pvo = td_read(coins), *f;
	const struct tj *full = tj_find(c, "filter");
	struct gcs_builder b;
	struct hash256 hash, got;
	uint8_t want[32];
	size_t inputs;

	inputs = add_block(&b, &hash, buf_payload(block));
	add_coins(&b, &hash, buf_payload(pvo), inputs);
	f = built(&b);
	ck_assert_msg(f->n == strtoull(tj_get(c, "filter_len")->str, NULL, 10),
		      "%s", name);
	filter_hash(&got, buf_payload(f));
	ck_assert(hex_parse(want, 32, tj_str(c, "filter_hash")));
	ck_assert_msg(memcmp(got.b, want, 32) == 0, "%s", name);
	if (full && full->kind == TJ_STRING) {
		char *hex = xmalloc(2 * f->n + 1);

		hex_put(hex, buf_payload(f));
		ck_assert_str_eq(hex, full->str);
		free(hex);
	}
	buf_unref(f);
	buf_unref(pvo);
	buf_unref(block);
	free(coins);
}

START_TEST(filters_of_real_blocks_with_their_coins_agree)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("filters/basic-filters-of-prevout-blocks.json");
	ck_assert_uint_eq(all->n, 18);
	for (size_t i = 0; i < all->n; i++)
		check_real_block(&all->at[i]);
	tj_free(all);
}
END_TEST

/* An output that is spent somewhere in the first blocks. */
struct coin {
	struct hash256 txid;
	uint32_t index;
	struct slice script;
};

struct coins {
	struct coin *v;
	size_t n, cap;
};

static struct slice coin_find(const struct coins *c, const uint8_t *outpoint)
{
	/* The latest first: two coinbases of these blocks never repeat. */
	for (size_t i = c->n; i-- > 0;)
		if (memcmp(c->v[i].txid.b, outpoint, 32) == 0 &&
		    c->v[i].index == outpoint_index(outpoint))
			return c->v[i].script;
	ck_abort_msg("spent coin not found");
}

static void take_coins(struct coins *c, struct gcs_builder *b, struct slice raw)
{
	struct block_view v;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, raw), 0);
	block_hash_txs(&v);
	for (uint32_t i = 0; i < v.n_tx; i++) {
		struct txout_view out;
		struct txin_view in;
		struct tx_iter it;
		uint32_t index = 0;

		txouts(&it, &v.tx[i]);
		while (txout_next(&it, &out)) {
			arr_grow(&c->v, &c->cap, c->n + 1, sizeof *c->v);
			c->v[c->n++] =
			    (struct coin){v.txid[i], index++, out.script};
		}
		txins(&it, &v.tx[i]);
		while (i > 0 && txin_next(&it, &in))
			gcs_add_script(b, coin_find(c, in.prevout));
	}
	block_view_fini(&v);
}

START_TEST(filter_headers_of_the_first_2101_mainnet_blocks_agree)
{
	struct coins coins = {NULL, 0, 0};
	struct hash256 header = {{0}}, hash;
	struct buf *chain, *headers;
	struct rd r;
	size_t height = 0;

	if (td_missing())
		return;
	chain = td_read("chains/mainnet-0-2100.blk");
	headers = td_read("filters/mainnet-filterheaders-0-50000.bin");
	rd_init(&r, buf_payload(chain));
	for (; rd_left(&r) > 0; height++) {
		struct gcs_builder b;
		struct slice raw;
		struct buf *f;

		rd_take(&r, 4);
		raw = rd_bytes(&r, rd_u32(&r));
		ck_assert(rd_ok(&r));
		add_block(&b, &hash, raw);
		take_coins(&coins, &b, raw);
		f = built(&b);
		filter_hash(&hash, buf_payload(f));
		filter_header(&header, &hash, &header);
		ck_assert_msg(
		    memcmp(header.b, buf_data(headers) + 32 * height, 32) == 0,
		    "height %zu", height);
		buf_unref(f);
	}
	ck_assert_uint_eq(height, 2101);
	free(coins.v);
	buf_unref(chain);
	buf_unref(headers);
}
END_TEST

START_TEST(testnet4_filters_agree)
{
	struct tj *all;
	struct hash256 zero = {{0}};
	char zeros[HASH256_STR];

	if (td_missing())
		return;
	hash256_fmt(zeros, &zero);
	all = tj_read("vectors/bips/bip158-testnet4.json");
	ck_assert_uint_eq(all->n, 3);
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = &all->at[i];
		const char *hex = tj_str(c, "block");
		const struct tj *prev = tj_get(c, "prev_scripts");
		struct gcs_builder b;
		struct hash256 hash;
		size_t n;
		uint8_t *raw = td_hex(hex, strlen(hex), &n);

		add_block(&b, &hash, slice_of(raw, n));
		for (size_t k = 0; k < prev->n; k++) {
			size_t size;
			uint8_t *script = td_hex(
			    prev->at[k].str, strlen(prev->at[k].str), &size);

			gcs_add_script(&b, slice_of(script, size));
			free(script);
		}
		check_filter(built(&b), tj_str(c, "filter"),
			     tj_str(c, "prev_filter_header"),
			     tj_str(c, "filter_header"));
		free(raw);
	}
	tj_free(all);
}
END_TEST

START_TEST(the_empty_set_is_one_zero_byte)
{
	struct hash256 hash = {{1}};
	struct gcs_builder b;
	struct buf *f;

	gcs_builder_init(&b, &hash);
	gcs_add_script(&b, slice_of(NULL, 0));
	gcs_add_script(&b, slice_of((const uint8_t *)"\x6a", 1));
	gcs_add_script(&b, slice_of((const uint8_t *)"\x6a\x51", 2));
	f = built(&b);
	ck_assert_uint_eq(f->n, 1);
	ck_assert_uint_eq(buf_data(f)[0], 0);
	buf_unref(f);
}
END_TEST

START_TEST(repeated_elements_count_once)
{
	struct hash256 hash = {{2}};
	struct gcs_builder once, often;
	struct buf *a, *b;

	gcs_builder_init(&once, &hash);
	gcs_builder_init(&often, &hash);
	for (uint32_t i = 0; i < 900; i++) {
		struct slice s = slice_of(&(uint32_t){i % 300}, 4);

		if (i < 300)
			gcs_add(&once, s);
		gcs_add(&often, s);
	}
	a = built(&once);
	b = built(&often);
	ck_assert(slice_eq(buf_payload(a), buf_payload(b)));
	ck_assert_mem_eq(buf_data(a), "\xfd\x2c\x01", 3);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(a_builder_goes_on_after_it_built)
{
	struct hash256 hash = {{3}};
	struct gcs_builder b, whole;
	struct buf *f, *want;

	gcs_builder_init(&b, &hash);
	gcs_builder_init(&whole, &hash);
	for (uint32_t i = 0; i < 200; i++) {
		gcs_add(&b, slice_of(&i, 4));
		gcs_add(&whole, slice_of(&i, 4));
		if (i == 99) {
			ck_assert_int_eq(gcs_build(&f, &b), 0);
			buf_unref(f);
		}
	}
	f = built(&b);
	want = built(&whole);
	ck_assert(slice_eq(buf_payload(f), buf_payload(want)));
	buf_unref(f);
	buf_unref(want);
}
END_TEST

Suite *gcs_suite(void)
{
	Suite *s = suite_create("gcs");
	TCase *t = tcase_create("build");

	tcase_add_test(t, filters_and_headers_are_those_of_bip_158);
	tcase_add_test(t, testnet4_filters_agree);
	tcase_add_test(t, filters_of_real_blocks_with_their_coins_agree);
	tcase_add_test(t,
		       filter_headers_of_the_first_2101_mainnet_blocks_agree);
	tcase_add_test(t, the_empty_set_is_one_zero_byte);
	tcase_add_test(t, repeated_elements_count_once);
	tcase_add_test(t, a_builder_goes_on_after_it_built);
	suite_add_tcase(s, t);
	return s;
}
