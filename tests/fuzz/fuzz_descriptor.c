/*
 * Descriptors. The first byte: network, whether a checksum is needed or made;
 * the next the index. What is refused has a sentence; what is read is written
 * in a form that reads as the same, and gives the same scripts; each of these
 * has a descriptor that gives it too.
 */
#include "fuzz.h"

#include <cairn/address/descriptor.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/params/params.h>

#define VARIANTS_MAX 4 /* of which all is looked at */

/* Append the scripts at an index, one behind the other; false: not without
 * private keys. */
static bool put_scripts(struct text *out, const struct descriptor *d,
			size_t variant, uint32_t index)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor_walk *w = NULL;
	size_t n = 0;
	int rc = descriptor_walk(&w, d, variant);

	if (rc == 0)
		rc = descriptor_walk_at(w, script, &n, index);
	fuzz_check(rc == 0 || rc == E_NOTFOUND);
	fuzz_check(n <= DESCRIPTOR_SCRIPTS_MAX);
	for (size_t i = 0; i < n; i++) {
		uint8_t len[4];

		le32_put(len, (uint32_t)script[i].n);
		text_put(out, (const char *)len, 4);
		text_put(out, (const char *)script[i].p, script[i].n);
	}
	descriptor_walk_free(w);
	return rc == 0;
}

static struct descriptor *parse(const struct text *t, const struct params *p)
{
	struct text err = TEXT_INIT;
	struct descriptor *d = NULL;

	fuzz_check(descriptor_parse(&d, &err, slice_of(t->p, t->n), true, p) ==
		   0);
	text_fini(&err);
	return d;
}

/* The name of a script stands for this script alone. */
static void check_name(struct slice script, const struct params *p)
{
	struct text name = TEXT_INIT, got = TEXT_INIT;
	struct descriptor *d;

	descriptor_of_script(&name, script, NULL, 0, p);
	d = parse(&name, p);
	fuzz_check(!descriptor_is_range(d) && descriptor_variants(d) == 1);
	fuzz_check(put_scripts(&got, d, 0, 0) && got.n == script.n + 4);
	fuzz_check(memcmp(got.p + 4, script.p, script.n) == 0);
	descriptor_free(d);
	text_fini(&name);
	text_fini(&got);
}

static void check_names(const struct text *scripts, const struct params *p)
{
	for (size_t at = 0; at < scripts->n;) {
		const uint8_t *s = (const uint8_t *)scripts->p + at;
		size_t n = le32_get(s);

		check_name(slice_of(s + 4, n), p);
		at += 4 + n;
	}
}

static void check_variant(const struct descriptor *d, size_t variant,
			  uint32_t index, const struct params *p)
{
	struct text canon = TEXT_INIT, again = TEXT_INIT;
	struct text scripts = TEXT_INIT, same = TEXT_INIT;
	struct descriptor *e;
	bool found;

	descriptor_put(&canon, d, variant);
	e = parse(&canon, p);
	fuzz_check(descriptor_variants(e) == 1 && !descriptor_has_private(e));
	fuzz_check(descriptor_is_range(e) == descriptor_is_range(d));
	fuzz_check(descriptor_is_solvable(e) == descriptor_is_solvable(d));
	descriptor_put(&again, e, 0);
	fuzz_check(canon.n == again.n &&
		   memcmp(canon.p, again.p, canon.n) == 0);
	found = put_scripts(&scripts, d, variant, index);
	fuzz_check(found || !put_scripts(&same, e, 0, index));
	text_reset(&same);
	if (found && put_scripts(&same, e, 0, index)) {
		fuzz_check(scripts.n == same.n);
		fuzz_check(!same.n || !memcmp(scripts.p, same.p, same.n));
		check_names(&scripts, p);
	}
	descriptor_free(e);
	text_fini(&canon);
	text_fini(&again);
	text_fini(&scripts);
	text_fini(&same);
}

static void check_read(const struct descriptor *d, uint32_t index,
		       const struct params *p)
{
	size_t n = descriptor_variants(d);

	fuzz_check(n > 0);
	for (size_t i = 0; i < n && i < VARIANTS_MAX; i++)
		check_variant(d, i, index, p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = TEXT_INIT, err = TEXT_INIT;
	struct descriptor *d = NULL;
	const struct params *p;
	char sum[9];

	if (size < 2)
		return 0;
	p = params_get(data[0] & 1 ? CHAIN_REGTEST : CHAIN_MAIN);
	text_put(&text, (const char *)data + 2, size - 2);
	if (data[0] & 2 && descriptor_checksum(sum, text_str(&text), text.n)) {
		text_put(&text, "#", 1);
		text_put(&text, sum, 8);
	}
	if (descriptor_parse(&d, &err, slice_of(text.p, text.n), data[0] & 4,
			     p) == 0)
		check_read(d, data[1] * 0x01010101u >> 1, p);
	else
		fuzz_check(err.n > 0 && !d);
	descriptor_free(d);
	text_fini(&text);
	text_fini(&err);
	return 0;
}
