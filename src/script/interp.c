/*
 * Runs one script: reads operations, applies the limits that hold for all, and
 * calls what the table names. Runs on the thread that verifies. What operations
 * do is in ops_*.c, how scripts are put together in verify.c.
 */
#include "internal.h"

enum kind {
	KIND_BAD,      /* fails when executed */
	KIND_PLAIN,    /* runs when executed */
	KIND_FLOW,     /* runs in branches that are not executed too */
	KIND_BAD_FLOW, /* fails there too */
	KIND_DISABLED, /* fails wherever it stands (CVE-2010-5137) */
};

struct row {
	op_fn fn;
	uint8_t need; /* items that must be on the stack */
	uint8_t kind;
};

#define OP(n, f)                                                               \
	{                                                                      \
		f, n, KIND_PLAIN                                               \
	}
#define FLOW(f)                                                                \
	{                                                                      \
		f, 0, KIND_FLOW                                                \
	}
#define DISABLED                                                               \
	{                                                                      \
		NULL, 0, KIND_DISABLED                                         \
	}
#define BAD_ALWAYS                                                             \
	{                                                                      \
		NULL, 0, KIND_BAD_FLOW                                         \
	}

/* Opcodes that are not named are bad. */
static const struct row rows[256] = {
    [OP_NOP] = OP(0, op_nop),
    [OP_IF] = FLOW(op_if),
    [OP_NOTIF] = FLOW(op_if),
    [OP_VERIF] = BAD_ALWAYS,
    [OP_VERNOTIF] = BAD_ALWAYS,
    [OP_ELSE] = FLOW(op_else),
    [OP_ENDIF] = FLOW(op_endif),
    [OP_VERIFY] = OP(1, op_verify),
    [OP_RETURN] = OP(0, op_return),
    [OP_TOALTSTACK] = OP(1, op_to_alt),
    [OP_FROMALTSTACK] = OP(0, op_from_alt),
    [OP_2DROP] = OP(2, op_2drop),
    [OP_2DUP] = OP(2, op_2dup),
    [OP_3DUP] = OP(3, op_3dup),
    [OP_2OVER] = OP(4, op_2over),
    [OP_2ROT] = OP(6, op_2rot),
    [OP_2SWAP] = OP(4, op_2swap),
    [OP_IFDUP] = OP(1, op_ifdup),
    [OP_DEPTH] = OP(0, op_depth),
    [OP_DROP] = OP(1, op_drop),
    [OP_DUP] = OP(1, op_dup),
    [OP_NIP] = OP(2, op_nip),
    [OP_OVER] = OP(2, op_over),
    [OP_PICK] = OP(2, op_pick_roll),
    [OP_ROLL] = OP(2, op_pick_roll),
    [OP_ROT] = OP(3, op_rot),
    [OP_SWAP] = OP(2, op_swap),
    [OP_TUCK] = OP(2, op_tuck),
    [OP_CAT] = DISABLED,
    [OP_SUBSTR] = DISABLED,
    [OP_LEFT] = DISABLED,
    [OP_RIGHT] = DISABLED,
    [OP_SIZE] = OP(1, op_size),
    [OP_INVERT] = DISABLED,
    [OP_AND] = DISABLED,
    [OP_OR] = DISABLED,
    [OP_XOR] = DISABLED,
    [OP_EQUAL] = OP(2, op_equal),
    [OP_EQUALVERIFY] = OP(2, op_equal),
    [OP_1ADD] = OP(1, op_unary),
    [OP_1SUB] = OP(1, op_unary),
    [OP_2MUL] = DISABLED,
    [OP_2DIV] = DISABLED,
    [OP_NEGATE] = OP(1, op_unary),
    [OP_ABS] = OP(1, op_unary),
    [OP_NOT] = OP(1, op_unary),
    [OP_0NOTEQUAL] = OP(1, op_unary),
    [OP_ADD] = OP(2, op_binary),
    [OP_SUB] = OP(2, op_binary),
    [OP_MUL] = DISABLED,
    [OP_DIV] = DISABLED,
    [OP_MOD] = DISABLED,
    [OP_LSHIFT] = DISABLED,
    [OP_RSHIFT] = DISABLED,
    [OP_BOOLAND] = OP(2, op_binary),
    [OP_BOOLOR] = OP(2, op_binary),
    [OP_NUMEQUAL] = OP(2, op_binary),
    [OP_NUMEQUALVERIFY] = OP(2, op_binary),
    [OP_NUMNOTEQUAL] = OP(2, op_binary),
    [OP_LESSTHAN] = OP(2, op_binary),
    [OP_GREATERTHAN] = OP(2, op_binary),
    [OP_LESSTHANOREQUAL] = OP(2, op_binary),
    [OP_GREATERTHANOREQUAL] = OP(2, op_binary),
    [OP_MIN] = OP(2, op_binary),
    [OP_MAX] = OP(2, op_binary),
    [OP_WITHIN] = OP(3, op_within),
    [OP_RIPEMD160] = OP(1, op_hash),
    [OP_SHA1] = OP(1, op_hash),
    [OP_SHA256] = OP(1, op_hash),
    [OP_HASH160] = OP(1, op_hash),
    [OP_HASH256] = OP(1, op_hash),
    [OP_CODESEPARATOR] = OP(0, op_separator),
    [OP_CHECKSIG] = OP(2, op_checksig),
    [OP_CHECKSIGVERIFY] = OP(2, op_checksig),
    [OP_CHECKMULTISIG] = OP(0, op_multisig),
    [OP_CHECKMULTISIGVERIFY] = OP(0, op_multisig),
    [OP_NOP1] = OP(0, op_nop_n),
    [OP_CHECKLOCKTIMEVERIFY] = OP(0, op_lock_time),
    [OP_CHECKSEQUENCEVERIFY] = OP(0, op_sequence),
    [OP_NOP4] = OP(0, op_nop_n),
    [OP_NOP5] = OP(0, op_nop_n),
    [OP_NOP6] = OP(0, op_nop_n),
    [OP_NOP7] = OP(0, op_nop_n),
    [OP_NOP8] = OP(0, op_nop_n),
    [OP_NOP9] = OP(0, op_nop_n),
    [OP_NOP10] = OP(0, op_nop_n),
    [OP_CHECKSIGADD] = OP(0, op_checksigadd),
};

