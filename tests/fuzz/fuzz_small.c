/* The small fixed messages: ping and pong, feefilter, sendcmpct, sendtxrcncl.
 */
#include "fuzz.h"

#include <cairn/wire/version.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice body = slice_of(data, size);
	uint64_t nonce, version, salt;
	uint32_t recon;
	uint8_t announce, out[SENDTXRCNCL_SIZE];
	int64_t fee;

	fuzz_check(nonce_parse(&nonce, body) == (size >= NONCE_SIZE));
	fuzz_check(feefilter_parse(&fee, body) == (size >= FEEFILTER_SIZE));
	fuzz_check(sendcmpct_parse(&announce, &version, body) ==
		   (size >= SENDCMPCT_SIZE));
	fuzz_check(sendtxrcncl_parse(&recon, &salt, body) ==
		   (size >= SENDTXRCNCL_SIZE));
	if (size < SENDTXRCNCL_SIZE)
		return 0;
	fuzz_check(nonce_put(out, nonce) == out + NONCE_SIZE);
	fuzz_check(memcmp(out, data, NONCE_SIZE) == 0);
	fuzz_check(feefilter_put(out, fee) == out + FEEFILTER_SIZE);
	fuzz_check(memcmp(out, data, FEEFILTER_SIZE) == 0);
	fuzz_check(sendcmpct_put(out, announce, version) ==
		   out + SENDCMPCT_SIZE);
	fuzz_check(memcmp(out, data, SENDCMPCT_SIZE) == 0);
	fuzz_check(sendtxrcncl_put(out, recon, salt) == out + SENDTXRCNCL_SIZE);
	fuzz_check(memcmp(out, data, SENDTXRCNCL_SIZE) == 0);
	return 0;
}
