/* Private and extended keys as text, and the steps of BIP 32. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/address.h>
#include <cairn/address/key.h>
#include <cairn/crypto/secret.h>
#include <cairn/params/params.h>

#include <stdio.h>
#include <stdlib.h>

static struct secret_ctx *ctx;

static void setup(void)
{
	ctx = secret_ctx_new();
}

static void teardown(void)
{
	secret_ctx_free(ctx);
}

/* BIP 32, test vectors 1 to 4: a seed begins a chain, the other rows are the
 * children that follow. */
static const struct {
	const char *seed;
	uint32_t index;
	const char *pub, *prv;
} bip32[] = {
    {"000102030405060708090a0b0c0d0e0f", 0,
     "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ2"
     "9ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
     "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChk"
     "VvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"},
    {NULL, EXTKEY_HARDENED,
     "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LH"
     "hwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
     "xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1"
     "rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7"},
    {NULL, 1,
     "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkN"
     "AWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
     "xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu5"
     "3Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs"},
    {NULL, EXTKEY_HARDENED | 2,
     "xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJP"
     "MM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5",
     "xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7"
     "FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM"},
    {NULL, 2,
     "xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyi"
     "LjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV",
     "xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8R"
     "fQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334"},
    {NULL, 1000000000,
     "xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcY"
     "FgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy",
     "xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmH"
     "ScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76"},
    {"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5"
     "a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b48"
     "4542",
     0,
     "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8"
     "ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB",
     "xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3p"
     "Gz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U"},
    {NULL, 0,
     "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUb"
     "C6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH",
     "xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dK"
     "Ynjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt"},
    {NULL, 0xffffffff,
     "xpub6ASAVgeehLbnwdqV6UKMHVzgqAG8Gr6riv3Fxxpj8ksbH9ebxaEyBLZ85y"
     "SDhKiLDBrQSARLq1uNRts8RuJiHjaDMBU4Zn9h8LZNnBC5y4a",
     "xprv9wSp6B7kry3Vj9m1zSnLvN3xH8RdsPP1Mh7fAaR7aRLcQMKTR2vidYEeEg"
     "2mUCTAwCd6vnxVrcjfy2kRgVsFawNzmjuHc2YmYRmagcEPdU9"},
    {NULL, 1,
     "xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvm"
     "dMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon",
     "xprv9zFnWC6h2cLgpmSA46vutJzBcfJ8yaJGg8cX1e5StJh45BBciYTRXSd25U"
     "EPVuesF9yog62tGAQtHjXajPPdbRCHuWS6T8XA2ECKADdw4Ef"},
    {NULL, 0xfffffffe,
     "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZR"
     "krgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL",
     "xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iA"
     "xn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc"},
    {NULL, 2,
     "xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdp"
     "q8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt",
     "xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7na"
     "dnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j"},
    {"4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4"
     "acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c732"
     "35be",
     0,
     "xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7"
     "mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13",
     "xprv9s21ZrQH143K25QhxbucbDDuQ4naNntJRi4KUfWT7xo4EKsHt2QJDu7KXp"
     "1A3u7Bi1j8ph3EGsZ9Xvz9dGuVrtHHs7pXeTzjuxBrCmmhgC6"},
    {NULL, EXTKEY_HARDENED,
     "xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgq"
     "bhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y",
     "xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qa"
     "MWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L"},
    {"3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b6"
     "78",
     0,
     "xpub661MyMwAqRbcGczjuMoRm6dXaLDEhW1u34gKenbeYqAix21mdUKJyuyu5F"
     "1rzYGVxyL6tmgBUAEPrEz92mBXjByMRiJdba9wpnN37RLLAXa",
     "xprv9s21ZrQH143K48vGoLGRPxgo2JNkJ3J3fqkirQC2zVdk5Dgd5w14S7fRDy"
     "HH4dWNHUgkvsvNDCkvAwcSHNAQwhwgNMgZhLtQC63zxwhQmRv"},
    {NULL, EXTKEY_HARDENED,
     "xpub69AUMk3qDBi3uW1sXgjCmVjJ2G6WQoYSnNHyzkmdCHEhSZ4tBok37xfFEq"
     "Hd2AddP56Tqp4o56AePAgCjYdvpW2PU2jbUPFKsav5ut6Ch1m",
     "xprv9vB7xEWwNp9kh1wQRfCCQMnZUEG21LpbR9NPCNN1dwhiZkjjeGRnaALmPX"
     "CX7SgjFTiCTT6bXes17boXtjq3xLpcDjzEuGLQBM5ohqkao9G"},
    {NULL, EXTKEY_HARDENED | 1,
     "xpub6BJA1jSqiukeaesWfxe6sNK9CCGaujFFSJLomWHprUL9DePQ4JDkM5d88n"
     "49sMGJxrhpjazuXYWdMf17C9T5XnxkopaeS7jGk1GyyVziaMt",
     "xprv9xJocDuwtYCMNAo3Zw76WENQeAS6WGXQ55RCy7tDJ8oALr4FWkuVoHJeHV"
     "AcAqiZLE7Je3vZJHxspZdFHfnBEjHqU5hG1Jaj32dVoS6XLT1"},
};

