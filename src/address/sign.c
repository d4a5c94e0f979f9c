/*
 * Signs a transaction input by input and writes it anew. Any thread, one per
 * signer. How an input is signed is in sign_produce.c, what it held before in
 * sign_extract.c.
 */
#include "sign.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/wire/txparts.h>

#include <stdlib.h>

/* Signatures and copies of scripts, for all inputs. */
#define MEMORY_MAX (256u << 20)

/* The transaction while it is put together. */
struct sign_job {
	struct signer *s;
	const struct tx_view *tx; /* n forms of it */
	size_t n;
	const struct txout_view *spent;
	struct txout_view *outputs; /* spent, unknown ones empty */
	uint8_t type;
	struct arena mem;
	struct tx_sighash shared;
	struct script_input at;
	bool can_tap, stopped;
	struct tx_iter *ins, *wits; /* where each form is */
	/* The inputs as they become, and the items of their witnesses. */
	struct txin_view *in;
	struct slice **witness;
	uint32_t *n_witness;
};

void *sign_alloc(struct sign_input *w, size_t n)
{
	void *p = arena_alloc(w->mem, n);

	w->out_of_memory |= !p;
	return p;
}

struct slice sign_copy(struct sign_input *w, struct slice b)
{
	uint8_t *p = sign_alloc(w, b.n + 1);

	if (!p)
		return slice_of(NULL, 0);
	if (b.n)
		memcpy(p, b.p, b.n);
	return slice_of(p, b.n);
}

/* Without all outputs that are spent there is no hash to check against. */
static bool no_schnorr(void *arg, const struct script_input *in,
		       const uint8_t sig[64], const uint8_t key[32],
		       const uint8_t hash[32])
{
	(void)arg;
	(void)in;
	(void)sig;
	(void)key;
	(void)hash;
	return false;
}

/* A witness as it is serialised. */
static struct tx_iter put_witness(struct sign_input *w,
				  const struct slice *item, uint32_t n)
{
	size_t size = 1;
	uint8_t *b, *p;

	for (uint32_t i = 0; i < n; i++)
		size += 9 + item[i].n;
	b = p = sign_alloc(w, size);
	if (!b)
		return (struct tx_iter){0};
	for (uint32_t i = 0; i < n; i++)
		p = varbytes_put(p, item[i]);
	return (struct tx_iter){b, n};
}

bool sign_verify(struct sign_input *w, enum script_err *err,
		 struct slice script_sig, const struct slice *witness,
		 uint32_t n, const struct sig_verifier *v)
{
	struct tx_iter items = put_witness(w, witness, n);
	enum script_err why = SCRIPT_ERR_OK;
	struct sig_verifier library;
	struct sig_checker c;
	bool ok;

	sig_verifier_library(&library, NULL);
	if (!w->can_tap)
		library.schnorr = no_schnorr;
	sig_checker_init(&c, w->in, v ? v : &library);
	ok = script_verify(&why, script_sig, w->in->spent->script, items,
			   SCRIPT_FLAGS_STANDARD, &c);
	if (why == SCRIPT_ERR_SCHNORR_SIG && !w->can_tap)
		why = SCRIPT_ERR_SCHNORR_SIG_HASHTYPE;
	if (err)
		*err = why;
	return ok;
}

/* Take what the forms hold for the input; true: one is complete. */
static bool extract(struct sign_job *j, struct sign_input *w)
{
	struct tx_iter witness;
	struct txin_view in;
	bool complete = false;

	for (size_t f = 0; f < j->n; f++) {
		must(txin_next(&j->ins[f], &in) &&
		     txwit_next(&j->wits[f], &witness));
		if (!complete)
			complete = sign_extract(w, in.script, witness);
	}
	if (w->combine && !complete) {
		w->script_sig = slice_of("", 0);
		w->n_witness = 0;
	}
	return complete;
}

/* SIGHASH_SINGLE needs an output with the number of the input. */
static bool can_sign(const struct sign_job *j)
{
	return (j->type & ~(unsigned)SIGHASH_ANYONECANPAY) != SIGHASH_SINGLE ||
	       j->at.index < j->tx->n_out;
}

static bool sign_input(struct sign_job *j, struct sign_result *r)
{
	struct sign_input w = {.s = j->s,
			       .mem = &j->mem,
			       .in = &j->at,
			       .type = j->type,
			       .can_tap = j->can_tap,
			       .combine = j->n > 1,
			       .redeem = slice_of("", 0),
			       .inner = slice_of("", 0),
			       .result = r};
	uint32_t i = j->at.index;

	*r = (struct sign_result){.known = j->spent[i].script.p != NULL};
	r->complete = extract(j, &w) && r->known;
	if (r->known && !r->complete && can_sign(j))
		sign_produce(&w);
	if (r->known && !r->complete)
		r->complete = sign_verify(&w, &r->err, w.script_sig, w.witness,
					  w.n_witness, NULL);
	r->witness = w.n_witness > 0;
	j->in[i] = j->at.in;
	j->in[i].script = w.script_sig;
	j->n_witness[i] = w.n_witness;
	j->witness[i] = w.witness;
	/* What was made lies in w itself. */
	if (w.witness == w.items) {
		j->witness[i] = sign_alloc(&w, sizeof w.items);
		if (j->witness[i])
			memcpy(j->witness[i], w.items, sizeof w.items);
	}
	return !w.out_of_memory;
}

