/*
 * Going into the background: one fork before any thread and before the data
 * folder is locked (locks do not pass to a child). The parent waits for one
 * byte, so that a failed start is seen where it was asked for; until then the
 * child's sentences go to the same terminal.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Wait for the child's byte; its silence means that it is gone. */
static noreturn_fn void wait_for_child(int fd)
{
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	_exit(n == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void point_at_null(int target)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, target);
	close(fd);
}

int daemon_detach(void)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		int rc = -errno;

		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (pid > 0) {
		close(fds[1]);
		wait_for_child(fds[0]);
	}
	close(fds[0]);
	(void)setsid();
	point_at_null(STDIN_FILENO);
	return fds[1];
}

void daemon_report(int *fd)
{
	ssize_t n;

	if (*fd < 0)
		return;
	point_at_null(STDOUT_FILENO);
	point_at_null(STDERR_FILENO);
	do {
		n = write(*fd, "", 1);
	} while (n < 0 && errno == EINTR);
	close(*fd);
	*fd = -1;
}
