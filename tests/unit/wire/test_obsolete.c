/* reject (BIP 61) and alert. */
#include "wiretest.h"

#include "samples.h"

#include <cairn/wire/obsolete.h>

static bool reject_ok(struct slice body)
{
	struct reject_view v;
	uint32_t sum = 0;

	if (!reject_view_parse(&v, body))
		return false;
	for (size_t i = 0; i < v.message.n; i++)
		sum += v.message.p[i];
	for (size_t i = 0; i < v.reason.n; i++)
		sum += v.reason.p[i];
	for (size_t i = 0; i < v.data.n; i++)
		sum += v.data.p[i];
	return sum != UINT32_MAX;
}

static bool alert_ok(struct slice body)
{
	struct alert_view v;

	return alert_view_parse(&v, body) &&
	       (v.signature.n == 0 || v.signature.p[v.signature.n - 1] != 0xee);
}

static bool text_ok(struct slice payload)
{
	struct alert_text t;
	struct slice rest;

	if (!alert_text_parse(&t, payload))
		return false;
	rest = t.subvers;
	for (uint32_t i = 0; i < t.n_subver; i++)
		alert_string_next(&rest);
	ck_assert_uint_eq(rest.n, 0);
	return t.n_cancel == 0 || le32_get(t.cancels) != 0xeeeeeeeeu;
}

static size_t reject_write(uint8_t *raw, size_t message_n, size_t reason_n,
			   size_t data_n)
{
	uint8_t *p = compact_put(raw, message_n);

	fill(p, message_n, 1);
	p += message_n;
	*p++ = 0x42;
	p = compact_put(p, reason_n);
	fill(p, reason_n, 2);
	p += reason_n;
	fill(p, data_n, 3);
	return (size_t)(p + data_n - raw);
}

START_TEST(reject_reads_as_it_was_written)
{
	uint8_t raw[300], again[300];
	struct reject_view v;
	size_t n = reject_write(raw, 12, 111, 32);

	ck_assert(reject_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(v.message.n, 12);
	ck_assert_uint_eq(v.code, 0x42);
	ck_assert_uint_eq(v.reason.n, 111);
	ck_assert_uint_eq(v.data.n, 32);
	ck_assert_uint_eq(reject_size(&v), n);
	ck_assert_ptr_eq(reject_put(again, &v), again + n);
	ck_assert_mem_eq(again, raw, n);
}
END_TEST

/* What follows the reason is data, so only the fixed part can be cut. */
START_TEST(reject_needs_all_but_its_data)
{
	uint8_t raw[300];
	size_t n = reject_write(raw, 5, 20, 0);

	check_cuts(reject_ok, slice_of(raw, n));
	check_extra(reject_ok, slice_of(raw, n), true);
	check_counts(reject_ok, slice_of("", 0), 200);
	check_counts(reject_ok,
		     slice_of("\x02"
			      "tx\x10",
			      4),
		     200);
}
END_TEST

START_TEST(reject_has_short_strings)
{
	uint8_t raw[300];

	ck_assert(reject_ok(slice_of(raw, reject_write(raw, 12, 111, 0))));
	ck_assert(!reject_ok(slice_of(raw, reject_write(raw, 13, 111, 0))));
	ck_assert(!reject_ok(slice_of(raw, reject_write(raw, 12, 112, 0))));
}
END_TEST

START_TEST(alert_reads_as_it_was_written)
{
	uint8_t raw[SAMPLE_MAX], again[SAMPLE_MAX];
	size_t n = sample_put(raw, MSG_ALERT);
	struct alert_view v;

	ck_assert(alert_view_parse(&v, slice_of(raw, n)));
	ck_assert(slice_eq(v.signature, slice_of("signature", 9)));
	ck_assert_uint_eq(alert_size(&v), n);
	ck_assert_ptr_eq(alert_put(again, &v), again + n);
	ck_assert_mem_eq(again, raw, n);
	check_cuts(alert_ok, slice_of(raw, n));
	check_extra(alert_ok, slice_of(raw, n), true);
	check_counts(alert_ok, slice_of("", 0), 200);
	check_counts(alert_ok, slice_of("\x00", 1), 200);
}
END_TEST

START_TEST(the_text_of_an_alert_has_these_fields)
{
	uint8_t raw[SAMPLE_MAX];
	size_t n = sample_put(raw, MSG_ALERT);
	struct alert_view v;
	struct alert_text t;
	struct slice rest, name;

	ck_assert(alert_view_parse(&v, slice_of(raw, n)));
	ck_assert(alert_text_parse(&t, v.payload));
	ck_assert_int_eq(t.version, 1);
	ck_assert_int_eq(t.relay_until_s, 0x0807060504030201);
	ck_assert_int_eq(t.expiration_s, 0x1817161514131211);
	ck_assert_int_eq(t.id, 100);
	ck_assert_int_eq(t.cancel, 0);
	ck_assert_uint_eq(t.n_cancel, 2);
	ck_assert_uint_eq(le32_get(t.cancels), 1);
	ck_assert_uint_eq(le32_get(t.cancels + 4), 0xffffffffu);
	ck_assert_int_eq(t.max_version, INT32_MAX);
	ck_assert_uint_eq(t.n_subver, 1);
	rest = t.subvers;
	name = alert_string_next(&rest);
	ck_assert(slice_eq(name, slice_of("/x/y/z", 6)));
	ck_assert_int_eq(t.priority, 50);
	ck_assert(slice_eq(t.comment, slice_of("abc", 3)));
	ck_assert(slice_eq(t.status_bar, slice_of("defg", 4)));
	ck_assert_uint_eq(t.reserved.n, 0);
	check_cuts(text_ok, v.payload);
	check_extra(text_ok, v.payload, true);
	check_counts(text_ok, slice_of(v.payload.p, 28), 400);
}
END_TEST

Suite *obsolete_suite(void)
{
	Suite *s = suite_create("obsolete");
	TCase *r = tcase_create("reject"), *a = tcase_create("alert");

	tcase_add_test(r, reject_reads_as_it_was_written);
	tcase_add_test(r, reject_needs_all_but_its_data);
	tcase_add_test(r, reject_has_short_strings);
	tcase_add_test(a, alert_reads_as_it_was_written);
	tcase_add_test(a, the_text_of_an_alert_has_these_fields);
	suite_add_tcase(s, r);
	suite_add_tcase(s, a);
	return s;
}
