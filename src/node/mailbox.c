/*
 * The way back to the loop for every other thread: a ring under a lock and one
 * wake-up. The loop takes all that is there at once and runs it without the
 * lock; what is posted meanwhile waits for the next turn, so that sockets are
 * not starved. Knows nothing of what the tasks do.
 */
#include <cairn/node/mailbox.h>

#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>

struct batch {
	struct task *t;
	size_t n, cap;
};

struct mailbox {
	uv_async_t async;
	pthread_mutex_t mu;
	struct batch in;  /* under the lock */
	struct batch out; /* the loop's: what is being run */
	bool draining;    /* the loop's */
	bool closed;      /* under the lock */
};

static void on_wake(uv_async_t *a)
{
	mailbox_drain(a->data);
}

int mailbox_new(struct mailbox **give, uv_loop_t *loop)
{
	struct mailbox *m = xcalloc(1, sizeof *m);
	int rc = uv_async_init(loop, &m->async, on_wake);

	if (rc) {
		free(m);
		return rc;
	}
	m->async.data = m;
	must(pthread_mutex_init(&m->mu, NULL) == 0);
	*give = m;
	return 0;
}

void mailbox_post(struct mailbox *m, struct task t)
{
	bool wake = false;

	pthread_mutex_lock(&m->mu);
	if (!m->closed) {
		wake = m->in.n == 0;
		if (m->in.n == m->in.cap)
			arr_grow(&m->in.t, &m->in.cap, m->in.n + 1,
				 sizeof *m->in.t);
		m->in.t[m->in.n++] = t;
		/* Inside the lock: the handle is closed under it as well. */
		if (wake)
			uv_async_send(&m->async);
	}
	pthread_mutex_unlock(&m->mu);
}

/* Swap the empty batch for what is there; gives how many. */
static size_t take_all(struct mailbox *m)
{
	struct batch empty = m->out;

	pthread_mutex_lock(&m->mu);
	m->out = m->in;
	m->in = empty;
	pthread_mutex_unlock(&m->mu);
	return m->out.n;
}

void mailbox_drain(struct mailbox *m)
{
	size_t i, n;

	must(!m->draining);
	m->draining = true;
	n = take_all(m);
	for (i = 0; i < n; i++)
		m->out.t[i].run(m->out.t[i].arg);
	m->out.n = 0;
	m->draining = false;
}

void mailbox_close(struct mailbox *m)
{
	bool closed = false;

	while (!closed) {
		mailbox_drain(m);
		pthread_mutex_lock(&m->mu);
		closed = m->in.n == 0;
		if (closed) {
			m->closed = true;
			uv_close((uv_handle_t *)&m->async, NULL);
		}
		pthread_mutex_unlock(&m->mu);
	}
}

void mailbox_free(struct mailbox *m)
{
	if (!m)
		return;
	pthread_mutex_destroy(&m->mu);
	free(m->in.t);
	free(m->out.t);
	free(m);
}
