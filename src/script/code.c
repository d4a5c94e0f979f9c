/*
 * Reading operations one by one, and taking signatures out of the code that
 * they sign. Executes nothing. Any thread; no state.
 */
#include "internal.h"

#include <cairn/base/endian.h>
#include <cairn/script/template.h>

bool script_read(const uint8_t **pc, const uint8_t *end, uint8_t *op,
		 struct slice *data)
{
	const uint8_t *p = *pc;
	size_t n = 0, width, left;

	*op = *p++;
	if (*op <= OP_PUSHDATA4) {
		n = *op;
		if (*op >= OP_PUSHDATA1) {
			left = (size_t)(end - p);
			width = (size_t)1 << (*op - OP_PUSHDATA1);
			*pc = p;
			if (left < width)
				return false;
			n = width == 1   ? p[0]
			    : width == 2 ? le16_get(p)
					 : le32_get(p);
			p += width;
		}
	}
	*pc = p;
	if ((size_t)(end - p) < n)
		return false;
	*data = slice_of(p, n);
	*pc = p + n;
	return true;
}

/* Whether the push that head and sig make stands at p. */
static bool stands_at(const uint8_t *p, const uint8_t *end, struct slice head,
		      struct slice sig)
{
	return (size_t)(end - p) >= head.n + sig.n &&
	       memcmp(p, head.p, head.n) == 0 &&
	       (sig.n == 0 || memcmp(p + head.n, sig.p, sig.n) == 0);
}

static struct slice remove_pushes(struct slice code, struct slice head,
				  struct slice sig, uint8_t *out)
{
	const uint8_t *pc = code.p, *from = pc, *end = code.p + code.n;
	uint8_t *to = out;
	struct slice data;
	uint8_t op;

	do {
		memmove(to, from, (size_t)(pc - from));
		to += pc - from;
		while (stands_at(pc, end, head, sig))
			pc += head.n + sig.n;
		from = pc;
	} while (pc < end && script_read(&pc, end, &op, &data));
	memmove(to, from, (size_t)(end - from));
	to += end - from;
	return slice_of(out, (size_t)(to - out));
}

struct slice code_without(struct slice code, struct slice sig, uint8_t *out)
{
	uint8_t buf[SCRIPT_ELEMENT_MAX + 5];
	struct slice push = slice_of(buf, 0), head;

	push.n = (size_t)(script_put_push(buf, sig) - buf);
	head = slice_of(buf, push.n - sig.n);
	/* Nearly never is it there at all. */
	if (code.n < push.n || !memmem(code.p, code.n, push.p, push.n))
		return code;
	return remove_pushes(code, head, sig, out);
}
