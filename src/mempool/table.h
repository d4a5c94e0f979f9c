/*
 * A hash table from bytes that an entry owns (a txid, a wtxid, an outpoint) to
 * what owns them. Salted, open addressing, shrinks as it empties, so that what
 * it holds of memory follows what is in it. One thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_TABLE_H
#define CAIRN_SRC_MEMPOOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot {
	const uint8_t *key; /* borrowed: lives as long as the entry */
	void *val;
};

struct table {
	struct table_slot *slots;
	uint8_t *tags; /* by slot: 0 for a free one, else some of the hash */
	size_t cap;    /* 0 or a power of two */
	size_t n;
	uint64_t salt[2];
	uint32_t key_size; /* 32..40 */
};

void table_init(struct table *t, uint32_t key_size);
void table_fini(struct table *t);
/* The value, or NULL. */
void *table_get(const struct table *t, const void *key);
/* Add; the key is not in it. */
void table_put(struct table *t, const void *key, void *val);
/* Remove; gives what was there, or NULL. */
void *table_del(struct table *t, const void *key);
/* Walk: *i from 0; NULL at the end. */
void *table_next(const struct table *t, size_t *i);
/* Bytes of memory. */
size_t table_memory(const struct table *t);

#endif
