/*
 * Records that are protobuf messages in general, through protobuf-c. Only a
 * program that calls these functions links with that library. Any thread.
 */
#ifndef CAIRN_BASE_DELIMITED_PB_H
#define CAIRN_BASE_DELIMITED_PB_H

#include <cairn/base/delimited.h>

struct arena;
struct buf;
struct ProtobufCMessage; /* protobuf-c's own, as it names them */
struct ProtobufCMessageDescriptor;

/* A message as a record: its exact size, and the bytes, written at p; returns
 * the byte after. m is borrowed and must not change in between. */
size_t delimited_message_size(const struct ProtobufCMessage *m);
uint8_t *delimited_message_put(uint8_t *p, const struct ProtobufCMessage *m);
/* The same in a buffer of its own, which the caller gives up with buf_unref;
 * NULL when out of memory. */
struct buf *delimited_message_new(const struct ProtobufCMessage *m) must_check;

/* Read a record's bytes as a message of type d. All of it, strings and bytes
 * too, is copied into a: nothing is freed one by one, and a's limit bounds what
 * an input can cost. NULL when malformed or past the limit. A type must not
 * contain itself, as protobuf-c recurses without a bound. */
struct ProtobufCMessage *
delimited_message_get(struct arena *a,
		      const struct ProtobufCMessageDescriptor *d,
		      struct slice msg) must_check;

#endif
