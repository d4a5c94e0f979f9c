/*
 * Rules of blocks: genesis and every real block of the data folder pass; a
 * changed bit is refused for the reason of its place; published context-free
 * cases; the witness commitment, weight and mutation rules on made-up changes.
 */
#include "../testdata.h"
#include "model.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/base/text.h>
#include <cairn/consensus/check.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdio.h>
#include <stdlib.h>

/* A block with its hashes. False when it does not parse. */
static bool parse(struct block_view *b, struct slice s)
{
	size_t trailing;

	if (block_view_parse(b, &trailing, s) != 0)
		return false;
	block_hash_txs(b);
	return true;
}

/* The most that the parent's median may be: a second before the block. */
static struct block_context context_of(const struct block_view *b,
				       int32_t height)
{
	return (struct block_context){height,
				      (int64_t)le32_get(b->header + 68) - 1};
}

START_TEST(genesis_blocks_hash_to_their_table_and_pass)
{
	const struct params *p = params_get((enum chain_id)_i);
	struct hash256 hash;
	struct block_view b;
	struct verdict v;

	sha256d(&hash, p->genesis_block.p, HEADER_SIZE);
	ck_assert(hash256_eq(&hash, &p->genesis_hash));
	ck_assert(parse(&b, p->genesis_block));
	ck_assert_uint_eq(b.raw.n, p->genesis_block.n);
	ck_assert_uint_eq(b.n_tx, 1);
	ck_assert(hash256_eq(&b.txid[0], &p->genesis_merkle));
	v = block_check(&b, p, false);
	assert_valid(&v, p->names->name);
	ck_assert(!block_is_mutated(&b, true));
	ck_assert_int_eq(witness_commitment_index(&b), -1);
	block_view_fini(&b);
}
END_TEST

static const struct params *params_of_net(const char *net)
{
	if (strcmp(net, "mainnet") == 0)
		return params_get(CHAIN_MAIN);
	if (strcmp(net, "testnet3") == 0)
		return params_get(CHAIN_TEST);
	ck_assert_str_eq(net, "testnet4");
	return params_get(CHAIN_TESTNET4);
}

static void check_real(const char *file, const char *net, int32_t height)
{
	const struct params *p = params_of_net(net);
	struct buf *raw = td_read(file);
	struct block_context c;
	struct block_view b;
	struct verdict v;

	ck_assert_msg(parse(&b, buf_payload(raw)), "%s", file);
	v = block_check(&b, p, false);
	assert_valid(&v, file);
	c = context_of(&b, height);
	v = block_check_context(&b, &c, p);
	assert_valid(&v, file);
	ck_assert_msg(
	    !block_is_mutated(&b, height >= p->deploy_height[DEPLOY_SEGWIT]),
	    "%s", file);
	/* The height in the coinbase is that one and no other. */
	if (height >= p->deploy_height[DEPLOY_BIP34]) {
		c.height++;
		v = block_check_context(&b, &c, p);
		assert_refused(&v, INV_CONSENSUS, "bad-cb-height", file);
	}
	block_view_fini(&b);
	buf_unref(raw);
}

START_TEST(real_blocks_pass_alone_and_in_their_place)
{
	char *text, *net, *height, *file;
	const char *at;
	int n = 0;

	if (td_missing())
		return;
	text = td_read_text("blocks/index.json");
	at = text;
	while ((net = td_json_str(&at, "net")) != NULL) {
		height = td_json_str(&at, "height");
		file = td_json_str(&at, "file");
		ck_assert(height && file);
		check_real(file, net, (int32_t)strtol(height, NULL, 10));
		free(net);
		free(height);
		free(file);
		n++;
	}
	ck_assert_int_eq(n, 56);
	free(text);
}
END_TEST

/* Where a byte of a block lies. */
enum place { IN_HEADER, IN_BASE, IN_WITNESS };

static enum place place_of(const struct block_view *b, size_t off)
{
	uint32_t i;

