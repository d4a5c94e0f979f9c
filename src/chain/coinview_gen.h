/*
 * A generation of coins: an open-addressing table of 8-byte slots over slabs of
 * entries (outpoint, flags, compressed coin). One writer; while nobody writes,
 * any number of readers. Private to the coins cache.
 */
#ifndef CAIRN_CHAIN_COINVIEW_GEN_H
#define CAIRN_CHAIN_COINVIEW_GEN_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/base/endian.h>
#include <cairn/chain/coins.h>

/* An entry: outpoint, flags, le16 length, value. */
#define ENTRY_FLAGS 36
#define ENTRY_LEN   37
#define ENTRY_HEAD  39

#define ENTRY_TOMB  1u /* spent: the value is empty */
#define ENTRY_FRESH 2u /* no lower level holds the outpoint */

#define GEN_UNIT       8u /* bytes; entries are whole units */
#define GEN_SLAB_BITS  17 /* units of a slab: 1 MiB */
#define GEN_UNITS_MAX  ((ENTRY_HEAD + COIN_MAX + GEN_UNIT - 1) / GEN_UNIT)
#define GEN_SORT_BYTES 8u /* an entry's share of the flusher's sort */

struct gen {
	uint64_t *slots; /* hash << 32 | unit number; 0: empty */
	unsigned bits;   /* log2 of the slots; 0: no table yet */
	uint32_t mix;    /* odd: where this generation puts a hash */
	size_t n;        /* entries */
	size_t tombs;    /* of these, spent ones */
	uint8_t **slabs;
	size_t n_slabs, cap_slabs;
	uint32_t next; /* first unit that was never used */
	/* First free entry of each size; the link is in its first 4 bytes. */
	uint32_t free[GEN_UNITS_MAX + 1];
};

/* mix is any number, another one for each generation of a view: entries moved
 * from one to the next in the order of slots must not arrive in the order of
 * slots. */
struct gen *gen_new(uint32_t mix) must_check;
/* NULL is fine. */
void gen_free(struct gen *g);
/* What it takes: table, touched part of the slabs, and the sort of a flush. */
size_t gen_bytes(const struct gen *g);

/* The entry of an outpoint, or NULL. hash is coinview_hash's. */
uint8_t *gen_find(const struct gen *g, uint32_t hash, const uint8_t *outpoint);
/* Add or replace: an entry with room for n bytes of value (not yet written).
 * What the old entry held stays readable until the next gen_put. NULL when out
 * of memory; nothing has changed then. */
uint8_t *gen_put(struct gen *g, uint32_t hash, const uint8_t *outpoint,
		 uint8_t flags, size_t n) must_check;
/* Remove if there; the value stays readable until the next gen_put. */
void gen_del(struct gen *g, uint32_t hash, const uint8_t *outpoint);
/* Walk in the order of slots: start with *i = 0; NULL at the end. *hash (may
 * be NULL) receives the entry's. */
uint8_t *gen_next(const struct gen *g, size_t *i, uint32_t *hash);
/* The same walk for sorting: *item receives the txid's first 4 bytes,
 * big-endian, above the number of the entry's unit. False at the end. */
bool gen_item(const struct gen *g, size_t *i, uint64_t *item);
/* Ask the processor for the slot, later for the entry. */
void gen_touch_slot(const struct gen *g, uint32_t hash);
void gen_touch_entry(const struct gen *g, uint32_t hash);
/* The entry that a slot's low half names. */
uint8_t *gen_at(const struct gen *g, uint32_t unit);

static inline struct slice entry_value(const uint8_t *e)
{
	return slice_of(e + ENTRY_HEAD, le16_get(e + ENTRY_LEN));
}

static inline bool entry_is_tomb(const uint8_t *e)
{
	return e[ENTRY_FLAGS] & ENTRY_TOMB;
}

#endif
