/*
 * Prints the ids of a block's transactions. FILE holds one block as it is on
 * the wire, in bytes.
 *
 *	cc wire_example.c -o wire_example $(pkg-config --cflags --libs cairn-wire)
 */
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	static uint8_t file[4000000]; /* no block is larger */
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	char txid[HASH256_STR];
	struct block_view b;
	size_t n, trailing;

	if (!f) {
		fputs("Usage: wire_example FILE\n", stderr);
		return 2;
	}
	n = fread(file, 1, sizeof file, f);
	fclose(f);
	crypto_init(); /* choose the fastest hash code for this processor */
	if (block_view_parse(&b, &trailing, slice_of(file, n)) != 0) {
		fputs("malformed block\n", stderr);
		return 1;
	}
	block_hash_txs(&b);
	for (uint32_t i = 0; i < b.n_tx; i++)
		puts(hash256_fmt(txid, &b.txid[i]));
	block_view_fini(&b);
	return 0;
}
