/*
 * A desk at which transactions are offered to a pool: coins that a test lays
 * out, transactions that really spend them, and what was answered. One thread.
 */
#ifndef TESTS_UNIT_MEMPOOL_DESK_H
#define TESTS_UNIT_MEMPOOL_DESK_H

#include <cairn/base/buf.h>
#include <cairn/mempool/mempool.h>
#include <cairn/wire/txparts.h>

#define DESK_HEIGHT 1000
#define DESK_MTP    1600000000
#define DESK_NOW    1700000000

/* What a transaction spends from: a coin of the chain, or an output. */
struct point {
	struct hash256 txid;
	uint32_t index;
	int64_t value;
};

struct desk_coin {
	struct point at;
	struct coin coin;
};

struct desk {
	struct mempool *m;
	struct mempool_result r; /* of the last offer */
	struct desk_coin *coins;
	size_t n_coins, cap_coins;
	uint8_t script[10000]; /* lent to who asked for a coin */
	int fails;             /* answer for a coin; 0: the truth */
	size_t fails_at;       /* of this one only; 0: of all */
	size_t asked;          /* for coins */
	size_t added, removed, replaced;
	struct sig_verifier verifier; /* counts, and then asks the library */
	size_t signatures;
	struct script_cache *cache;
};

/* A pool on a tip at DESK_HEIGHT with policy, NULL: the default. */
void desk_init(struct desk *d, const struct policy *policy);
void desk_init_sized(struct desk *d, const struct policy *policy,
		     int64_t max_bytes);
void desk_fini(struct desk *d);

/* Scripts that need no signature and are standard: a hash of OP_1 (its witness
 * is the script), an anchor, and to nobody. Static. */
struct slice script_easy(void);
struct slice script_anchor(void);
struct slice script_none(void);
/* Of 20 bytes of a hash of the key of secret 1. Static. */
struct slice script_wpkh(void);

/* Lay out a coin; script is borrowed for good. */
struct point desk_coin(struct desk *d, int64_t value, struct slice script);
/* The last one: where it was made. */
void desk_coin_at(struct desk *d, int32_t height, bool coinbase);

/* A transaction that is being written. */
struct slip {
	int32_t version;
	uint32_t lock_time;
	struct txin_view *in;
	uint32_t *n_items;
	uint8_t (*prevout)[OUTPOINT_SIZE];
	struct txout_view *out;
	struct slice *items;
	struct point *from;
	size_t n_in, n_out, n_all, cap_in, cap_items, cap_prevout, cap_out,
	    cap_all, cap_from;
};
void slip_init(struct slip *f); /* version 2 */
void slip_fini(struct slip *f);
void slip_from(struct slip *f, const struct point *p, uint32_t sequence);
/* For the last input: an item more, a script. Borrowed until slip_fini. */
void slip_item(struct slip *f, struct slice item);
void slip_sig(struct slip *f, struct slice script_sig);
/* Spends a point with script_easy, all there is to it. */
void slip_easy(struct slip *f, const struct point *p);
void slip_pay(struct slip *f, int64_t value, struct slice script);
/* Sign input i, which spends script_wpkh; type as in sighash.h. */
void slip_sign(struct slip *f, uint32_t i, uint8_t room[2][80]);
struct buf *slip_buf(const struct slip *f) must_check;
struct hash256 slip_txid(const struct slip *f);
/* An output of it. */
struct point slip_point(const struct slip *f, uint32_t index);

/* Offer it; the result is in d->r. Takes tx. */
enum tx_outcome desk_offer(struct desk *d, struct buf *tx, unsigned flags);
enum tx_outcome desk_slip(struct desk *d, const struct slip *f, unsigned flags);
/* From one easy point to one easy output: its fee is the rest. */
struct buf *desk_pay(const struct point *p, int32_t version, int64_t fee,
		     struct point *out) must_check;
/* The same with more outputs or bytes: n outputs of the same value, of which
 * out is the first. */
struct buf *desk_pay_many(const struct point *p, int32_t version, int64_t fee,
			  uint32_t n, struct point *out) must_check;
/* The last answer was this; NULL: whatever the detail. */
#define desk_is(d, why, text, more)                                            \
	do {                                                                   \
		const char *more_ = more;                                      \
		ck_assert_str_eq((d)->r.verdict.reject, text);                 \
		ck_assert_int_eq((d)->r.outcome, why);                         \
		if (more_)                                                     \
			ck_assert_str_eq((d)->r.verdict.detail, more_);        \
	} while (0)
/* How many are in the pool. */
size_t desk_count(const struct desk *d);

#endif
