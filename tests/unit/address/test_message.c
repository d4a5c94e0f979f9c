/* Signed messages, against those of Bitcoin Core's tests. */
#include "suites.h"
#include "testdata.h"

#include <cairn/address/address.h>
#include <cairn/address/key.h>
#include <cairn/address/message.h>
#include <cairn/base/text.h>
#include <cairn/crypto/secret.h>
#include <cairn/params/params.h>

static bool verify(const char *address, const char *sig64, const char *message)
{
	uint8_t script[SCRIPT_OF_ADDRESS_MAX], sig[100];
	size_t n, sig_n;

	ck_assert(address_to_script(script, &n, NULL, address,
				    params_get(CHAIN_MAIN)));
	ck_assert_uint_eq(n, 25); /* P2PKH */
	ck_assert(base64_parse(sig, &sig_n, sig64));
	return message_verify(slice_of(sig, sig_n), script + 3,
			      slice_of(message, strlen(message)));
}

static const char no_one[] = "15CRxFdyRpGZLW9w8HnHvVduizdL5jKNbs";
static const char no_one_sig[] =
    "IPojfrX2dfPnH26UegfbGQQLrdK844DlHq5157/P6h57WyuS/Qsl+h/WSVGDF4MUi4rW"
    "SswW38oimDYfNNUBUOk=";

START_TEST(published_messages_verify)
{
	ck_assert(verify(no_one, no_one_sig, "Trust no one"));
	ck_assert(verify("11canuhp9X2NocwCq7xNrQYTmUgZAnLK3",
			 "IIcaIENoYW5jZWxsb3Igb24gYnJpbmsgb2Ygc2Vjb25kIGJhaWxvd"
			 "XQgZm9yIGJhbmtzIAaHRtbCeDZINyavx14=",
			 "Trust me"));
}
END_TEST

START_TEST(other_messages_keys_and_sizes_do_not)
{
	uint8_t hash[20] = {0}, sig[66] = {0};

	ck_assert(!verify(no_one, no_one_sig, "I never signed this"));
	ck_assert(!verify("1KqbBpLy5FARmTPD4VZnDDpYjkUvkr82Pm", no_one_sig,
			  "Trust no one"));
	for (size_t n = 0; n <= sizeof sig; n++)
		ck_assert(
		    !message_verify(slice_of(sig, n), hash, slice_of("x", 1)));
}
END_TEST

static void check_signs(const char *wif, const char *address)
{
	const struct params *p = params_get(CHAIN_MAIN);
	uint8_t script[SCRIPT_OF_ADDRESS_MAX], sig[MESSAGE_SIG_SIZE];
	struct secret_ctx *ctx = secret_ctx_new();
	char message[300];
	struct privkey k;
	size_t n;

	memset(message, 'm', sizeof message);
	ck_assert(privkey_parse(&k, wif, p));
	ck_assert(address_to_script(script, &n, NULL, address, p));
	/* Lengths of one and three bytes. */
	for (n = 0; n <= sizeof message; n += 50) {
		struct slice m = slice_of(message, n);

		message_sign(sig, ctx, &k, m);
		ck_assert(
		    message_verify(slice_of(sig, sizeof sig), script + 3, m));
		ck_assert(!message_verify(slice_of(sig, sizeof sig), script + 3,
					  slice_of("x", 1)));
	}
	secret_ctx_free(ctx);
}

START_TEST(own_messages_verify_with_the_address_of_the_key)
{
	/* Both forms of one key: Bitcoin Core's descriptor tests. */
	check_signs("L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1",
		    "1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV");
	check_signs("5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss",
		    "1HZwkjkeaoZfTSaJxDw6aKkxp45agDiEzN");
}
END_TEST

Suite *message_suite(void)
{
	Suite *s = suite_create("message");
	TCase *t = tcase_create("message");

	tcase_add_test(t, published_messages_verify);
	tcase_add_test(t, other_messages_keys_and_sizes_do_not);
	tcase_add_test(t, own_messages_verify_with_the_address_of_the_key);
	suite_add_tcase(s, t);
	return s;
}
