/* Real and published transactions. */
#include "wiretest.h"

#include "walk.h"

#include <cairn/base/buf.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

/* txids as the data folder names them. */
static const struct {
	const char *file, *txid;
} known[] = {
    {"txs/7393096d-tapscript-1000-sigs.bin",
     "7393096d97bfee8660f4100ffd61874d62f9a65de9fb6acf740c4c386990ef73"},
    {"txs/73be398c-opsuccess-500003-items.bin",
     "73be398c4bdc43709db7398106609eea2a7841aaf3a4fa2000dc18184faa2a7e"},
    {"txs/bcoin-tx1.bin",
     "ff80fe4937e2de16411c3a2bc534d661dc8b4f8aad75e6fbc4b1ec6060d9ef1c"},
    {"txs/bcoin-tx2.bin",
     "7ef7cde4e4a7829ea6feaf377c924b36d0958e2231a31ff268bd33a59ac9e178"},
    {"txs/bcoin-tx3.bin",
     "2c63aa814701cef5dbd4bbaddab3fea9117028f2434dddcdab8339141e9b14d1"},
    {"txs/bcoin-tx4.bin",
     "eddbfbacd61c74e5702e1f5b0e4fa569bffe658bd763f6b27ab0c5fe17acc6e2"},
    {"txs/c-859672-2129-tapscript-229-items.bin",
     "72f2010a275a4e89b04ae1b561180fe3b27cad447a92a24a4633eb4631179f95"},
    {"txs/megatx.bin",
     "bb41a757f405890fb0f5856228e23b715702d714d59bf2b1feb70d8b2b4e3e08"},
};

/* Everything that must hold of a whole transaction. */
static void check_tx(struct slice raw, struct hash256 *txid)
{
	struct hash256 plain;
	struct walk w = {0};
	struct tx_view v;
	struct rd r;
	uint8_t *base;

	rd_init(&r, raw);
	ck_assert(tx_view_parse(&v, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
	walk_tx(&w, &v);
	base = malloc(v.base_size);
	ck_assert_ptr_nonnull(base);
	ck_assert_ptr_eq(tx_put_base(base, &v), base + v.base_size);
	sha256d(&plain, base, v.base_size);
	tx_txid(txid, &v);
	ck_assert(hash256_eq(txid, &plain));
	free(base);
}

START_TEST(real_transactions_have_their_txid)
{
	if (td_missing())
		return;
	char txt[HASH256_STR];
	struct hash256 txid;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct buf *b = td_read(known[i].file);
		check_tx(buf_payload(b), &txid);
		ck_assert_str_eq(hash256_fmt(txt, &txid), known[i].txid);
		if (buf_payload(b).n < 100000)
			check_cuts(walk_tx_body, buf_payload(b));
		buf_unref(b);
	}
}
END_TEST

/* Length of the string that begins at p: up to a quote without a backslash. */
static size_t string_len(const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != '"')
		n += p[n] == '\\' ? 2 : 1;
	return n;
}

/* Every string of the file that can only be a transaction: hex, longer than a
 * hash, with more behind it in its row (comments are rows of one string). */
static size_t check_file(const char *name)
{
	char *text = td_read_text(name);
	struct hash256 txid;
	size_t n, size, txs = 0;
	uint8_t *raw;

	for (char *p = strchr(text, '"'); p; p = strchr(p, '"')) {
		n = string_len(++p);
		ck_assert(p[n] == '"');
		bool more = p[n + 1] == ',';
		p[n] = '\0';
		if (more && n > 64 && hex_is(p)) {
			raw = td_hex(p, n, &size);
			check_tx(slice_of(raw, size), &txid);
			free(raw);
			txs++;
		}
		p += n + 1;
	}
	free(text);
	return txs;
}

START_TEST(transactions_of_bitcoin_core_are_read)
{
	if (td_missing())
		return;
	ck_assert_uint_eq(check_file("vectors/core/tx_valid.json"), 121);
	ck_assert_uint_eq(check_file("vectors/core/tx_invalid.json"), 93);
}
END_TEST

Suite *txvectors_suite(void)
{
	Suite *s = suite_create("txvectors");
	TCase *t = tcase_create("txvectors");

	tcase_add_test(t, real_transactions_have_their_txid);
	tcase_add_test(t, transactions_of_bitcoin_core_are_read);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}