	if (off < HEADER_SIZE)
		return IN_HEADER;
	for (i = 0; i < b->n_tx; i++) {
		const struct tx_view *t = &b->tx[i];
		size_t start = (size_t)(t->p - b->raw.p);

		if (off < start || off >= start + t->size || !tx_has_witness(t))
			continue;
		/* Marker and flag, or the stacks; lock time is base. */
		off -= start;
		if (off == 4 || off == 5 ||
		    (off >= t->wit_off && off < t->size - 4))
			return IN_WITNESS;
	}
	return IN_BASE;
}

static bool one_of(const char *reject, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(reject, *list) == 0)
			return true;
	return false;
}

/* A block with one bit changed, which parsed. */
static void check_changed(const struct block_view *b, enum place where,
			  int32_t height, const struct params *p, size_t off)
{
	static const char *const witness[] = {"bad-witness-nonce-size",
					      "bad-witness-merkle-match",
					      "unexpected-witness", NULL};
	struct block_context c = context_of(b, height);
	struct verdict v = block_check(b, p, where != IN_HEADER);
	char what[48];

	snprintf(what, sizeof what, "height %d byte %zu", height, off);
	if (where == IN_HEADER) {
		assert_refused(&v, INV_HEADER, "high-hash", what);
		return;
	}
	if (where == IN_BASE || !verdict_ok(&v)) {
		assert_refused(&v, INV_MUTATED, "bad-txnmrklroot", what);
		ck_assert_msg(block_is_mutated(b, true), "%s", what);
		return;
	}
	v = block_check_context(b, &c, p);
	ck_assert_msg(v.kind == V_INVALID && one_of(v.reject, witness), "%s",
		      what);
	ck_assert_int_eq(v.reason, INV_MUTATED);
	ck_assert_msg(block_is_mutated(b, true), "%s", what);
}

static const struct {
	const char *file;
	enum chain_id id;
	int32_t height;
	int flips; /* 0: every bit */
} changed[] = {
    {"blocks/testnet4/testnet4-000001.bin", CHAIN_TESTNET4, 1, 0},
    {"blocks/testnet4/testnet4-002067.bin", CHAIN_TESTNET4, 2067, 0},
    {"blocks/testnet4/testnet4-040000.bin", CHAIN_TESTNET4, 40000, 3000},
    {"blocks/mainnet/mainnet-482683.bin", CHAIN_MAIN, 482683, 3000},
    {"blocks/mainnet/mainnet-100000.bin", CHAIN_MAIN, 100000, 0},
};

