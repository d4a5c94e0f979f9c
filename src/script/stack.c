/*
 * Items that a script makes. Small numbers are static bytes; other results lie
 * in cells of the machine, which are found free again by looking through the
 * stacks once none is left. Runs on the thread that verifies.
 */
#include "internal.h"

#include <cairn/base/must.h>

static size_t cell_index(const struct script_vm *vm, const uint8_t *p)
{
	return ((uintptr_t)p - (uintptr_t)vm->cell) / CELL_SIZE;
}

static void mark(struct script_vm *vm, const struct slice *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = cell_index(vm, s[i].p);

		if (k < CELLS)
			vm->cell_used[k / 64] |= (uint64_t)1 << k % 64;
	}
}

static void sweep(struct script_vm *vm)
{
	memset(vm->cell_used, 0, sizeof vm->cell_used);
	mark(vm, vm->item, vm->n);
	mark(vm, vm->item + STACK_ROOM - vm->alt, vm->alt);
	vm->cell_at = 0;
}

static bool next_free(struct script_vm *vm)
{
	uint32_t k = vm->cell_at;

	while (k < CELLS && vm->cell_used[k / 64] >> k % 64 & 1)
		k++;
	vm->cell_at = k;
	return k < CELLS;
}

static uint8_t *cell_take(struct script_vm *vm)
{
	if (!next_free(vm)) {
		sweep(vm);
		must(next_free(vm));
	}
	return vm->cell[vm->cell_at++];
}

void vm_push_copy(struct script_vm *vm, const uint8_t *p, size_t n)
{
	uint8_t *cell = cell_take(vm);

	must(n <= CELL_SIZE);
	memcpy(cell, p, n);
	vm_push(vm, slice_of(cell, n));
}

const uint8_t vm_small[18] = {0x81, 0, 1,  2,  3,  4,  5,  6,  7,
			      8,    9, 10, 11, 12, 13, 14, 15, 16};

void vm_push_num(struct script_vm *vm, int64_t v)
{
	uint8_t b[9];

	if (v >= -1 && v <= 16)
		vm_push_small(vm, (int)v);
	else
		vm_push_copy(vm, b, num_put(b, v));
}
