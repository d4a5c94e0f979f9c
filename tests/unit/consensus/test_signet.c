/* What follows from a signet's challenge (BIP325): its magic, its signatures.
 */
#include "model.h"
#include "suites.h"
#include "testdata.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/text.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/signet.h>
#include <cairn/params/params.h>
#include <cairn/wire/block.h>

START_TEST(signet_magic_of_the_default_challenge_is_the_table_s)
{
	const struct params *p = params_get(CHAIN_SIGNET);
	uint8_t magic[4];

	signet_magic(magic, p->signet_challenge);
	ck_assert_mem_eq(magic, p->magic, 4);
}
END_TEST

/* SHA256(SHA256(01 51)) and SHA256(SHA256(fd 0001 || 256 zeros)), by another
 * implementation. */
START_TEST(signet_magic_hashes_the_length_too)
{
	static const uint8_t anyone[] = {0x51}, zeros[256];
	uint8_t magic[4];
	char got[9];

	signet_magic(magic, slice_of(anyone, sizeof anyone));
	hex_put(got, slice_of(magic, 4));
	ck_assert_str_eq(got, "54d26fbd");
	signet_magic(magic, slice_of(zeros, sizeof zeros));
	hex_put(got, slice_of(magic, 4));
	ck_assert_str_eq(got, "9a705263");
}
END_TEST

/* The next record of a chain file: magic, length, block. */
static bool next_block(struct block_view *v, const struct buf *file, size_t *at)
{
	const uint8_t *p = buf_payload(file).p + *at;
	size_t trailing;

	if (*at + 8 > file->n)
		return false;
	ck_assert_int_eq(
	    block_view_parse(v, &trailing, slice_of(p + 8, le32_get(p + 4))),
	    0);
	block_hash_txs(v);
	*at += 8 + le32_get(p + 4);
	return true;
}

START_TEST(signet_blocks_of_the_network_are_signed)
{
	const struct params *p = params_get(CHAIN_SIGNET);
	struct params other = *p;
	struct block_view v;
	struct buf *file;
	size_t at = 0, n = 0;
	uint8_t key[80];

	if (td_missing())
		return;
	/* Another key in the challenge: nobody signed for it. */
	memcpy(key, p->signet_challenge.p, p->signet_challenge.n);
	key[10] ^= 1;
	key[50] ^= 1;
	other.signet_challenge = slice_of(key, p->signet_challenge.n);
	file = td_read("chains/signet-0-60.blk");
	for (; next_block(&v, file, &at); n++) {
		ck_assert_msg(signet_block_signed(&v, p), "block %zu", n);
		ck_assert(signet_block_signed(&v, &other) == (n == 0));
		block_view_fini(&v);
	}
	ck_assert_uint_eq(n, 61);
	buf_unref(file);
}
END_TEST

/* The solution covers version, parent, transactions and time; not the nonce. */
START_TEST(signet_signature_covers_what_the_block_says)
{
	const struct params *p = params_get(CHAIN_SIGNET);
	struct block_view v;
	struct buf *file;
	size_t at = 0;
	uint8_t *header;

	if (td_missing())
		return;
	file = td_read("chains/signet-0-60.blk");
	ck_assert(next_block(&v, file, &at));
	block_view_fini(&v);
	ck_assert(next_block(&v, file, &at));
	header = buf_data(file) + (v.header - buf_payload(file).p);
	header[76] ^= 1;
	ck_assert(signet_block_signed(&v, p));
	for (size_t i = 0; i < 72; i++) {
		if (i >= 36 && i < 68)
			continue; /* the root is made anew */
		header[i] ^= 1;
		ck_assert_msg(!signet_block_signed(&v, p), "byte %zu", i);
		header[i] ^= 1;
	}
	v.txid[0].b[0] ^= 1; /* the coinbase's own id is made anew as well */
	ck_assert(signet_block_signed(&v, p));
	block_view_fini(&v);
	buf_unref(file);
}
END_TEST

START_TEST(blocks_of_a_signet_without_its_solution_are_refused)
{
	const struct params *p = params_get(CHAIN_SIGNET);
	struct params other = *p;
	static const uint8_t nobody[] = {0x6a};
	struct block_view v;
	struct verdict r;
	struct buf *file;
	size_t at = 0;

	if (td_missing())
		return;
	file = td_read("chains/signet-0-60.blk");
	ck_assert(next_block(&v, file, &at));
	block_view_fini(&v);
	ck_assert(next_block(&v, file, &at));
	r = block_check(&v, p, false);
	assert_valid(&r, "as signed");
	other.signet_challenge = slice_of(nobody, sizeof nobody);
	r = block_check(&v, &other, false);
	assert_refused(&r, INV_CONSENSUS, "bad-signet-blksig", "not signed");
	/* A template is judged before it has work or a solution. */
	r = block_check(&v, &other, true);
	assert_valid(&r, "a template");
	block_view_fini(&v);
	buf_unref(file);
}
END_TEST

START_TEST(signet_challenge_without_key_needs_no_solution)
{
	struct params p = *params_get(CHAIN_SIGNET);
	static const uint8_t anyone[] = {0x51}, nobody[] = {0x6a};
	struct block_view v;
	struct buf *b;
	size_t trailing;

	if (td_missing())
		return;
	b = td_read("blocks/mainnet/mainnet-482683.bin");
	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	block_hash_txs(&v);
	p.signet_challenge = slice_of(anyone, sizeof anyone);
	ck_assert(signet_block_signed(&v, &p));
	p.signet_challenge = slice_of(nobody, sizeof nobody);
	ck_assert(!signet_block_signed(&v, &p));
	block_view_fini(&v);
	buf_unref(b);
}
END_TEST

Suite *signet_suite(void)
{
	Suite *s = suite_create("signet");
	TCase *t = tcase_create("magic");

	tcase_add_test(t, signet_magic_of_the_default_challenge_is_the_table_s);
	tcase_add_test(t, signet_magic_hashes_the_length_too);
	tcase_add_test(t, signet_blocks_of_the_network_are_signed);
	tcase_add_test(t, signet_signature_covers_what_the_block_says);
	tcase_add_test(t, blocks_of_a_signet_without_its_solution_are_refused);
	tcase_add_test(t, signet_challenge_without_key_needs_no_solution);
	suite_add_tcase(s, t);
	return s;
}
