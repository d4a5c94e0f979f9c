/*
 * Help: the list of commands by category, and one command's text made from its
 * row. Any thread; reads only the table. Knows no command by name.
 */
#include "internal.h"

#include <cairn/base/mem.h>

#include <ctype.h>
#include <stdlib.h>

static const char *type_word(const struct rpc_arg *a)
{
	if (strlen(a->types) != 1)
		return NULL;
	switch (a->types[0]) {
	case 'n':
		return "numeric";
	case 's':
		return "string";
	case 'b':
		return "boolean";
	case 'o':
		return "json object";
	case 'a':
		return "json array";
	default:
		return NULL;
	}
}

/* The first of the names, the others are aliases. */
static int name_len(const struct rpc_arg *a)
{
	return (int)strcspn(a->name, "|");
}

/* "name "blockhash" ( verbosity )": strings are quoted, the rest in brackets
 * can be left out; unexplained arguments and those behind them are not shown.
 */
static void put_usage(struct text *t, const struct rpc_cmd *cmd)
{
	const struct rpc_arg *a;
	bool optional = false;

	text_puts(t, cmd->name);
	for (a = cmd->args; a && a->name && a->help; a++) {
		const char *q = strcmp(a->types, "s") == 0 ? "\"" : "";

		if (!a->required && !optional)
			text_puts(t, " (");
		if (a->required && optional)
			text_puts(t, " )");
		optional = !a->required;
		text_printf(t, " %s%.*s%s", q, name_len(a), a->name, q);
	}
	if (optional)
		text_puts(t, " )");
}

static void put_args(struct text *t, const struct rpc_cmd *cmd)
{
	const struct rpc_arg *a;
	int widest = 0, i = 1;

	for (a = cmd->args; a && a->name && a->help; a++)
		if (name_len(a) > widest)
			widest = name_len(a);
	if (widest)
		text_puts(t, "\nArguments:\n");
	for (a = cmd->args; a && a->name && a->help; a++, i++) {
		const char *word = type_word(a);

		text_printf(t, "%d. %.*s%*s    (%s%s%s) %s\n", i, name_len(a),
			    a->name, widest - name_len(a), "", word ? word : "",
			    word ? ", " : "",
			    a->required ? "required" : "optional", a->help);
	}
}

static void put_command(struct text *t, const struct rpc_cmd *cmd)
{
	put_usage(t, cmd);
	text_printf(t, "\n\n%s\n", cmd->summary ? cmd->summary : "");
	put_args(t, cmd);
	if (cmd->result)
		text_printf(t, "\nResult:\n%s\n", cmd->result);
}

static int by_category(const void *a, const void *b)
{
	const struct rpc_cmd *x = *(const struct rpc_cmd *const *)a;
	const struct rpc_cmd *y = *(const struct rpc_cmd *const *)b;
	int d = strcmp(x->category, y->category);

	return d ? d : strcmp(x->name, y->name);
}

static void put_heading(struct text *t, const char *category)
{
	text_printf(t, "%s== %c%s ==\n", t->n ? "\n" : "",
		    toupper((unsigned char)category[0]), category + 1);
}

static void put_list(struct text *t, const struct rpc *r)
{
	const struct rpc_cmd **cmds = xcalloc(r->n_cmds + 1, sizeof *cmds);
	const char *category = NULL;
	struct text out = TEXT_INIT;
	size_t i, n = 0;

	for (i = 0; i < r->n_cmds; i++)
		if (!r->cmds[i]->hidden)
			cmds[n++] = r->cmds[i];
	qsort(cmds, n, sizeof(const struct rpc_cmd *), by_category);
	for (i = 0; i < n; i++) {
		if (!category || strcmp(category, cmds[i]->category) != 0)
			put_heading(&out, cmds[i]->category);
		category = cmds[i]->category;
		put_usage(&out, cmds[i]);
		text_puts(&out, "\n");
	}
	if (out.n)
		text_put(t, out.p, out.n - 1);
	text_fini(&out);
	free(cmds);
}

bool rpc_help(const struct rpc *r, struct text *out, const char *name)
{
	const struct rpc_cmd *cmd;

	if (!name || !*name) {
		put_list(out, r);
		return true;
	}
	cmd = cmd_find(r, name);
	if (!cmd) {
		text_printf(out, "help: unknown command: %s", name);
		return false;
	}
	put_command(out, cmd);
	return true;
}
