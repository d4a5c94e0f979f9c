/*
 * Why a message is malformed: the field and the offset of the first byte that
 * does not fit. A second reading of every form, from a description of its
 * fields; the parse functions say the same, faster and without a reason. For
 * people and tests, not for the node. Any thread.
 */
#ifndef CAIRN_WIRE_FAULT_H
#define CAIRN_WIRE_FAULT_H

#include <cairn/wire/command.h>

struct msg_fault {
	size_t offset;   /* in the body, of what does not fit */
	const char *why; /* a phrase, static */
	char field[96];  /* as "txs[3].vin[0].script" */
};

/* Read body as a message of type t from a peer whose protocol version is
 * version. True, with *f filled, where the table's parse function refuses it.
 */
bool msg_fault_find(struct msg_fault *f, enum msg_type t, struct slice body,
		    uint32_t version);
/* The bytes of body that the message takes, into *n; what lies behind them is
 * trailing. False when malformed. */
bool msg_length(size_t *n, enum msg_type t, struct slice body,
		uint32_t version);
/* Like msg_fault_find for a bare header of 80 bytes, with nothing behind it. */
bool header_fault_find(struct msg_fault *f, struct slice body);

#endif
