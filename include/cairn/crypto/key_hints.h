/*
 * A bounded table that spares square roots: for points of the curve that were
 * read lately, their y. What it holds is a hint and never believed: the library
 * checks that x and y are on the curve, so that a hint which another thread is
 * just writing, or which belongs to another key, costs time and nothing else.
 *
 * All functions but new and free: any number of threads at once, no locks.
 */
#ifndef CAIRN_CRYPTO_KEY_HINTS_H
#define CAIRN_CRYPTO_KEY_HINTS_H

#include <cairn/base/attr.h>
#include <stddef.h>

struct key_hints;

/* At most so many bytes, 32 a key; they are taken from the system as keys come.
 * NULL when fewer than 32 are asked for or the system has no room: functions
 * that take hints do without then. */
struct key_hints *key_hints_new(size_t bytes) must_check;
/* NULL is fine. */
void key_hints_free(struct key_hints *h);

#endif
