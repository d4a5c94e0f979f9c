/* Records and their lengths; messages by hand and through protobuf-c. */
#include "suites.h"

#include "proto/vote_pb.h"
#include "testdata.h"

#include <cairn/base/arena.h>
#include <cairn/base/buf.h>

#define MAX ((size_t)1 << 20)

struct sized {
	uint64_t v;
	size_t n;
	uint8_t b[UVARINT_MAX];
};

/* Both sides of each length, from protobuf's description of varints. */
static const struct sized sized[] = {
    {0, 1, {0x00}},
    {1, 1, {0x01}},
    {0x7f, 1, {0x7f}},
    {0x80, 2, {0x80, 0x01}},
    {150, 2, {0x96, 0x01}},
    {0x3fff, 2, {0xff, 0x7f}},
    {0x4000, 3, {0x80, 0x80, 0x01}},
    {0x1fffff, 3, {0xff, 0xff, 0x7f}},
    {0x200000, 4, {0x80, 0x80, 0x80, 0x01}},
    {0xfffffff, 4, {0xff, 0xff, 0xff, 0x7f}},
    {0x10000000, 5, {0x80, 0x80, 0x80, 0x80, 0x01}},
    {0xffffffff, 5, {0xff, 0xff, 0xff, 0xff, 0x0f}},
    {UINT64_MAX >> 1, 9, {255, 255, 255, 255, 255, 255, 255, 255, 0x7f}},
    {UINT64_MAX, 10, {255, 255, 255, 255, 255, 255, 255, 255, 255, 0x01}},
};

START_TEST(uvarint_reads_as_it_was_written)
{
	const struct sized *s = &sized[_i];
	uint8_t raw[UVARINT_MAX];
	size_t n = 0;
	uint64_t v = 0;

	ck_assert_uint_eq(uvarint_size(s->v), s->n);
	ck_assert_ptr_eq(uvarint_put(raw, s->v), raw + s->n);
	ck_assert_mem_eq(raw, s->b, s->n);
	ck_assert_int_eq(uvarint_get(&v, &n, slice_of(raw, s->n)),
			 DELIMITED_OK);
	ck_assert_uint_eq(v, s->v);
	ck_assert_uint_eq(n, s->n);
	for (size_t cut = 0; cut < s->n; cut++)
		ck_assert_int_eq(uvarint_get(&v, &n, slice_of(raw, cut)),
				 DELIMITED_MORE);
}
END_TEST

/* Every number of bits, against counting them. */
START_TEST(uvarint_size_is_the_bits_in_sevens)
{
	for (unsigned bits = 1; bits <= 64; bits++) {
		uint64_t top = UINT64_C(1) << (bits - 1);
		ck_assert_uint_eq(uvarint_size(top), (bits + 6) / 7);
		ck_assert_uint_eq(uvarint_size(top | (top - 1)),
				  (bits + 6) / 7);
	}
}
END_TEST

/* Longer than needed, wider than 64 bits, longer than ten bytes. */
START_TEST(uvarint_refuses_what_is_over_long)
{
	static const struct sized bad[] = {
	    {0, 2, {0x80, 0x00}},
	    {0, 2, {0xff, 0x00}},
	    {0, 3, {0x80, 0x80, 0x00}},
	    {0, 10, {128, 128, 128, 128, 128, 128, 128, 128, 128, 0x00}},
	    {0, 10, {255, 255, 255, 255, 255, 255, 255, 255, 255, 0x02}},
	    {0, 10, {255, 255, 255, 255, 255, 255, 255, 255, 255, 0x7f}},
	    {0, 10, {128, 128, 128, 128, 128, 128, 128, 128, 128, 0x80}},
	    {0, 10, {255, 255, 255, 255, 255, 255, 255, 255, 255, 0x81}},
	};
	const struct sized *s = &bad[_i];
	struct slice in = slice_of(s->b, s->n), msg;
	uint64_t v = 77;
	size_t n = 78;

	ck_assert_int_eq(uvarint_get(&v, &n, in), DELIMITED_BAD);
	ck_assert_uint_eq(v, 77);
	ck_assert_uint_eq(n, 78);
	ck_assert_int_eq(delimited_next(&msg, &n, &in, SIZE_MAX),
			 DELIMITED_BAD);
	ck_assert_ptr_eq(in.p, s->b);
}
END_TEST

