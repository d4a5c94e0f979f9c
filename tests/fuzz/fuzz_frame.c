/* The frame header: what is known is written as it was read. */
#include "fuzz.h"

#include <cairn/wire/frame.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t out[FRAME_HEADER];
	struct frame_view v;
	enum frame_rc rc;

	if (size < FRAME_HEADER)
		return 0;
	rc = frame_view_parse(&v, data, data); /* its own magic is right */
	fuzz_check(rc != FRAME_BAD_MAGIC && v.name == data + 4);
	if (rc == FRAME_TOO_LARGE) {
		fuzz_check(v.len > FRAME_MAX_PAYLOAD);
		return 0;
	}
	fuzz_check(v.len <= FRAME_MAX_PAYLOAD);
	if (rc == FRAME_BAD_COMMAND)
		fuzz_check(v.type == MSG_UNKNOWN);
	if (v.type == MSG_UNKNOWN)
		return 0;
	fuzz_check(frame_put(out, data, v.type, v.len, v.checksum) ==
		   out + sizeof out);
	fuzz_check(memcmp(out, data, sizeof out) == 0);
	return 0;
}
