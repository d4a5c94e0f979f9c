/*
 * What settings say about words that others read: the log's categories and
 * level, and the name that we tell our peers. Pure; start only.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>
#include <cairn/base/log.h>

#include <stdlib.h>
#include <string.h>

#define UA_MAX 256 /* longest that peers take (protocol limit) */

static bool is_none(const char *name)
{
	return strcmp(name, "0") == 0 || strcmp(name, "none") == 0;
}

/* Where the list begins to count: behind the last "none" of -debug. */
static size_t behind_none(const char *const *v)
{
	size_t i, from = 0;

	for (i = 0; v[i]; i++) {
		if (is_none(v[i]))
			from = i + 1;
	}
	return from;
}

static int add_categories(uint32_t *mask, const struct conf *c, const char *key,
			  bool none_resets, struct text *err)
{
	const char **v = conf_list(c, key);
	size_t i = none_resets ? behind_none(v) : 0;
	uint32_t bits;
	int rc = 0;

	for (; v[i] && rc == 0; i++) {
		if (log_cat_parse(v[i], &bits)) {
			*mask |= bits;
			continue;
		}
		text_printf(err, "Unsupported logging category -%s=%s.", key,
			    v[i]);
		rc = E_INVALID;
	}
	free(v);
	return rc;
}

/* "level", or "category:level", which raises the level for all. */
static int add_level(int *level, const char *v, struct text *err)
{
	const char *colon = strchr(v, ':');
	enum log_level l;
	uint32_t bits;
	char name[32];
	size_t n = colon ? (size_t)(colon - v) : 0;
	bool ok = log_level_parse(colon ? colon + 1 : v, &l) && l >= LOG_INFO;

	if (!colon && !ok) {
		text_printf(err,
			    "Unsupported global logging level -loglevel=%s. "
			    "Valid values: info, debug, trace.",
			    v);
		return E_INVALID;
	}
	if (colon && ok && n < sizeof name) {
		memcpy(name, v, n);
		name[n] = '\0';
		ok = log_cat_parse(name, &bits);
	}
	if (!ok || n >= sizeof name) {
		text_printf(err,
			    "Unsupported category-specific logging level "
			    "-loglevel=%s.",
			    v);
		return E_INVALID;
	}
	if (!colon || (int)l > *level)
		*level = (int)l;
	return 0;
}

int log_options(const struct conf *c, uint32_t *mask, int *level,
		struct text *err)
{
	const char **v = conf_list(c, "loglevel");
	uint32_t on = 0, off = 0;
	int l = LOG_DEBUG, rc;
	size_t i;

	rc = add_categories(&on, c, "debug", true, err);
	if (rc == 0)
		rc = add_categories(&off, c, "debugexclude", false, err);
	for (i = 0; v[i] && rc == 0; i++)
		rc = add_level(&l, v[i], err);
	free(v);
	if (rc)
		return rc;
	*mask = on & ~off;
	*level = l;
	return 0;
}

/* The characters that BIP14 leaves to comments. */
static bool comment_ok(const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789 .,;-_?@";

	return s[strspn(s, safe)] == '\0';
}

static bool put_comments(struct text *ua, const char *const *v,
			 struct text *err)
{
	size_t i;

	for (i = 0; v[i]; i++) {
		if (!comment_ok(v[i])) {
			text_printf(err,
				    "User Agent comment (%s) contains unsafe "
				    "characters.",
				    v[i]);
			return false;
		}
		text_printf(ua, "%s%s", i ? "; " : "(", v[i]);
	}
	if (i)
		text_puts(ua, ")");
	return true;
}

char *user_agent_make(const struct conf *c, struct text *err)
{
	const char **v = conf_list(c, "uacomment");
	struct text ua = TEXT_INIT;
	bool ok;

	text_puts(&ua, "/Cairn:" CAIRN_VERSION);
	ok = put_comments(&ua, v, err);
	text_puts(&ua, "/");
	if (ok && ua.n > UA_MAX) {
		text_printf(err,
			    "Total length of network version string (%zu) "
			    "exceeds maximum length (%d). Reduce the number or "
			    "size of uacomments.",
			    ua.n, UA_MAX);
		ok = false;
	}
	free(v);
	if (ok)
		return ua.p;
	text_fini(&ua);
	return NULL;
}
