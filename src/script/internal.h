/*
 * Inside of script: the machine that runs one script, its stack, and what the
 * files of operations share. Not for other folders.
 */
#ifndef CAIRN_SCRIPT_INTERNAL_H
#define CAIRN_SCRIPT_INTERNAL_H

#include <cairn/base/attr.h>
#include <cairn/script/interp.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#define STACK_MAX 1000u /* items on both stacks after an operation */
#define OPS_MAX   201u  /* operations before tapscript */
/*
 * Room for items. A witness of version 0 may begin with any number; an
 * operation takes at most 43 and adds at most 3, so of more than STACK_KEEP no
 * script reaches the lower ones before it fails for their number.
 */
#define STACK_KEEP 1100u
#define STACK_ROOM (STACK_KEEP + 4)
/* Results that lie in no script: more than can be on the stacks at a time. */
#define CELLS     1280u
#define CELL_SIZE 32u

enum sig_version { SIG_BASE, SIG_V0, SIG_TAPSCRIPT };

/* What is true of conditions that are not nested in one that is false. */
#define NO_FALSE UINT32_MAX

/*
 * Items are borrowed: from a script, a witness, static bytes, or one of the
 * cells here, which hold results. A cell is free again when no item is in it;
 * that is found out when all have been used.
 */
struct script_vm {
	const uint8_t *pc, *end;
	const uint8_t *code; /* behind the last OP_CODESEPARATOR executed */
	unsigned flags;
	enum sig_version version;
	uint32_t n;     /* items: item[0] is the lowest, item[n - 1] the top */
	uint32_t alt;   /* on the other stack: item[STACK_ROOM - alt] its top */
	uint32_t below; /* further items below item[0] that are not kept */
	uint32_t ops;   /* operations counted against OPS_MAX */
	uint32_t pos;   /* index of the operation */
	/* Conditions: how many are open, and which is the lowest false one. */
	uint32_t depth, first_false;
	int64_t weight_left; /* tapscript's budget for signatures */
	struct sig_checker *checker;
	struct tap_context tap;
	uint32_t cell_at;
	uint64_t cell_used[CELLS / 64];
	struct slice item[STACK_ROOM];
	uint8_t cell[CELLS][CELL_SIZE];
	uint8_t cleaned[SCRIPT_MAX]; /* script code without signatures */
};

/* Everything empty; cells and items are left as they are. */
void vm_init(struct script_vm *vm, unsigned flags, struct sig_checker *checker);
/* Run a script on the stack as it is. */
enum script_err vm_run(struct script_vm *vm, struct slice script,
		       enum sig_version version);

/* Number of items, those that are not kept included. */
static inline uint32_t vm_count(const struct script_vm *vm)
{
	return vm->n + vm->below;
}

/* The item i below the top, which is vm_at(vm, 0). */
static inline struct slice *vm_at(struct script_vm *vm, uint32_t i)
{
	return &vm->item[vm->n - 1 - i];
}

static inline void vm_push(struct script_vm *vm, struct slice s)
{
	vm->item[vm->n++] = s;
}

static inline struct slice vm_pop(struct script_vm *vm)
{
	return vm->item[--vm->n];
}

static inline void vm_drop(struct script_vm *vm, uint32_t n)
{
	vm->n -= n;
}

/* Push a copy of up to CELL_SIZE bytes. */
void vm_push_copy(struct script_vm *vm, const uint8_t *p, size_t n);
void vm_push_num(struct script_vm *vm, int64_t v);

/* Bytes of the numbers from -1 to 16. */
extern const uint8_t vm_small[18];

static inline void vm_push_small(struct script_vm *vm, int v)
{
	vm_push(vm, slice_of(&vm_small[v + 1], v != 0));
}

static inline void vm_push_bool(struct script_vm *vm, bool v)
{
	vm_push_small(vm, v);
}

/* Pop the result of an operation that must not be false. */
static inline enum script_err vm_verify(struct script_vm *vm, bool ok,
					enum script_err e)
{
	vm_drop(vm, 1);
	return ok ? SCRIPT_ERR_OK : e;
}

/* Numbers: little-endian, the sign in the top bit. False when longer than max,
 * or, where minimal is asked for, longer than needed. */
bool num_parse(int64_t *v, struct slice s, size_t max, bool minimal);
#define NUM_MAX      4u
#define NUM_LOCK_MAX 5u
/* Write in the shortest form (up to 9 bytes); returns how many. */
size_t num_put(uint8_t b[9], int64_t v);
/* Anything but zeros and a negative zero. */
bool item_true(struct slice s);

static inline bool vm_num(const struct script_vm *vm, int64_t *v,
			  struct slice s)
{
	return num_parse(v, s, NUM_MAX, vm->flags & SCRIPT_VERIFY_MINIMALDATA);
}

/*
 * Operations. Each file offers functions for the table in interp.c; they find
 * as many items as the table says they need.
 */
