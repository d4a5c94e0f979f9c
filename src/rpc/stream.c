/*
 * Streamed results: the first pass counts (and keeps a small one whole), the
 * second makes pieces. Both run on the pool, one job at a time per stream; the
 * loop starts them and takes over when they return. Knows no sockets.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

/* First pass: keep the text until it is plainly not small. */
static void measure_sink(void *arg, const char *p, size_t n)
{
	struct stream *s = arg;

	if (s->size + n <= CHUNK_SIZE)
		text_put(&s->chunk, p, n);
	s->size += n;
}

static void chunk_sink(void *arg, const char *p, size_t n)
{
	struct stream *s = arg;

	text_put(&s->chunk, p, n);
}

/* One more part, unless nobody can wait for the end any more. */
static bool next(struct stream *s, struct jw *w, int *rc)
{
	if (__atomic_load_n(&s->r->stopping, __ATOMIC_RELAXED))
		*rc = E_STOPPING;
	return *rc == 0 && s->ops.next(s->ops.arg, w, rc);
}

/* Once it is too large to keep, the writer is one that only counts. The
 * document is then begun anew, which costs the small part twice and nothing
 * else. */
static int count_rest(struct stream *s)
{
	struct jw *w = jw_new(NULL, NULL, false);
	int rc = 0;

	s->ops.rewind(s->ops.arg);
	while (next(s, w, &rc))
		;
	if (rc == 0)
		must(jw_complete(w));
	s->size = jw_count(w);
	jw_free(w);
	return rc;
}

static int measure(struct stream *s)
{
	struct jw *w = jw_new(measure_sink, s, false);
	bool more = true;
	int rc = 0;

	while (rc == 0 && more && s->size <= CHUNK_SIZE)
		more = next(s, w, &rc);
	jw_flush(w);
	s->ready = rc == 0 && !more && s->size <= CHUNK_SIZE;
	if (s->ready)
		must(jw_complete(w));
	jw_free(w);
	if (rc || s->ready)
		return rc;
	text_fini(&s->chunk);
	rc = more ? count_rest(s) : 0;
	s->ops.rewind(s->ops.arg);
	return rc;
}

static void on_measure(void *arg)
{
	struct rpc_call *c = call_of(arg);
	struct rpc *r = c->r;

	c->stream->rc = measure(c->stream);
	r->ops->post(r->arg, (struct task){call_on_measured, c});
}

void stream_measure(struct rpc_call *c)
{
	must(pool_submit(c->r->pool, (struct task){on_measure, c}));
}

static void fill(struct stream *s)
{
	bool more = true;

	if (!s->w)
		s->w = jw_new(chunk_sink, s, false);
	while (more && s->rc == 0 && s->chunk.n < CHUNK_SIZE)
		more = s->ops.next(s->ops.arg, s->w, &s->rc);
	if (!more)
		jw_flush(s->w);
	s->ended = !more;
	s->made += s->chunk.n;
	s->changed = s->made > s->size || (s->ended && s->made != s->size);
}

/* The part that the answer has come to is the stream being filled. */
static void on_fill(void *arg)
{
	struct req *q = req_of(arg);
	struct rpc *r = q->r;

	fill(q->parts[q->at].s);
	r->ops->post(r->arg, (struct task){answer_on_filled, q});
}

void stream_fill(struct req *q)
{
	must(pool_submit(q->r->pool, (struct task){on_fill, q}));
}

static void on_free(void *arg)
{
	struct stream *s = arg;

	s->ops.free(s->ops.arg);
	jw_free(s->w);
	text_fini(&s->chunk);
	free(s);
}

void stream_free(struct stream *s)
{
	must(pool_submit(s->r->pool, (struct task){on_free, s}));
}
