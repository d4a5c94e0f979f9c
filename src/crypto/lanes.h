/*
 * Inside of crypto: the SHA-256 kernels, how one is chosen, and the feeder that
 * cuts messages into padded blocks for them. Not for other folders.
 */
#ifndef CAIRN_CRYPTO_LANES_H
#define CAIRN_CRYPTO_LANES_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

#define SHA256_LANES_MAX 16

/* One way to compress blocks for `width` independent messages at a time. */
struct sha256_lanes {
	const char *name;
	unsigned width;
	/* Word w of lane l is state[w * word_step + l * lane_step]. */
	unsigned word_step, lane_step;
	/* Whether this processor has it. */
	bool (*usable)(void);
	/* Advance each lane's state by `blocks` 64-byte blocks at p[lane]. */
	void (*run)(uint32_t *state, const uint8_t *const *p, size_t blocks);
	/* Write the digest of every lane to digests + 32 * lane and set the
	 * lanes whose bit is set back to the initial state. */
	void (*turn)(uint32_t *state, uint32_t lanes, uint8_t *digests);
	/* Of width 1 only, may be NULL: run over the padded end of a message,
	 * then hash the digest and write the result. */
	void (*end)(const uint32_t *state, const uint8_t *p, size_t blocks,
		    uint8_t out[32]);
	/* SHA-256 of `width` messages of 32 bytes, each replaced by its digest.
	 * NULL: width 1. */
	void (*d32)(uint8_t *io);
	/* Double SHA-256 of `width` messages of 64 bytes; out may be in. NULL:
	 * width 1. */
	void (*d64)(uint8_t *out, const uint8_t *in);
};

/* A kernel of several lanes and the number of messages from which it beats all
 * narrower ones, be lanes idle or not. */
struct sha256_level {
	const struct sha256_lanes *lanes;
	size_t min;
};

#define SHA256_LEVELS_MAX 4

/* What the public functions use: the kernel of one message, and those of
 * several, widest first, each faster a message than the next. */
struct sha256_choice {
	const struct sha256_lanes *one;
	unsigned n_levels;
	struct sha256_level level[SHA256_LEVELS_MAX];
};

extern const struct sha256_lanes sha256_portable;
extern const struct sha256_lanes sha256_openssl;
#if defined(__x86_64__)
extern const struct sha256_lanes sha256_ni1;
extern const struct sha256_lanes sha256_ni2;
extern const struct sha256_lanes sha256_ni4;
extern const struct sha256_lanes sha256_ni4_wide;
extern const struct sha256_lanes sha256_avx2;
extern const struct sha256_lanes sha256_avx512;
#endif

#if defined(__x86_64__)
/* Whether the processor has the SHA extensions. */
bool sha256_ni_usable(void);
#endif

/* Every kernel that was compiled in, NULL-ended, narrow ones first. */
const struct sha256_lanes *const *sha256_lanes_all(void);
/* Compare a kernel with OpenSSL on messages of many lengths. */
bool sha256_lanes_agree(const struct sha256_lanes *l);

/* Read or replace the choice; replacing is for start and tests only, while no
 * other thread hashes. */
const struct sha256_choice *sha256_chosen(void);
void sha256_choose(const struct sha256_choice *c);

/* The turn of kernels that have one lane. */
void sha256_turn1(uint32_t *state, uint32_t lanes, uint8_t *block);

extern const uint32_t sha256_iv[8];
extern const uint32_t sha256_k[64];
/* Schedule plus constants of the block that pads a message of 64 bytes. */
extern const uint32_t sha256_pad64_wk[64];

/*
 * Cuts a message that lies in slices one after another into whole blocks:
 * straight from the slice where 64 bytes are contiguous, otherwise through the
 * tail, which also takes the padding. The end of a single slice is padded
 * beforehand, so that its bytes are in the cache's reach, no longer in the
 * store queue, when a kernel loads them. Borrows the slices.
 */
struct sha256_feed {
	const struct slice *part;
	size_t parts, off;
	uint64_t n;
	bool ended;
	const uint8_t *p; /* blocks * 64 bytes to compress next */
	size_t blocks;
	const uint8_t *end; /* the padded end, NULL while not made */
	size_t end_blocks;
	uint8_t tail[192];
};

void sha256_feed_init(struct sha256_feed *f, const struct slice *part,
		      size_t parts);
/* The next run of blocks into p and blocks; false when all were given. */
bool sha256_feed_next(struct sha256_feed *f);

/* Double SHA-256 of one message through a kernel of width 1. */
void sha256d_one(const struct sha256_lanes *l, struct hash256 *out,
		 const struct slice *parts, size_t n);
/* Double SHA-256 of n messages through any kernel; message i is the `per`
 * slices from in + i * per on. */
void sha256d_through(const struct sha256_lanes *l, struct hash256 *out,
		     const struct slice *in, size_t per, size_t n);

/* From OpenSSL, for the self-test. */
void sha256_reference(uint8_t out[32], const void *p, size_t n);

#endif