START_TEST(a_changed_bit_is_refused_for_the_reason_of_its_place)
{
	const struct params *p = params_get(changed[_i].id);
	struct block_view good, bad;
	struct buf *raw;
	struct rand r;
	uint8_t *bytes;
	size_t n, k, bit, parsed = 0;

	if (td_missing())
		return;
	raw = td_read(changed[_i].file);
	bytes = buf_data(raw);
	ck_assert(parse(&good, buf_payload(raw)));
	rand_seed(&r, 31);
	n = changed[_i].flips ? (size_t)changed[_i].flips : raw->n * 8;
	for (k = 0; k < n; k++) {
		enum place where;

		bit = changed[_i].flips ? rand_below(&r, raw->n * 8) : k;
		where = place_of(&good, bit / 8);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (parse(&bad, buf_payload(raw))) {
			check_changed(&bad, where, changed[_i].height, p,
				      bit / 8);
			block_view_fini(&bad);
			parsed++;
		}
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	/* Most changes do not touch the structure. */
	ck_assert_uint_gt(parsed, n / 2);
	block_view_fini(&good);
	buf_unref(raw);
}
END_TEST

/* By the beginning of the comment; NULL: valid. */
static const struct {
	const char *comment, *reject;
	enum invalid_reason reason;
} published[] = {
    {"Genesis with one byte changed", "high-hash", INV_HEADER},
    /* The root of nothing is zero, and is asked first. */
    {"Empty vtx", "bad-txnmrklroot", INV_MUTATED},
    {"One tx, but not a coinbase", "bad-cb-missing", INV_CONSENSUS},
    {"More than one coinbase", "bad-cb-multiple", INV_CONSENSUS},
    /* Its root is another one as well. */
    {"Duplicate transaction", "bad-txnmrklroot", INV_MUTATED},
    {"Merkle root mismatch", "bad-txnmrklroot", INV_MUTATED},
};

static void check_published(const char *comment, bool pow, struct slice s)
{
	struct block_view b;
	struct verdict v;
	size_t i;

	ck_assert_msg(parse(&b, s), "%s", comment);
	v = block_check(&b, params_get(CHAIN_MAIN), !pow);
	block_view_fini(&b);
	for (i = 0; i < sizeof published / sizeof *published; i++) {
		if (strncmp(comment, published[i].comment,
			    strlen(published[i].comment)) != 0)
			continue;
		assert_refused(&v, published[i].reason, published[i].reject,
			       comment);
		return;
	}
	assert_valid(&v, comment);
}

/* Entries read "comment", header only, check pow, time, "hex". The case "two
 * hours + 1 second behind" is about the time of receipt, no rule of a block
 * alone. */
static int each_published(const char *file)
{
	char comment[128], header[8], pow[8];
	char *text = td_read_text(file);
	const char *p = text, *hex;
	long now;
	int n = 0, used;

	for (; (p = strchr(p, '"')) != NULL; p++) {
		size_t len = strcspn(++p, "\""), size;
		uint8_t *bytes;

		snprintf(comment, sizeof comment, "%.*s", (int)len, p);
		p += len;
		used = 0;
		if (sscanf(p, "\", %7[a-z], %7[a-z], %ld,%n", header, pow, &now,
			   &used) != 3 ||
		    !used)
			continue;
		hex = strchr(p + used, '"') + 1;
		len = strcspn(hex, "\"");
		bytes = td_hex(hex, len, &size);
		check_published(comment, strcmp(pow, "true") == 0,
				slice_of(bytes, size));
		free(bytes);
		p = hex + len;
		n++;
	}
	free(text);
	return n;
}

START_TEST(published_context_free_cases_agree)
{
	if (td_missing())
		return;
	ck_assert_int_eq(
	    each_published("vectors/python-bitcoinlib-checkblock_invalid.json"),
	    7);
	ck_assert_int_eq(
	    each_published("vectors/python-bitcoinlib-checkblock_valid.json"),
	    4);
}
END_TEST

/* A small segwit block whose bytes may be changed. */
struct segwit {
	struct buf *raw;
	struct block_view b;
	const struct params *p;
	struct block_context c;
};

static void segwit_init(struct segwit *s)
{
	s->raw = td_read("blocks/mainnet/mainnet-482683.bin");
	s->p = params_get(CHAIN_MAIN);
	ck_assert(parse(&s->b, buf_payload(s->raw)));
	s->c = context_of(&s->b, 482683);
}

static void segwit_fini(struct segwit *s)
{
	block_view_fini(&s->b);
	buf_unref(s->raw);
}

/* Replace the coinbase's witness (count, length, 32 bytes) and parse again. */
static void segwit_coinbase_witness(struct segwit *s, const uint8_t *wit,
				    size_t n)
{
	const struct tx_view *cb = &s->b.tx[0];
	size_t at = (size_t)(cb->p - s->b.raw.p) + cb->wit_off;
	size_t old = cb->size - 4 - cb->wit_off;
	struct buf *raw = buf_new(s->raw->n + n);
	uint8_t *p;

	ck_assert_ptr_nonnull(raw);
	p = bytes_put(buf_data(raw), buf_data(s->raw), at);
	p = bytes_put(p, wit, n);
	p = bytes_put(p, buf_data(s->raw) + at + old, s->raw->n - at - old);
	raw->n = (size_t)(p - buf_data(raw));
	segwit_fini(s);
	s->raw = raw;
	ck_assert(parse(&s->b, buf_payload(raw)));
}

START_TEST(the_reserved_value_must_be_one_item_of_32_bytes)
{
	static const uint8_t empty[] = {1, 0};
	static const uint8_t shorter[33] = {1, 31}, longer[35] = {1, 33};
	static const uint8_t two[36] = {2, 32, [34] = 1};
	static const struct {
		const uint8_t *p;
		size_t n;
	} rows[] = {
	    {empty, sizeof empty},
	    {shorter, sizeof shorter},
	    {longer, sizeof longer},
	    {two, sizeof two},
	};
	struct segwit s;
	struct verdict v;
	size_t i;

	if (td_missing())
		return;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		char what[16];

		snprintf(what, sizeof what, "row %zu", i);
		segwit_init(&s);
		v = block_check_context(&s.b, &s.c, s.p);
		assert_valid(&v, "as mined");
		segwit_coinbase_witness(&s, rows[i].p, rows[i].n);
		v = block_check_context(&s.b, &s.c, s.p);
		assert_refused(&v, INV_MUTATED, "bad-witness-nonce-size", what);
		ck_assert(block_is_mutated(&s.b, true));
		segwit_fini(&s);
	}
}
END_TEST

