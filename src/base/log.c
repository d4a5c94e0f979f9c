/*
 * The log's sink: formats a line on the stack, escapes what a terminal would
 * obey, and writes it with one write(2) under a mutex. Any thread, but no
 * signal handler. Allocates nothing while logging, so that an out-of-memory
 * message gets through. Does not limit rates: callers do, by peer.
 */
#include <cairn/base/log.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MSG_MAX  4096 /* longer messages are cut and end in "..." */
#define LINE_CAP (MSG_MAX + 2048)

uint32_t log_mask;
int log_max_level = LOG_DEBUG;

static struct {
	pthread_mutex_t mu;
	int fd;
	char *path;
	bool console;
	bool journal; /* the console is stderr, read by systemd */
	bool micros;
} sink = {.mu = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static const char *const cat_names[LOG_CATS] = {
    "net",     "http",    "rpc",     "validation", "blockstorage", "coindb",
    "leveldb", "addrman", "mempool", "bench",      "proxy",        "rand",
};

/* bitcoind's categories that nothing here writes to. */
static const char *const idle_names[] = {
    "tor",
    "zmq",
    "walletdb",
    "estimatefee",
    "selectcoins",
    "reindex",
    "cmpctblock",
    "prune",
    "mempoolrej",
    "libevent",
    "qt",
    "i2p",
    "ipc",
    "lock",
    "scan",
    "txreconciliation",
    "txpackages",
    "kernel",
    "privatebroadcast",
};

static const struct {
	const char *name;
	enum log_level level;
} level_names[] = {
    {"error", LOG_ERROR}, {"warning", LOG_WARN}, {"warn", LOG_WARN},
    {"info", LOG_INFO},   {"debug", LOG_DEBUG},  {"trace", LOG_TRACE},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct line {
	char b[LINE_CAP];
	size_t n;
	size_t time_n; /* the first bytes, which a journal does without */
};

static void put_time(struct line *l, bool micros)
{
	struct timespec ts;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	l->n += strftime(l->b, 32, "%Y-%m-%dT%H:%M:%S", &tm);
	if (micros)
		l->n += (size_t)snprintf(l->b + l->n, 16, ".%06ld",
					 ts.tv_nsec / 1000);
	l->b[l->n++] = 'Z';
	l->b[l->n++] = ' ';
	l->time_n = l->n;
}

static const char *tag(enum log_level l, uint32_t cat)
{
	switch (l) {
	case LOG_ERROR:
		return "error";
	case LOG_WARN:
		return "warn";
	case LOG_INFO:
		return NULL;
	case LOG_DEBUG:
	case LOG_TRACE:
		break;
	}
	return cat & LOG_ALL ? cat_names[__builtin_ctz(cat & LOG_ALL)]
			     : "debug";
}

static void put_tag(struct line *l, const char *name)
{
	if (name)
		l->n += (size_t)snprintf(l->b + l->n, 32, "[%s] ", name);
}

/* How many bytes at p make a control: C0 and DEL, or C1 as UTF-8 spells it. */
static size_t control_len(const unsigned char *p)
{
	if (p[0] < 0x20 || p[0] == 0x7f)
		return 1;
	return p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f ? 2 : 0;
}

/* Add the message; the line keeps room for its end and for a cut. */
static void put_escaped(struct line *l, const char *msg)
{
	const unsigned char *p = (const unsigned char *)msg;
	size_t n;

	while (*p) {
		if (l->n > LINE_CAP - 16) {
			memcpy(l->b + l->n, "...", 3);
			l->n += 3;
			break;
		}
		n = control_len(p);
		if (n == 0)
			l->b[l->n++] = (char)*p++;
		for (; n > 0; n--)
			l->n +=
			    (size_t)snprintf(l->b + l->n, 5, "\\x%02x", *p++);
	}
	l->b[l->n++] = '\n';
}

/* Nothing can be done, nor said, about a log that cannot be written. */
static void write_out(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t did = write(fd, p, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return;
		p += did;
		n -= (size_t)did;
	}
}

static char syslog_digit(enum log_level l)
{
	static const char digits[] = "34677";

	return digits[l];
}

/* To systemd: the priority takes the place of the end of the time. */
static void write_journal(struct line *l, enum log_level level)
{
	char *p = l->b + l->time_n - 3;

	p[0] = '<';
	p[1] = syslog_digit(level);
	p[2] = '>';
	write_out(STDERR_FILENO, p, l->n - l->time_n + 3);
}

static void deliver(struct line *l, enum log_level level)
{
	pthread_mutex_lock(&sink.mu);
	if (sink.fd >= 0)
		write_out(sink.fd, l->b, l->n);
	if (sink.console && sink.journal)
		write_journal(l, level);
	else if (sink.console)
		write_out(STDOUT_FILENO, l->b, l->n);
	else if (sink.fd < 0 && level <= LOG_WARN)
		write_out(STDERR_FILENO, l->b, l->n);
	pthread_mutex_unlock(&sink.mu);
}

/* A format that ends in a line break, as printf's do, is forgiven. */
static void trim(char *msg, int n)
{
	if (n >= MSG_MAX)
		memcpy(msg + MSG_MAX - 4, "...", 3);
	else if (n > 0 && msg[n - 1] == '\n')
		msg[n - 1] = '\0';
}

void log_line(enum log_level l, uint32_t cat, const char *fmt, ...)
{
	int saved = errno;
	char msg[MSG_MAX];
	struct line line;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	trim(msg, n);
	line.n = 0;
	put_time(&line, __atomic_load_n(&sink.micros, __ATOMIC_RELAXED));
	put_tag(&line, tag(l, cat));
	put_escaped(&line, msg);
	deliver(&line, l);
	errno = saved;
}

const char *log_cat_name(unsigned i)
{
	return i < LOG_CATS ? cat_names[i] : NULL;
}

/* Index of s in the n names, or -1. */
static int name_index(const char *const *names, size_t n, const char *s)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(names[i], s) == 0)
			return (int)i;
	}
	return -1;
}

