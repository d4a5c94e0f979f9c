/*
 * How an input's scripts belong together: script_sig and script_pubkey on one
 * stack, then what P2SH and witness programs add. Runs on the thread that
 * verifies. Taproot's commitment is in taproot.c.
 */
#include "internal.h"
#include "taproot.h"

#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>

/* Witness items become the stack, as far as a script can reach them. */
static enum script_err push_witness(struct script_vm *vm, struct tx_iter w,
				    uint32_t n)
{
	struct slice item = {0};

	vm->n = 0;
	vm->below = n > STACK_KEEP ? n - STACK_KEEP : 0;
	for (uint32_t i = 0; i < n; i++) {
		witem_next(&w, &item);
		if (item.n > SCRIPT_ELEMENT_MAX)
			return SCRIPT_ERR_PUSH_SIZE;
		if (i >= vm->below)
			vm_push(vm, item);
	}
	return SCRIPT_ERR_OK;
}

/* Run a script on the first n witness items; exactly one true item must be
 * left. */
static enum script_err run_witness(struct script_vm *vm, struct slice script,
				   struct tx_iter w, uint32_t n,
				   enum sig_version version)
{
	enum script_err e = push_witness(vm, w, n);

	if (e == SCRIPT_ERR_OK)
		e = vm_run(vm, script, version);
	if (e != SCRIPT_ERR_OK)
		return e;
	if (vm_count(vm) != 1)
		return SCRIPT_ERR_CLEANSTACK;
	return item_true(vm->item[0]) ? SCRIPT_ERR_OK : SCRIPT_ERR_EVAL_FALSE;
}

static enum script_err key_hash(struct script_vm *vm, struct slice program,
				struct tx_iter w)
{
	uint8_t script[25] = {OP_DUP, OP_HASH160,
			      20, [23] = OP_EQUALVERIFY, [24] = OP_CHECKSIG};

	if (w.left != 2)
		return SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH;
	memcpy(script + 3, program.p, 20);
	return run_witness(vm, slice_of(script, sizeof script), w, 2, SIG_V0);
}

static enum script_err script_hash(struct script_vm *vm, struct slice program,
				   struct tx_iter w)
{
	struct tx_iter it = w;
	struct slice script;
	uint8_t hash[32];

	if (w.left == 0)
		return SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY;
	while (witem_next(&it, &script))
		;
	sha256_once(hash, script.p, script.n);
	if (memcmp(hash, program.p, 32) != 0)
		return SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH;
	return run_witness(vm, script, w, w.left - 1, SIG_V0);
}

/* Whether an OP_SUCCESS makes a tapscript valid as it stands, before any other
 * rule but that pushes in front of it are whole. */
static enum script_err find_success(const struct script_vm *vm,
				    struct slice script, bool *found)
{
	const uint8_t *pc = script.p, *end = pc + script.n;
	struct slice data;
	uint8_t op;

	while (pc < end) {
		if (!script_read(&pc, end, &op, &data))
			return SCRIPT_ERR_BAD_OPCODE;
		if (!tap_op_success(op))
			continue;
		*found = true;
		if (vm->flags & SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS)
			return SCRIPT_ERR_DISCOURAGE_OP_SUCCESS;
		return SCRIPT_ERR_OK;
	}
	return SCRIPT_ERR_OK;
}

static enum script_err tapscript(struct script_vm *vm,
				 const struct tap_spend *t, struct tx_iter w)
{
	bool success = false;
	enum script_err e = find_success(vm, t->script, &success);

	if (e != SCRIPT_ERR_OK || success)
		return e;
	if (t->items > STACK_MAX)
		return SCRIPT_ERR_STACK_SIZE;
	vm->weight_left = t->weight;
	return run_witness(vm, t->script, w, t->items, SIG_TAPSCRIPT);
}

static enum script_err taproot(struct script_vm *vm, struct slice program,
			       struct tx_iter w)
{
	struct tap_spend t;
	enum script_err e;