/* The shortest operation for these data. Longer than an element is refused
 * before. */
static bool is_minimal_push(uint8_t op, struct slice data)
{
	if (data.n == 0)
		return op == OP_0;
	if (data.n == 1 && data.p[0] >= 1 && data.p[0] <= 16)
		return false;
	if (data.n == 1 && data.p[0] == 0x81)
		return false;
	if (data.n < OP_PUSHDATA1)
		return op == data.n;
	return op == (data.n <= UINT8_MAX ? OP_PUSHDATA1 : OP_PUSHDATA2);
}

static enum script_err push(struct script_vm *vm, uint8_t op, struct slice data)
{
	if ((vm->flags & SCRIPT_VERIFY_MINIMALDATA) &&
	    !is_minimal_push(op, data))
		return SCRIPT_ERR_MINIMALDATA;
	vm_push(vm, data);
	return SCRIPT_ERR_OK;
}

/* Limits that hold wherever an operation stands. */
static enum script_err check_op(struct script_vm *vm, uint8_t op)
{
	if (vm->version != SIG_TAPSCRIPT && ++vm->ops > OPS_MAX)
		return SCRIPT_ERR_OP_COUNT;
	if (rows[op].kind == KIND_DISABLED)
		return SCRIPT_ERR_DISABLED_OPCODE;
	if (op == OP_CODESEPARATOR && vm->version == SIG_BASE &&
	    (vm->flags & SCRIPT_VERIFY_CONST_SCRIPTCODE))
		return SCRIPT_ERR_OP_CODESEPARATOR;
	return SCRIPT_ERR_OK;
}

static enum script_err call(struct script_vm *vm, uint8_t op)
{
	const struct row *r = &rows[op];

	if (!r->fn)
		return SCRIPT_ERR_BAD_OPCODE;
	if (vm->n < r->need)
		return SCRIPT_ERR_INVALID_STACK_OPERATION;
	return r->fn(vm, op);
}

static enum script_err operation(struct script_vm *vm, uint8_t op, bool active)
{
	enum script_err e = check_op(vm, op);

	if (e != SCRIPT_ERR_OK)
		return e;
	if (active || rows[op].kind == KIND_FLOW ||
	    rows[op].kind == KIND_BAD_FLOW)
		return call(vm, op);
	return SCRIPT_ERR_OK;
}

static enum script_err step(struct script_vm *vm)
{
	bool active = vm->first_false == NO_FALSE;
	enum script_err e = SCRIPT_ERR_OK;
	struct slice data;
	uint8_t op;

	if (!script_read(&vm->pc, vm->end, &op, &data))
		return SCRIPT_ERR_BAD_OPCODE;
	if (op <= OP_PUSHDATA4) {
		if (data.n > SCRIPT_ELEMENT_MAX)
			return SCRIPT_ERR_PUSH_SIZE;
		if (active)
			e = push(vm, op, data);
	} else if (op > OP_16) {
		e = operation(vm, op, active);
	} else if (active) {
		if (op == OP_RESERVED)
			return SCRIPT_ERR_BAD_OPCODE;
		vm_push_small(vm, op - (OP_1 - 1));
	}
	if (e == SCRIPT_ERR_OK && vm_count(vm) + vm->alt > STACK_MAX)
		return SCRIPT_ERR_STACK_SIZE;
	return e;
}

void vm_init(struct script_vm *vm, unsigned flags, struct sig_checker *checker)
{
	vm->flags = flags;
	vm->checker = checker;
	vm->n = vm->alt = vm->below = 0;
	vm->weight_left = 0;
	vm->cell_at = 0;
	memset(vm->cell_used, 0, sizeof vm->cell_used);
	memset(&vm->tap, 0, sizeof vm->tap);
}

enum script_err vm_run(struct script_vm *vm, struct slice script,
		       enum sig_version version)
{
	vm->version = version;
	vm->pc = vm->code = script.p;
	vm->end = script.n ? script.p + script.n : script.p;
	vm->alt = vm->ops = vm->depth = 0;
	vm->first_false = NO_FALSE;
	vm->tap.separator_pos = TAP_NO_SEPARATOR;
	if (version != SIG_TAPSCRIPT && script.n > SCRIPT_MAX)
		return SCRIPT_ERR_SCRIPT_SIZE;
	for (vm->pos = 0; vm->pc < vm->end; vm->pos++) {
		enum script_err e = step(vm);

		if (e != SCRIPT_ERR_OK)
			return e;
	}
	return vm->depth ? SCRIPT_ERR_UNBALANCED_CONDITIONAL : SCRIPT_ERR_OK;
}
