/*
 * cairn-util verify-block: judges a block with the coins that it spends, both
 * from files, by every rule that needs no chain: its proof of work, its form,
 * its place at a height, its coins and fees, all scripts. One thread. What only
 * the chain in front could say is left out: difficulty, times and version of
 * the header, repeated transactions.
 */
#include "cairn-util.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/consensus/deploy.h>
#include <cairn/consensus/flags.h>
#include <cairn/consensus/spend.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/interp.h>

#include <stdio.h>
#include <stdlib.h>

#define FILE_MAX ((size_t)32 << 20)

struct verify {
	/* What is asked. */
	const char *path, *prevouts, *times;
	const struct params *p;
	int64_t height, mtp; /* mtp -1: not given */
	/* What it is asked about. */
	struct buf *file, *times_file;
	struct block_view b;
	struct hash256 hash;
	struct util_prevouts pv;
	/* What comes out. */
	struct verdict verdict;
	struct block_spend spend;
	uint32_t tx;                /* that broke a rule of coins or scripts */
	struct script_failure fail; /* of its script, if err is one */
	uint32_t open_locks, open_coins; /* that could not be judged */
	uint64_t start_ns, rules_ns, scripts_ns;
};

static bool complain(const char *path, const char *why)
{
	fprintf(stderr, "cairn-util: %s: %s\n", path, why);
	return false;
}

static bool read_block(struct verify *v)
{
	size_t behind;
	int rc = file_read(&v->file, v->path, FILE_MAX);

	if (rc)
		return complain(v->path, err_str(rc));
	v->start_ns = mono_ns();
	rc = block_view_parse(&v->b, &behind, buf_payload(v->file));
	if (rc == E_PARSE)
		return complain(v->path, "malformed block; decode says where");
	if (rc)
		return complain(v->path, err_str(rc));
	if (behind)
		return complain(v->path, "bytes behind the block");
	sha256d(&v->hash, v->b.header, HEADER_SIZE);
	block_hash_txs(&v->b);
	return true;
}

static bool read_coins(struct verify *v)
{
	const char *why = util_prevouts_read(&v->pv, v->prevouts, &v->hash);

	if (!why)
		why = util_prevouts_match(&v->pv, &v->b, (int32_t)v->height);
	return !why || complain(v->prevouts, why);
}

static bool read_times(struct verify *v)
{
	int rc;

	if (!v->times)
		return true;
	rc = file_read(&v->times_file, v->times, FILE_MAX);
	if (rc)
		return complain(v->times, err_str(rc));
	return v->times_file->n == (size_t)v->pv.n * 4 ||
	       complain(v->times, "not 4 bytes for each coin");
}

/* The latest that the median time of the blocks in front can be: a block's own
 * time is later. */
static int64_t mtp_of(const struct verify *v)
{
	return v->mtp >= 0 ? v->mtp : (int64_t)le32_get(v->b.header + 68) - 1;
}

/* The next input's coin; counts what there is too little known to judge. */
static void take_coin(struct verify *v, struct tx_spend *s,
		      const struct tx_view *tx, const struct txin_view *in,
		      struct tx_iter *stack, uint32_t input)
{
	const struct util_prevout *p = &v->pv.at[input];
	bool timed = seq_is_time(tx->version, in->sequence);
	int64_t mtp = 0;

	if (v->times_file)
		mtp = le32_get(buf_data(v->times_file) + (size_t)input * 4);
	v->open_coins += !p->known;
	if (timed && v->spend.bip68)
		v->open_locks += !v->times_file || v->mtp < 0;
	tx_spend_coin(s, &v->spend, tx, in, stack, &p->coin, mtp);
}

static struct verdict spend_tx(struct verify *v, const struct tx_view *tx,
			       uint32_t *input)
{
	struct tx_iter ins, wits, stack = {NULL, 0};
	struct txin_view in;
	struct tx_spend s;

	tx_spend_init(&s);
	txins(&ins, tx);
	txwits(&wits, tx);
	while (txin_next(&ins, &in)) {
		txwit_next(&wits, &stack);
		take_coin(v, &s, tx, &in, &stack, (*input)++);
	}
	return block_spend_tx(&v->spend, tx, &v->b.txid[v->tx], &s);
}