/* BIP 32, test vector 5: what is no extended key. */
static const char *const bip32_bad[] = {
    "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6L"
    "BpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm",
    "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFG"
    "TQQD3dC4H2D5GBj7vWvSQaaBv5cxi9gafk7NF3pnBju6dwKvH",
    "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6T"
    "xnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn",
    "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFG"
    "pWnsj83BHtEy5Zt8CcDr1UiRXuWCmTQLxEK9vbz5gPstX92JQ",
    "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N"
    "8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4",
    "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFA"
    "zHGBP2UuGCqWLTAPLcMtD9y5gkZ6Eq3Rjuahrv17fEQ3Qen6J",
    "xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fh"
    "ZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv",
    "xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX2"
    "7VbEXGENhYRCf7hyEbWrR3FewATdCEebj6znwMfQkhRYHRLpJ",
    "xprv9s21ZrQH4r4TsiLvyLXqM9P7k1K3EYhA1kkD6xuquB5i39AU8KF42acDyL"
    "3qsDbU9NmZn6MsGSUYZEsuoePmjzsB3eFKSUEh3Gu1N3cqVUN",
    "xpub661MyMwAuDcm6CRQ5N4qiHKrJ39Xe1R1NyfouMKTTWcguwVcfrZJaNvhpe"
    "bzGerh7gucBvzEQWRugZDuDXjNDRmXzSZe4c7mnTK97pTvGS8",
    "DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHG"
    "MQzT7ayAmfo4z3gY5KfbrZWZ6St24UVf2Qgo6oujFktLHdHY4",
    "DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHP"
    "mHJiEDXkTiJTVV9rHEBUem2mwVbbNfvT2MTcAqj3nesx8uBf9",
    "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzF9"
    "3Y5wvzdUayhgkkFoicQZcP3y52uPPxFnfoLZB21Teqt1VvEHx",
    "xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFA"
    "zHGBP2UuGCqWLTAPLcMtD5SDKr24z3aiUvKr9bJpdrcLg1y3G",
    "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q"
    "5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY",
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChk"
    "VvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL",
};

static void check_text(const struct extkey *k, const char *pub, const char *prv)
{
	const struct params *p = params_get(CHAIN_MAIN);
	char text[EXTKEY_STR];

	extkey_put(text, k, false, p);
	ck_assert_str_eq(text, pub);
	if (!k->has_secret)
		return;
	extkey_put(text, k, true, p);
	ck_assert_str_eq(text, prv);
}

/* Reading gives what was written, secret or not. */
static void check_parse(const struct extkey *k, const char *pub,
			const char *prv)
{
	const struct params *p = params_get(CHAIN_MAIN);
	struct extkey back;

	ck_assert(extkey_parse(&back, ctx, prv, p));
	ck_assert_mem_eq(&back, k, sizeof back);
	ck_assert(extkey_parse(&back, NULL, prv, p));
	ck_assert_mem_eq(&back, k, sizeof back);
	ck_assert(extkey_parse(&back, NULL, pub, p));
	ck_assert(!back.has_secret);
	check_text(&back, pub, NULL);
}

static void begin(struct extkey *k, const char *seed)
{
	uint8_t b[64];
	size_t n = td_hex_into(b, sizeof b, seed);

	ck_assert(extkey_of_seed(k, ctx, slice_of(b, n)));
}

START_TEST(children_are_those_of_bip32)
{
	const struct params *p = params_get(CHAIN_MAIN);
	struct extkey k, pub;
	size_t n = sizeof bip32 / sizeof *bip32;

	for (size_t i = 0; i < n; i++) {
		if (bip32[i].seed) {
			begin(&k, bip32[i].seed);
		} else {
			uint32_t step = bip32[i].index;
			bool plain = !(step & EXTKEY_HARDENED);

			/* Without the secret: the same, or nothing. */
			ck_assert(
			    extkey_parse(&pub, NULL, bip32[i - 1].pub, p));
			ck_assert(extkey_child(&pub, &pub, NULL, step) ==
				  plain);
			if (plain)
				check_text(&pub, bip32[i].pub, NULL);
			ck_assert(extkey_child(&k, &k, ctx, step));
		}
		check_text(&k, bip32[i].pub, bip32[i].prv);
		check_parse(&k, bip32[i].pub, bip32[i].prv);
	}
	printf("bip32: %zu keys\n", n);
	ck_assert_uint_eq(n, 17);
}
END_TEST

START_TEST(what_bip32_calls_invalid_is_refused)
{
	struct extkey k, was;
	size_t n = sizeof bip32_bad / sizeof *bip32_bad;

	memset(&k, 0x5a, sizeof k);
	was = k;
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(!extkey_parse(&k, ctx, bip32_bad[i],
					    params_get(CHAIN_MAIN)),
			      "%s", bip32_bad[i]);
	ck_assert_mem_eq(&k, &was, sizeof k);
	printf("bip32: %zu invalid keys\n", n);
	ck_assert_uint_eq(n, 16);
}
END_TEST