typedef enum script_err (*op_fn)(struct script_vm *vm, uint8_t op);
enum script_err op_nop(struct script_vm *vm, uint8_t op);
enum script_err op_nop_n(struct script_vm *vm, uint8_t op);
enum script_err op_lock_time(struct script_vm *vm, uint8_t op);
enum script_err op_sequence(struct script_vm *vm, uint8_t op);
enum script_err op_if(struct script_vm *vm, uint8_t op);
enum script_err op_else(struct script_vm *vm, uint8_t op);
enum script_err op_endif(struct script_vm *vm, uint8_t op);
enum script_err op_verify(struct script_vm *vm, uint8_t op);
enum script_err op_return(struct script_vm *vm, uint8_t op);
enum script_err op_to_alt(struct script_vm *vm, uint8_t op);
enum script_err op_from_alt(struct script_vm *vm, uint8_t op);
enum script_err op_2drop(struct script_vm *vm, uint8_t op);
enum script_err op_2dup(struct script_vm *vm, uint8_t op);
enum script_err op_3dup(struct script_vm *vm, uint8_t op);
enum script_err op_2over(struct script_vm *vm, uint8_t op);
enum script_err op_2rot(struct script_vm *vm, uint8_t op);
enum script_err op_2swap(struct script_vm *vm, uint8_t op);
enum script_err op_ifdup(struct script_vm *vm, uint8_t op);
enum script_err op_depth(struct script_vm *vm, uint8_t op);
enum script_err op_drop(struct script_vm *vm, uint8_t op);
enum script_err op_dup(struct script_vm *vm, uint8_t op);
enum script_err op_nip(struct script_vm *vm, uint8_t op);
enum script_err op_over(struct script_vm *vm, uint8_t op);
enum script_err op_pick_roll(struct script_vm *vm, uint8_t op);
enum script_err op_rot(struct script_vm *vm, uint8_t op);
enum script_err op_swap(struct script_vm *vm, uint8_t op);
enum script_err op_tuck(struct script_vm *vm, uint8_t op);
enum script_err op_size(struct script_vm *vm, uint8_t op);
enum script_err op_equal(struct script_vm *vm, uint8_t op);
enum script_err op_unary(struct script_vm *vm, uint8_t op);
enum script_err op_binary(struct script_vm *vm, uint8_t op);
enum script_err op_within(struct script_vm *vm, uint8_t op);
enum script_err op_hash(struct script_vm *vm, uint8_t op);
enum script_err op_separator(struct script_vm *vm, uint8_t op);
enum script_err op_checksig(struct script_vm *vm, uint8_t op);
enum script_err op_checksigadd(struct script_vm *vm, uint8_t op);
enum script_err op_multisig(struct script_vm *vm, uint8_t op);

/* BIP 66: a DER pair of integers and a type byte. */
bool sig_is_der(struct slice sig);
enum script_err sig_encoding(struct slice sig, unsigned flags);
enum script_err key_encoding(struct slice key, unsigned flags,
			     enum sig_version version);

/* Read one operation and move pc behind it. At a push that is cut off: false,
 * and pc is behind the length, or behind the opcode where that is cut off. */
bool script_read(const uint8_t **pc, const uint8_t *end, uint8_t *op,
		 struct slice *data);
/* Take every push of sig out of code, at the places where an operation begins.
 * The result is code itself, or lies in out (SCRIPT_MAX bytes, may be where
 * code is). */
struct slice code_without(struct slice code, struct slice sig, uint8_t *out);

/* Answers about the transaction. */
bool checker_ecdsa(struct sig_checker *c, struct slice sig, struct slice key,
		   struct slice code, enum sig_version version, bool lasting);
enum script_err checker_schnorr(struct sig_checker *c, struct slice sig,
				struct slice key, struct tap_context *tap);
bool checker_tweak(const struct sig_checker *c, const uint8_t output[32],
		   bool odd, const uint8_t internal[32],
		   const uint8_t tweak[32]);
bool checker_lock_time(const struct sig_checker *c, int64_t v);
bool checker_sequence(const struct sig_checker *c, int64_t v);

/* Everything a hash covers but its type, so that several types can go on from
 * there. */
void sighash_legacy_state(struct sha256 *h, struct script_input *in,
			  struct slice code, uint32_t type);
void sighash_v0_state(struct sha256 *h, const struct script_input *in,
		      struct slice code, uint32_t type);
/* Whether SIGHASH_SINGLE has no output to sign: the hash is then the number 1.
 */
bool sighash_is_one(uint8_t out[32], const struct script_input *in,
		    uint32_t type);
/* Hash the type and finish a double hash. */
void sighash_end(struct sha256 *h, uint32_t type, uint8_t out[32]);
void sha256_compact(struct sha256 *h, uint64_t n);

/* The parts of a type that say which outputs and inputs are covered. */
static inline uint32_t sighash_out(uint32_t type)
{
	return type & 0x1f;
}

static inline bool sighash_one_input(uint32_t type)
{
	return type & SIGHASH_ANYONECANPAY;
}

#endif
