/*
 * What the client shows. Pure: it appends to a text and returns the exit code;
 * printing, colours by terminal and streams are the program's.
 */
#include <cairn/rpc/client_print.h>

#include <cairn/base/mem.h>

#include <inttypes.h>
#include <stdlib.h>

#define BAR_STEPS 20

static void text_sink(void *arg, const char *p, size_t n)
{
	text_put(arg, p, n);
}

static void put_json(struct text *t, const struct json *v, bool indent)
{
	struct jw *w = jw_new(text_sink, t, indent);

	jw_value(w, v);
	jw_free(w);
}

static void put_result(struct text *t, const struct json *result)
{
	if (!result || result->type == JSON_NULL)
		return;
	if (result->type == JSON_STRING)
		text_put(t, (const char *)result->s.p, result->s.n);
	else
		put_json(t, result, true);
}

static int put_error(struct text *t, const struct json *error)
{
	const struct json *code = json_member(error, "code");
	const char *message = json_str(json_member(error, "message"));
	int64_t n = 1;

	if (error->type != JSON_OBJECT) {
		text_puts(t, "error: ");
		put_json(t, error, false);
		return 1;
	}
	if (json_i64(&n, code))
		text_printf(t, "error code: %" PRId64 "\n", n);
	if (message)
		text_printf(t, "error message:\n%s", message);
	if (n < 0)
		n = -n;
	return n > 0 && n < INT32_MAX ? (int)n : 1;
}

/* A text or a number as it is, else nothing. */
static void put_plain(struct text *t, const struct json *v)
{
	if (v && (v->type == JSON_STRING || v->type == JSON_NUMBER))
		text_put(t, (const char *)v->s.p, v->s.n);
}

static void put_line(struct text *t, const char *name, const struct json *obj,
		     const char *key)
{
	text_printf(t, "%s: ", name);
	put_plain(t, json_member(obj, key));
	text_puts(t, "\n");
}

static void put_progress(struct text *t, const struct json *chain)
{
	double p = 0;
	int i;

	json_f64(&p, json_member(chain, "verificationprogress"));
	text_puts(t, "Verification progress: ");
	if (p >= 0 && p < 0.99) {
		for (i = 0; i < BAR_STEPS; i++)
			text_puts(t, i < p * BAR_STEPS ? "\u2592" : "\u2591");
		text_puts(t, " ");
	}
	text_printf(t, "%.4f%%\n", p * 100);
}

static const char *proxy_of(const struct json *network)
{
	const char *s = json_str(json_member(network, "proxy"));

	return s ? s : "";
}

/* The networks of one proxy stand together behind its first mention. */
static void put_proxies(struct text *t, const struct json *nets)
{
	bool any = false;
	size_t i, k, n = nets && nets->type == JSON_ARRAY ? nets->n : 0;

	text_puts(t, "Proxies: ");
	for (i = 0; i < n; i++) {
		const char *proxy = proxy_of(&nets->kids[i]);
		const char *sep = "";

		for (k = 0; k < i; k++)
			if (strcmp(proxy_of(&nets->kids[k]), proxy) == 0)
				break;
		if (!*proxy || k < i)
			continue;
		text_printf(t, "%s%s (", any ? ", " : "", proxy);
		any = true;
		for (k = i; k < n; k++) {
			if (strcmp(proxy_of(&nets->kids[k]), proxy) != 0)
				continue;
			text_puts(t, sep);
			put_plain(t, json_member(&nets->kids[k], "name"));
			sep = ", ";
		}
		text_puts(t, ")");
	}
	text_puts(t, any ? "\n" : "n/a\n");
}

/* Older servers give one text, newer ones an array of them. */
static void put_warnings(struct text *t, const struct json *v)
{
	size_t before = t->n, i;

	if (v && v->type == JSON_ARRAY) {
		for (i = 0; i < v->n; i++) {
			text_puts(t, i ? "; " : "");
			put_plain(t, &v->kids[i]);
		}
	} else {
		put_plain(t, v);
	}
	if (t->n == before)
		text_puts(t, "(none)");
}

static void put_info(struct text *t, const struct json *network,
		     const struct json *chain, bool color)
{
	const char *reset = color ? "\x1b[0m" : "";

	text_printf(t, "%sChain: ", color ? "\x1b[34m" : "");
	put_plain(t, json_member(chain, "chain"));
	text_printf(t, "%s\n", reset);
	put_line(t, "Blocks", chain, "blocks");
	put_line(t, "Headers", chain, "headers");
	put_progress(t, chain);
	put_line(t, "Difficulty", chain, "difficulty");
	text_printf(t, "\n%sNetwork: in ", color ? "\x1b[32m" : "");
	put_plain(t, json_member(network, "connections_in"));
	text_puts(t, ", out ");
	put_plain(t, json_member(network, "connections_out"));
	text_puts(t, ", total ");
	put_plain(t, json_member(network, "connections"));
	text_printf(t, "%s\n", reset);
	put_line(t, "Version", network, "version");
	put_line(t, "Time offset (s)", network, "timeoffset");
	put_proxies(t, json_member(network, "networks"));
	put_line(t, "Min tx relay fee rate (BTC/kvB)", network, "relayfee");
	text_printf(t, "\n%sWarnings:%s ", color ? "\x1b[33m" : "", reset);
	put_warnings(t, json_member(network, "warnings"));
}

static const struct json *error_of(const struct json *reply)
{
	const struct json *e = json_member(reply, "error");

	return e && e->type != JSON_NULL ? e : NULL;
}

static int not_a_reply(struct text *err)
{
	text_puts(err, "error: expected reply to have result, error and id "
		       "properties");
	return EXIT_FAILURE;
}

int client_print_reply(struct text *out, struct text *err, const struct json *v)
{
	if (v->type != JSON_OBJECT || v->n == 0)
		return not_a_reply(err);
	if (error_of(v))
		return put_error(err, error_of(v));
	put_result(out, json_member(v, "result"));
	return EXIT_SUCCESS;
}

/* The member of a batch with this id, or NULL. */
static const struct json *reply_with_id(const struct json *v, int64_t id)
{
	int64_t got;
	size_t i;

	for (i = 0; v->type == JSON_ARRAY && i < v->n; i++)
		if (json_i64(&got, json_member(&v->kids[i], "id")) && got == id)
			return &v->kids[i];
	return NULL;
}

int client_print_info_reply(struct text *out, struct text *err,
			    const struct json *v, bool color)
{
	const struct json *net = reply_with_id(v, 0);
	const struct json *chain = reply_with_id(v, 1);

	if (error_of(v))
		return put_error(err, error_of(v));
	if (!net || !chain)
		return not_a_reply(err);
	if (error_of(net))
		return put_error(err, error_of(net));
	if (error_of(chain))
		return put_error(err, error_of(chain));
	put_info(out, json_member(net, "result"), json_member(chain, "result"),
		 color);
	return EXIT_SUCCESS;
}