	if (!(vm->flags & SCRIPT_VERIFY_TAPROOT))
		return SCRIPT_ERR_OK;
	if (w.left == 0)
		return SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY;
	tap_spend_read(&t, &vm->tap, w);
	if (t.key_path)
		return checker_schnorr(vm->checker, t.sig, program, &vm->tap);
	e = tap_commitment(&t, &vm->tap, vm->checker, program);
	if (e != SCRIPT_ERR_OK)
		return e;
	if (t.leaf_version == TAP_LEAF_SCRIPT)
		return tapscript(vm, &t, w);
	if (vm->flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION)
		return SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION;
	return SCRIPT_ERR_OK;
}

static bool is_anchor(uint8_t version, struct slice program)
{
	return version == 1 && program.n == 2 && program.p[0] == 0x4e &&
	       program.p[1] == 0x73;
}

static enum script_err run_program(struct script_vm *vm, uint8_t version,
				   struct slice program, struct tx_iter w,
				   bool in_p2sh)
{
	if (version == 0) {
		if (program.n == 32)
			return script_hash(vm, program, w);
		if (program.n == 20)
			return key_hash(vm, program, w);
		return SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH;
	}
	if (version == 1 && program.n == 32 && !in_p2sh)
		return taproot(vm, program, w);
	if (!in_p2sh && is_anchor(version, program))
		return SCRIPT_ERR_OK;
	if (vm->flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM)
		return SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM;
	return SCRIPT_ERR_OK;
}

/* One verification as it goes on. */
struct spend {
	struct script_vm *vm;
	struct slice sig, pubkey;
	struct tx_iter witness;
	bool had_witness; /* a witness program was found */
};

static enum script_err run_and_judge(struct script_vm *vm, struct slice script)
{
	enum script_err e = vm_run(vm, script, SIG_BASE);

	if (e != SCRIPT_ERR_OK)
		return e;
	if (vm->n == 0 || !item_true(*vm_at(vm, 0)))
		return SCRIPT_ERR_EVAL_FALSE;
	return SCRIPT_ERR_OK;
}

/* What stays on the stack of a witness program's script is not looked at. */
static enum script_err bare_witness(struct spend *s)
{
	struct slice program;
	uint8_t version;
	enum script_err e;

	if (!(s->vm->flags & SCRIPT_VERIFY_WITNESS) ||
	    !script_is_witness(s->pubkey, &version, &program))
		return SCRIPT_ERR_OK;
	s->had_witness = true;
	if (s->sig.n)
		return SCRIPT_ERR_WITNESS_MALLEATED;
	e = run_program(s->vm, version, program, s->witness, false);
	s->vm->n = 1;
	return e;
}

static enum script_err p2sh_witness(struct spend *s, struct slice redeem)
{
	struct slice program;
	uint8_t version;
	enum script_err e;

	if (!(s->vm->flags & SCRIPT_VERIFY_WITNESS) ||
	    !script_is_witness(redeem, &version, &program))
		return SCRIPT_ERR_OK;
	s->had_witness = true;
	/* Nothing but the one push of at most 42 bytes, by its only short
	 * form. */
	if (s->sig.n != redeem.n + 1 || s->sig.p[0] != redeem.n)
		return SCRIPT_ERR_WITNESS_MALLEATED_P2SH;
	e = run_program(s->vm, version, program, s->witness, true);
	s->vm->n = 1;
	return e;
}

/* redeem was the top of the stack in front of script_pubkey, which has taken it
 * and left its verdict in its place. */
static enum script_err p2sh(struct spend *s, struct slice redeem)
{
	enum script_err e;

	if (!(s->vm->flags & SCRIPT_VERIFY_P2SH) || !script_is_p2sh(s->pubkey))
		return SCRIPT_ERR_OK;
	if (!script_is_push_only(s->sig))
		return SCRIPT_ERR_SIG_PUSHONLY;
	vm_drop(s->vm, 1);
	e = run_and_judge(s->vm, redeem);
	return e == SCRIPT_ERR_OK ? p2sh_witness(s, redeem) : e;
}

