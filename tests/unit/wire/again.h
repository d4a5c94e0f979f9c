/* Any message read through its view and written again by its put. */
#ifndef CAIRN_TESTS_UNIT_WIRE_AGAIN_H
#define CAIRN_TESTS_UNIT_WIRE_AGAIN_H

#include <cairn/wire/command.h>

/* Write the message in body again at out (body.n bytes), value by value; its
 * length. Fails the running test where body is malformed. Of version the
 * sender's address is copied, since nobody writes his own. */
size_t message_again(uint8_t *out, enum msg_type t, struct slice body);

#endif
