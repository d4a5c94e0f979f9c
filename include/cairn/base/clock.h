/*
 * Time. Protocol timers read the mockable clock (setmocktime), socket progress
 * and measurements the monotonic one.
 */
#ifndef CAIRN_BASE_CLOCK_H
#define CAIRN_BASE_CLOCK_H

#include <stdint.h>

struct clock {
	int64_t mock_s; /* atomic; 0: follow the system */
};

/* Seconds since 1970 by the mock time if set, else by the system. Any thread.
 */
int64_t clock_now(const struct clock *c);
/* The same in microseconds (mock time has whole seconds). */
int64_t clock_now_us(const struct clock *c);
void clock_set_mock(struct clock *c, int64_t now_s);

/* Nanoseconds of the monotonic clock. */
uint64_t mono_ns(void);
/* Seconds since 1970 by the system. */
int64_t wall_s(void);

#endif
