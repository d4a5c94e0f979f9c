/*
 * cairn-util: offline tools, one word each, by a table. One thread; talks to no
 * node. What the words do stands in the other files of this name.
 */
#include "cairn-util.h"

#include <cairn/base/err.h>
#include <cairn/crypto/sha256.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command {
	const char *word;
	int (*run)(int argc, char **argv);
} commands[] = {
    {"blkinfo", util_blkinfo},
    {"decode", util_decode},
    {"verify-block", util_verify_block},
    {"verify-tx", util_verify_tx},
};

static int usage(FILE *to)
{
	fputs(
	    "Usage: cairn-util blkinfo FILE\n"
	    "       cairn-util decode [--raw | --hex] [--protocol=N] COMMAND\n"
	    "       cairn-util verify-block FILE --prevouts FILE --chain NAME\n"
	    "                  --height N [--mtp SECONDS] [--times FILE]\n"
	    "       cairn-util verify-tx <REQUESTS\n"
	    "       cairn-util --help | --version\n"
	    "\n"
	    "blkinfo  Walks a file of block records (blk*.dat, bootstrap.dat)\n"
	    "         of any known network and prints their number, the hash\n"
	    "         of the first and the last as they stand in the file,\n"
	    "         the bytes they take, and the bytes skipped as junk or\n"
	    "         as a record that the file does not hold whole. A key\n"
	    "         in xor.dat beside the file is applied. A malformed\n"
	    "         block ends the walk: its offset is named, exit code 1.\n"
	    "\n"
	    "decode   Reads the payload of a P2P message from standard input,\n"
	    "         as bytes or as hexadecimal digits, and prints it as\n"
	    "         JSON. COMMAND is that of the message (version, inv,\n"
	    "         cmpctblock, ...), or header for a bare block header;\n"
	    "         tx and block read bare ones too. --protocol is the\n"
	    "         sender's protocol version, 70016 unless given. Of a\n"
	    "         malformed payload the field, the offset and the reason\n"
	    "         are named, exit code 1.\n"
	    "\n"
	    "verify-block  Judges a block with the coins that it spends, in a\n"
	    "         file of the form PVO1, by every rule that needs no\n"
	    "         chain, scripts among them, and prints the verdict,\n"
	    "         counts and times. --mtp is the median time past of the\n"
	    "         block before it, --times a file with that of each coin;\n"
	    "         locks that need them are counted where they are absent.\n"
	    "         Exit code 1 if the block is invalid.\n"
	    "\n"
	    "verify-tx  Reads requests from standard input, one JSON object a\n"
	    "         line, and answers each with a line: whether the scripts\n"
	    "         of a transaction verify, or the first input that does\n"
	    "         not and the error by Bitcoin Core's name. Members: tx,\n"
	    "         prevouts [{value, script}], flags or chain and height;\n"
	    "         input for one input alone, with scriptSig and witness\n"
	    "         to be put into it. Exit code 1 if a line made no "
	    "sense.\n",
	    to);
	return to == stdout ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		int rc;

		if (strcmp(argv[1], commands[i].word) != 0)
			continue;
		rc = commands[i].run(argc - 2, argv + 2);
		return rc == UTIL_USAGE ? usage(stderr) : rc;
	}
	return usage(stderr);
}

int main(int argc, char **argv)
{
	int rc = crypto_init();

	if (rc)
		fprintf(stderr, "cairn-util: crypto: %s\n", err_str(rc));
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("cairn-util " CAIRN_VERSION);
		return EXIT_SUCCESS;
	}
	if (argc < 2)
		return usage(stderr);
	return run(argc, argv);
}
