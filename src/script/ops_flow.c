/*
 * Operations that decide whether and how a script goes on: conditions, locks,
 * ends. Runs on the thread that verifies.
 */
#include "internal.h"

enum script_err op_nop(struct script_vm *vm, uint8_t op)
{
	(void)vm;
	(void)op;
	return SCRIPT_ERR_OK;
}

enum script_err op_nop_n(struct script_vm *vm, uint8_t op)
{
	(void)op;
	if (vm->flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS)
		return SCRIPT_ERR_DISCOURAGE_UPGRADABLE_NOPS;
	return SCRIPT_ERR_OK;
}

/* The operand of a lock, which stays on the stack. It may have 5 bytes, as the
 * fields that it is compared with have 32 bits without a sign. */
static enum script_err lock_operand(const struct script_vm *vm, int64_t *v)
{
	bool minimal = vm->flags & SCRIPT_VERIFY_MINIMALDATA;

	if (vm->n == 0)
		return SCRIPT_ERR_INVALID_STACK_OPERATION;
	if (!num_parse(v, vm->item[vm->n - 1], NUM_LOCK_MAX, minimal))
		return SCRIPT_ERR_SCRIPTNUM;
	return *v < 0 ? SCRIPT_ERR_NEGATIVE_LOCKTIME : SCRIPT_ERR_OK;
}

enum script_err op_lock_time(struct script_vm *vm, uint8_t op)
{
	enum script_err e;
	int64_t v;

	(void)op;
	if (!(vm->flags & SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY))
		return SCRIPT_ERR_OK;
	e = lock_operand(vm, &v);
	if (e == SCRIPT_ERR_OK && !checker_lock_time(vm->checker, v))
		return SCRIPT_ERR_UNSATISFIED_LOCKTIME;
	return e;
}

enum script_err op_sequence(struct script_vm *vm, uint8_t op)
{
	enum script_err e;
	int64_t v;

	(void)op;
	if (!(vm->flags & SCRIPT_VERIFY_CHECKSEQUENCEVERIFY))
		return SCRIPT_ERR_OK;
	e = lock_operand(vm, &v);
	if (e == SCRIPT_ERR_OK && !checker_sequence(vm->checker, v))
		return SCRIPT_ERR_UNSATISFIED_LOCKTIME;
	return e;
}

/* A condition must be empty or the single byte 1 in tapscript, and by policy in
 * witness version 0. */
static enum script_err check_minimal_if(const struct script_vm *vm,
					struct slice s)
{
	if (s.n == 0 || (s.n == 1 && s.p[0] == 1))
		return SCRIPT_ERR_OK;
	if (vm->version == SIG_TAPSCRIPT)
		return SCRIPT_ERR_TAPSCRIPT_MINIMALIF;
	if (vm->version == SIG_V0 && (vm->flags & SCRIPT_VERIFY_MINIMALIF))
		return SCRIPT_ERR_MINIMALIF;
	return SCRIPT_ERR_OK;
}

enum script_err op_if(struct script_vm *vm, uint8_t op)
{
	bool v = false;

	if (vm->first_false == NO_FALSE) {
		enum script_err e;

		if (vm->n == 0)
			return SCRIPT_ERR_INVALID_STACK_OPERATION;
		e = check_minimal_if(vm, *vm_at(vm, 0));
		if (e != SCRIPT_ERR_OK)
			return e;
		v = item_true(vm_pop(vm)) == (op == OP_IF);
		if (!v)
			vm->first_false = vm->depth;
	}
	vm->depth++;
	return SCRIPT_ERR_OK;
}

/* Only the innermost condition can change what is executed, and only when no
 * other is false. */
enum script_err op_else(struct script_vm *vm, uint8_t op)
{
	(void)op;
	if (vm->depth == 0)
		return SCRIPT_ERR_UNBALANCED_CONDITIONAL;
	if (vm->first_false == NO_FALSE)
		vm->first_false = vm->depth - 1;
	else if (vm->first_false == vm->depth - 1)
		vm->first_false = NO_FALSE;
	return SCRIPT_ERR_OK;
}

enum script_err op_endif(struct script_vm *vm, uint8_t op)
{
	(void)op;
	if (vm->depth == 0)
		return SCRIPT_ERR_UNBALANCED_CONDITIONAL;
	vm->depth--;
	if (vm->first_false == vm->depth)
		vm->first_false = NO_FALSE;
	return SCRIPT_ERR_OK;
}

enum script_err op_verify(struct script_vm *vm, uint8_t op)
{
	bool v = item_true(*vm_at(vm, 0));

	(void)op;
	return vm_verify(vm, v, SCRIPT_ERR_VERIFY);
}

enum script_err op_return(struct script_vm *vm, uint8_t op)
{
	(void)vm;
	(void)op;
	return SCRIPT_ERR_OP_RETURN;
}
