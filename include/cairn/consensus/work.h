/* 256-bit numbers of proof of work: targets and chain work. Pure. */
#ifndef CAIRN_CONSENSUS_WORK_H
#define CAIRN_CONSENSUS_WORK_H

#include <cairn/base/bytes.h>

/* Little-endian limbs: w[0] is the least significant. */
struct u256 {
	uint64_t w[4];
};

struct params;

/* -1, 0 or 1. */
int u256_cmp(const struct u256 *a, const struct u256 *b);
/* These wrap at 2^256. */
struct u256 u256_add(const struct u256 *a, const struct u256 *b);
struct u256 u256_sub(const struct u256 *a, const struct u256 *b);
struct u256 u256_mul(const struct u256 *a, uint64_t m);
/* Quotients, rounded down; the divisor is not zero. */
struct u256 u256_div(const struct u256 *a, const struct u256 *d);
struct u256 u256_div_u64(const struct u256 *a, uint64_t d);
/* Number of bits up to the highest one that is set; 0 for zero. */
unsigned u256_bits(const struct u256 *a);
/* From 32 bytes, most significant first, and back. */
struct u256 u256_from_be(const uint8_t b[32]);
void u256_to_be(uint8_t b[32], const struct u256 *a);
/* The number that a hash is compared as: its bytes, least significant first. */
struct u256 u256_from_hash(const struct hash256 *h);
bool u256_is_zero(const struct u256 *a);
/* As a double, for difficulty and progress. */
double u256_double(const struct u256 *a);

/* Compact form ("nBits"). False when negative, zero or overflowing; target is
 * then what the bits would say without those conditions. */
bool target_from_bits(struct u256 *target, uint32_t bits);
uint32_t target_to_bits(const struct u256 *target);
/* Work of a block with these bits: 2^256 / (target + 1); zero if unusable. */
struct u256 work_of_bits(uint32_t bits);
/* Hash meets the target that bits say, and bits are within the network's
 * limit. */
bool pow_ok(const struct hash256 *hash, uint32_t bits, const struct params *p);
/* What getdifficulty prints for bits. */
double difficulty_of_bits(uint32_t bits);

#endif
