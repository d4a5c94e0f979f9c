/*
 * Every message twice: the parse function of the table and the description of
 * the fields must agree on what is malformed. The first byte chooses the
 * message, the second the peer's version.
 */
#include "fuzz.h"

#include <cairn/wire/fault.h>

static const uint32_t versions[] = {70016, 60000, 31401, 106};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct msg_fault f = {SIZE_MAX, NULL, ""};
	struct slice body;
	enum msg_type t;
	uint32_t version;
	bool good;

	if (size < 2)
		return 0;
	t = (enum msg_type)(data[0] % MSG_COUNT);
	version = versions[data[1] & 3];
	body = slice_of(data + 2, size - 2);
	good = msg_row(t)->parse(body, version);
	fuzz_check(msg_fault_find(&f, t, body, version) == !good);
	if (good)
		return 0;
	fuzz_check(f.offset <= body.n && f.why && *f.why);
	fuzz_check(memchr(f.field, 0, sizeof f.field));
	return 0;
}
