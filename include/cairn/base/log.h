/*
 * The log: one line per record, key=value, to the file, the console or both.
 * Any thread; arguments are not evaluated when the level or category is off.
 * error: the node must stop or the admin must act. warn: the admin should look.
 * info: start, stop, tip. debug: per peer or block, by category. trace: per
 * message.
 */
#ifndef CAIRN_BASE_LOG_H
#define CAIRN_BASE_LOG_H

#include <cairn/base/attr.h>
#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE };

/* Categories are bits; their names are bitcoind's (log_cat_name). */
#define LOG_NET          (1u << 0)
#define LOG_HTTP         (1u << 1)
#define LOG_RPC          (1u << 2)
#define LOG_VALIDATION   (1u << 3)
#define LOG_BLOCKSTORAGE (1u << 4)
#define LOG_COINDB       (1u << 5)
#define LOG_LEVELDB      (1u << 6)
#define LOG_ADDRMAN      (1u << 7)
#define LOG_MEMPOOL      (1u << 8)
#define LOG_BENCH        (1u << 9)
#define LOG_PROXY        (1u << 10)
#define LOG_RAND         (1u << 11)
#define LOG_ALL          0xfffu
#define LOG_CATS         12

/* Debug categories that are on, and the most detailed level: read on every
 * log_x. Written by log_set_* only (atomic). */
extern uint32_t log_mask;
extern int log_max_level;

static inline bool log_on(enum log_level l, uint32_t cat)
{
	if (l <= LOG_INFO)
		return true;
	return (__atomic_load_n(&log_mask, __ATOMIC_RELAXED) & cat) != 0 &&
	       (int)l <= __atomic_load_n(&log_max_level, __ATOMIC_RELAXED);
}

void log_line(enum log_level l, uint32_t cat, const char *fmt, ...)
    printf_like(3, 4);

#define log_at(l, cat, ...)                                                    \
	(log_on(l, cat) ? log_line(l, cat, __VA_ARGS__) : (void)0)
#define log_error(cat, ...) log_at(LOG_ERROR, cat, __VA_ARGS__)
#define log_warn(cat, ...)  log_at(LOG_WARN, cat, __VA_ARGS__)
#define log_info(cat, ...)  log_at(LOG_INFO, cat, __VA_ARGS__)
#define log_debug(cat, ...) log_at(LOG_DEBUG, cat, __VA_ARGS__)
#define log_trace(cat, ...) log_at(LOG_TRACE, cat, __VA_ARGS__)

/* Name of category bit i (0..LOG_CATS-1), e.g. "net". */
const char *log_cat_name(unsigned i);
/* The bits for a name ("all", "1" and "" are LOG_ALL; bitcoind's names that we
 * have no lines for are known and give 0); false for an unknown name. */
bool log_cat_parse(const char *name, uint32_t *bits) must_check;
/* "error", "warning"/"warn", "info", "debug", "trace". */
bool log_level_parse(const char *name, enum log_level *l) must_check;

/* Append to path (NULL: no file). 0 or -errno; may be called again. */
int log_open_file(const char *path) must_check;
/* Close and open the file again under its name, for log rotation. */
int log_reopen(void);
/* Also print to standard output. Under systemd: to stderr instead, with <N>
 * prefixes and without the time. With neither file nor console, warnings and
 * errors go to stderr. */
void log_set_console(bool on);
/* Times with microseconds (-logtimemicros). */
void log_set_time_micros(bool on);
void log_set_mask(uint32_t mask);
void log_set_level(enum log_level max);
void log_close(void);

#endif
