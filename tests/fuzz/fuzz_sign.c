/*
 * Signing: a type, a transaction, what each of its inputs spends, or not known.
 * Inputs hold whatever signatures they do. What is said to be complete
 * verifies; signed again, or put together with what it was made of, it stays
 * complete. Nothing but scripts and witnesses changes.
 */
#include "fuzz.h"

#include <cairn/address/address.h>
#include <cairn/address/key.h>
#include <cairn/address/sign.h>
#include <cairn/base/buf.h>
#include <cairn/base/text.h>
#include <cairn/wire/txparts.h>

#define INPUTS_MAX 32
#define UNKNOWN    0xff

struct job {
	struct signer *s;
	struct tx_view tx;
	struct txout_view spent[INPUTS_MAX];
	struct sign_result results[INPUTS_MAX];
	bool all_known;
	uint8_t type;
};

static const uint8_t types[] = {0, 1, 2, 3, 0x81, 0x82, 0x83};

/* Scripts that hashes may be of: a key alone and its hash, and two of two. */
static void add_scripts(struct signer *s)
{
	static const char *const hex[] = {
	    "210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8"
	    "1798ac",
	    "76a914751e76e8199196d454941c45d1b3a323f1433bd688ac",
	    "0014751e76e8199196d454941c45d1b3a323f1433bd6",
	    "52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16"
	    "f817982102c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09"
	    "b95c709ee552ae",
	};

	for (size_t i = 0; i < sizeof hex / sizeof *hex; i++) {
		uint8_t b[128], wsh[P2WSH_SIZE];
		size_t n = strlen(hex[i]) / 2;

		fuzz_check(hex_parse(b, n, hex[i]));
		signer_add_script(s, slice_of(b, n));
		signer_add_script(
		    s, slice_of(wsh, p2wsh_put(wsh, slice_of(b, n))));
	}
}

static struct signer *new_signer(void)
{
	struct signer *s = signer_new();

	fuzz_check(s);
	for (uint8_t i = 1; i <= 3; i++) {
		struct privkey k = {.compressed = true};

		k.b[31] = i;
		signer_add_key(s, &k);
	}
	add_scripts(s);
	return s;
}

static bool read_spent(struct job *j, struct rd *r)
{
	j->all_known = true;
	for (uint32_t i = 0; i < j->tx.n_in; i++) {
		uint64_t value = rd_u64(r);
		uint8_t n = rd_u8(r);

		j->spent[i].value = (int64_t)value;
		j->spent[i].script = slice_of(NULL, 0);
		j->all_known &= n != UNKNOWN;
		if (n != UNKNOWN) {
			j->spent[i].script = rd_bytes(r, n);
			if (n == 0)
				j->spent[i].script = slice_of("", 0);
		}
	}
	return rd_ok(r) && rd_left(r) == 0;
}

/* Sign n forms; out is the result. */
static struct buf *sign(struct job *j, const struct tx_view *forms, size_t n,
			struct tx_view *out)
{
	struct buf *b = NULL;
	struct rd r;

	fuzz_check(sign_tx(j->s, &b, j->results, forms, n, j->spent, j->type) ==
		   0);
	rd_init(&r, buf_payload(b));
	fuzz_check(tx_view_parse(out, &r) && rd_left(&r) == 0);
	fuzz_check(out->n_in == j->tx.n_in && out->n_out == j->tx.n_out);
	return b;
}

/* Only inputs that are known changed, and in their scripts alone. */
static void check_rest(const struct job *j, const struct tx_view *out)
{
	struct txin_view a, b;
	struct tx_iter ia, ib;

	fuzz_check(j->tx.version == out->version &&
		   j->tx.lock_time == out->lock_time);
	txins(&ia, &j->tx);
	txins(&ib, out);
	for (uint32_t i = 0; txin_next(&ia, &a) && txin_next(&ib, &b); i++) {
		fuzz_check(a.sequence == b.sequence &&
			   !memcmp(a.prevout, b.prevout, OUTPOINT_SIZE));
		fuzz_check(j->results[i].known ==
			   (j->spent[i].script.p != NULL));
		fuzz_check(j->results[i].known || !j->results[i].complete);
		fuzz_check(j->results[i].known ||
			   (a.script.n == b.script.n &&
			    !memcmp(a.script.p, b.script.p, a.script.n)));
	}
}

static void check_complete(const struct job *j, const struct tx_view *out)
{
	struct txout_view spent[INPUTS_MAX];
	struct script_failure f;
	struct tx_sighash shared;

	for (uint32_t i = 0; i < out->n_in; i++) {
		spent[i] = j->spent[i];
		if (!spent[i].script.p)
			spent[i].script = slice_of("", 0);
	}
	tx_sighash_init_all(&shared, out, spent);
	for (uint32_t i = 0; i < out->n_in; i++)
		fuzz_check(!j->results[i].complete ||
			   script_verify_inputs(&f, &shared, i, 1,
						SCRIPT_FLAGS_STANDARD, NULL));
}

/* What was complete is so still. */
static void check_stays(const struct job *j, const struct sign_result *was)
{
	for (uint32_t i = 0; i < j->tx.n_in; i++)
		fuzz_check(!was[i].complete || j->results[i].complete);
}

static void run(struct job *j)
{
	struct sign_result first[INPUTS_MAX];
	struct tx_view forms[2], out;
	struct buf *b, *again;

	b = sign(j, &j->tx, 1, &forms[1]);
	check_rest(j, &forms[1]);
	check_complete(j, &forms[1]);
	memcpy(first, j->results, sizeof first);
	again = sign(j, &forms[1], 1, &out);
	check_stays(j, first);
	check_complete(j, &out);
	buf_unref(again);
	if (j->all_known) {
		forms[0] = j->tx;
		again = sign(j, forms, 2, &out);
		check_stays(j, first);
		check_complete(j, &out);
		buf_unref(again);
	}
	buf_unref(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct signer *s;
	struct job j;
	struct rd r;

	if (size < 1)
		return 0;
	if (!s)
		s = new_signer();
	memset(&j, 0, sizeof j);
	j.s = s;
	j.type = types[data[0] % sizeof types];
	rd_init(&r, slice_of(data + 1, size - 1));
	if (tx_view_parse(&j.tx, &r) && j.tx.n_in > 0 &&
	    j.tx.n_in <= INPUTS_MAX && read_spent(&j, &r))
		run(&j);
	return 0;
}
