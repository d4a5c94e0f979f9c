/* Operations that hash or compare items. Runs on the thread that verifies. */
#include "internal.h"

#include <cairn/crypto/oldhash.h>

enum script_err op_equal(struct script_vm *vm, uint8_t op)
{
	bool same = slice_eq(*vm_at(vm, 0), *vm_at(vm, 1));

	vm_drop(vm, 2);
	vm_push_bool(vm, same);
	if (op != OP_EQUALVERIFY)
		return SCRIPT_ERR_OK;
	return vm_verify(vm, same, SCRIPT_ERR_EQUALVERIFY);
}

static size_t hash(uint8_t out[32], uint8_t op, struct slice in)
{
	switch (op) {
	case OP_RIPEMD160:
		ripemd160(out, in.p, in.n);
		return 20;
	case OP_SHA1:
		sha1_once(out, in.p, in.n);
		return 20;
	case OP_HASH160:
		hash160(out, in.p, in.n);
		return 20;
	case OP_SHA256:
		sha256_once(out, in.p, in.n);
		return 32;
	default: /* OP_HASH256 */
		sha256_once(out, in.p, in.n);
		sha256_once(out, out, 32);
		return 32;
	}
}

enum script_err op_hash(struct script_vm *vm, uint8_t op)
{
	uint8_t out[32];
	size_t n = hash(out, op, *vm_at(vm, 0));

	vm_drop(vm, 1);
	vm_push_copy(vm, out, n);
	return SCRIPT_ERR_OK;
}
