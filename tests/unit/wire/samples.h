/* One well-formed body for each message, written by the codec's own puts. */
#ifndef CAIRN_TESTS_UNIT_WIRE_SAMPLES_H
#define CAIRN_TESTS_UNIT_WIRE_SAMPLES_H

#include <cairn/wire/command.h>

#define SAMPLE_MAX 8192u

/* Write the sample of type t at p (SAMPLE_MAX bytes); its length. */
size_t sample_put(uint8_t *p, enum msg_type t);
/* A transaction with two inputs, two outputs and a witness, or without. */
uint8_t *sample_tx_put(uint8_t *p, bool witness);
/* A header that is not all zero. */
uint8_t *sample_header_put(uint8_t *p);

#endif
