/*
 * Deployments by the options of tests: -testactivationheight moves buried ones,
 * -vbparams those by version bits, -test=bip94 brings testnet4's rules to
 * regtest. Pure but for a list; start only. Sentences are bitcoind's.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad_activation(struct text *err, const char *what, const char *v)
{
	text_printf(err,
		    "Invalid %s (%s) for -testactivationheight=name@height.",
		    what, v);
	return E_INVALID;
}

static int apply_activation(struct params *p, const char *v, struct text *err)
{
	const char *at = strchr(v, '@');
	enum deployment d;
	int64_t height;
	char name[16];

	if (!at)
		return bad_activation(err, "format", v);
	if (!i64_parse(&height, at + 1) || height < 0 || height >= INT32_MAX)
		return bad_activation(err, "height value", v);
	snprintf(name, sizeof name, "%.*s", (int)(at - v), v);
	if ((size_t)(at - v) >= sizeof name || !deployment_parse(name, &d))
		return bad_activation(err, "name", v);
	p->deploy_height[d] = (int32_t)height;
	return 0;
}

/* Up to the next colon, or the end; NULL behind the last part. */
static const char *take_part(struct text *part, const char *s)
{
	size_t n = strcspn(s, ":");

	text_reset(part);
	text_put(part, s, n);
	return s[n] ? s + n + 1 : NULL;
}

static int bad_number(struct text *err, const char *what, const char *v)
{
	text_printf(err, "Invalid %s (%s)", what, v);
	return E_INVALID;
}

/* The numbers of deployment:start:end[:height], each checked in turn. */
static int read_times(struct vb_rule *d, const char *s, struct text *part,
		      struct text *err)
{
	int64_t height = 0;

	s = take_part(part, s);
	if (!i64_parse(&d->start_s, text_str(part)))
		return bad_number(err, "nStartTime", text_str(part));
	s = take_part(part, s);
	if (!i64_parse(&d->timeout_s, text_str(part)))
		return bad_number(err, "nTimeout", text_str(part));
	if (s) {
		take_part(part, s);
		if (!i64_parse(&height, text_str(part)) || height < INT32_MIN ||
		    height > INT32_MAX)
			return bad_number(err, "min_activation_height",
					  text_str(part));
	}
	d->min_activation_height = (int32_t)height;
	return 0;
}

static size_t count_colons(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == ':';
	return n;
}

static int apply_vb(struct params *p, const char *v, struct text *err)
{
	struct text name = TEXT_INIT, part = TEXT_INIT;
	size_t colons = count_colons(v);
	struct vb_rule rule = {0};
	enum vb_deployment d;
	int rc;

	if (colons < 2 || colons > 3) {
		text_puts(err, "Version bits parameters malformed, expecting "
			       "deployment:start:end[:min_activation_height]");
		return E_INVALID;
	}
	v = take_part(&name, v);
	rc = read_times(&rule, v, &part, err);
	if (rc == 0 && !vb_deployment_parse(text_str(&name), &d))
		rc = bad_number(err, "deployment", text_str(&name));
	if (rc == 0) {
		p->vb[d].start_s = rule.start_s;
		p->vb[d].timeout_s = rule.timeout_s;
		p->vb[d].min_activation_height = rule.min_activation_height;
	}
	text_fini(&part);
	text_fini(&name);
	return rc;
}

/* What bitcoind's other words for tests change is not there to be changed. */
static int apply_test(struct params *p, const char *v, struct text *err)
{
	if (strcmp(v, "bip94") == 0) {
		p->bip94 = true;
		return 0;
	}
	if (strcmp(v, "addrman") == 0 ||
	    strcmp(v, "reindex_after_failure_noninteractive_yes") == 0)
		return 0;
	text_printf(
	    err, "Unrecognised option \"%s\" provided in -test=<option>.", v);
	return E_INVALID;
}

static int apply_each(struct params *p, const struct conf *c, const char *key,
		      int (*apply)(struct params *, const char *,
				   struct text *),
		      struct text *err)
{
	const char **v = conf_list(c, key);
	int rc = 0;
	size_t i;

	for (i = 0; v[i] && rc == 0; i++)
		rc = apply(p, v[i], err);
	free(v);
	return rc;
}

int deployments_apply(struct params *p, struct text *err, const struct conf *c)
{
	int rc =
	    apply_each(p, c, "testactivationheight", apply_activation, err);

	if (rc == 0)
		rc = apply_each(p, c, "vbparams", apply_vb, err);
	if (rc == 0)
		rc = apply_each(p, c, "test", apply_test, err);
	return rc;
}
