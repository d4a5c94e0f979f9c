/* The small fixed messages: ping and pong, feefilter, sendcmpct. */
#include "fuzz.h"

#include <cairn/base/endian.h>
#include <cairn/wire/version.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice body = slice_of(data, size);
	uint64_t nonce, version;
	uint8_t announce, out[9];
	int64_t fee;

	fuzz_check(nonce_parse(&nonce, body) == (size >= 8));
	fuzz_check(feefilter_parse(&fee, body) == (size >= 8));
	fuzz_check(sendcmpct_parse(&announce, &version, body) == (size >= 9));
	if (size < 9)
		return 0;
	le64_put(out, nonce);
	fuzz_check(memcmp(out, data, 8) == 0);
	le64_put(out, (uint64_t)fee);
	fuzz_check(memcmp(out, data, 8) == 0);
	out[0] = announce;
	le64_put(out + 1, version);
	fuzz_check(memcmp(out, data, 9) == 0);
	return 0;
}
