/*
 * The text of -help and -help-debug, made from the option table. Any thread.
 */
#include <cairn/node/options.h>

#include <cairn/base/text.h>

#include <string.h>

#define WIDTH  79
#define INDENT 7

/* Put words of s, starting at column at, broken at WIDTH. */
static void put_wrapped(struct text *out, const char *s, size_t indent)
{
	size_t col = 0;

	while (*s) {
		size_t n = strcspn(s, " ");

		if (col && col + 1 + n > WIDTH) {
			text_puts(out, "\n");
			col = 0;
		}
		if (col == 0) {
			text_printf(out, "%*s", (int)indent, "");
			col = indent;
		} else {
			text_puts(out, " ");
			col++;
		}
		text_put(out, s, n);
		col += n;
		s += n;
		s += strspn(s, " ");
	}
	text_puts(out, "\n");
}

static void put_option(struct text *out, const struct option *o)
{
	text_printf(out, "  -%s%s%s\n", o->name, o->arg ? "=" : "",
		    o->arg ? o->arg : "");
	put_wrapped(out, o->text, INDENT);
	text_puts(out, "\n");
}

static bool is_shown(const struct option *o, bool debug)
{
	if (!*o->name || o->flags & OPT_HIDDEN || o->class != OPT_BUILT)
		return false;
	return debug || !(o->flags & OPT_DEBUG);
}

/* Whether a row below this heading is shown. */
static bool group_shows(const struct option *head, bool debug)
{
	const struct option *o;

	for (o = head + 1; o->name && *o->name; o++) {
		if (is_shown(o, debug))
			return true;
	}
	return false;
}

/* The names of a class in one paragraph. */
static void put_names(struct text *out, const char *title,
		      enum option_class class)
{
	struct text names = TEXT_INIT;
	const struct option *o;

	text_printf(out, "%s:\n\n", title);
	for (o = option_table; o->name; o++) {
		if (*o->name && o->class == class && !(o->flags & OPT_CLIENT))
			text_printf(&names, "%s ", o->name);
	}
	put_wrapped(out, text_str(&names), 2);
	text_puts(out, "\n");
	text_fini(&names);
}

void options_help(struct text *out, bool debug)
{
	const struct option *o;

	for (o = option_table; o->name; o++) {
		if (!*o->name && group_shows(o, debug))
			text_printf(out, "%s:\n\n", o->group);
		else if (is_shown(o, debug))
			put_option(out, o);
	}
	if (!debug)
		return;
	put_names(out, "Accepted, without effect here", OPT_IDLE);
	put_names(out, "Not supported yet", OPT_LATER);
}
