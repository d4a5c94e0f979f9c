/*
 * What the client sends: JSON-RPC bodies, paths, the server's address. Pure;
 * opens nothing and reads no configuration.
 */
#include <cairn/rpc/client_request.h>

#include <cairn/base/mem.h>
#include <cairn/rpc/client_params.h>

static void text_sink(void *arg, const char *p, size_t n)
{
	text_put(arg, p, n);
}

int client_request_put(struct text *t, struct text *err,
		       const char *const *words, size_t n, bool named,
		       const char *id)
{
	struct jw *w = jw_new(text_sink, t, false);
	int rc;

	jw_obj(w);
	jw_kstr(w, "method", words[0]);
	jw_key(w, "params");
	if (named)
		rc =
		    client_params_put_named(w, err, words[0], words + 1, n - 1);
	else
		rc = client_params_put(w, err, words[0], words + 1, n - 1);
	if (rc == 0) {
		jw_kstr(w, "id", id);
		jw_kstr(w, "jsonrpc", "2.0");
		jw_obj_end(w);
	}
	jw_free(w);
	return rc;
}

static void put_request(struct jw *w, const char *method, int64_t id)
{
	jw_obj(w);
	jw_kstr(w, "method", method);
	jw_key(w, "params");
	jw_arr(w);
	jw_arr_end(w);
	jw_ki64(w, "id", id);
	jw_kstr(w, "jsonrpc", "2.0");
	jw_obj_end(w);
}

void client_request_put_info(struct text *t)
{
	struct jw *w = jw_new(text_sink, t, false);

	jw_arr(w);
	put_request(w, "getnetworkinfo", 0);
	put_request(w, "getblockchaininfo", 1);
	jw_arr_end(w);
	jw_free(w);
}

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || strchr("-._~", c);
}

void client_request_path(struct text *t, const char *wallet)
{
	text_puts(t, wallet ? "/wallet/" : "/");
	for (; wallet && *wallet; wallet++) {
		if (is_plain(*wallet))
			text_put(t, wallet, 1);
		else
			text_printf(t, "%%%02x", (unsigned char)*wallet);
	}
}

bool client_port_parse(uint16_t *port, const char *s)
{
	int64_t v;

	if (!i64_parse(&v, s) || v < 1 || v > 65535)
		return false;
	*port = (uint16_t)v;
	return true;
}

bool client_split_host(char **host, uint16_t *port, const char *s)
{
	const char *colon = strrchr(s, ':'), *end = s + strlen(s);

	if (colon && (*s == '[' ? colon[-1] == ']' : strchr(s, ':') == colon)) {
		if (!client_port_parse(port, colon + 1))
			return false;
		end = colon;
	}
	if (*s == '[' && end > s + 1 && end[-1] == ']') {
		s++;
		end--;
	}
	*host = xasprintf("%.*s", (int)(end - s), s);
	return true;
}
