/*
 * Rules of a single transaction that need no coins, and the small pure rules of
 * money and time around it: subsidy, finality, relative locks, legacy sigops.
 * Any thread. Amounts of inputs, scripts and the place in a block are judged
 * elsewhere.
 */
#include <cairn/consensus/check.h>

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/params/params.h>
#include <cairn/script/template.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEQUENCE_FINAL       0xffffffffu
#define SEQUENCE_DISABLE     (1u << 31)
#define SEQUENCE_TIME        (1u << 22)
#define SEQUENCE_MASK        0xffffu
#define SEQUENCE_GRANULARITY 9 /* units of 512 s */

/* Up to here comparing all pairs is cheaper than a table. */
#define PAIRS_MAX 24

/* The functions below give the reason of what they find, or NULL: a verdict for
 * each of them would take longer than the rule. */

static const char *check_outputs(const struct tx_view *tx)
{
	struct tx_iter it;
	struct txout_view out;
	int64_t sum = 0;

	txouts(&it, tx);
	while (txout_next(&it, &out)) {
		if (out.value < 0)
			return "bad-txns-vout-negative";
		if (out.value > MAX_MONEY)
			return "bad-txns-vout-toolarge";
		sum += out.value;
		if (!amount_ok(sum))
			return "bad-txns-txouttotal-toolarge";
	}
	return NULL;
}

/* An outpoint, and a number that differs wherever honest outpoints do: most
 * comparisons need no more. */
struct spend {
	uint64_t key;
	const uint8_t *op;
};

static bool spend_same(const struct spend *a, const struct spend *b)
{
	return a->key == b->key && memcmp(a->op, b->op, OUTPOINT_SIZE) == 0;
}

static int spend_cmp(const void *a, const void *b)
{
	const struct spend *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return memcmp(x->op, y->op, OUTPOINT_SIZE);
}

static bool pairs_repeat(const struct spend *s, uint32_t n)
{
	uint32_t i, k;

	for (i = 1; i < n; i++)
		for (k = 0; k < i; k++)
			if (spend_same(&s[i], &s[k]))
				return true;
	return false;
}

static bool sorted_repeat(struct spend *s, uint32_t n)
{
	uint32_t i;

	qsort(s, n, sizeof *s, spend_cmp);
	for (i = 1; i < n; i++)
		if (spend_same(&s[i - 1], &s[i]))
			return true;
	return false;
}

/* n spends, and a table of twice as many places or more for their numbers. */
struct spend_table {
	struct spend *s;
	uint32_t *place; /* index + 1; 0: free */
	unsigned bits;
};

static unsigned table_bits(uint32_t n)
{
	unsigned bits = 1;

	while ((UINT32_C(1) << bits) < 2 * n)
		bits++;
	return bits;
}

/* Outpoints made to fall on the same places cost no more than a sort. */
static bool table_repeat(const struct spend_table *t, uint32_t n)
{
	uint32_t i, at, mask = (UINT32_C(1) << t->bits) - 1, tries = 8 * n;

	for (i = 0; i < n; i++) {
		at = (uint32_t)(t->s[i].key * 0x9e3779b97f4a7c15u >>
				(64 - t->bits));
		while (t->place[at]) {
			if (spend_same(&t->s[t->place[at] - 1], &t->s[i]))
				return true;
			if (tries-- == 0)
				return sorted_repeat(t->s, n);
			at = (at + 1) & mask;
		}
		t->place[at] = i + 1;
	}
	return false;
}

static void list_spends(struct spend *s, const struct tx_view *tx)
{
	struct tx_iter it;
	struct txin_view in;

	txins(&it, tx);
	for (; txin_next(&it, &in); s++) {
		s->op = in.prevout;
		s->key = le64_get(in.prevout) ^
			 (uint64_t)outpoint_index(in.prevout) << 32;
	}
}

/* Bounded: the size was checked, an input takes 41 bytes. False when out of
 * memory. */
static bool many_repeat(bool *repeat, const struct tx_view *tx)
{
	struct spend_table t = {.bits = table_bits(tx->n_in)};
	size_t places = sizeof *t.place << t.bits;
	struct buf *mem = buf_new(tx->n_in * sizeof *t.s + places);

	if (!mem)
		return false;
	t.s = (struct spend *)(void *)buf_data(mem);
	t.place = (uint32_t *)(void *)(t.s + tx->n_in);
	list_spends(t.s, tx);
	memset(t.place, 0, places);
	*repeat = table_repeat(&t, tx->n_in);
	buf_unref(mem);
	return true;
}

/* No output may be spent twice by one transaction (CVE-2018-17144). 0, or
 * E_NOMEM. */
static int check_repeats(const char **fault, const struct tx_view *tx)
{
	struct spend few[PAIRS_MAX];
	bool repeat = false;

	if (tx->n_in == 1)
		return 0;
	if (tx->n_in <= PAIRS_MAX) {
		list_spends(few, tx);
		repeat = pairs_repeat(few, tx->n_in);
	} else if (!many_repeat(&repeat, tx)) {
		return E_NOMEM;
	}
	if (repeat)
		*fault = "bad-txns-inputs-duplicate";
	return 0;
}

