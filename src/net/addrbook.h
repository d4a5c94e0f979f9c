/* What net itself asks of the address book; the public half is in net.h. */
#ifndef CAIRN_NET_ADDRBOOK_H
#define CAIRN_NET_ADDRBOOK_H

#include <cairn/net/net.h>

#define ADDRBOOK_MAX 16384u
/* Entries that one network group may have, and that one group may have told us:
 * both are counted in slots that few groups share. */
#define ADDRBOOK_GROUP_MAX  256u
#define ADDRBOOK_SOURCE_MAX 1024u

struct addrbook *addrbook_new(void) must_check;
void addrbook_free(struct addrbook *b);

/* As addrbook_add, for what the peer at source told us: its share is bounded,
 * and the time it claims is taken two hours older. */
bool addrbook_learn(struct addrbook *b, const struct addr_entry *e,
		    const struct netaddr *source, int64_t now_s);
/* We are dialling a: it counts as failed until addrbook_good. */
void addrbook_tried(struct addrbook *b, const struct netaddr *a, int64_t now_s);
/* The handshake with a succeeded. One that is not in the book is not added:
 * whom the operator chose is nobody else's business. */
void addrbook_good(struct addrbook *b, const struct netaddr *a,
		   uint64_t services, int64_t now_s);

typedef bool (*addr_ok_fn)(void *arg, const struct addr_entry *e);
/* An entry worth dialling, at random, less likely the more often it failed,
 * that ok agrees with; false when 100 draws found none. */
bool addrbook_pick(struct addrbook *b, struct addr_entry *e, int64_t now_s,
		   addr_ok_fn ok, void *arg) must_check;

#endif