START_TEST(a_witness_is_unexpected_before_segwit)
{
	struct segwit s;
	struct params early;
	struct verdict v;

	if (td_missing())
		return;
	segwit_init(&s);
	early = *s.p;
	early.deploy_height[DEPLOY_SEGWIT] = 482684;
	v = block_check_context(&s.b, &s.c, &early);
	assert_refused(&v, INV_MUTATED, "unexpected-witness", "too early");
	ck_assert(block_is_mutated(&s.b, false));
	ck_assert(!block_is_mutated(&s.b, true));
	segwit_fini(&s);
}
END_TEST

/* Lock the last transaction to time, and make its first input count. */
static void segwit_lock_last(struct segwit *s, uint32_t time)
{
	struct tx_view *t = &s->b.tx[s->b.n_tx - 1];
	struct tx_iter it;
	struct txin_view in;

	t->lock_time = time;
	txins(&it, t);
	ck_assert(txin_next(&it, &in));
	le32_put(buf_data(s->raw) +
		     (in.script.p + in.script.n - buf_payload(s->raw).p),
		 0);
}

START_TEST(non_final_transactions_go_by_median_time_once_csv_is_active)
{
	struct segwit s;
	struct params late;
	struct verdict v;
	uint32_t time;

	if (td_missing())
		return;
	segwit_init(&s);
	time = le32_get(s.b.header + 68) - 1;
	segwit_lock_last(&s, time);
	s.c.mtp_prev = time;
	v = block_check_context(&s.b, &s.c, s.p);
	assert_refused(&v, INV_CONSENSUS, "bad-txns-nonfinal", "median");
	s.c.mtp_prev++;
	v = block_check_context(&s.b, &s.c, s.p);
	assert_valid(&v, "a second later");
	/* Before, the block's own time counts. */
	late = *s.p;
	late.deploy_height[DEPLOY_CSV] = 482684;
	s.c.mtp_prev = 0;
	v = block_check_context(&s.b, &s.c, &late);
	assert_valid(&v, "own time");
	segwit_lock_last(&s, time + 1);
	v = block_check_context(&s.b, &s.c, &late);
	assert_refused(&v, INV_CONSENSUS, "bad-txns-nonfinal", "own time");
	segwit_fini(&s);
}
END_TEST

START_TEST(weight_is_judged_after_the_witness)
{
	struct segwit s;
	struct verdict v;

	if (td_missing())
		return;
	segwit_init(&s);
	s.b.size = MAX_BLOCK_WEIGHT - 3 * s.b.base_size;
	v = block_check_context(&s.b, &s.c, s.p);
	assert_valid(&v, "4,000,000");
	s.b.size++;
	v = block_check_context(&s.b, &s.c, s.p);
	assert_refused(&v, INV_CONSENSUS, "bad-blk-weight", "one more");
	s.b.wtxid[1].b[0] ^= 1;
	v = block_check_context(&s.b, &s.c, s.p);
	assert_refused(&v, INV_MUTATED, "bad-witness-merkle-match", "both");
	segwit_fini(&s);
}
END_TEST

START_TEST(block_check_bounds_size_by_the_base)
{
	struct segwit s;
	struct verdict v;

	if (td_missing())
		return;
	segwit_init(&s);
	s.b.base_size = 1000000;
	v = block_check(&s.b, s.p, false);
	assert_valid(&v, "one million");
	s.b.base_size++;
	v = block_check(&s.b, s.p, false);
	assert_refused(&v, INV_CONSENSUS, "bad-blk-length", "one more");
	segwit_fini(&s);
}
END_TEST

/* A coinbase with outputs of 38, 38 and 39 bytes that look like commitments,
 * the last of 37 that does not; only the one at right is right. */
