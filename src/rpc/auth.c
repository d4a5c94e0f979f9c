/*
 * Who may call: the credentials of the cookie, -rpcuser and -rpcauth, and the
 * method lists of -rpcwhitelist. Built on start, read-only then; used on the
 * loop. Knows nothing of sockets: peer credentials are listen.c's and conn.c's.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <strings.h>

#define PAIR_MAX                                                               \
	6144u /* decoded "user:password"; the header is 8 KB at most           \
	       */

/* The time does not depend on where the two differ. */
static bool equal(struct slice a, struct slice b)
{
	uint8_t diff = a.n != b.n;
	size_t i;

	for (i = 0; i < a.n; i++)
		diff |= (uint8_t)(a.p[i] ^ (b.n ? b.p[i % b.n] : 1));
	return diff == 0;
}

static struct slice str(const char *s)
{
	return slice_of(s, strlen(s));
}

static char *dup_n(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

static struct cred *cred_add(struct auth *a)
{
	arr_grow(&a->creds, &a->cap, a->n + 1, sizeof *a->creds);
	memset(&a->creds[a->n], 0, sizeof *a->creds);
	return &a->creds[a->n++];
}

static void plain_add(struct auth *a, const char *user, const char *pass)
{
	struct cred *c = cred_add(a);

	c->user = xstrdup(user);
	c->pass = xstrdup(pass);
}

/* user:salt$hash, each separator once. */
static int line_add(struct auth *a, struct text *err, const char *line)
{
	const char *colon = strchr(line, ':');
	const char *dollar = colon ? strchr(colon, '$') : NULL;
	struct cred *c;

	if (!dollar || strchr(colon + 1, ':') || strchr(dollar + 1, '$')) {
		text_puts(err, "Invalid -rpcauth argument: it must have the "
			       "form user:salt$hash");
		return E_INVALID;
	}
	c = cred_add(a);
	c->user = dup_n(line, (size_t)(colon - line));
	c->salt = dup_n(colon + 1, (size_t)(dollar - colon - 1));
	c->hash = xstrdup(dollar + 1);
	return 0;
}

static struct whitelist *list_find(const struct auth *a, const char *user)
{
	size_t i;

	for (i = 0; i < a->n_lists; i++)
		if (strcmp(a->lists[i].user, user) == 0)
			return &a->lists[i];
	return NULL;
}

static bool list_has(const struct whitelist *l, const char *method)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strcmp(l->methods[i], method) == 0)
			return true;
	return false;
}

static void methods_add(struct whitelist *l, const char *s)
{
	size_t cap = 0, n;

	for (; *s; s += n) {
		s += strspn(s, ", ");
		n = strcspn(s, ", ");
		if (n == 0)
			continue;
		arr_grow(&l->methods, &cap, l->n + 1, sizeof *l->methods);
		l->methods[l->n++] = dup_n(s, n);
	}
}

static void list_fini(struct whitelist *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->methods[i]);
	free(l->methods);
	free(l->user);
}

/* Keep in old only what more has too: two lines for a user intersect. */
static void list_intersect(struct whitelist *old, const struct whitelist *more)
{
	size_t i, n = 0;

	for (i = 0; i < old->n; i++) {
		if (list_has(more, old->methods[i]))
			old->methods[n++] = old->methods[i];
		else
			free(old->methods[i]);
	}
	old->n = n;
}

static void whitelist_add(struct auth *a, const char *line)
{
	const char *colon = strchr(line, ':');
	struct whitelist l = {NULL, NULL, 0}, *old;

	l.user = colon ? dup_n(line, (size_t)(colon - line)) : xstrdup(line);
	if (colon)
		methods_add(&l, colon + 1);
	old = list_find(a, l.user);
	if (old && colon)
		list_intersect(old, &l);
	if (old) {
		list_fini(&l);
		return;
	}
	arr_grow(&a->lists, &a->cap_lists, a->n_lists + 1, sizeof *a->lists);
	a->lists[a->n_lists++] = l;
}

int auth_init(struct auth *a, struct text *err, const struct rpc_cfg *cfg,
	      const char *cookie)
{
	const char *const *p;
	int rc;

	memset(a, 0, sizeof *a);
	a->hmac = cfg->hmac_sha256;
	if (cfg->password && *cfg->password)
		plain_add(a, cfg->user ? cfg->user : "", cfg->password);
	else if (cookie)
		plain_add(a, COOKIE_USER, cookie);
	for (p = cfg->auth; p && *p; p++) {
		must(a->hmac);
		rc = line_add(a, err, *p);
		if (rc)
			return rc;
	}
	for (p = cfg->whitelist; p && *p; p++)
		whitelist_add(a, *p);
	a->need_list = cfg->whitelist_default < 0 ? a->n_lists > 0
						  : cfg->whitelist_default > 0;
	return 0;
}

void auth_fini(struct auth *a)
{
	size_t i;

	for (i = 0; i < a->n; i++) {
		free(a->creds[i].user);
		free(a->creds[i].pass);
		free(a->creds[i].salt);
		free(a->creds[i].hash);
	}
	free(a->creds);
	for (i = 0; i < a->n_lists; i++)
		list_fini(&a->lists[i]);
	free(a->lists);
	memset(a, 0, sizeof *a);
}

static bool pass_ok(const struct auth *a, const struct cred *c,
		    struct slice pass)
{
	uint8_t mac[32];
	char hex[65];

	if (c->pass)
		return equal(pass, str(c->pass));
	a->hmac(mac, str(c->salt), pass);
	hex_put(hex, slice_of(mac, sizeof mac));
	return equal(str(hex), str(c->hash));
}

/* "user:password" as decoded: the password may hold colons. */
static const char *pair_user(const struct auth *a, struct slice pair)
{
	const uint8_t *colon = pair.n ? memchr(pair.p, ':', pair.n) : NULL;
	struct slice user, pass;
	const char *found = NULL;
	size_t i;

	if (!colon)
		return NULL;
	user = slice_of(pair.p, (size_t)(colon - pair.p));
	pass = slice_of(colon + 1, pair.n - user.n - 1);
	for (i = 0; i < a->n && !found; i++)
		if (equal(user, str(a->creds[i].user)) &&
		    pass_ok(a, &a->creds[i], pass))
			found = a->creds[i].user;
	return found;
}

const char *auth_user(const struct auth *a, const char *header)
{
	uint8_t pair[PAIR_MAX + 4];
	char b64[HEAD_MAX + 1];
	const char *found = NULL;
	size_t n, len;

	if (strncasecmp(header, "Basic ", 6) != 0)
		return NULL;
	header += 6;
	header += strspn(header, " \t");
	n = strlen(header);
	while (n && (header[n - 1] == ' ' || header[n - 1] == '\t'))
		n--;
	if (n / 4 * 3 > PAIR_MAX)
		return NULL;
	memcpy(b64, header, n);
	b64[n] = '\0';
	if (base64_parse(pair, &len, b64)) {
		found = pair_user(a, slice_of(pair, len));
		explicit_bzero(pair, len);
	}
	explicit_bzero(b64, n);
	return found;
}

bool auth_may_call(const struct auth *a, const char *user)
{
	return !a->need_list || list_find(a, user) != NULL;
}

bool auth_may_call_method(const struct auth *a, const char *user,
			  const char *method)
{
	const struct whitelist *l = list_find(a, user);

	return l ? list_has(l, method) : !a->need_list;
}