bool log_cat_parse(const char *name, uint32_t *bits)
{
	static const char *const all[] = {"", "1", "all"};
	static const char *const none[] = {"0", "none"};
	int i = name_index(cat_names, LOG_CATS, name);

	if (i >= 0)
		*bits = 1u << i;
	else if (name_index(all, COUNT(all), name) >= 0)
		*bits = LOG_ALL;
	else if (name_index(none, COUNT(none), name) >= 0 ||
		 name_index(idle_names, COUNT(idle_names), name) >= 0)
		*bits = 0;
	else
		return false;
	return true;
}

bool log_level_parse(const char *name, enum log_level *l)
{
	size_t i;

	for (i = 0; i < COUNT(level_names); i++) {
		if (strcmp(level_names[i].name, name) == 0) {
			*l = level_names[i].level;
			return true;
		}
	}
	return false;
}

static int open_append(const char *path, int *fd)
{
	*fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	return *fd < 0 ? -errno : 0;
}

int log_open_file(const char *path)
{
	char *copy = NULL, *old;
	int fd = -1, old_fd, rc;

	if (path) {
		copy = strdup(path);
		if (!copy)
			return -ENOMEM;
		rc = open_append(path, &fd);
		if (rc) {
			free(copy);
			return rc;
		}
	}
	pthread_mutex_lock(&sink.mu);
	old = sink.path;
	old_fd = sink.fd;
	sink.path = copy;
	sink.fd = fd;
	pthread_mutex_unlock(&sink.mu);
	free(old);
	if (old_fd >= 0)
		close(old_fd);
	return 0;
}

int log_reopen(void)
{
	int fd, rc = 0;

	pthread_mutex_lock(&sink.mu);
	if (sink.path) {
		rc = open_append(sink.path, &fd);
		if (rc == 0) {
			close(sink.fd);
			sink.fd = fd;
		}
	}
	pthread_mutex_unlock(&sink.mu);
	return rc;
}

/* Does systemd read our stderr? JOURNAL_STREAM names the stream it gave, which
 * a terminal inside a unit only inherits. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char is[64];
	struct stat st;

	if (getenv("NOTIFY_SOCKET"))
		return true;
	if (!stream || fstat(STDERR_FILENO, &st) != 0)
		return false;
	snprintf(is, sizeof is, "%ju:%ju", (uintmax_t)st.st_dev,
		 (uintmax_t)st.st_ino);
	return strcmp(is, stream) == 0;
}

void log_set_console(bool on)
{
	bool journal = on && stderr_is_journal();

	pthread_mutex_lock(&sink.mu);
	sink.console = on;
	sink.journal = journal;
	pthread_mutex_unlock(&sink.mu);
}

void log_set_mask(uint32_t mask)
{
	__atomic_store_n(&log_mask, mask, __ATOMIC_RELAXED);
}

void log_set_level(enum log_level max)
{
	__atomic_store_n(&log_max_level, (int)max, __ATOMIC_RELAXED);
}

void log_set_time_micros(bool on)
{
	__atomic_store_n(&sink.micros, on, __ATOMIC_RELAXED);
}

void log_close(void)
{
	int rc = log_open_file(NULL);

	(void)rc;
}