START_TEST(a_record_is_taken_and_what_follows_is_left)
{
	static const uint8_t raw[] = {3, 'a', 'b', 'c', 0, 1, 'd'};
	struct slice in = slice_of(raw, sizeof raw), msg;
	size_t need;

	ck_assert_int_eq(delimited_next(&msg, &need, &in, MAX), DELIMITED_OK);
	ck_assert(slice_eq(msg, slice_of("abc", 3)));
	ck_assert_int_eq(delimited_next(&msg, &need, &in, MAX), DELIMITED_OK);
	ck_assert_uint_eq(msg.n, 0);
	ck_assert_int_eq(delimited_next(&msg, &need, &in, 1), DELIMITED_OK);
	ck_assert(slice_eq(msg, slice_of("d", 1)));
	ck_assert_uint_eq(in.n, 0);
	ck_assert_int_eq(delimited_next(&msg, &need, &in, MAX), DELIMITED_MORE);
	ck_assert_uint_eq(need, 1);
}
END_TEST

/* Against a guard page: nothing behind the input is looked at, and need leads
 * to the whole record in two steps. */
START_TEST(a_cut_record_says_how_much_it_needs)
{
	uint8_t raw[302] = {0xac, 0x02};
	struct slice in, msg = {NULL, 5};
	struct td_guard g;
	size_t need;

	td_guard_init(&g, sizeof raw);
	for (size_t n = 0; n < sizeof raw; n++) {
		const uint8_t *p;
		in = td_guard_put(&g, slice_of(raw, n));
		p = in.p;
		ck_assert_int_eq(delimited_next(&msg, &need, &in, MAX),
				 DELIMITED_MORE);
		ck_assert_uint_eq(need, n < 2 ? n + 1 : sizeof raw);
		ck_assert(in.p == p && in.n == n && msg.n == 5 && !msg.p);
	}
	in = td_guard_put(&g, slice_of(raw, sizeof raw));
	ck_assert_int_eq(delimited_next(&msg, &need, &in, MAX), DELIMITED_OK);
	ck_assert_uint_eq(msg.n, 300);
	td_guard_fini(&g);
}
END_TEST

START_TEST(a_record_over_the_limit_is_refused_before_its_bytes_come)
{
	uint8_t raw[UVARINT_MAX];
	struct slice in, msg;
	size_t need;

	for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
		uint64_t v = sized[i].v;
		in = slice_of(raw, (size_t)(uvarint_put(raw, v) - raw));
		ck_assert_int_eq(delimited_next(&msg, &need, &in, 0x3fff),
				 v > 0x3fff ? DELIMITED_TOO_LARGE
				 : v        ? DELIMITED_MORE
					    : DELIMITED_OK);
	}
	/* The size of a record that no memory holds does not wrap around. */
	in = slice_of(raw, (size_t)(uvarint_put(raw, UINT64_MAX) - raw));
	ck_assert_int_eq(delimited_next(&msg, &need, &in, SIZE_MAX),
			 DELIMITED_TOO_LARGE);
}
END_TEST

/* A published vote, and its text in memory of its own. */
struct published {
	struct vote v;
	uint8_t hash[32], parts[32], validator[20];
	char chain_id[64];
	uint8_t sign_bytes[256], marshalled[256];
	size_t sign_n, marshalled_n;
};

static int64_t number(const char **at, const char *key)
{
	char *s = td_json_str(at, key);
	long long v;

	ck_assert_ptr_nonnull(s);
	v = strtoll(s, NULL, 10);
	free(s);
	return v;
}

static struct slice bytes_of(const char **at, const char *key, uint8_t *dst,
			     size_t cap)
{
	char *s = td_json_str(at, key);
	size_t n;

	ck_assert_ptr_nonnull(s);
	n = td_hex_into(dst, cap, s);
	free(s);
	return slice_of(dst, n);
}

/* The next vote of the file, in the order of its keys; false at the end. */
static bool published_next(struct published *p, const char **at)
{
	char *chain_id = td_json_str(at, "chain_id");
	struct vote *v = &p->v;

	if (!chain_id)
		return false;
	ck_assert_uint_lt(strlen(chain_id), sizeof p->chain_id);
	memcpy(p->chain_id, chain_id, strlen(chain_id) + 1);
	v->chain_id = slice_of(p->chain_id, strlen(chain_id));
	free(chain_id);
	v->type = (int32_t)number(at, "type");
	v->height = number(at, "height");
	v->round = (int32_t)number(at, "round");
	v->block_hash = bytes_of(at, "block_id_hash", p->hash, 32);
	v->parts_total = (uint32_t)number(at, "part_set_total");
	v->parts_hash = bytes_of(at, "part_set_hash", p->parts, 32);
	v->seconds = number(at, "timestamp_seconds");
	v->nanos = (int32_t)number(at, "timestamp_nanos");
	v->validator = bytes_of(at, "validator_address", p->validator, 20);
	v->validator_index = (int32_t)number(at, "validator_index");
	p->sign_n = bytes_of(at, "sign_bytes", p->sign_bytes, 256).n;
	p->marshalled_n =
	    bytes_of(at, "vote_marshal_delimited", p->marshalled, 256).n;
	return true;
}

