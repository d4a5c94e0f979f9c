/*
 * Operations that move items and look at none. The table has made sure that
 * there are enough. Runs on the thread that verifies.
 */
#include "internal.h"

enum script_err op_to_alt(struct script_vm *vm, uint8_t op)
{
	struct slice s = vm_pop(vm);

	(void)op;
	vm->alt++;
	vm->item[STACK_ROOM - vm->alt] = s;
	return SCRIPT_ERR_OK;
}

enum script_err op_from_alt(struct script_vm *vm, uint8_t op)
{
	(void)op;
	if (vm->alt == 0)
		return SCRIPT_ERR_INVALID_ALTSTACK_OPERATION;
	vm_push(vm, vm->item[STACK_ROOM - vm->alt]);
	vm->alt--;
	return SCRIPT_ERR_OK;
}

/* Push copies of n items, the highest of them `above` below the top. */
static enum script_err dup(struct script_vm *vm, uint32_t n, uint32_t above)
{
	memcpy(&vm->item[vm->n], vm_at(vm, n + above - 1),
	       n * sizeof *vm->item);
	vm->n += n;
	return SCRIPT_ERR_OK;
}

/* Move the n lowest of the upper `of` items to the top. */
static enum script_err rotate(struct script_vm *vm, uint32_t n, uint32_t of)
{
	struct slice *low = vm_at(vm, of - 1), kept[2];

	memcpy(kept, low, n * sizeof *low);
	memmove(low, low + n, (of - n) * sizeof *low);
	memcpy(low + of - n, kept, n * sizeof *low);
	return SCRIPT_ERR_OK;
}

enum script_err op_2drop(struct script_vm *vm, uint8_t op)
{
	(void)op;
	vm_drop(vm, 2);
	return SCRIPT_ERR_OK;
}

enum script_err op_2dup(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return dup(vm, 2, 0);
}

enum script_err op_3dup(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return dup(vm, 3, 0);
}

enum script_err op_2over(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return dup(vm, 2, 2);
}

enum script_err op_2rot(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return rotate(vm, 2, 6);
}

enum script_err op_2swap(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return rotate(vm, 2, 4);
}

enum script_err op_ifdup(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return item_true(*vm_at(vm, 0)) ? dup(vm, 1, 0) : SCRIPT_ERR_OK;
}

enum script_err op_depth(struct script_vm *vm, uint8_t op)
{
	(void)op;
	vm_push_num(vm, vm_count(vm));
	return SCRIPT_ERR_OK;
}

enum script_err op_drop(struct script_vm *vm, uint8_t op)
{
	(void)op;
	vm_drop(vm, 1);
	return SCRIPT_ERR_OK;
}

enum script_err op_dup(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return dup(vm, 1, 0);
}

enum script_err op_nip(struct script_vm *vm, uint8_t op)
{
	(void)op;
	*vm_at(vm, 1) = *vm_at(vm, 0);
	vm_drop(vm, 1);
	return SCRIPT_ERR_OK;
}

enum script_err op_over(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return dup(vm, 1, 1);
}

enum script_err op_pick_roll(struct script_vm *vm, uint8_t op)
{
	int64_t n;

	if (!vm_num(vm, &n, *vm_at(vm, 0)))
		return SCRIPT_ERR_SCRIPTNUM;
	vm_drop(vm, 1);
	if (n < 0 || n >= vm_count(vm))
		return SCRIPT_ERR_INVALID_STACK_OPERATION;
	/* An item that is not kept is as good as any: the script fails for
	 * their number next. */
	if (n >= vm->n)
		n = vm->n - 1;
	if (op == OP_ROLL)
		return rotate(vm, 1, (uint32_t)n + 1);
	return dup(vm, 1, (uint32_t)n);
}

enum script_err op_rot(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return rotate(vm, 1, 3);
}

enum script_err op_swap(struct script_vm *vm, uint8_t op)
{
	(void)op;
	return rotate(vm, 1, 2);
}

enum script_err op_tuck(struct script_vm *vm, uint8_t op)
{
	struct slice top = *vm_at(vm, 0);

	(void)op;
	rotate(vm, 1, 2);
	vm_push(vm, top);
	return SCRIPT_ERR_OK;
}

enum script_err op_size(struct script_vm *vm, uint8_t op)
{
	(void)op;
	vm_push_num(vm, (int64_t)vm_at(vm, 0)->n);
	return SCRIPT_ERR_OK;
}
