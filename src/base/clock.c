/*
 * The clocks. Any thread; the mock time is one atomic number. Does not wake
 * anybody when the mock time moves: who sets it also runs the tick.
 */
#include <cairn/base/clock.h>

#include <time.h>

static int64_t wall_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_now(const struct clock *c)
{
	int64_t mock = __atomic_load_n(&c->mock_s, __ATOMIC_RELAXED);

	return mock ? mock : wall_s();
}

int64_t clock_now_us(const struct clock *c)
{
	int64_t mock = __atomic_load_n(&c->mock_s, __ATOMIC_RELAXED);

	return mock ? mock * 1000000 : wall_us();
}

void clock_set_mock(struct clock *c, int64_t now_s)
{
	__atomic_store_n(&c->mock_s, now_s, __ATOMIC_RELAXED);
}

uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int64_t wall_s(void)
{
	return wall_us() / 1000000;
}
