/*
 * The end of a process whose own claims do not hold: log the claim and its
 * place, then abort so that a core file shows the state. Any thread. Cleans
 * nothing up: the disk formats survive a kill at any point.
 */
#include <cairn/base/must.h>

#include <cairn/base/log.h>

#include <stdlib.h>

void must_fail(const char *claim, const char *file, int line)
{
	log_error(0, "broken claim at %s:%d: %s", file, line, claim);
	abort();
}
