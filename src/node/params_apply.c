/*
 * A copy of a network's table row with the options that change it. Pure but for
 * its allocations; start only. The sentences for wrong values are bitcoind's
 * where tests of it compare them.
 */
#include <cairn/node/settings.h>

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/consensus/signet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to 64 hex digits, "0x" before them or not, as 32 bytes, most significant
 * first. */
static bool hex256(uint8_t be[32], const char *s)
{
	char full[65];
	size_t n;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	n = strlen(s);
	if (n > 64)
		return false;
	memset(full, '0', 64);
	memcpy(full + 64 - n, s, n);
	full[64] = '\0';
	return hex_parse(be, 32, full);
}

static int apply_min_work(struct params *p, const struct conf *c,
			  struct text *err)
{
	const char *v = conf_get(c, "minimumchainwork");
	uint8_t be[32];

	if (!v)
		return 0;
	if (!hex256(be, v)) {
		text_printf(err,
			    "Invalid minimum work specified (%s), must be up "
			    "to 64 hex digits",
			    v);
		return E_INVALID;
	}
	memcpy(p->min_chain_work, be, 32);
	return 0;
}

static int apply_assume_valid(struct params *p, const struct conf *c,
			      struct text *err)
{
	const char *v = conf_get(c, "assumevalid");
	uint8_t be[32];
	size_t i;

	if (!v)
		return 0;
	if (!hex256(be, v)) {
		text_printf(err,
			    "-assumevalid=%s is not the hash of a block "
			    "(up to 64 hex digits, 0: none)",
			    v);
		return E_INVALID;
	}
	for (i = 0; i < 32; i++)
		p->assume_valid.b[i] = be[31 - i];
	return 0;
}

/* What belongs to the default signet only is no fact of another one. */
static void custom_signet(struct params *p, uint8_t *take, size_t n)
{
	static const char *const no_seeds[] = {NULL};

	p->signet_challenge = slice_of(take, n);
	signet_magic(p->magic, p->signet_challenge);
	p->dns_seeds = no_seeds;
	memset(p->min_chain_work, 0, sizeof p->min_chain_work);
	memset(&p->assume_valid, 0, sizeof p->assume_valid);
	p->txdata_time_s = 0;
	p->txdata_count = 0;
	p->txdata_rate = 0;
}

static int apply_challenge(struct params *p, const struct conf *c,
			   struct text *err)
{
	const char *v[2];
	size_t n = conf_get_all(c, "signetchallenge", v, 2);
	uint8_t *bytes;

	if (n == 0)
		return 0;
	if (n > 1) {
		text_puts(err, "-signetchallenge cannot be multiple values.");
		return E_INVALID;
	}
	n = strlen(v[0]) / 2;
	bytes = xmalloc(n + 1);
	if (!hex_is(v[0]) || !hex_parse(bytes, n, v[0])) {
		free(bytes);
		text_printf(err, "-signetchallenge must be hex, not '%s'.",
			    v[0]);
		return E_INVALID;
	}
	custom_signet(p, bytes, n);
	return 0;
}

static void apply_seeds(struct params *p, const struct conf *c)
{
	const char **v = conf_list(c, "signetseednode");

	if (v[0])
		p->dns_seeds = v;
	else
		free(v);
}

int params_apply(struct params *p, struct text *err, const struct conf *c,
		 enum chain_id chain)
{
	struct params q = *params_get(chain);
	int rc = 0;

	if (chain == CHAIN_SIGNET) {
		rc = apply_challenge(&q, c, err);
		if (rc)
			return rc;
		apply_seeds(&q, c);
	}
	rc = apply_min_work(&q, c, err);
	if (rc == 0)
		rc = apply_assume_valid(&q, c, err);
	if (rc == 0)
		rc = deployments_apply(&q, err, c);
	if (rc) {
		params_apply_fini(&q);
		return rc;
	}
	*p = q;
	return 0;
}

/* What differs from the table's row was allocated here. */
void params_apply_fini(struct params *p)
{
	const struct params *row = params_get(p->id);

	if (p->signet_challenge.p != row->signet_challenge.p)
		free((void *)(uintptr_t)p->signet_challenge.p);
	if (p->dns_seeds != row->dns_seeds && p->dns_seeds[0])
		free((void *)(uintptr_t)p->dns_seeds);
	p->signet_challenge = row->signet_challenge;
	p->dns_seeds = row->dns_seeds;
}