static size_t coinbase_with_commitments(uint8_t *raw, int right)
{
	static const uint8_t head[] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
	static const uint8_t sizes[] = {38, 38, 39, 37};
	static const struct hash256 zero;
	struct hash256 want;
	uint8_t *p = raw + HEADER_SIZE;
	int i;

	memset(raw, 0, 512);
	/* The root of one transaction is its hash, zero for the coinbase. */
	witness_commitment(&want, &zero, zero.b);
	p = bytes_put(p, "\1\1\0\0\0\0\1\1", 8);
	p = le32_put(p + 32, 0xffffffff);
	p = bytes_put(p, "\2\x51\x51", 3); /* height 1 */
	p = le32_put(p, 0xffffffff);
	*p++ = sizeof sizes;
	for (i = 0; i < (int)sizeof sizes; i++) {
		p += 8;
		*p++ = sizes[i];
		memcpy(p, head, sizeof head);
		memcpy(p + sizeof head, want.b, 31);
		p[37] = (uint8_t)(want.b[31] ^ (i != right));
		p += sizes[i];
	}
	p = bytes_put(p, "\1\x20", 2); /* one item of 32 zeros */
	return (size_t)(p + 32 + 4 - raw);
}

START_TEST(the_last_commitment_counts)
{
	const struct params *p = params_get(CHAIN_REGTEST);
	struct block_context c = {1, 0};
	struct block_view b;
	struct verdict v;
	uint8_t raw[512];
	size_t n;
	int right;

	for (right = 0; right < 3; right++) {
		n = coinbase_with_commitments(raw, right);
		ck_assert(parse(&b, slice_of(raw, n)));
		ck_assert_uint_eq(b.raw.n, n);
		ck_assert_int_eq(witness_commitment_index(&b), 2);
		v = block_check_context(&b, &c, p);
		if (right == 2)
			assert_valid(&v, "the last");
		else
			assert_refused(&v, INV_MUTATED,
				       "bad-witness-merkle-match", "another");
		block_view_fini(&b);
	}
}
END_TEST

/* A block of a coinbase with this script. */
static size_t coinbase_with_script(uint8_t *raw, const uint8_t *script,
				   uint8_t n)
{
	uint8_t *p = raw + HEADER_SIZE;

	memset(raw, 0, 512);
	p = bytes_put(p, "\1\1\0\0\0\1", 6);
	p = le32_put(p + 32, 0xffffffff);
	*p++ = n;
	p = bytes_put(p, script, n);
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	return (size_t)(p + 8 + 1 + 4 - raw);
}

static struct verdict check_height(const uint8_t *script, uint8_t n,
				   int32_t height)
{
	struct block_context c = {height, 0};
	struct block_view b;
	struct verdict v;
	uint8_t raw[512];

	ck_assert(
	    parse(&b, slice_of(raw, coinbase_with_script(raw, script, n))));
	v = block_check_context(&b, &c, params_get(CHAIN_REGTEST));
	block_view_fini(&b);
	return v;
}

/* Pushes by BIP34: numbers up to 16 are opcodes, a bit 7 is the sign. */
static const struct {
	int32_t height;
	uint8_t n, push[5], n_wrong, wrong[5];
} pushes[] = {
    {1, 1, {0x51}, 2, {0x01, 0x01}},
    {16, 1, {0x60}, 2, {0x01, 0x10}},
    {17, 2, {0x01, 0x11}, 3, {0x02, 0x11, 0x00}},
    {127, 2, {0x01, 0x7f}, 3, {0x02, 0x7f, 0x00}},
    {128, 3, {0x02, 0x80, 0x00}, 2, {0x01, 0x80}},
    {255, 3, {0x02, 0xff, 0x00}, 2, {0x01, 0xff}},
    {256, 3, {0x02, 0x00, 0x01}, 4, {0x03, 0x00, 0x01, 0x00}},
    {32767, 3, {0x02, 0xff, 0x7f}, 4, {0x03, 0xff, 0x7f, 0x00}},
    {32768, 4, {0x03, 0x00, 0x80, 0x00}, 3, {0x02, 0x00, 0x80}},
    {8388607, 4, {0x03, 0xff, 0xff, 0x7f}, 5, {0x04, 0xff, 0xff, 0x7f, 0}},
    {8388608, 5, {0x04, 0x00, 0x00, 0x80, 0}, 4, {0x03, 0x00, 0x00, 0x80}},
};

