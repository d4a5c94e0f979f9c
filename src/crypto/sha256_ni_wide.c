/*
 * SHA-256 by the SHA extensions of x86 where AVX-512 doubles the registers: the
 * round instruction cannot name the upper sixteen, but what waits for its turn
 * stays there and not on the stack. Any thread; no state. Only run where
 * usable() says yes.
 */
#include "lanes.h"

#if defined(__x86_64__)

#define NI __attribute__((target("sha,avx512f,avx512bw,avx512vl")))
#include "sha256_ni.h"

static bool usable(void)
{
	return sha256_ni_usable() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl");
}

KERNEL(ni4_wide, 4, usable);

#endif
