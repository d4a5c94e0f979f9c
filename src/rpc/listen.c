/*
 * The server's own sockets: the unix socket beside the datadir's files and the
 * TCP addresses of -rpcbind. Runs on the loop's thread; blocks only on start
 * (name look-up). Does not accept: conn.c does.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG  512
#define HOST_MAX 256

static void on_connection(uv_stream_t *s, int status)
{
	struct listener *l = s->data;

	if (status == 0)
		conn_accept(l);
	else
		log_warn(LOG_HTTP, "rpc accept failed: %s", err_str(status));
}

static void on_closed(uv_handle_t *h)
{
	struct listener *l = h->data;
	struct rpc *r = l->r;

	free(l);
	r->open_handles--;
	server_check_end(r);
}

static struct listener *listener_new(struct rpc *r, bool is_unix)
{
	struct listener *l = xcalloc(1, sizeof *l);

	l->r = r;
	l->is_unix = is_unix;
	if (is_unix)
		must(uv_pipe_init(r->loop, &l->u.pipe, 0) == 0);
	else
		must(uv_tcp_init(r->loop, &l->u.tcp) == 0);
	l->u.any.data = l;
	r->open_handles++;
	arr_grow(&r->listeners, &r->cap_listeners, r->n_listeners + 1,
		 sizeof *r->listeners);
	r->listeners[r->n_listeners++] = l;
	return l;
}

/* Drop the listener that was added last. */
static void listener_undo(struct rpc *r)
{
	uv_close(&r->listeners[--r->n_listeners]->u.any, on_closed);
}

void listen_stop(struct rpc *r)
{
	while (r->n_listeners)
		listener_undo(r);
	if (r->unix_path)
		unlink(r->unix_path);
}

/* A socket that a killed process left behind is in the way of bind. We hold the
 * datadir's lock, so nobody listens on it. */
static int remove_stale(struct text *err, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		text_printf(err,
			    "Cannot listen on %s: a file that is no socket is "
			    "in its place",
			    path);
		return -EEXIST;
	}
	return unlink(path) == 0 || errno == ENOENT ? 0 : -errno;
}

int listen_unix(struct rpc *r, struct text *err, const char *path)
{
	struct sockaddr_un sun;
	struct listener *l;
	int rc;

	if (strlen(path) >= sizeof sun.sun_path) {
		log_warn(LOG_HTTP,
			 "rpc path=%s is longer than %zu bytes: no unix "
			 "socket, TCP only",
			 path, sizeof sun.sun_path - 1);
		return 0;
	}
	rc = remove_stale(err, path);
	if (rc)
		return rc;
	l = listener_new(r, true);
	rc = uv_pipe_bind(&l->u.pipe, path);
	if (rc == 0 && chmod(path, 0660) != 0)
		rc = -errno;
	if (rc == 0)
		rc = uv_listen(&l->u.stream, BACKLOG, on_connection);
	if (rc) {
		text_printf(err, "Cannot listen on %s: %s", path, err_str(rc));
		listener_undo(r);
		return rc;
	}
	r->unix_path = xstrdup(path);
	return 0;
}

/* "host:port" or "[host]:port". */
static bool split(char host[HOST_MAX], const char **port, const char *bind)
{
	const char *colon = strrchr(bind, ':');
	size_t n;

	if (!colon || colon[1] == '\0')
		return false;
	n = (size_t)(colon - bind);
	if (n >= 2 && bind[0] == '[' && bind[n - 1] == ']') {
		bind++;
		n -= 2;
	}
	if (n == 0 || n >= HOST_MAX)
		return false;
	memcpy(host, bind, n);
	host[n] = '\0';
	*port = colon + 1;
	return true;
}

static int listen_addr(struct rpc *r, const struct addrinfo *ai)
{
	struct listener *l = listener_new(r, false);
	unsigned flags = ai->ai_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0;
	int rc = uv_tcp_bind(&l->u.tcp, ai->ai_addr, flags);

	if (rc == 0)
		rc = uv_listen(&l->u.stream, BACKLOG, on_connection);
	if (rc)
		listener_undo(r);
	return rc;
}

/* An address that this machine does not have is no reason to stop. */
static bool is_absent(int rc)
{
	return rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT;
}

static int listen_bind(struct rpc *r, struct text *err, const char *bind)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_PASSIVE};
	struct addrinfo *list = NULL, *ai;
	char host[HOST_MAX];
	const char *port;
	int rc;

	if (!split(host, &port, bind)) {
		text_printf(err, "Invalid -rpcbind address: %s", bind);
		return E_INVALID;
	}
	rc = getaddrinfo(host, port, &hints, &list);
	if (rc) {
		text_printf(err, "Cannot resolve -rpcbind address %s: %s", bind,
			    gai_strerror(rc));
		return E_INVALID;
	}
	for (ai = list; ai && rc == 0; ai = ai->ai_next)
		rc = listen_addr(r, ai);
	freeaddrinfo(list);
	if (rc)
		text_printf(err, "Cannot listen for RPC on %s: %s", bind,
			    err_str(rc));
	return rc;
}

int listen_tcp(struct rpc *r, struct text *err, const char *const *binds)
{
	struct text why = TEXT_INIT;
	size_t before = r->n_listeners;
	int rc = 0;

	for (; binds && *binds; binds++) {
		text_reset(&why);
		rc = listen_bind(r, &why, *binds);
		if (rc && !is_absent(rc))
			break;
		if (rc)
			log_warn(LOG_HTTP, "%s", text_str(&why));
	}
	if (rc && (!is_absent(rc) || r->n_listeners == before))
		text_puts(err, text_str(&why));
	else
		rc = 0;
	text_fini(&why);
	return rc;
}

uint16_t rpc_port(const struct rpc *r)
{
	struct sockaddr_storage ss;
	const struct sockaddr_in *in4 = (const void *)&ss;
	int len = sizeof ss;
	size_t i;

	for (i = 0; i < r->n_listeners; i++) {
		if (r->listeners[i]->is_unix)
			continue;
		/* Both families have their port in the same place. */
		if (uv_tcp_getsockname(&r->listeners[i]->u.tcp,
				       (struct sockaddr *)&ss, &len) == 0)
			return ntohs(in4->sin_port);
	}
	return 0;
}
