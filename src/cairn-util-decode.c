/*
 * cairn-util decode: a payload from standard input, its JSON to standard
 * output, or the reason why there is none. One thread; the JSON itself is made
 * in cairn-util-json.c.
 */
#include "cairn-util.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/rpc/json.h>
#include <cairn/wire/fault.h>
#include <cairn/wire/header.h>
#include <cairn/wire/version.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Twice the largest size that a CompactSize may state: one payload in hex. */
#define INPUT_MAX  ((size_t)64 << 20)
#define INPUT_STEP ((size_t)64 << 10)

enum form { FORM_GUESS, FORM_RAW, FORM_HEX };

struct decode {
	enum form form;
	uint32_t version;
	const char *name;
	bool bare_header;
	enum msg_type type;
};

static int fail(const char *name, const char *why)
{
	fprintf(stderr, "cairn-util: %s: %s\n", name, why);
	return EXIT_FAILURE;
}

/* All of standard input, into *in, which grows. */
static int input_read(struct buf **in)
{
	for (;;) {
		struct buf *b = *in;
		ssize_t got;
		int rc;

		if (b->n == b->cap) {
			if (b->cap >= INPUT_MAX)
				return E_LIMIT;
			rc = buf_reserve(in, b->cap * 2);
			if (rc)
				return rc;
			b = *in;
		}
		got = read(STDIN_FILENO, buf_data(b) + b->n, b->cap - b->n);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return 0;
		b->n += got > 0 ? (size_t)got : 0;
	}
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whether all bytes are digits, in pairs, and white space; how many pairs. */
static bool is_hex(size_t *pairs, struct slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (is_space(s.p[i]))
			continue;
		if (digit(s.p[i]) < 0)
			return false;
		n++;
	}
	*pairs = n / 2;
	return n % 2 == 0;
}

/* Turn digits into bytes where they stand. */
static void from_hex(struct buf *b)
{
	uint8_t *p = buf_data(b);
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		int d = digit(p[i]);

		if (d < 0)
			continue;
		p[n / 2] = (uint8_t)(n % 2 ? p[n / 2] | d : d << 4);
		n++;
	}
	b->n = n / 2;
}

static bool input_convert(struct buf *b, enum form form)
{
	size_t pairs = 0;
	bool hex = is_hex(&pairs, buf_payload(b));

	if (form == FORM_HEX && !hex)
		return false;
	if (form == FORM_HEX || (form == FORM_GUESS && hex && pairs > 0))
		from_hex(b);
	return true;
}

static bool find_fault(struct msg_fault *f, const struct decode *d,
		       struct slice body)
{
	if (d->bare_header)
		return header_fault_find(f, body);
	return msg_fault_find(f, d->type, body, d->version);
}

static void print_out(void *arg, const char *p, size_t n)
{
	fwrite(p, 1, n, arg);
}

static void print_trailing(struct jw *w, const struct decode *d,
			   struct slice body)
{
	size_t n;

	if (!d->bare_header && msg_length(&n, d->type, body, d->version) &&
	    n < body.n)
		jw_ku64(w, "trailing_bytes", body.n - n);
}

static int print(const struct decode *d, struct slice body)
{
	struct jw *w = jw_new(print_out, stdout, true);

	jw_obj(w);
	if (d->bare_header)
		util_header_members(w, body.p);
	else
		util_msg_members(w, d->type, body, d->version);
	print_trailing(w, d, body);
	jw_obj_end(w);
	jw_free(w);
	putchar('\n');
	if (fflush(stdout) != 0 || ferror(stdout))
		return fail(d->name, "standard output cannot be written");
	return EXIT_SUCCESS;
}

static int decode_input(const struct decode *d, struct buf **in)
{
	struct msg_fault f;
	struct buf *b;
	int rc = input_read(in);

	if (rc)
		return fail("standard input", err_str(rc));
	b = *in;
	if (!input_convert(b, d->form))
		return fail(d->name, "not hexadecimal digits in pairs");
	if (find_fault(&f, d, buf_payload(b))) {
		fprintf(stderr, "cairn-util: %s: offset %zu: %s%s%s\n", d->name,
			f.offset, f.field, *f.field ? ": " : "", f.why);
		return EXIT_FAILURE;
	}
	return print(d, buf_payload(b));
}

static bool type_find(struct decode *d, const char *word)
{
	uint8_t padded[MSG_NAME_LEN] = {0};
	size_t n = strlen(word);

	d->name = word;
	d->bare_header = strcmp(word, "header") == 0;
	if (n > MSG_NAME_LEN)
		return false;
	memcpy(padded, word, n);
	d->type = msg_type_find(padded);
	return d->bare_header || d->type != MSG_UNKNOWN;
}

static bool option_take(struct decode *d, const char *arg)
{
	static const char protocol[] = "--protocol=";
	int64_t n;

	if (strcmp(arg, "--raw") == 0) {
		d->form = FORM_RAW;
	} else if (strcmp(arg, "--hex") == 0) {
		d->form = FORM_HEX;
	} else if (strncmp(arg, protocol, sizeof protocol - 1) == 0) {
		if (!i64_parse(&n, arg + sizeof protocol - 1) || n < 0 ||
		    n > INT32_MAX)
			return false;
		d->version = (uint32_t)n;
	} else {
		return false;
	}
	return true;
}

int util_decode(int argc, char **argv)
{
	struct decode d = {.form = FORM_GUESS, .version = PROTOCOL_VERSION};
	struct buf *b;
	int rc;

	for (; argc > 1; argc--, argv++)
		if (!option_take(&d, argv[0]))
			return UTIL_USAGE;
	if (argc != 1 || argv[0][0] == '-')
		return UTIL_USAGE;
	if (!type_find(&d, argv[0]))
		return fail(argv[0], "no such message");
	b = buf_new(INPUT_STEP);
	if (!b)
		return fail(d.name, err_str(E_NOMEM));
	rc = decode_input(&d, &b);
	buf_unref(b);
	return rc;
}
