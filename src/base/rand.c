/*
 * Randomness: xoshiro256** (Blackman and Vigna) for choices, the system's
 * generator for secrets. A struct rand belongs to one thread; rand_os is for
 * any. The fast generator's outputs tell its state: nothing secret from it.
 */
#include <cairn/base/rand.h>

#include <cairn/base/must.h>

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

static uint64_t rotl(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

/* One step of splitmix64, which spreads a seed over the whole state. */
static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void rand_seed(struct rand *r, uint64_t seed)
{
	int i;

	for (i = 0; i < 4; i++)
		r->s[i] = splitmix(&seed);
}

void rand_init(struct rand *r)
{
	/* All zero is the one state that xoshiro never leaves. */
	do
		rand_os(r->s, sizeof r->s);
	while ((r->s[0] | r->s[1] | r->s[2] | r->s[3]) == 0);
}

uint64_t rand_u64(struct rand *r)
{
	uint64_t *s = r->s;
	uint64_t v = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return v;
}

uint64_t rand_below(struct rand *r, uint64_t n)
{
	uint64_t low, v;

	must(n > 0);
	/* The lowest 2^64 mod n values would make some results likelier. */
	low = (0 - n) % n;
	do
		v = rand_u64(r);
	while (v < low);
	return v % n;
}

uint64_t rand_exp(struct rand *r, uint64_t mean)
{
	uint64_t u = rand_u64(r) | 1;
	int zeros = __builtin_clzll(u);
	/* u is m * 2^-(zeros + 1) of the whole, with m in [1, 2). */
	double m = (double)(u << zeros) / 9223372036854775808.0;
	double t = (m - 1) / (m + 1), t2 = t * t;
	/* The logarithm of m by its series, exact to five digits. */
	double ln_m = 2 * t * (1 + t2 / 3 + t2 * t2 / 5 + t2 * t2 * t2 / 7);
	double ln2 = 0.69314718055994531;
	double x = (zeros + 1) * ln2 - ln_m;

	return x > 0 ? (uint64_t)(x * (double)mean) : 0;
}

void rand_os(void *p, size_t n)
{
	unsigned char *at = p;

	while (n) {
		ssize_t got = getrandom(at, n, 0);

		if (got < 0) {
			must(errno == EINTR);
			continue;
		}
		at += got;
		n -= (size_t)got;
	}
}
