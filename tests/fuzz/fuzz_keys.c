/*
 * Addresses, private keys and extended keys as text behind a byte that names
 * the network. What is read is written as it was, but for white space around
 * it and case; what is refused says where, inside of the text.
 */
#include "fuzz.h"

#include <cairn/address/address.h>
#include <cairn/address/key.h>
#include <cairn/crypto/secret.h>
#include <cairn/params/params.h>

#include <ctype.h>
#include <strings.h>

/* text is want, perhaps with white space around it and in other case. */
static bool is_text(const char *text, const char *want)
{
	while (isspace((unsigned char)*text))
		text++;
	if (strncasecmp(text, want, strlen(want)) != 0)
		return false;
	text += strlen(want);
	while (isspace((unsigned char)*text))
		text++;
	return *text == '\0';
}

static void check_address(const char *text, const struct params *p)
{
	struct address_error e = {.n = 0};
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	char again[ADDRESS_STR];
	size_t n = 0;

	if (address_to_script(script, &n, &e, text, p)) {
		fuzz_check(n <= sizeof script);
		fuzz_check(address_of_script(again, slice_of(script, n), p));
		fuzz_check(is_text(text, again));
		return;
	}
	fuzz_check(strnlen(e.why, sizeof e.why) < sizeof e.why && e.why[0]);
	for (size_t i = 0; i < e.n && i < ADDRESS_ERRORS_MAX; i++) {
		fuzz_check(e.at[i] <= strlen(text));
		fuzz_check(i == 0 || e.at[i] > e.at[i - 1]);
	}
}

static void check_privkey(const char *text, const struct params *p)
{
	char again[WIF_STR];
	struct privkey k;

	if (!privkey_parse(&k, text, p))
		return;
	privkey_put(again, &k, p);
	fuzz_check(is_text(text, again));
}

static void check_child(const struct extkey *k, const struct secret_ctx *ctx,
			uint32_t index)
{
	struct extkey pub = *k, a, b;

	memset(pub.secret, 0, sizeof pub.secret);
	pub.has_secret = false;
	fuzz_check(!extkey_child(&b, &pub, ctx, index | EXTKEY_HARDENED));
	if (!extkey_child(&b, &pub, ctx, index & ~EXTKEY_HARDENED))
		return;
	fuzz_check(extkey_child(&a, k, ctx, index & ~EXTKEY_HARDENED));
	fuzz_check(memcmp(a.pub, b.pub, sizeof a.pub) == 0);
	fuzz_check(memcmp(a.chain, b.chain, sizeof a.chain) == 0);
	fuzz_check(a.depth == b.depth && a.index == b.index);
}

static void check_extkey(const char *text, const struct secret_ctx *ctx,
			 const struct params *p)
{
	char again[EXTKEY_STR];
	struct extkey k;

	if (!extkey_parse(&k, ctx, text, p))
		return;
	extkey_put(again, &k, k.has_secret, p);
	fuzz_check(is_text(text, again));
	check_child(&k, ctx, (uint32_t)strlen(text) * 0x9e3779b9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct secret_ctx *ctx;
	const struct params *p;
	char *text;

	if (size < 1)
		return 0;
	if (!ctx)
		ctx = secret_ctx_new();
	fuzz_check(ctx);
	p = params_get(data[0] & 1 ? CHAIN_REGTEST : CHAIN_MAIN);
	text = (char *)fuzz_new(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	check_address(text, p);
	check_privkey(text, p);
	check_extkey(text, ctx, p);
	free(text);
	return 0;
}