static struct verdict spend_block(struct verify *v)
{
	struct verdict got =
	    block_spend_tx(&v->spend, &v->b.tx[0], &v->b.txid[0], NULL);
	uint32_t input = 0;

	for (v->tx = 1; verdict_ok(&got) && v->tx < v->b.n_tx; v->tx++) {
		if (v->tx == v->pv.missing)
			return verdict_invalid(INV_CONSENSUS,
					       "bad-txns-inputs-missingorspent",
					       NULL);
		got = spend_tx(v, &v->b.tx[v->tx], &input);
		if (!verdict_ok(&got))
			return got;
	}
	v->tx = 0;
	return verdict_ok(&got) ? block_spend_end(&v->spend, &v->b.tx[0]) : got;
}

/* The reason as the node gives it. */
static struct verdict script_failed(const struct verify *v)
{
	char reject[VERDICT_REJECT];

	snprintf(reject, sizeof reject, "block-script-verify-flag-failed (%s)",
		 script_err_text(v->fail.err));
	return verdict_invalid(INV_CONSENSUS, reject, NULL);
}

static struct verdict check_scripts(struct verify *v)
{
	unsigned flags = script_flags(v->p, (int32_t)v->height, &v->hash);
	struct buf *mem = buf_new(v->pv.n * sizeof(struct txout_view));
	struct txout_view *spent;
	struct tx_sighash shared;
	bool ok = true;

	if (!mem)
		return verdict_unknown(E_NOMEM);
	spent = (struct txout_view *)(void *)buf_data(mem);
	for (uint32_t i = 0; i < v->pv.n; i++)
		spent[i] = (struct txout_view){v->pv.at[i].coin.value,
					       v->pv.at[i].coin.script};
	for (v->tx = 1; v->tx < v->b.n_tx; v->tx++) {
		const struct tx_view *tx = &v->b.tx[v->tx];

		tx_sighash_init(&shared, tx, spent);
		ok = script_verify_inputs(&v->fail, &shared, 0, tx->n_in, flags,
					  NULL);
		if (!ok)
			break;
		spent += tx->n_in;
	}
	buf_unref(mem);
	return ok ? verdict_valid() : script_failed(v);
}

/* Absolute locks by time that the parent's median time decides. */
static void count_open_locks(struct verify *v)
{
	if (v->mtp >= 0 || !deploy_active(v->p, DEPLOY_CSV, (int32_t)v->height))
		return;
	for (uint32_t i = 0; i < v->b.n_tx; i++)
		v->open_locks += v->b.tx[i].lock_time >= LOCKTIME_THRESHOLD &&
				 !tx_is_final(&v->b.tx[i], 0, 0);
}

static struct verdict check_rules(struct verify *v)
{
	struct block_context c = {(int32_t)v->height, mtp_of(v)};
	struct verdict got = block_check(&v->b, v->p, false);

	if (verdict_ok(&got))
		got = block_check_context(&v->b, &c, v->p);
	if (!verdict_ok(&got))
		return got;
	count_open_locks(v);
	block_spend_init(&v->spend, v->p, c.height, c.mtp_prev);
	return spend_block(v);
}

static void judge(struct verify *v)
{
	uint64_t middle;

	v->verdict = check_rules(v);
	middle = mono_ns();
	v->rules_ns = middle - v->start_ns;
	if (verdict_ok(&v->verdict))
		v->verdict = check_scripts(v);
	v->scripts_ns = mono_ns() - middle;
}