START_TEST(keys_of_another_network_are_refused)
{
	struct extkey k;

	ck_assert(!extkey_parse(&k, ctx, bip32[0].pub, params_get(CHAIN_TEST)));
	ck_assert(!extkey_parse(&k, ctx, bip32[0].prv, params_get(CHAIN_TEST)));
	ck_assert(!extkey_parse(&k, ctx, "", params_get(CHAIN_MAIN)));
}
END_TEST

START_TEST(nothing_lies_below_depth_255)
{
	struct extkey k;

	begin(&k, bip32[0].seed);
	for (unsigned i = 0; i < 255; i++)
		ck_assert(extkey_child(&k, &k, ctx, i));
	ck_assert_uint_eq(k.depth, 255);
	ck_assert(!extkey_child(&k, &k, ctx, 0));
	k.has_secret = false;
	ck_assert(!extkey_child(&k, &k, ctx, 0));
}
END_TEST

START_TEST(fingerprints_name_the_parent)
{
	struct extkey k, child;
	uint8_t fp[4];

	begin(&k, bip32[0].seed);
	ck_assert(extkey_child(&child, &k, ctx, 7));
	key_fingerprint(fp, slice_of(k.pub, 33));
	ck_assert_mem_eq(fp, child.parent, 4);
	ck_assert_uint_eq(child.index, 7);
	ck_assert_uint_eq(child.depth, 1);
}
END_TEST

static void check_wif(const char *text, const char *hex, bool compressed,
		      const struct params *p)
{
	struct privkey k;
	char back[WIF_STR];
	uint8_t want[32];

	ck_assert_msg(privkey_parse(&k, text, p), "%s", text);
	td_hex_into(want, 32, hex);
	ck_assert_mem_eq(k.b, want, 32);
	ck_assert(k.compressed == compressed);
	privkey_put(back, &k, p);
	ck_assert_str_eq(back, text);
}

START_TEST(private_keys_are_those_of_the_vectors)
{
	struct tj *all;
	size_t n = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/core/key_io_valid.json");
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = all->at[i].at;
		const struct params *p = params_named(tj_str(&c[2], "chain"));
		struct privkey k;

		if (!tj_true(&c[2], "isPrivkey")) {
			/* An address is no private key. */
			ck_assert(!privkey_parse(&k, c[0].str, p));
			continue;
		}
		check_wif(c[0].str, c[1].str, tj_true(&c[2], "isCompressed"),
			  p);
		n++;
	}
	printf("key_io_valid: %zu private keys\n", n);
	ck_assert_uint_eq(n, 16);
	tj_free(all);
}
END_TEST

START_TEST(invalid_strings_are_no_key_of_any_network)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/key_io_invalid.json");
	for (size_t i = 0; i < all->n; i++)
		for (int c = 0; c < CHAIN_COUNT; c++) {
			const struct params *p = params_get((enum chain_id)c);
			struct privkey k;
			struct extkey x;
			const char *s = all->at[i].at[0].str;

			ck_assert_msg(!privkey_parse(&k, s, p), "%s", s);
			ck_assert_msg(!extkey_parse(&x, ctx, s, p), "%s", s);
		}
	printf("key_io_invalid: %zu strings\n", all->n);
	ck_assert_uint_eq(all->n, 70);
	tj_free(all);
}
END_TEST

/* Right checksums over wrong contents. */
START_TEST(private_keys_out_of_range_or_of_another_form_are_refused)
{
	const struct params *p = params_get(CHAIN_MAIN);
	uint8_t b[35] = {p->addr_secret};
	struct privkey k;
	char text[80];

	b[32] = 1;
	base58check_put(text, slice_of(b, 33));
	ck_assert(privkey_parse(&k, text, p));
	b[33] = 1;
	base58check_put(text, slice_of(b, 34));
	ck_assert(privkey_parse(&k, text, p));
	b[33] = 2;
	base58check_put(text, slice_of(b, 34));
	ck_assert(!privkey_parse(&k, text, p));
	b[33] = 1;
	base58check_put(text, slice_of(b, 35));
	ck_assert(!privkey_parse(&k, text, p));
	base58check_put(text, slice_of(b, 32));
	ck_assert(!privkey_parse(&k, text, p));
	b[32] = 0;
	base58check_put(text, slice_of(b, 33));
	ck_assert(!privkey_parse(&k, text, p));
	memset(b + 1, 0xff, 32);
	base58check_put(text, slice_of(b, 33));
	ck_assert(!privkey_parse(&k, text, p));
}
END_TEST

Suite *key_suite(void)
{
	Suite *s = suite_create("key");
	TCase *t = tcase_create("key");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, children_are_those_of_bip32);
	tcase_add_test(t, what_bip32_calls_invalid_is_refused);
	tcase_add_test(t, keys_of_another_network_are_refused);
	tcase_add_test(t, nothing_lies_below_depth_255);
	tcase_add_test(t, fingerprints_name_the_parent);
	tcase_add_test(t, private_keys_are_those_of_the_vectors);
	tcase_add_test(t, invalid_strings_are_no_key_of_any_network);
	tcase_add_test(
	    t, private_keys_out_of_range_or_of_another_form_are_refused);
	suite_add_tcase(s, t);
	return s;
}