/* By hand and through protobuf-c; exact sizes both ways. */
static void check_written(const struct vote *v, struct slice sign_bytes,
			  struct slice marshalled)
{
	struct vote_sizes c = canonical_sizes(v), s = vote_sizes(v);
	struct vote_pb m;
	struct buf *b;
	uint8_t raw[256];

	ck_assert_uint_eq(delimited_size(c.body), sign_bytes.n);
	ck_assert_ptr_eq(canonical_put(raw, v, &c), raw + sign_bytes.n);
	ck_assert_mem_eq(raw, sign_bytes.p, sign_bytes.n);
	ck_assert_uint_eq(delimited_size(s.body), marshalled.n);
	ck_assert_ptr_eq(vote_put(raw, v, &s), raw + marshalled.n);
	ck_assert_mem_eq(raw, marshalled.p, marshalled.n);
	vote_pb_init(&m, v);
	b = delimited_message_new(&m.canonical.base);
	ck_assert_ptr_nonnull(b);
	ck_assert(slice_eq(buf_payload(b), sign_bytes));
	buf_unref(b);
	ck_assert_uint_eq(delimited_message_size(&m.vote.base), marshalled.n);
	ck_assert_ptr_eq(delimited_message_put(raw, &m.vote.base),
			 raw + marshalled.n);
	ck_assert_mem_eq(raw, marshalled.p, marshalled.n);
}

static void check_read(const struct vote *v, struct slice record)
{
	Cairn__Test__CanonicalVote *m;
	struct slice msg;
	struct arena a;
	size_t need;

	arena_init(&a, 4096);
	ck_assert_int_eq(delimited_next(&msg, &need, &record, MAX),
			 DELIMITED_OK);
	ck_assert_uint_eq(record.n, 0);
	m = (void *)delimited_message_get(
	    &a, &cairn__test__canonical_vote__descriptor, msg);
	ck_assert_ptr_nonnull(m);
	ck_assert_int_eq(m->type, v->type);
	ck_assert_int_eq(m->height, v->height);
	ck_assert_int_eq(m->round, v->round);
	ck_assert_int_eq(m->block_id == NULL, vote_is_nil(v));
	if (m->block_id)
		ck_assert_mem_eq(m->block_id->hash.data, v->block_hash.p,
				 v->block_hash.n);
	ck_assert_int_eq(m->timestamp->seconds, v->seconds);
	ck_assert_int_eq(m->timestamp->nanos, v->nanos);
	ck_assert_uint_eq(strlen(m->chain_id), v->chain_id.n);
	arena_fini(&a);
}

START_TEST(published_votes_are_written_byte_for_byte)
{
	struct published p;
	char *text;
	const char *at;
	int n = 0;

	if (td_missing())
		return;
	text = td_read_text("vectors/tendermint/vote_vectors.json");
	at = strstr(text, "\"vectors\"");
	ck_assert_ptr_nonnull(at);
	for (; published_next(&p, &at); n++) {
		check_written(&p.v, slice_of(p.sign_bytes, p.sign_n),
			      slice_of(p.marshalled, p.marshalled_n));
		check_read(&p.v, slice_of(p.sign_bytes, p.sign_n));
	}
	ck_assert_int_eq(n, 8);
	free(text);
}
END_TEST

