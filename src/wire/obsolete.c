/*
 * reject and alert, which Bitcoin Core no longer knows. Any thread. Signatures
 * of alerts are not checked: the key is public.
 */
#include <cairn/wire/obsolete.h>

#include <cairn/base/must.h>

static struct slice limited(struct rd *r, size_t max)
{
	struct slice s = rd_varbytes(r);

	if (s.n > max)
		rd_fail(r);
	return s;
}

bool reject_view_parse(struct reject_view *v, struct slice body)
{
	struct reject_view t;
	struct rd r;

	rd_init(&r, body);
	t.message = limited(&r, REJECT_MESSAGE_MAX);
	t.code = rd_u8(&r);
	t.reason = limited(&r, REJECT_REASON_MAX);
	t.data = rd_bytes(&r, rd_left(&r));
	if (!rd_ok(&r))
		return false;
	*v = t;
	return true;
}

static size_t string_size(struct slice s)
{
	return compact_size(s.n) + s.n;
}

static uint8_t *string_put(uint8_t *p, struct slice s)
{
	p = compact_put(p, s.n);
	return bytes_put(p, s.p, s.n);
}

size_t reject_size(const struct reject_view *v)
{
	return string_size(v->message) + 1 + string_size(v->reason) + v->data.n;
}

uint8_t *reject_put(uint8_t *p, const struct reject_view *v)
{
	must(v->message.n <= REJECT_MESSAGE_MAX &&
	     v->reason.n <= REJECT_REASON_MAX);
	p = string_put(p, v->message);
	*p++ = v->code;
	p = string_put(p, v->reason);
	return bytes_put(p, v->data.p, v->data.n);
}

bool alert_view_parse(struct alert_view *v, struct slice body)
{
	struct alert_view t;
	struct rd r;

	rd_init(&r, body);
	t.payload = rd_varbytes(&r);
	t.signature = rd_varbytes(&r);
	if (!rd_ok(&r))
		return false;
	*v = t;
	return true;
}

size_t alert_size(const struct alert_view *v)
{
	return string_size(v->payload) + string_size(v->signature);
}

uint8_t *alert_put(uint8_t *p, const struct alert_view *v)
{
	p = string_put(p, v->payload);
	return string_put(p, v->signature);
}

static int32_t rd_i32(struct rd *r)
{
	return (int32_t)rd_u32(r);
}

/* Step over n strings; what they take together. */
static struct slice strings(struct rd *r, uint32_t n)
{
	const uint8_t *p = r->p;

	for (uint32_t i = 0; i < n && rd_ok(r); i++)
		rd_varbytes(r);
	return rd_ok(r) ? slice_of(p, (size_t)(r->p - p)) : slice_of(NULL, 0);
}

bool alert_text_parse(struct alert_text *t, struct slice payload)
{
	struct alert_text a;
	struct rd r;

	rd_init(&r, payload);
	a.version = rd_i32(&r);
	a.relay_until_s = (int64_t)rd_u64(&r);
	a.expiration_s = (int64_t)rd_u64(&r);
	a.id = rd_i32(&r);
	a.cancel = rd_i32(&r);
	a.n_cancel = rd_count(&r, 4);
	a.cancels = rd_take(&r, (size_t)a.n_cancel * 4);
	a.min_version = rd_i32(&r);
	a.max_version = rd_i32(&r);
	a.n_subver = rd_count(&r, 1);
	a.subvers = strings(&r, a.n_subver);
	a.priority = rd_i32(&r);
	a.comment = rd_varbytes(&r);
	a.status_bar = rd_varbytes(&r);
	a.reserved = rd_varbytes(&r);
	if (!rd_ok(&r))
		return false;
	*t = a;
	return true;
}

struct slice alert_string_next(struct slice *rest)
{
	struct slice s;
	struct rd r;

	rd_init(&r, *rest);
	s = rd_varbytes(&r);
	*rest = slice_of(r.p, rd_left(&r));
	return s;
}