static void *job_alloc(struct sign_job *j, size_t n, size_t size)
{
	return arena_alloc(&j->mem, n * size + 1);
}

static bool job_begin(struct sign_job *j)
{
	uint32_t n = j->tx->n_in;

	j->outputs = job_alloc(j, n, sizeof *j->outputs);
	j->in = job_alloc(j, n, sizeof *j->in);
	j->witness = job_alloc(j, n, sizeof *j->witness);
	j->n_witness = job_alloc(j, n, sizeof *j->n_witness);
	j->ins = job_alloc(j, j->n, sizeof *j->ins);
	j->wits = job_alloc(j, j->n, sizeof *j->wits);
	if (!j->outputs || !j->in || !j->witness || !j->n_witness || !j->ins ||
	    !j->wits)
		return false;
	j->can_tap = true;
	for (uint32_t i = 0; i < n; i++) {
		j->outputs[i] = j->spent[i];
		if (j->spent[i].script.p)
			continue;
		j->outputs[i].script = slice_of("", 0);
		j->can_tap = false;
	}
	tx_sighash_init_all(&j->shared, j->tx, j->outputs);
	script_inputs(&j->at, &j->shared);
	for (size_t f = 0; f < j->n; f++) {
		must(j->tx[f].n_in == n);
		txins(&j->ins[f], &j->tx[f]);
		txwits(&j->wits[f], &j->tx[f]);
	}
	return true;
}

/* All witnesses one behind the other; NULL where there is none, or no memory.
 */
static const struct slice *all_items(struct sign_job *j)
{
	struct slice *items, *p;
	size_t n = 0;

	for (uint32_t i = 0; i < j->tx->n_in; i++)
		n += j->n_witness[i];
	items = p = n ? job_alloc(j, n, sizeof *items) : NULL;
	for (uint32_t i = 0; items && i < j->tx->n_in; i++) {
		memcpy(p, j->witness[i], j->n_witness[i] * sizeof *p);
		p += j->n_witness[i];
	}
	return items;
}

/* The outputs, as they were. */
static const struct txout_view *all_outputs(struct sign_job *j)
{
	struct txout_view *out = job_alloc(j, j->tx->n_out, sizeof *out);
	struct tx_iter it;

	txouts(&it, j->tx);
	for (uint32_t i = 0; out && i < j->tx->n_out; i++)
		must(txout_next(&it, &out[i]));
	return out;
}

static struct buf *serialise(struct sign_job *j, const struct slice *items)
{
	struct tx_msg m = {.version = j->tx->version,
			   .n_in = j->tx->n_in,
			   .n_out = j->tx->n_out,
			   .in = j->in,
			   .out = all_outputs(j),
			   .n_items = items ? j->n_witness : NULL,
			   .items = items,
			   .lock_time = j->tx->lock_time};
	struct buf *b = m.out ? buf_new(tx_size(&m)) : NULL;
	uint8_t *end;

	if (!b)
		return NULL;
	end = tx_put(buf_data(b), &m);
	b->n = (size_t)(end - buf_data(b));
	return b;
}

/* Every input, then the whole. */
static struct buf *job_run(struct sign_job *j, struct sign_result *results)
{
	const struct slice *items;
	bool witness = false;

	if (!job_begin(j))
		return NULL;
	while (script_input_next(&j->at)) {
		j->stopped = j->s->stop && j->s->stop(j->s->stop_arg);
		if (j->stopped || !sign_input(j, &results[j->at.index]))
			return NULL;
		witness |= results[j->at.index].witness;
	}
	items = all_items(j);
	return witness && !items ? NULL : serialise(j, items);
}

int sign_tx(struct signer *s, struct buf **give, struct sign_result *results,
	    const struct tx_view *tx, size_t n, const struct txout_view *spent,
	    uint8_t type)
{
	struct sign_job j = {
	    .s = s, .tx = tx, .n = n, .spent = spent, .type = type};
	struct buf *b;

	must(n > 0 && tx->n_in > 0);
	arena_init(&j.mem, MEMORY_MAX);
	b = job_run(&j, results);
	arena_fini(&j.mem);
	if (!b)
		return j.stopped ? E_STOPPING : E_NOMEM;
	*give = b;
	return 0;
}

bool sighash_parse(uint8_t *type, const char *name)
{
	static const struct {
		const char *name;
		uint8_t type;
	} names[] = {
	    {"DEFAULT", SIGHASH_DEFAULT},
	    {"ALL", SIGHASH_ALL},
	    {"NONE", SIGHASH_NONE},
	    {"SINGLE", SIGHASH_SINGLE},
	    {"ALL|ANYONECANPAY", SIGHASH_ALL | SIGHASH_ANYONECANPAY},
	    {"NONE|ANYONECANPAY", SIGHASH_NONE | SIGHASH_ANYONECANPAY},
	    {"SINGLE|ANYONECANPAY", SIGHASH_SINGLE | SIGHASH_ANYONECANPAY},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i].name) == 0) {
			*type = names[i].type;
			return true;
		}
	return false;
}
