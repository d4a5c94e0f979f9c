/*
 * Compact blocks (BIP 152, version 2): cmpctblock, getblocktxn, blocktxn. Views
 * borrow body and allocate nothing; any thread. Putting a block together from
 * the pieces is not done here.
 */
#ifndef CAIRN_WIRE_CMPCTBLOCK_H
#define CAIRN_WIRE_CMPCTBLOCK_H

#include <cairn/wire/block.h>

/* Indexes are 16 bits wide, so a compact block has no more transactions. */
#define CMPCT_TX_MAX        65535u
#define CMPCT_SHORT_ID_SIZE 6u

struct cmpctblock_view {
	const uint8_t *header; /* 80 bytes */
	uint64_t nonce;
	uint32_t n_short, n_prefilled; /* CMPCT_TX_MAX together at most */
	const uint8_t *short_ids;      /* n_short of 6 bytes */
	const uint8_t *prefilled;      /* by prefilled_next */
	const uint8_t *end;            /* of the message */
};

/* False when malformed, among it more than CMPCT_TX_MAX transactions and an
 * index above 65,535; bytes behind it are ignored. */
bool cmpctblock_view_parse(struct cmpctblock_view *v, struct slice body);
/* What Core demands before it uses one, and calls misbehaviour otherwise: it is
 * not empty, no prefilled transaction is, and each has its place among the
 * others and below 65,536. */
bool cmpctblock_is_sane(const struct cmpctblock_view *v);

/* The i-th short id, 48 bits. */
static inline uint64_t cmpct_short_id(const struct cmpctblock_view *v,
				      uint32_t i)
{
	const uint8_t *p = v->short_ids + (size_t)i * CMPCT_SHORT_ID_SIZE;

	return le32_get(p) | (uint64_t)le16_get(p + 4) << 32;
}

/* The SipHash key of a block's short ids, and the id of a transaction. */
void cmpct_key(uint64_t key[2], const uint8_t *header, uint64_t nonce);
uint64_t cmpct_short_id_of(const uint64_t key[2], const struct hash256 *wtxid);

/* A transaction that came whole. */
struct prefilled {
	uint32_t index; /* in the block, as the differences say */
	struct tx_view tx;
};

struct prefilled_iter {
	struct rd r;
	uint32_t left, next;
};

static inline void prefilleds(struct prefilled_iter *it,
			      const struct cmpctblock_view *v)
{
	*it = (struct prefilled_iter){
	    .r = {.p = v->prefilled, .end = v->end, .bad = false},
	    .left = v->n_prefilled};
}

bool prefilled_next(struct prefilled_iter *it, struct prefilled *t);

/* Writing one: the head, n_short ids, compact_put of the number of prefilled
 * transactions, those. prefilled_bytes is the sum of prefilled_size. */
size_t cmpctblock_size(uint32_t n_short, uint32_t n_prefilled,
		       size_t prefilled_bytes);
uint8_t *cmpctblock_head_put(uint8_t *p, const uint8_t *header, uint64_t nonce,
			     uint32_t n_short);
uint8_t *cmpct_short_id_put(uint8_t *p, uint64_t id);
/* skipped: transactions between the prefilled one before and this one. */
size_t prefilled_size(uint32_t skipped, struct slice tx);
uint8_t *prefilled_put(uint8_t *p, uint32_t skipped, struct slice tx);

/* The compact form of a whole block (1 to CMPCT_TX_MAX transactions, hashed by
 * block_hash_txs) with its coinbase prefilled, which nobody can have. */
size_t cmpctblock_of_size(const struct block_view *b);
uint8_t *cmpctblock_of_put(uint8_t *p, const struct block_view *b,
			   uint64_t nonce);

/* Asks for transactions of a block by their indexes, which rise. */
struct getblocktxn_view {
	const struct hash256 *block;
	uint32_t n; /* 0 ends the connection in Core: the caller judges */
	const uint8_t *p, *end; /* by getblocktxn_next, which moves p */
};

/* False when malformed, among it an index above 65,535; bytes behind it are
 * ignored. */
bool getblocktxn_view_parse(struct getblocktxn_view *v, struct slice body);

struct index_iter {
	struct rd r;
	uint32_t left, next;
};

static inline void getblocktxn_indexes(struct index_iter *it,
				       const struct getblocktxn_view *v)
{
	*it = (struct index_iter){.r = {.p = v->p, .end = v->end, .bad = false},
				  .left = v->n};
}

static inline bool getblocktxn_next(struct index_iter *it, uint32_t *index)
{
	if (it->left == 0)
		return false;
	it->left--;
	*index = it->next + rd_compact(&it->r);
	it->next = *index + 1;
	return true;
}

/* n indexes, each higher than the one before it. */
size_t getblocktxn_size(const uint16_t *index, uint32_t n);
uint8_t *getblocktxn_put(uint8_t *p, const struct hash256 *block,
			 const uint16_t *index, uint32_t n);

/* The transactions asked for, in the order of the question. */
struct blocktxn_view {
	const struct hash256 *block;
	uint32_t n;
	const uint8_t *p, *end; /* by blocktxn_next */
};

/* False when malformed; bytes behind it are ignored. */
bool blocktxn_view_parse(struct blocktxn_view *v, struct slice body);

struct blocktxn_iter {
	struct rd r;
	uint32_t left;
};

static inline void blocktxns(struct blocktxn_iter *it,
			     const struct blocktxn_view *v)
{
	*it = (struct blocktxn_iter){
	    .r = {.p = v->p, .end = v->end, .bad = false}, .left = v->n};
}

static inline bool blocktxn_next(struct blocktxn_iter *it, struct tx_view *tx)
{
	if (it->left == 0)
		return false;
	it->left--;
	return tx_view_parse(tx, &it->r);
}

/* tx_bytes is what the n transactions take, which follow the head. */
size_t blocktxn_size(uint32_t n, size_t tx_bytes);
uint8_t *blocktxn_head_put(uint8_t *p, const struct hash256 *block, uint32_t n);

#endif