/* One of Tendermint's own vectors (types/vote_test.go), without the folder. */
START_TEST(a_vote_for_no_block_is_written_as_tendermint_does)
{
	static const uint8_t want[] = {0x21, 0x08, 0x02, 0x11, 0x01, 0x00, 0x00,
				       0x00, 0x00, 0x00, 0x00, 0x00, 0x19, 0x01,
				       0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
				       0x2a, 0x0b, 0x08, 0x80, 0x92, 0xb8, 0xc3,
				       0x98, 0xfe, 0xff, 0xff, 0xff, 0x01};
	struct vote v = {.type = 2,
			 .height = 1,
			 .round = 1,
			 .seconds = INT64_C(-62135596800)};
	struct vote_sizes s = canonical_sizes(&v);
	uint8_t raw[sizeof want];

	ck_assert_uint_eq(delimited_size(s.body), sizeof want);
	ck_assert_ptr_eq(canonical_put(raw, &v, &s), raw + sizeof want);
	ck_assert_mem_eq(raw, want, sizeof want);
}
END_TEST

/* Numbers of every length, both signs, empty and long bytes: by hand as
 * protobuf-c. */
START_TEST(a_vote_by_hand_is_what_protobuf_c_writes)
{
	uint8_t fill[300], raw[1500], want[1500];
	struct vote v;
	struct vote_pb m;

	memset(fill, 0x5a, sizeof fill);
	for (unsigned i = 0; i < 63; i++) {
		int64_t x = INT64_C(1) << i;
		struct vote_sizes c, s;
		v = (struct vote){.type = (int32_t)(x & 0x7fffffff),
				  .height = i & 1 ? -x : x,
				  .round = i & 2 ? -1 : (int32_t)i,
				  .seconds = i & 1 ? x : -x,
				  .nanos = (int32_t)i,
				  .validator_index = i & 4 ? INT32_MIN : 5,
				  .block_hash = slice_of(fill, i * 4),
				  .parts_hash = slice_of(fill, i & 8 ? 0 : 32),
				  .parts_total = (uint32_t)x,
				  .validator = slice_of(fill, i),
				  .chain_id = slice_of(fill, i)};
		vote_pb_init(&m, &v);
		c = canonical_sizes(&v);
		s = vote_sizes(&v);
		ck_assert_uint_eq(delimited_size(c.body),
				  delimited_message_size(&m.canonical.base));
		canonical_put(raw, &v, &c);
		delimited_message_put(want, &m.canonical.base);
		ck_assert_mem_eq(raw, want, delimited_size(c.body));
		ck_assert_uint_eq(delimited_size(s.body),
				  delimited_message_size(&m.vote.base));
		vote_put(raw, &v, &s);
		delimited_message_put(want, &m.vote.base);
		ck_assert_mem_eq(raw, want, delimited_size(s.body));
	}
}
END_TEST

START_TEST(a_message_is_refused_when_malformed_or_past_the_limit)
{
	static const uint8_t cut[] = {0x0a, 0x20, 1, 2, 3};
	uint8_t whole[34] = {0x0a, 0x20};
	const ProtobufCMessageDescriptor *d =
	    &cairn__test__block_id__descriptor;
	struct arena a;

	arena_init(&a, 200);
	ck_assert_ptr_null(
	    delimited_message_get(&a, d, slice_of(cut, sizeof cut)));
	ck_assert_ptr_nonnull(
	    delimited_message_get(&a, d, slice_of(whole, sizeof whole)));
	ck_assert_ptr_nonnull(delimited_message_get(&a, d, slice_of(NULL, 0)));
	arena_fini(&a);
	arena_init(&a, 60);
	ck_assert_ptr_null(
	    delimited_message_get(&a, d, slice_of(whole, sizeof whole)));
	arena_fini(&a);
}
END_TEST

Suite *delimited_suite(void)
{
	Suite *s = suite_create("delimited");
	TCase *tc = tcase_create("delimited");

	tcase_add_loop_test(tc, uvarint_reads_as_it_was_written, 0,
			    sizeof sized / sizeof *sized);
	tcase_add_test(tc, uvarint_size_is_the_bits_in_sevens);
	tcase_add_loop_test(tc, uvarint_refuses_what_is_over_long, 0, 8);
	tcase_add_test(tc, a_record_is_taken_and_what_follows_is_left);
	tcase_add_test(tc, a_cut_record_says_how_much_it_needs);
	tcase_add_test(
	    tc, a_record_over_the_limit_is_refused_before_its_bytes_come);
	tcase_add_test(tc, published_votes_are_written_byte_for_byte);
	tcase_add_test(tc, a_vote_for_no_block_is_written_as_tendermint_does);
	tcase_add_test(tc, a_vote_by_hand_is_what_protobuf_c_writes);
	tcase_add_test(tc,
		       a_message_is_refused_when_malformed_or_past_the_limit);
	suite_add_tcase(s, tc);
	return s;
}
