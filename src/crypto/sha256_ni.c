/*
 * SHA-256 by the SHA extensions of x86 with the registers that every processor
 * has: one, two and four streams. Four want more than the sixteen and keep the
 * rest on the stack. Any thread; no state. Only run where usable() says yes.
 */
#include "lanes.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define NI __attribute__((target("sha,sse4.1,ssse3")))
#include "sha256_ni.h"

NI static void end1(const uint32_t *state, const uint8_t *p, size_t blocks,
		    uint8_t out[32])
{
	struct ni x;

	load_state(&x, state);
	for (size_t b = 0; b < blocks; b++) {
		load_block(&x, p + 64 * b);
		compress(&x, 1);
	}
	again(out, &x, 1);
}

/* __builtin_cpu_supports does not know "sha" on every compiler. */
bool sha256_ni_usable(void)
{
	unsigned a, b, c, d;

	if (!__builtin_cpu_supports("sse4.1") ||
	    !__builtin_cpu_supports("ssse3"))
		return false;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}

NI static void run1(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	run(state, p, blocks, 1);
}

const struct sha256_lanes sha256_ni1 = {
    .name = "sha-ni",
    .width = 1,
    .word_step = 1,
    .usable = sha256_ni_usable,
    .run = run1,
    .turn = sha256_turn1,
    .end = end1,
};

KERNEL(ni2, 2, sha256_ni_usable);
KERNEL(ni4, 4, sha256_ni_usable);

#endif
