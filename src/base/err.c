/*
 * The phrases for results: our own codes from a table, the system's from libc.
 * Any thread; allocates nothing. Knows of libuv only the two ranges of numbers
 * that are no errno, so that a log line never says "Unknown error 4095".
 */
#include <cairn/base/err.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OWN_FIRST (-E_NOSPACE)

/* libuv's numbers for what has no errno: look-up failures and end of file. */
#define UV_LOOKUP_LOW  (-3014)
#define UV_LOOKUP_HIGH (-3000)
#define UV_END_OF_FILE (-4095)

static const char *const own[] = {
    [-E_NOSPACE - OWN_FIRST] = "disk full",
    [-E_IO - OWN_FIRST] = "disk error",
    [-E_CORRUPT - OWN_FIRST] = "stored data is corrupt",
    [-E_NOMEM - OWN_FIRST] = "out of memory",
    [-E_NOTFOUND - OWN_FIRST] = "not found",
    [-E_LIMIT - OWN_FIRST] = "limit reached",
    [-E_PARSE - OWN_FIRST] = "malformed input",
    [-E_STOPPING - OWN_FIRST] = "shutting down",
    [-E_LOCKED - OWN_FIRST] = "locked by another process",
    [-E_FOREIGN - OWN_FIRST] = "belongs to another program",
    [-E_VERSION - OWN_FIRST] = "written by a newer version",
    [-E_BUSY - OWN_FIRST] = "queue full",
    [-E_INVALID - OWN_FIRST] = "invalid argument",
    [-E_CLOSED - OWN_FIRST] = "connection closed",
    [-E_RANGE - OWN_FIRST] = "number out of range",
    [-E_TIMEOUT - OWN_FIRST] = "timed out",
};

static const char *system_str(int rc)
{
	static _Thread_local char tmp[96];

	if (rc > -1000)
		return strerror_r(-rc, tmp, sizeof tmp);
	if (rc == UV_END_OF_FILE)
		return "end of file";
	if (rc >= UV_LOOKUP_LOW && rc <= UV_LOOKUP_HIGH)
		return "name lookup failed";
	snprintf(tmp, sizeof tmp, "unknown error %d", rc);
	return tmp;
}

const char *err_str(int rc)
{
	size_t i;

	if (rc == 0)
		return "success";
	if (rc > 0)
		return "unknown error";
	if (rc > E_NOSPACE ||
	    rc < -(OWN_FIRST + (int)(sizeof own / sizeof *own) - 1))
		return system_str(rc);
	i = (size_t)(-rc - OWN_FIRST);
	return own[i];
}
