/* A look at a LevelDB folder before LevelDB opens it. Private to store. */
#ifndef CAIRN_STORE_KV_CHECK_H
#define CAIRN_STORE_KV_CHECK_H

#include <cairn/base/attr.h>

/* Compare the size of every table in folder path with what the manifest says: a
 * table is mapped into memory, and a page behind its end would kill the
 * process. 0 when all agree, or when there is no database or no manifest that
 * we can read (LevelDB then says what is wrong); E_CORRUPT, logged, when one
 * does not. */
int kv_check_tables(const char *path) must_check;

#endif