static enum script_err run_scripts(struct spend *s)
{
	struct script_vm *vm = s->vm;
	struct slice redeem = {0};
	enum script_err e;

	if ((vm->flags & SCRIPT_VERIFY_SIGPUSHONLY) &&
	    !script_is_push_only(s->sig))
		return SCRIPT_ERR_SIG_PUSHONLY;
	e = vm_run(vm, s->sig, SIG_BASE);
	if (e != SCRIPT_ERR_OK)
		return e;
	if (vm->n > 0)
		redeem = *vm_at(vm, 0);
	e = run_and_judge(vm, s->pubkey);
	if (e == SCRIPT_ERR_OK)
		e = bare_witness(s);
	return e == SCRIPT_ERR_OK ? p2sh(s, redeem) : e;
}

static enum script_err judge_rest(const struct spend *s)
{
	unsigned flags = s->vm->flags;

	if ((flags & SCRIPT_VERIFY_CLEANSTACK) && s->vm->n != 1)
		return SCRIPT_ERR_CLEANSTACK;
	if ((flags & SCRIPT_VERIFY_WITNESS) && !s->had_witness &&
	    s->witness.left)
		return SCRIPT_ERR_WITNESS_UNEXPECTED;
	return SCRIPT_ERR_OK;
}

/* The machine is large: whoever has more than one input brings one for all. */
static enum script_err verify_on(struct script_vm *vm, struct slice script_sig,
				 struct slice script_pubkey,
				 struct tx_iter witness, unsigned flags,
				 struct sig_checker *checker)
{
	struct spend s = {vm, script_sig, script_pubkey, witness, false};
	enum script_err e;

	vm_init(vm, flags, checker);
	e = run_scripts(&s);
	return e == SCRIPT_ERR_OK ? judge_rest(&s) : e;
}

bool script_verify(enum script_err *err, struct slice script_sig,
		   struct slice script_pubkey, struct tx_iter witness,
		   unsigned flags, struct sig_checker *checker)
{
	struct script_vm vm;
	enum script_err e;

	must(script_flags_ok(flags));
	e = verify_on(&vm, script_sig, script_pubkey, witness, flags, checker);
	if (err)
		*err = e;
	return e == SCRIPT_ERR_OK;
}

bool script_verify_input(enum script_err *err, struct script_input *in,
			 unsigned flags, const struct sig_verifier *verifier)
{
	struct sig_checker c;

	sig_checker_init(&c, in, verifier);
	return script_verify(err, in->in.script, in->spent->script, in->witness,
			     flags, &c);
}

enum script_err script_run_sig(struct slice *top,
			       uint8_t room[SCRIPT_ELEMENT_MAX],
			       struct slice script_sig)
{
	struct script_vm vm;
	struct sig_checker c;
	enum script_err e;

	*top = slice_of(NULL, 0);
	sig_checker_init(&c, NULL, NULL);
	vm_init(&vm, 0, &c);
	e = vm_run(&vm, script_sig, SIG_BASE);
	if (e != SCRIPT_ERR_OK || vm.n == 0)
		return e;
	/* The item may lie in the machine, which is gone on return. */
	*top = slice_of(room, vm_at(&vm, 0)->n);
	bytes_put(room, vm_at(&vm, 0)->p, top->n);
	return SCRIPT_ERR_OK;
}

bool script_verify_inputs(struct script_failure *f, const struct tx_sighash *tx,
			  uint32_t first, uint32_t n, unsigned flags,
			  const struct sig_verifier *verifier)
{
	struct script_input in;
	struct script_vm vm;
	struct sig_checker c;
	enum script_err e;

	must(script_flags_ok(flags));
	script_inputs(&in, tx);
	for (uint32_t i = first; i - first < n; i++) {
		script_input_seek(&in, i);
		sig_checker_init(&c, &in, verifier);
		e = verify_on(&vm, in.in.script, in.spent->script, in.witness,
			      flags, &c);
		if (e != SCRIPT_ERR_OK) {
			*f = (struct script_failure){i, e};
			return false;
		}
	}
	return true;
}
