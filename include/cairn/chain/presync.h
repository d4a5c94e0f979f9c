/*
 * Header pre-sync: a peer's chain below the minimum work is read twice, keeping
 * one bit per commitment period the first time, so that cheap headers cannot
 * fill memory. The second reading hands headers out once they are proven to lie
 * under enough work. Idea and numbers: Bitcoin Core's headerssync. Loop; one
 * per peer.
 */
#ifndef CAIRN_CHAIN_PRESYNC_H
#define CAIRN_CHAIN_PRESYNC_H

#include <cairn/base/attr.h>
#include <cairn/chain/htree.h>

struct presync;

/* Start behind start, for a chain that must reach min_work. now_s bounds the
 * length that a chain may have by its median time. */
struct presync *presync_new(const struct params *p, const struct hnode *start,
			    const struct u256 *min_work,
			    int64_t now_s) must_check;
void presync_free(struct presync *s);

enum presync_rc {
	PRESYNC_MORE,    /* ask again with presync_locator */
	PRESYNC_DONE,    /* finished: nothing more to ask of it */
	PRESYNC_GIVE_UP, /* forget, no blame: the chain ended below the work, or
			    is not the one served before (a peer may
			    reorganise), or is longer than its time allows */
	PRESYNC_BAD,     /* no proof of work, a gap within the message, or a
			    difficulty that cannot be: misbehaving */
};

struct presync_out {
	const uint8_t *headers; /* n headers of 80 bytes, ready to be accepted;
				   borrowed until the next call */
	uint32_t n;
};

/* Feed one `headers` message of n headers (1..HEADERS_MAX, stride bytes apart,
 * hashes given). full: it carried the maximum number, so more are expected. out
 * is set in every case; it may hold headers with PRESYNC_GIVE_UP too. After
 * anything but PRESYNC_MORE only presync_free may follow. */
enum presync_rc presync_feed(struct presync *s, struct presync_out *out,
			     const uint8_t *h, size_t stride,
			     const struct hash256 *hashes, uint32_t n,
			     bool full);
/* Locator to ask the next headers with, at most LOCATOR_MAX hashes; gives how
 * many. */
uint32_t presync_locator(const struct presync *s, struct hash256 *out);
/* Bytes held, for the bound's test and getpeerinfo's presynced_headers. */
size_t presync_memory(const struct presync *s);
int32_t presync_height(const struct presync *s);
bool presync_in_redownload(const struct presync *s);

#endif
