/*
 * Results: 0 is success, system and libuv errors are -errno as they come, our
 * own codes lie below -1000. One lowercase phrase each.
 */
#ifndef CAIRN_BASE_ERR_H
#define CAIRN_BASE_ERR_H

enum err {
	E_OK = 0,
	E_NOSPACE = -1001,  /* the disk is full */
	E_IO = -1002,       /* the disk failed */
	E_CORRUPT = -1003,  /* stored bytes are not what was written */
	E_NOMEM = -1004,    /* an allocation with a cap failed */
	E_NOTFOUND = -1005, /* no such record */
	E_LIMIT = -1006,    /* a stated bound is reached */
	E_PARSE = -1007,    /* malformed input */
	E_STOPPING = -1008, /* the node is going down */
	E_LOCKED = -1009,   /* another process holds the lock */
	E_FOREIGN = -1010,  /* the folder belongs to another program */
	E_VERSION = -1011,  /* a newer format than this program knows */
	E_BUSY = -1012,     /* a queue is full */
	E_INVALID = -1013,  /* an argument out of its range */
	E_CLOSED = -1014,   /* the connection is gone */
	E_RANGE = -1015,    /* a number does not fit */
	E_TIMEOUT = -1016,  /* a deadline passed */
};

/* The phrase for rc, ours or the system's. Never NULL; static storage or, for
 * system errors, a thread-local one. Any thread. */
const char *err_str(int rc);

#endif