START_TEST(the_height_is_pushed_in_its_shortest_form)
{
	uint8_t n = pushes[_i].n;
	char what[32];
	struct verdict v;

	snprintf(what, sizeof what, "height %d", (int)pushes[_i].height);
	v = check_height(pushes[_i].push, n, pushes[_i].height);
	assert_valid(&v, what);
	v = check_height(pushes[_i].push, n, pushes[_i].height + 1);
	assert_refused(&v, INV_CONSENSUS, "bad-cb-height", what);
	v = check_height(pushes[_i].push, (uint8_t)(n - 1), pushes[_i].height);
	assert_refused(&v, INV_CONSENSUS, "bad-cb-height", what);
	v = check_height(pushes[_i].wrong, pushes[_i].n_wrong,
			 pushes[_i].height);
	assert_refused(&v, INV_CONSENSUS, "bad-cb-height", what);
}
END_TEST

/* A block of one transaction that is no coinbase, of n bytes in all. */
static void lone_tx(struct block_view *b, uint8_t *raw, size_t n)
{
	uint8_t *tx = raw + HEADER_SIZE + 1;
	struct hash256 id;

	memset(raw, 0, HEADER_SIZE + 1 + n);
	raw[HEADER_SIZE] = 1;
	tx[0] = 1;
	tx[4] = 1; /* one input, of a txid that is not null */
	tx[5] = 7;
	tx[46] = 1; /* one output */
	tx[55] = (uint8_t)(n - 60);
	sha256d(&id, tx, n);
	memcpy(raw + 36, id.b, 32);
	ck_assert(parse(b, slice_of(raw, HEADER_SIZE + 1 + n)));
	ck_assert_uint_eq(b->tx[0].size, n);
}

START_TEST(sixty_four_bytes_without_a_coinbase_are_mutation)
{
	uint8_t raw[HEADER_SIZE + 1 + 70];
	struct block_view b;
	struct verdict v;
	size_t n;

	for (n = 62; n <= 66; n++) {
		lone_tx(&b, raw, n);
		ck_assert_int_eq(block_is_mutated(&b, true), n == 64);
		ck_assert_int_eq(block_is_mutated(&b, false), n == 64);
		v = block_check(&b, params_get(CHAIN_MAIN), true);
		assert_refused(&v, INV_CONSENSUS, "bad-cb-missing", "alone");
		block_view_fini(&b);
	}
}
END_TEST

Suite *block_check_suite(void)
{
	Suite *s = suite_create("block_check");
	TCase *r = tcase_create("real blocks"), *m = tcase_create("changes");

	tcase_set_timeout(r, 60);
	tcase_set_timeout(m, 120);
	tcase_add_loop_test(r, genesis_blocks_hash_to_their_table_and_pass, 0,
			    CHAIN_COUNT);
	tcase_add_test(r, real_blocks_pass_alone_and_in_their_place);
	tcase_add_test(r, published_context_free_cases_agree);
	suite_add_tcase(s, r);
	tcase_add_loop_test(
	    m, a_changed_bit_is_refused_for_the_reason_of_its_place, 0,
	    sizeof changed / sizeof *changed);
	tcase_add_test(m, the_reserved_value_must_be_one_item_of_32_bytes);
	tcase_add_test(m, the_last_commitment_counts);
	tcase_add_loop_test(m, the_height_is_pushed_in_its_shortest_form, 0,
			    sizeof pushes / sizeof *pushes);
	tcase_add_test(m, a_witness_is_unexpected_before_segwit);
	tcase_add_test(
	    m, non_final_transactions_go_by_median_time_once_csv_is_active);
	tcase_add_test(m, weight_is_judged_after_the_witness);
	tcase_add_test(m, block_check_bounds_size_by_the_base);
	tcase_add_test(m, sixty_four_bytes_without_a_coinbase_are_mutation);
	suite_add_tcase(s, m);
	return s;
}
