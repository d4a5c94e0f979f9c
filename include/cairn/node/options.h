/*
 * The one table of options: every name that bitcoind takes, and our own, in
 * three classes. The command line, the configuration files, -help and the man
 * page's check all read it. Read-only, any thread.
 */
#ifndef CAIRN_NODE_OPTIONS_H
#define CAIRN_NODE_OPTIONS_H

#include <cairn/base/attr.h>
#include <cairn/params/names.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conf;
struct conf_item;
struct text;

enum option_class {
	OPT_BUILT, /* does what it says */
	OPT_IDLE,  /* without meaning here: accepted, one log line each */
	OPT_LATER, /* not built yet: start refused, unless it asks for what we
		      do anyway (prune=0) */
};

enum option_type {
	OPT_TEXT, /* any value */
	OPT_BOOL, /* empty or a whole number */
	OPT_INT,  /* a whole number from min to max */
	OPT_PORT, /* 1 to 65535 */
	OPT_ADDR, /* address[:port], [v6][:port] or v6, "=word" behind it */
};

/* Flags. */
#define OPT_NET_ONLY                                                           \
	1u                 /* of one network: not from the part before any     \
			      section, but for main */
#define OPT_SECRET    2u   /* its value is not logged */
#define OPT_NO_NEGATE 4u   /* -nofoo makes no sense */
#define OPT_NEEDS     8u   /* -foo without a value makes no sense */
#define OPT_DEBUG     16u  /* shown by -help-debug only */
#define OPT_HIDDEN    32u  /* shown nowhere */
#define OPT_CLIENT    64u  /* the client's: in a file only, passed over */
#define OPT_REGTEST   128u /* refused on other networks */
#define OPT_NOT_MAIN  256u /* refused on the main network */

struct option {
	const char *name; /* "" in a row that only gives a group */
	enum option_class class;
	enum option_type type;
	unsigned flags;
	int64_t min, max;  /* OPT_INT */
	const char *group; /* heading in -help of the rows that follow */
	const char *arg;   /* "<n>" in -help; NULL: none */
	const char *text;  /* help; for OPT_IDLE why it has no effect */
	const char *off;   /* OPT_LATER: the value that asks for nothing */
};

/* Ended by a NULL name. */
extern const struct option option_table[];

/* The row of name, or NULL. */
const struct option *option_find(const char *name);
/* The nearest name that the table shows, or NULL when none is near. */
const char *option_nearest(const char *name);
/* Keys for conf.net_only; NULL-ended, static storage. */
const char *const *option_net_only(void);

/* Judge every item: unknown names, options that are not built, values out of
 * their range. E_INVALID with one sentence that names the option (and file and
 * line) in err. c->section must be chosen; values in other networks' sections
 * are not judged, their names are. */
int options_check(const struct conf *c, enum chain_id chain,
		  struct text *err) must_check;
/* Only the names of what was given so far (before a network is chosen). */
int options_check_names(const struct conf *c, struct text *err) must_check;

/* What happened with the settings, line by line: without effect here, unknown
 * sections, values in force (secrets hidden). */
typedef void (*option_note_fn)(void *arg, bool warn, const char *line);
void options_note(const struct conf *c, option_note_fn note, void *arg);

/* The text of -help, or of -help-debug. */
void options_help(struct text *out, bool debug);

#endif
