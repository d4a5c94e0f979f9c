/*
 * An offered transaction on its way through the rules: what is known of it, and
 * the rules that stand in files of their own. A rule says false when it has
 * refused: the result then tells why. Chain thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_ACCEPT_H
#define CAIRN_SRC_MEMPOOL_ACCEPT_H

#include "pool.h"

#include <cairn/base/arena.h>
#include <cairn/consensus/spend.h>

/* Bytes that judging one offer may take: what it spends, mostly. */
#define JUDGE_BYTES_MAX ((size_t)64 << 20)
/* Distinct clusters that a replacement may take from. */
#define REPLACED_CLUSTERS_MAX 100u

/* A transaction, from the first rule on. */
struct offer {
	struct buf *buf; /* borrowed */
	struct tx_view tx;
	struct mempool_result *r;
	/* Once its coins are found; in the judge's memory. */
	struct txout_view *spent; /* n_in */
	struct tx_spend coins;
	bool spends_coinbase;
	/* In the pool: parents each once and in order of txid, conflicts in
	 * order of cluster, as leaving_next wants them. */
	struct entry **parents, **conflicts;
	size_t n_parents, n_conflicts;
	bool evicts_sibling; /* one of conflicts spends nothing of ours */
	/* Once it is weighed. */
	int64_t fee, paid; /* satoshi; paid: with what was added */
	int64_t weight, vsize;
	uint32_t sigops;
};

/* What offers are judged with, together. */
struct judge {
	struct mempool *m;
	struct arena mem;
	unsigned flags; /* of mempool_accept */
	int64_t now_s;
	int64_t max_rate;       /* that may be paid; 0: any */
	bool no_replacement;    /* who conflicts is refused */
	bool no_eviction;       /* of a sibling */
	bool by_package;        /* fees are asked of all together */
	bool room_later;        /* the caller makes room */
	const struct offer *in; /* of a package, those in front */
	size_t n_in;
};
void judge_init(struct judge *j, struct mempool *m, unsigned flags,
		int64_t now_s);
void judge_fini(struct judge *j);

/* Refuse. detail may be NULL. Always false. */
bool refuse(struct offer *o, enum tx_outcome why, const char *reject,
	    const char *detail);
/* It could not be told. Always false. */
bool offer_failed(struct offer *o, int rc);
/* Take over a verdict: true when it is valid. */
bool judged(struct offer *o, enum tx_outcome why, const struct verdict *v);

/* Read tx. o->r gets its ids, and TX_FAILED when it is none. */
bool offer_init(struct offer *o, struct mempool_result *r, struct buf *tx);
/* The rules up to those of replacement; of fees unless by_package. */
bool offer_judge(struct judge *j, struct offer *o);
/* One offered alone: all rules, and into the pool. */
void offer_alone(struct judge *j, struct offer *o);
/* Pays more than its sender wants to. */
bool rate_allowed(const struct judge *j, struct offer *o);
/* Whether fee is enough for vsize; refuses o. */
bool rate_enough(struct judge *j, struct offer *o, int64_t vsize, int64_t fee);
bool scripts_hold(const struct judge *j, struct offer *o);
struct pool_comer offer_comer(const struct offer *o);
/* Put it in, once what it replaces is out. */
bool offer_enter(struct judge *j, struct offer *o);
/* What conflicts with the n offers leaves; o[0] gets the ids. */
void offer_replace(struct judge *j, struct offer *o, struct entry *const *out,
		   size_t n_out);
/* It was accepted, judged by fee over vsize. */
void offer_accepted(struct offer *o, int64_t fee, int64_t vsize);

/* coins.c: where its inputs lead. */
bool find_conflicts(struct judge *j, struct offer *o);
bool find_coins(struct judge *j, struct offer *o);
bool judge_locks(struct judge *j, struct offer *o);
bool judge_amounts(struct judge *j, struct offer *o);

/* replace.c: in place of others. */
/* All that leave with entries in order of cluster; gives each once. */
struct leaving {
	struct entry *const *at;
	size_t left;
	const struct cluster *in; /* of those that mask is left of */
	uint64_t mask;
};
void leaving_init(struct leaving *l, struct entry *const *e, size_t n);
struct entry *leaving_next(struct leaving *l);
/* Put entries in order of cluster. */
void leaving_sort(struct entry **e, size_t n);
/* Whether what leaves is from few enough clusters, and whether paid for vsize
 * is enough in its place; otherwise why, in the name of txid. */
bool replaces_few(char why[VERDICT_DETAIL], struct entry *const *out, size_t n,
		  const struct hash256 *txid);
bool replacement_pays(char why[VERDICT_DETAIL], const struct judge *j,
		      struct entry *const *out, size_t n, int64_t paid,
		      int64_t vsize, const struct hash256 *txid);
bool judge_replacement(struct judge *j, struct offer *o);
bool judge_cluster(struct judge *j, struct offer *o);
/* It must not spend what it takes the place of, or what comes of that. */
bool judge_descent(struct judge *j, struct offer *o);

/* truc.c: topologically restricted until confirmation, BIP 431. */
bool judge_truc(struct judge *j, struct offer *o);
/* Whether the i-th of n that are offered together obeys; otherwise why. */
bool truc_in_package(char why[VERDICT_DETAIL], const struct offer *o, size_t n,
		     size_t i);

/* ephemeral.c: dust that the next transaction spends. */
bool judge_dust_fee(struct judge *j, struct offer *o);
/* Whether each of n offered together spends the dust of its parents; refuses
 * the one that does not. */
bool dust_is_spent(const struct judge *j, struct offer *o, size_t n);

/* "txid (wtxid=...)", as Core names transactions in details. */
#define TX_NAME_STR 150
const char *tx_name(char dst[TX_NAME_STR], const struct hash256 *txid,
		    const struct hash256 *wtxid);

/* Satoshi, with what was added. */
static inline int64_t entry_paid(const struct entry *e)
{
	return sat_sum(e->tx.fee, e->tx.delta);
}

#endif
