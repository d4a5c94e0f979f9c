/*
 * Inside of script: a bounded set of tags that forgets. A tag is what is
 * compared (w, not both zero) and its place. Tags must be as good as random to
 * whoever chooses what they stand for. Any number of threads at once but for
 * init and fini, no locks.
 */
#ifndef CAIRN_SCRIPT_TAGSET_H
#define CAIRN_SCRIPT_TAGSET_H

#include <cairn/script/cache.h>

struct tagset_line;

struct tagset {
	struct tagset_line *lines; /* NULL: keeps nothing */
	size_t n;                  /* lines there may be in use */
	unsigned level;            /* atomic: how many of them are */
	size_t puts;               /* atomic: so far */
};

/* At most so many bytes. */
void tagset_init(struct tagset *s, size_t bytes);
void tagset_fini(struct tagset *s);
bool tagset_has(const struct tagset *s, const struct tag *t);
void tagset_put(struct tagset *s, const struct tag *t);

#endif
