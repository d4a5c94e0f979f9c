/*
 * The service manager's notification protocol (sd_notify): one datagram to the
 * socket that $NOTIFY_SOCKET names. Start and stop, loop's thread. Says nothing
 * where there is no such socket and ignores failures: a manager that does not
 * listen is no reason to stop.
 */
#include "internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (n < 2 || n >= sizeof to.sun_path || !strchr("/@", path[0]))
		return;
	memcpy(to.sun_path, path, n);
	/* An '@' stands for the zero byte of the abstract namespace. */
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
		     (const struct sockaddr *)&to,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}
