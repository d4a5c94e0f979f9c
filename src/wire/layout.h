/* The fields of every message, in order, as fault.c reads them. */
#ifndef CAIRN_WIRE_LAYOUT_H
#define CAIRN_WIRE_LAYOUT_H

#include <cairn/wire/command.h>

enum field_kind {
	F_FIXED,   /* max bytes */
	F_COMPACT, /* a CompactSize that is a number of any size */
	F_SIZE,    /* a CompactSize of at most max */
	F_BYTES,   /* a length from min to max, as many bytes */
	F_VEC,     /* a count of at most max, as many of sub; each takes at
		    * least min bytes */
	F_VEC_SUM, /* the same; max bounds all counts so far together */
	F_RISING,  /* a distance to the index before; the index at most max */
	F_V2ADDR,  /* network, length, address */
	F_TX,      /* a transaction (BIP 144) */
	F_OPT,     /* the message may end here */
	F_REST,    /* all that follows */
	F_END,     /* the message must end here */
	F_STOP,    /* no more fields */
};

#define NO_MAX UINT32_MAX

struct field {
	const char *name;
	enum field_kind kind;
	uint32_t min, max;
	const struct field *sub;
};

/* The fields of a message, ended by F_STOP. */
const struct field *layout_of(enum msg_type t, uint32_t version);
const struct field *layout_header(void);

#endif
