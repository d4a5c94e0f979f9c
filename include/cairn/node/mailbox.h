/*
 * Tasks from any thread to the loop, in the order posted. Unbounded: what posts
 * is bounded by its own windows (blocks handed over, reads under way, calls).
 */
#ifndef CAIRN_NODE_MAILBOX_H
#define CAIRN_NODE_MAILBOX_H

#include <cairn/base/attr.h>
#include <cairn/base/thread.h>
#include <uv.h>

struct mailbox;

/* Loop, before others may post. 0 or libuv's error. */
int mailbox_new(struct mailbox **give, uv_loop_t *loop) must_check;
/* Run t on the loop, never inside this call. Any thread. After mailbox_close it
 * is dropped: by then nobody may post what owns something. */
void mailbox_post(struct mailbox *m, struct task t);
/* Run what was posted so far. Loop, but not from a task. */
void mailbox_drain(struct mailbox *m);
/* Drain until empty, then close the handle, so that the loop can end. Loop,
 * but not from a task. */
void mailbox_close(struct mailbox *m);
/* After the loop has ended and no other thread runs. NULL is fine. */
void mailbox_free(struct mailbox *m);

#endif
