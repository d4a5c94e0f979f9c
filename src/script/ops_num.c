/*
 * Operations on numbers. Operands have up to 4 bytes, results may have 5 and
 * are then of no use as operands. Runs on the thread that verifies.
 */
#include "internal.h"

static int64_t unary(uint8_t op, int64_t a)
{
	switch (op) {
	case OP_1ADD:
		return a + 1;
	case OP_1SUB:
		return a - 1;
	case OP_NEGATE:
		return -a;
	case OP_ABS:
		return a < 0 ? -a : a;
	case OP_NOT:
		return a == 0;
	default: /* OP_0NOTEQUAL */
		return a != 0;
	}
}

enum script_err op_unary(struct script_vm *vm, uint8_t op)
{
	int64_t a;

	if (!vm_num(vm, &a, *vm_at(vm, 0)))
		return SCRIPT_ERR_SCRIPTNUM;
	vm_drop(vm, 1);
	vm_push_num(vm, unary(op, a));
	return SCRIPT_ERR_OK;
}

static int64_t binary(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_BOOLAND:
		return a != 0 && b != 0;
	case OP_BOOLOR:
		return a != 0 || b != 0;
	case OP_NUMNOTEQUAL:
		return a != b;
	case OP_LESSTHAN:
		return a < b;
	case OP_GREATERTHAN:
		return a > b;
	case OP_LESSTHANOREQUAL:
		return a <= b;
	case OP_GREATERTHANOREQUAL:
		return a >= b;
	case OP_MIN:
		return a < b ? a : b;
	case OP_MAX:
		return a > b ? a : b;
	default: /* OP_NUMEQUAL, OP_NUMEQUALVERIFY */
		return a == b;
	}
}

enum script_err op_binary(struct script_vm *vm, uint8_t op)
{
	int64_t a, b, v;

	if (!vm_num(vm, &a, *vm_at(vm, 1)) || !vm_num(vm, &b, *vm_at(vm, 0)))
		return SCRIPT_ERR_SCRIPTNUM;
	v = binary(op, a, b);
	vm_drop(vm, 2);
	vm_push_num(vm, v);
	if (op != OP_NUMEQUALVERIFY)
		return SCRIPT_ERR_OK;
	return vm_verify(vm, v != 0, SCRIPT_ERR_NUMEQUALVERIFY);
}

enum script_err op_within(struct script_vm *vm, uint8_t op)
{
	int64_t v, min, max;

	(void)op;
	if (!vm_num(vm, &v, *vm_at(vm, 2)) ||
	    !vm_num(vm, &min, *vm_at(vm, 1)) ||
	    !vm_num(vm, &max, *vm_at(vm, 0)))
		return SCRIPT_ERR_SCRIPTNUM;
	vm_drop(vm, 3);
	vm_push_bool(vm, min <= v && v < max);
	return SCRIPT_ERR_OK;
}