static bool outpoint_is_null(const uint8_t *op)
{
	return outpoint_index(op) == 0xffffffffu &&
	       hash256_is_zero(outpoint_txid(op));
}

static const char *check_prevouts(const struct tx_view *tx)
{
	struct tx_iter it;
	struct txin_view in;
	bool coinbase = tx_is_coinbase(tx);

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		if (coinbase && (in.script.n < 2 || in.script.n > 100))
			return "bad-cb-length";
		if (!coinbase && outpoint_is_null(in.prevout))
			return "bad-txns-prevout-null";
	}
	return NULL;
}

static const char *check_shape(const struct tx_view *tx)
{
	if (tx->n_in == 0)
		return "bad-txns-vin-empty";
	if (tx->n_out == 0)
		return "bad-txns-vout-empty";
	/* The witness does not count: nothing binds it yet. */
	if (tx->base_size > MAX_BLOCK_WEIGHT / WITNESS_SCALE)
		return "bad-txns-oversize";
	return NULL;
}

struct verdict tx_check(const struct tx_view *tx)
{
	const char *fault = check_shape(tx);
	int rc = 0;

	if (!fault)
		fault = check_outputs(tx);
	if (!fault)
		rc = check_repeats(&fault, tx);
	if (rc)
		return verdict_unknown(rc);
	if (!fault)
		fault = check_prevouts(tx);
	return fault ? verdict_invalid(INV_CONSENSUS, fault, NULL)
		     : verdict_valid();
}

char *amount_fmt(char dst[AMOUNT_STR], int64_t sat)
{
	uint64_t abs = sat < 0 ? 0 - (uint64_t)sat : (uint64_t)sat;
	uint64_t coin = COIN;
	int n = snprintf(dst, AMOUNT_STR, "%s%" PRIu64 ".%08" PRIu64,
			 sat < 0 ? "-" : "", abs / coin, abs % coin);

	for (int i = 0; i < 6 && dst[n - 1] == '0'; i++)
		dst[--n] = '\0';
	return dst;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool amount_parse(int64_t *sat, const char *s)
{
	static const char space[] = " \f\n\r\t\v";
	const char *start;
	int64_t whole = 0, part = 0;

	s += strspn(s, space);
	start = s;
	for (; is_digit(*s) && s - start < 10; s++)
		whole = whole * 10 + (*s - '0');
	if (*s == '.') {
		s++;
		for (int64_t unit = COIN / 10; is_digit(*s) && unit > 0;
		     unit /= 10)
			part += unit * (*s++ - '0');
	}
	if (s == start || s[strspn(s, space)] != '\0')
		return false;
	if (!amount_ok(whole * COIN + part))
		return false;
	*sat = whole * COIN + part;
	return true;
}

int64_t block_subsidy(int32_t height, const struct params *p)
{
	int32_t halvings = height / p->halving_interval;

	return halvings >= 64 ? 0 : (50 * COIN) >> halvings;
}

bool tx_is_final(const struct tx_view *tx, int32_t height, int64_t time_s)
{
	struct tx_iter it;
	struct txin_view in;
	int64_t bound = tx->lock_time < LOCKTIME_THRESHOLD ? height : time_s;

	if (tx->lock_time == 0 || (int64_t)tx->lock_time < bound)
		return true;
	txins(&it, tx);
	while (txin_next(&it, &in))
		if (in.sequence != SEQUENCE_FINAL)
			return false;
	return true;
}

static bool seq_is_lock(int32_t tx_version, uint32_t sequence)
{
	return (uint32_t)tx_version >= 2 && !(sequence & SEQUENCE_DISABLE);
}

bool seq_is_time(int32_t tx_version, uint32_t sequence)
{
	return seq_is_lock(tx_version, sequence) && (sequence & SEQUENCE_TIME);
}

/* One less than the first height or time that is allowed, like nLockTime. */
void seq_lock_add(struct seq_lock *l, int32_t tx_version, uint32_t sequence,
		  int32_t coin_height, int64_t coin_mtp)
{
	uint32_t units = sequence & SEQUENCE_MASK;

	if (!seq_is_lock(tx_version, sequence))
		return;
	if (sequence & SEQUENCE_TIME) {
		int64_t t = coin_mtp + ((int64_t)units << SEQUENCE_GRANULARITY);

		if (t - 1 > l->time_s)
			l->time_s = t - 1;
	} else {
		int32_t h = coin_height + (int32_t)units - 1;

		if (h > l->height)
			l->height = h;
	}
}

bool seq_lock_ok(const struct seq_lock *l, int32_t height, int64_t mtp_prev)
{
	return l->height < height && l->time_s < mtp_prev;
}

static uint32_t legacy_sigops(struct slice script)
{
	return script_sigops(script, false);
}

uint32_t tx_legacy_sigops(const struct tx_view *tx)
{
	return tx_script_sum(tx, legacy_sigops);
}

uint64_t block_legacy_sigops(const struct block_view *b)
{
	return block_script_sum(b, legacy_sigops);
}