static void print_failure(const struct verify *v)
{
	char hash[HASH256_STR];

	if (verdict_ok(&v->verdict))
		return;
	printf("reason=%s\n", v->verdict.kind == V_INVALID
				  ? v->verdict.reject
				  : err_str(v->verdict.rc));
	if (v->verdict.detail[0])
		printf("detail=%s\n", v->verdict.detail);
	if (v->tx > 0 && v->tx < v->b.n_tx)
		printf("transaction=%u\ntxid=%s\n", v->tx,
		       hash256_fmt(hash, &v->b.txid[v->tx]));
	if (v->fail.err != SCRIPT_ERR_OK)
		printf("input=%u\nerror=%s\n", v->fail.input,
		       script_err_name(v->fail.err));
}

static void print(const struct verify *v)
{
	static const char *const words[] = {"valid", "invalid", "unknown"};
	char hash[HASH256_STR];

	printf("verdict=%s\n", words[v->verdict.kind]);
	print_failure(v);
	printf("hash=%s\n", hash256_fmt(hash, &v->hash));
	printf("height=%lld\n", (long long)v->height);
	printf("transactions=%u\n", v->b.n_tx);
	printf("inputs=%u\n", v->pv.n);
	printf("size=%u\n", v->b.size);
	printf("weight=%u\n", block_weight(&v->b));
	printf("sigops=%u\n", v->spend.sigops);
	printf("fees=%lld\n", (long long)v->spend.fees);
	printf("subsidy=%lld\n",
	       (long long)block_subsidy((int32_t)v->height, v->p));
	printf("unjudged_coins=%u\n", v->open_coins);
	printf("unjudged_locks=%u\n", v->open_locks);
	printf("rules_ms=%.3f\n", (double)v->rules_ns / 1e6);
	printf("scripts_ms=%.3f\n", (double)v->scripts_ns / 1e6);
}

static bool run(struct verify *v)
{
	bool ok = read_block(v) && read_coins(v) && read_times(v);

	if (ok) {
		judge(v);
		print(v);
		ok = verdict_ok(&v->verdict);
	}
	buf_unref(v->times_file);
	util_prevouts_fini(&v->pv);
	block_view_fini(&v->b);
	buf_unref(v->file);
	if (fflush(stdout) != 0 || ferror(stdout))
		ok = complain("standard output", "it cannot be written");
	return ok;
}

/* A number from zero to the most that a height or a time may be. */
static bool number(int64_t *out, const char *s)
{
	return i64_parse(out, s) && *out >= 0 && *out <= INT32_MAX;
}

static bool option_take(struct verify *v, const char *name, const char *value)
{
	if (strcmp(name, "prevouts") == 0)
		v->prevouts = value;
	else if (strcmp(name, "times") == 0)
		v->times = value;
	else if (strcmp(name, "chain") == 0)
		return (v->p = util_chain_find(value)) != NULL;
	else if (strcmp(name, "height") == 0)
		return number(&v->height, value);
	else if (strcmp(name, "mtp") == 0)
		return number(&v->mtp, value);
	else
		return false;
	return true;
}

/* One argument, with the next one where its value stands there. The number of
 * arguments taken, 0 when it makes no sense. */
static int argument_take(struct verify *v, int argc, char **argv)
{
	char *equals = strchr(argv[0], '=');

	if (strncmp(argv[0], "--", 2) != 0) {
		if (v->path)
			return 0;
		v->path = argv[0];
		return 1;
	}
	if (equals) {
		*equals = '\0';
		return option_take(v, argv[0] + 2, equals + 1) ? 1 : 0;
	}
	return argc > 1 && option_take(v, argv[0] + 2, argv[1]) ? 2 : 0;
}

int util_verify_block(int argc, char **argv)
{
	struct verify v = {.height = -1, .mtp = -1};
	int n;

	for (; argc > 0; argc -= n, argv += n) {
		n = argument_take(&v, argc, argv);
		if (n == 0)
			return UTIL_USAGE;
	}
	if (!v.path || !v.prevouts || !v.p || v.height < 0)
		return UTIL_USAGE;
	return run(&v) ? EXIT_SUCCESS : EXIT_FAILURE;
}
