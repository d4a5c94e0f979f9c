/*
 * Transactions of any form, with the outputs that they spend: for tests of what
 * is standard. The bytes are a plain encoding made here, not the codec's.
 */
#ifndef CAIRN_TESTS_UNIT_MEMPOOL_FORM_H
#define CAIRN_TESTS_UNIT_MEMPOOL_FORM_H

#include <cairn/wire/tx.h>

#define FORM_PARTS 256

struct form {
	int32_t version;
	uint32_t n_in, n_out, n_items;
	struct slice sig[FORM_PARTS];
	struct txout_view spent[FORM_PARTS], out[FORM_PARTS];
	uint32_t stack[FORM_PARTS]; /* items of each input's witness */
	struct slice item[FORM_PARTS];
	bool coinbase; /* the only input spends nothing */
	struct tx_view tx;
};

/* Version 2, with nothing in it. What the functions here made before is gone.
 */
void form_init(struct form *f);
void form_in(struct form *f, struct slice script_sig, struct slice spent);
/* One more item of the last input's witness. */
void form_item(struct form *f, struct slice item);
void form_out(struct form *f, int64_t value, struct slice script);
/* The transaction as it is now, parsed; until the next call. */
const struct tx_view *form_tx(struct form *f);

/* Scripts, in the notation of scripttext.h; and n bytes of one value. Until
 * the next form_init. */
struct slice form_script(const char *text);
struct slice form_bytes(size_t n, uint8_t value);
/* A push of s, as a script. */
struct slice form_push(struct slice s);

#endif
