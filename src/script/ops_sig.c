/*
 * Operations that check signatures: rules of each script version, what is
 * signed, and the count. Runs on the thread that verifies. The signatures
 * themselves are checker.c's.
 */
#include "internal.h"

#include <cairn/script/template.h>

#define WEIGHT_PER_SIG 50 /* BIP 342 */

/* The script from the last OP_CODESEPARATOR on. */
static struct slice script_code(const struct script_vm *vm)
{
	return slice_of(vm->code, (size_t)(vm->end - vm->code));
}

/* Before segregated witness a script's own signatures are no part of what they
 * sign (FindAndDelete). */
static enum script_err drop_sig(struct script_vm *vm, struct slice *code,
				struct slice sig)
{
	struct slice rest = code_without(*code, sig, vm->cleaned);
	bool found = rest.n != code->n;

	*code = rest;
	if (found && (vm->flags & SCRIPT_VERIFY_CONST_SCRIPTCODE))
		return SCRIPT_ERR_SIG_FINDANDDELETE;
	return SCRIPT_ERR_OK;
}

static enum script_err encodings(const struct script_vm *vm, struct slice sig,
				 struct slice key)
{
	enum script_err e = sig_encoding(sig, vm->flags);

	return e != SCRIPT_ERR_OK ? e
				  : key_encoding(key, vm->flags, vm->version);
}

/* Code in the buffer for cleaned scripts changes from one use to the next. */
static bool check_ecdsa(struct script_vm *vm, struct slice sig,
			struct slice key, struct slice code)
{
	return checker_ecdsa(vm->checker, sig, key, code, vm->version,
			     code.p != vm->cleaned);
}

static enum script_err check_old(struct script_vm *vm, struct slice sig,
				 struct slice key, bool *ok)
{
	struct slice code = script_code(vm);
	enum script_err e = SCRIPT_ERR_OK;

	if (vm->version == SIG_BASE)
		e = drop_sig(vm, &code, sig);
	if (e == SCRIPT_ERR_OK)
		e = encodings(vm, sig, key);
	if (e != SCRIPT_ERR_OK)
		return e;
	*ok = check_ecdsa(vm, sig, key, code);
	if (!*ok && (vm->flags & SCRIPT_VERIFY_NULLFAIL) && sig.n)
		return SCRIPT_ERR_SIG_NULLFAIL;
	return SCRIPT_ERR_OK;
}

/* BIP 342. The budget is charged before the key is looked at; a signature that
 * is there must be right; keys of unknown kinds verify anything. */
static enum script_err check_tap(struct script_vm *vm, struct slice sig,
				 struct slice key, bool *ok)
{
	*ok = sig.n > 0;
	if (*ok) {
		vm->weight_left -= WEIGHT_PER_SIG;
		if (vm->weight_left < 0)
			return SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT;
	}
	if (key.n == 0)
		return SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY;
	if (key.n != 32) {
		if (vm->flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE)
			return SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE;
		return SCRIPT_ERR_OK;
	}
	if (!*ok)
		return SCRIPT_ERR_OK;
	return checker_schnorr(vm->checker, sig, key, &vm->tap);
}

static enum script_err check(struct script_vm *vm, struct slice sig,
			     struct slice key, bool *ok)
{
	return vm->version == SIG_TAPSCRIPT ? check_tap(vm, sig, key, ok)
					    : check_old(vm, sig, key, ok);
}

enum script_err op_separator(struct script_vm *vm, uint8_t op)
{
	(void)op;
	vm->code = vm->pc;
	vm->tap.separator_pos = vm->pos;
	return SCRIPT_ERR_OK;
}

enum script_err op_checksig(struct script_vm *vm, uint8_t op)
{
	bool ok = false;
	enum script_err e = check(vm, *vm_at(vm, 1), *vm_at(vm, 0), &ok);

	if (e != SCRIPT_ERR_OK)
		return e;
	vm_drop(vm, 2);
	vm_push_bool(vm, ok);
	if (op != OP_CHECKSIGVERIFY)
		return SCRIPT_ERR_OK;
	return vm_verify(vm, ok, SCRIPT_ERR_CHECKSIGVERIFY);
}

enum script_err op_checksigadd(struct script_vm *vm, uint8_t op)
{
	enum script_err e;
	bool ok = false;
	int64_t n;

	(void)op;
	if (vm->version != SIG_TAPSCRIPT)
		return SCRIPT_ERR_BAD_OPCODE;
	if (vm->n < 3)
		return SCRIPT_ERR_INVALID_STACK_OPERATION;
	if (!vm_num(vm, &n, *vm_at(vm, 1)))
		return SCRIPT_ERR_SCRIPTNUM;
	e = check(vm, *vm_at(vm, 2), *vm_at(vm, 0), &ok);
	if (e != SCRIPT_ERR_OK)
		return e;
	vm_drop(vm, 3);
	vm_push_num(vm, n + ok);
	return SCRIPT_ERR_OK;
}

/* From the top of the stack: how many keys, the keys, how many signatures, the
 * signatures, one item that nobody reads. */
struct multisig {
	uint32_t keys, sigs;
	uint32_t first_key, first_sig; /* places, 0 is the top */
	uint32_t items;                /* all but the last of them */
};

static enum script_err multisig_keys(struct script_vm *vm, struct multisig *m)
{
	int64_t n;

