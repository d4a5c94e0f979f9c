/*
 * A hash table from hash256 to a pointer: open addressing, salted so that peers
 * cannot aim at one slot. One thread, or the caller's lock.
 */
#ifndef CAIRN_BASE_HMAP_H
#define CAIRN_BASE_HMAP_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct hmap_slot {
	const struct hash256 *key; /* borrowed: lives as long as the entry */
	void *val;
};

struct hmap {
	struct hmap_slot *slots;
	size_t cap; /* 0 or a power of two */
	size_t n;
	uint64_t salt[2];
};

void hmap_init(struct hmap *m);
void hmap_fini(struct hmap *m);
/* The value, or NULL. */
void *hmap_get(const struct hmap *m, const struct hash256 *key);
/* Add or replace. key is borrowed until the entry is deleted; val not NULL. */
void hmap_put(struct hmap *m, const struct hash256 *key, void *val);
/* Remove; returns what was there, or NULL. */
void *hmap_del(struct hmap *m, const struct hash256 *key);
/* Walk: start with *i = 0; NULL at the end. No change while walking. */
void *hmap_next(const struct hmap *m, size_t *i);

#endif