	if (vm->n < 1)
		return SCRIPT_ERR_INVALID_STACK_OPERATION;
	if (!vm_num(vm, &n, *vm_at(vm, 0)))
		return SCRIPT_ERR_SCRIPTNUM;
	if (n < 0 || n > SCRIPT_MULTISIG_KEYS)
		return SCRIPT_ERR_PUBKEY_COUNT;
	m->keys = (uint32_t)n;
	vm->ops += m->keys;
	return vm->ops > OPS_MAX ? SCRIPT_ERR_OP_COUNT : SCRIPT_ERR_OK;
}

static enum script_err multisig_sigs(struct script_vm *vm, struct multisig *m)
{
	int64_t n;

	if (vm->n < m->keys + 2)
		return SCRIPT_ERR_INVALID_STACK_OPERATION;
	if (!vm_num(vm, &n, *vm_at(vm, m->keys + 1)))
		return SCRIPT_ERR_SCRIPTNUM;
	if (n < 0 || n > m->keys)
		return SCRIPT_ERR_SIG_COUNT;
	m->sigs = (uint32_t)n;
	m->first_key = 1;
	m->first_sig = m->keys + 2;
	m->items = m->keys + m->sigs + 2;
	return vm->n <= m->items ? SCRIPT_ERR_INVALID_STACK_OPERATION
				 : SCRIPT_ERR_OK;
}

static enum script_err multisig_code(struct script_vm *vm,
				     const struct multisig *m,
				     struct slice *code)
{
	*code = script_code(vm);
	if (vm->version != SIG_BASE)
		return SCRIPT_ERR_OK;
	for (uint32_t i = 0; i < m->sigs; i++) {
		enum script_err e =
		    drop_sig(vm, code, *vm_at(vm, m->first_sig + i));

		if (e != SCRIPT_ERR_OK)
			return e;
	}
	return SCRIPT_ERR_OK;
}

/* The last of several signatures fits one of the keys that are left or none, in
 * whatever order they are tried. The farthest comes first: of three keys nearly
 * always the outer two sign. */
static enum script_err last_match(struct script_vm *vm,
				  const struct multisig *m, uint32_t key,
				  struct slice code, bool *ok)
{
	struct slice s = *vm_at(vm, m->first_sig + m->sigs - 1);
	enum script_err e = sig_encoding(s, vm->flags);

	*ok = false;
	for (uint32_t k = m->keys; e == SCRIPT_ERR_OK && !*ok && k-- > key;)
		*ok = check_ecdsa(vm, s, *vm_at(vm, m->first_key + k), code);
	return e;
}

/* Both are gone through in order, each signature taking the next key that it
 * fits. Encodings are judged as far as that goes and no further, so where those
 * of keys are judged the order is kept to the end. */
static enum script_err multisig_match(struct script_vm *vm,
				      const struct multisig *m,
				      struct slice code, bool *ok)
{
	const unsigned keys_judged =
	    SCRIPT_VERIFY_STRICTENC | SCRIPT_VERIFY_WITNESS_PUBKEYTYPE;
	bool any_order = m->sigs > 1 && !(vm->flags & keys_judged);
	uint32_t key = 0, sig = 0;

	while (sig < m->sigs && m->sigs - sig <= m->keys - key) {
		if (any_order && sig + 1 == m->sigs)
			return last_match(vm, m, key, code, ok);
		struct slice s = *vm_at(vm, m->first_sig + sig);
		struct slice k = *vm_at(vm, m->first_key + key);
		enum script_err e = encodings(vm, s, k);

		if (e != SCRIPT_ERR_OK)
			return e;
		sig += check_ecdsa(vm, s, k, code);
		key++;
	}
	*ok = sig == m->sigs;
	return SCRIPT_ERR_OK;
}

/* Take the operands off, and judge what policy asks of them. */
static enum script_err multisig_clean(struct script_vm *vm,
				      const struct multisig *m, bool ok)
{
	if (!ok && (vm->flags & SCRIPT_VERIFY_NULLFAIL))
		for (uint32_t i = 0; i < m->sigs; i++)
			if (vm_at(vm, m->first_sig + i)->n)
				return SCRIPT_ERR_SIG_NULLFAIL;
	vm_drop(vm, m->items);
	if ((vm->flags & SCRIPT_VERIFY_NULLDUMMY) && vm_at(vm, 0)->n)
		return SCRIPT_ERR_SIG_NULLDUMMY;
	vm_drop(vm, 1);
	return SCRIPT_ERR_OK;
}

static enum script_err multisig(struct script_vm *vm, bool *ok)
{
	struct multisig m = {0};
	struct slice code;
	enum script_err e = multisig_keys(vm, &m);

	if (e == SCRIPT_ERR_OK)
		e = multisig_sigs(vm, &m);
	if (e == SCRIPT_ERR_OK)
		e = multisig_code(vm, &m, &code);
	if (e == SCRIPT_ERR_OK)
		e = multisig_match(vm, &m, code, ok);
	return e == SCRIPT_ERR_OK ? multisig_clean(vm, &m, *ok) : e;
}

enum script_err op_multisig(struct script_vm *vm, uint8_t op)
{
	enum script_err e;
	bool ok = false;

	if (vm->version == SIG_TAPSCRIPT)
		return SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG;
	e = multisig(vm, &ok);
	if (e != SCRIPT_ERR_OK)
		return e;
	vm_push_bool(vm, ok);
	if (op != OP_CHECKMULTISIGVERIFY)
		return SCRIPT_ERR_OK;
	return vm_verify(vm, ok, SCRIPT_ERR_CHECKMULTISIGVERIFY);
}
