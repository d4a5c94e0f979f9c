"""What a script says about its transaction: transactions, the three kinds of
signature hashes, and a small interpreter, written from the BIPs (16, 65, 66, 68,
112, 141, 143, 146, 147, 341, 342) and the description of the operations. For
tests, beside which the node has to agree; it never calls it.

evaluate() gives the name of the error as Bitcoin Core's vectors spell it, or OK,
and raises Uncovered where it does not know.
"""
import hashlib
import struct

import secp
from p2p import compact, read_compact, sha256d

# Operations by name; those up to 16 are pushes.
OP = {name: 0x61 + i for i, name in enumerate('''NOP VER IF NOTIF VERIF VERNOTIF
    ELSE ENDIF VERIFY RETURN TOALTSTACK FROMALTSTACK 2DROP 2DUP 3DUP 2OVER 2ROT
    2SWAP IFDUP DEPTH DROP DUP NIP OVER PICK ROLL ROT SWAP TUCK CAT SUBSTR LEFT
    RIGHT SIZE INVERT AND OR XOR EQUAL EQUALVERIFY RESERVED1 RESERVED2 1ADD 1SUB
    2MUL 2DIV NEGATE ABS NOT 0NOTEQUAL ADD SUB MUL DIV MOD LSHIFT RSHIFT BOOLAND
    BOOLOR NUMEQUAL NUMEQUALVERIFY NUMNOTEQUAL LESSTHAN GREATERTHAN
    LESSTHANOREQUAL GREATERTHANOREQUAL MIN MAX WITHIN RIPEMD160 SHA1 SHA256
    HASH160 HASH256 CODESEPARATOR CHECKSIG CHECKSIGVERIFY CHECKMULTISIG
    CHECKMULTISIGVERIFY NOP1 CHECKLOCKTIMEVERIFY CHECKSEQUENCEVERIFY NOP4 NOP5
    NOP6 NOP7 NOP8 NOP9 NOP10 CHECKSIGADD'''.split())}
OP.update({'NOP2': 0xb1, 'NOP3': 0xb2, '1NEGATE': 0x4f, 'RESERVED': 0x50})
NAME = {v: k for k, v in OP.items() if k not in ('NOP2', 'NOP3')}
DISABLED = {OP[n] for n in '''CAT SUBSTR LEFT RIGHT INVERT AND OR XOR 2MUL 2DIV
    MUL DIV MOD LSHIFT RSHIFT'''.split()}
SUCCESS = {80, 98} | set(range(126, 130)) | set(range(131, 135)) | \
    set(range(137, 139)) | set(range(141, 143)) | set(range(149, 154)) | \
    set(range(187, 255))
BASE, V0, TAP = 0, 1, 2


class Uncovered(Exception):
    """A case that this file does not judge."""


class Bad(Exception):
    """The script fails."""


def check(ok, name):
    if not ok:
        raise Bad(name)


def hash160(b):
    return hashlib.new('ripemd160', secp.sha256(b)).digest()


# Numbers and pushes.

def num_bytes(n):
    b = bytearray()
    v = abs(n)
    while v:
        b.append(v & 255)
        v >>= 8
    if b and b[-1] & 0x80:
        b.append(0)
    if n < 0:
        b[-1] |= 0x80
    return bytes(b)


def push(b):
    n = len(b)
    if n < 76:
        return bytes([n]) + b
    return (b'\x4c' + bytes([n]) if n < 256
            else b'\x4d' + struct.pack('<H', n)) + b


def push_num(n):
    if n == 0:
        return b'\0'
    return bytes([0x50 + n]) if -1 <= n <= 16 else push(num_bytes(n))


def script(*parts):
    """Bytes are pushed, numbers too, words are operations."""
    return b''.join(push(p) if isinstance(p, bytes) else
                    push_num(p) if isinstance(p, int) else bytes([OP[p]])
                    for p in parts)


def read_script(text):
    """The notation of Bitcoin Core's vectors."""
    out = b''
    for word in text.split():
        if word.startswith('0x'):
            out += bytes.fromhex(word[2:])
        elif word[0] == "'":
            out += push(word[1:-1].encode())
        elif word.lstrip('-').isdigit() and word != '-':
            out += push_num(int(word))
        else:
            out += bytes([OP[word[3:] if word.startswith('OP_') else word]])
    return out


def next_op(s, at):
    """(operation, data or None, end), or None at a push that is cut off."""
    op, at = s[at], at + 1
    if op > 0x4e:
        return op, None, at
    n = op
    if op > 0x4b:
        width = {0x4c: 1, 0x4d: 2, 0x4e: 4}[op]
        if at + width > len(s):
            return None
        n, at = int.from_bytes(s[at:at + width], 'little'), at + width
    return (op, s[at:at + n], at + n) if at + n <= len(s) else None


def only_pushes(s):
    at = 0
    while at < len(s):
        step = next_op(s, at)
        if step is None or step[0] > 0x60:
            return False
        at = step[2]
    return True


def witness_program(s):
    if not 4 <= len(s) <= 42 or len(s) != s[1] + 2:
        return None
    if s[0] and not 0x51 <= s[0] <= 0x60:
        return None
    return s[0] and s[0] - 0x50, s[2:]


def is_p2sh(s):
    return len(s) == 23 and s[:2] == b'\xa9\x14' and s[22] == 0x87


# Transactions.

class Tx:
    """version, ins [prevout, script, sequence], outs (value, script), wits."""

    def __init__(self, version=2, ins=(), outs=(), locktime=0):
        self.version, self.locktime = version, locktime
        self.ins = [list(i) for i in ins]
        self.outs = list(outs)
        self.wits = [[] for _ in self.ins]

    def copy(self):
        t = Tx(self.version, self.ins, self.outs, self.locktime)
        t.wits = [list(w) for w in self.wits]
        return t

    def bytes(self):
        some = any(self.wits)
        b = struct.pack('<I', self.version) + (b'\0\1' if some else b'')
        b += compact(len(self.ins))
        for prev, sig, sequence in self.ins:
            b += prev + compact(len(sig)) + sig + struct.pack('<I', sequence)
        b += compact(len(self.outs)) + self.out_bytes(self.outs)
        for w in self.wits if some else ():
            b += compact(len(w)) + b''.join(compact(len(i)) + i for i in w)
        return b + struct.pack('<I', self.locktime)

    @staticmethod
    def out_bytes(outs):
        return b''.join(struct.pack('<q', v) + compact(len(s)) + s
                        for v, s in outs)


def parse_tx(b):
    version, at = struct.unpack_from('<I', b)[0], 4
    some = b[4] == 0
    n, at = read_compact(b, at + 2 * some)
    ins, outs = [], []
    for _ in range(n):
        size, p = read_compact(b, at + 36)
        ins.append((b[at:at + 36], b[p:p + size],
                    struct.unpack_from('<I', b, p + size)[0]))
        at = p + size + 4
    n, at = read_compact(b, at)
    for _ in range(n):
        size, p = read_compact(b, at + 8)
        outs.append((struct.unpack_from('<q', b, at)[0], b[p:p + size]))
        at = p + size
    tx = Tx(version, ins, outs)
    for i in range(len(ins) if some else 0):
        n, at = read_compact(b, at)
        for _ in range(n):
            size, at = read_compact(b, at)
            tx.wits[i].append(b[at:at + size])
            at += size
    tx.locktime = struct.unpack_from('<I', b, at)[0]
    assert at + 4 == len(b)
    return tx


def sighash_legacy(tx, i, code, kind):
    base, anyone = kind & 31, kind & 128
    if base == 3 and i >= len(tx.outs):
        return b'\1' + bytes(31)
    t = Tx(tx.version, tx.ins, tx.outs, tx.locktime)
    for k, one in enumerate(t.ins):
        one[1] = without_separators(code) if k == i else b''
        if k != i and base in (2, 3):
            one[2] = 0
    if base == 2:
        t.outs = []
    elif base == 3:
        t.outs = [(-1, b'')] * i + [t.outs[i]]
    if anyone:
        t.ins = [t.ins[i]]
    t.wits = []
    # A list of no inputs would be read as another form; it never is empty.
    return sha256d(t.bytes() + struct.pack('<I', kind))


def without_separators(code):
    out, at = b'', 0
    while at < len(code):
        step = next_op(code, at)
        if step is None:
            raise Uncovered()
        if step[0] != OP['CODESEPARATOR']:
            out += code[at:step[2]]
        at = step[2]
    return out


def deleted(code, part):
    """The script without part wherever an operation, or the end, begins."""
    out, at = b'', 0
    while True:
        while code.startswith(part, at):
            at += len(part)
        step = next_op(code, at) if at < len(code) else None
        if step is None:
            return out + code[at:]
        out += code[at:step[2]]
        at = step[2]


def sequences(tx):
    return b''.join(struct.pack('<I', s) for _, _, s in tx.ins)


def prevouts(tx):
    return b''.join(p for p, _, _ in tx.ins)


def sighash_v0(tx, i, code, kind, value):
    base, anyone, zero = kind & 31, kind & 128, bytes(32)
    prev, _, sequence = tx.ins[i]
    outs = zero
    if base not in (2, 3):
        outs = sha256d(tx.out_bytes(tx.outs))
    elif base == 3 and i < len(tx.outs):
        outs = sha256d(tx.out_bytes([tx.outs[i]]))
    return sha256d(
        struct.pack('<I', tx.version) +
        (zero if anyone else sha256d(prevouts(tx))) +
        (zero if anyone or base in (2, 3) else sha256d(sequences(tx))) +
        prev + compact(len(code)) + code + struct.pack('<q', value) +
        struct.pack('<I', sequence) + outs +
        struct.pack('<II', tx.locktime, kind))


def sighash_tap(tx, i, spent, kind, annex, leaf=None, separator=0xffffffff):
    """None where the type is not one, or SIGHASH_SINGLE has no output."""
    base, anyone, h = kind & 3 or 1, kind & 128, secp.sha256
    if kind not in (0, 1, 2, 3, 0x81, 0x82, 0x83):
        return None
    if base == 3 and i >= len(tx.outs):
        return None
    m = bytes([0, kind]) + struct.pack('<II', tx.version, tx.locktime)
    if not anyone:
        m += h(prevouts(tx)) + h(b''.join(struct.pack('<q', v)
                                          for v, _ in spent))
        m += h(b''.join(compact(len(s)) + s for _, s in spent))
        m += h(sequences(tx))
    if base == 1:
        m += h(tx.out_bytes(tx.outs))
    m += bytes([2 * (leaf is not None) + (annex is not None)])
    if anyone:
        m += tx.ins[i][0] + tx.out_bytes([spent[i]])
        m += struct.pack('<I', tx.ins[i][2])
    else:
        m += struct.pack('<I', i)
    if annex is not None:
        m += h(compact(len(annex)) + annex)
    if base == 3:
        m += h(tx.out_bytes([tx.outs[i]]))
    if leaf is not None:
        m += leaf + b'\0' + struct.pack('<I', separator)
    return secp.tagged('TapSighash', m)


# The interpreter.

class Machine:
    """One input of a transaction under flags."""

    def __init__(self, tx, spent, index, flags):
        self.tx, self.spent, self.i = tx, spent, index
        self.flags = set(flags)
        self.stack, self.alt = [], []
        self.annex = self.leaf = None
        self.budget = 0

    # Signatures.

    def legacy_encoding(self, sig):
        if not sig:
            return
        f = self.flags
        if f & {'DERSIG', 'LOW_S', 'STRICTENC'}:
            check(9 <= len(sig) <= 73 and secp.der_strict(sig[:-1]), 'SIG_DER')
        elif not secp.der_strict(sig[:-1]):
            raise Uncovered()  # whatever the lax reader makes of it
        if 'LOW_S' in f:
            check(secp.der_strict(sig[:-1])[1] <= secp.N // 2, 'SIG_HIGH_S')
        if 'STRICTENC' in f:
            check(sig[-1] & 127 in (1, 2, 3), 'SIG_HASHTYPE')

    def key_encoding(self, key, kind):
        short = len(key) == 33 and key[0] in (2, 3)
        if 'STRICTENC' in self.flags:
            check(short or (len(key) == 65 and key[0] == 4), 'PUBKEYTYPE')
        if kind == V0 and 'WITNESS_PUBKEYTYPE' in self.flags:
            check(short, 'WITNESS_PUBKEYTYPE')

    def ecdsa(self, sig, key, code, kind):
        if not sig or not secp.der_strict(sig[:-1]):
            return False
        if kind == BASE:
            h = sighash_legacy(self.tx, self.i, code, sig[-1])
        else:
            h = sighash_v0(self.tx, self.i, code, sig[-1],
                           self.spent[self.i][0])
        numbers = secp.der_strict(sig[:-1])
        return secp.ecdsa_verify(key, self.low(numbers), h)

    @staticmethod
    def low(numbers):
        """A signature with a high s is as good as its mirror."""
        r, s = numbers
        return (r, secp.N - s) if secp.N // 2 < s < secp.N else (r, s)

    def schnorr(self, sig, key, separator=0xffffffff):
        check(len(sig) in (64, 65), 'SCHNORR_SIG_SIZE')
        kind = sig[64] if len(sig) == 65 else 0
        check(len(sig) == 64 or kind, 'SCHNORR_SIG_HASHTYPE')
        h = sighash_tap(self.tx, self.i, self.spent, kind, self.annex,
                        self.leaf, separator)
        check(h, 'SCHNORR_SIG_HASHTYPE')
        check(secp.schnorr_verify(key, sig[:64], h), 'SCHNORR_SIG')

    def tap_checksig(self, sig, key):
        if sig:
            self.budget -= 50
            check(self.budget >= 0, 'TAPSCRIPT_VALIDATION_WEIGHT')
        check(key, 'TAPSCRIPT_EMPTY_PUBKEY')
        if len(key) == 32:
            if sig:
                self.schnorr(sig, key, self.separator)
        else:
            check('DISCOURAGE_UPGRADABLE_PUBKEYTYPE' not in self.flags,
                  'DISCOURAGE_UPGRADABLE_PUBKEYTYPE')
        return bool(sig)

    def code_without(self, code, sigs, kind):
        """Signatures cannot sign themselves: what is pushed like one goes."""
        for sig in reversed(sigs) if kind == BASE else ():
            left = deleted(code, push(sig))
            check(left == code or 'CONST_SCRIPTCODE' not in self.flags,
                  'SIG_FINDANDDELETE')
            code = left
        return code

    def checksig(self, sig, key, code, kind):
        if kind == TAP:
            return self.tap_checksig(sig, key)
        code = self.code_without(code, [sig], kind)
        self.legacy_encoding(sig)
        self.key_encoding(key, kind)
        ok = self.ecdsa(sig, key, code, kind)
        check(ok or not sig or 'NULLFAIL' not in self.flags, 'NULLFAIL')
        return ok

    def op_checkmultisig(self, code, kind):
        check(kind != TAP, 'TAPSCRIPT_CHECKMULTISIG')
        keys, sigs = self.counted(20, 'PUBKEY_COUNT', True), None
        sigs = self.counted(len(keys), 'SIG_COUNT', False)
        self.need(1)
        code = self.code_without(code, sigs, kind)
        rest, left = list(keys), list(sigs)
        while left and len(left) <= len(rest):
            # From the top of the stack down: the last ones come first.
            self.legacy_encoding(left[-1])
            self.key_encoding(rest[-1], kind)
            if self.ecdsa(left[-1], rest[-1], code, kind):
                left.pop()
            rest.pop()
        ok = not left
        if not ok and 'NULLFAIL' in self.flags:
            check(not any(sigs), 'NULLFAIL')
        check(not self.pop() or 'NULLDUMMY' not in self.flags, 'SIG_NULLDUMMY')
        return ok

    def counted(self, most, name, keys):
        self.need(1)
        n = self.pop_num()
        check(0 <= n <= most, name)
        if keys:
            self.ops += n
            check(self.ops <= 201, 'OP_COUNT')
        self.need(n)
        out = self.stack[len(self.stack) - n:]
        del self.stack[len(self.stack) - n:]
        return out

    # Locks.

    def locktime(self, n):
        t = self.tx.locktime
        check(n >= 0, 'NEGATIVE_LOCKTIME')
        check((n < 500000000) == (t < 500000000) and n <= t and
              self.tx.ins[self.i][2] != 0xffffffff, 'UNSATISFIED_LOCKTIME')

    def sequence(self, n):
        check(n >= 0, 'NEGATIVE_LOCKTIME')
        if n & 1 << 31:
            return
        s = self.tx.ins[self.i][2]
        check(self.tx.version >= 2 and not s & 1 << 31 and
              n & 1 << 22 == s & 1 << 22 and n & 0xffff <= s & 0xffff,
              'UNSATISFIED_LOCKTIME')

    # The stack.

    def need(self, n):
        check(len(self.stack) >= n, 'INVALID_STACK_OPERATION')

    def pop(self):
        return self.stack.pop()

    def num(self, b, size=4):
        check(len(b) <= size, 'SCRIPTNUM')
        if 'MINIMALDATA' in self.flags and b and not b[-1] & 127:
            check(len(b) > 1 and b[-2] & 128, 'SCRIPTNUM')
        n = int.from_bytes(b, 'little')
        sign = 1 << 8 * len(b) - 1 if b else 0
        return -(n - sign) if n & sign else n

    def pop_num(self):
        n = self.num(self.stack[-1])
        self.stack.pop()
        return n

    @staticmethod
    def true(b):
        return any(b[:-1]) or (bool(b) and b[-1] not in (0, 0x80))

    def minimal_push(self, op, data):
        n = len(data)
        if n == 0:
            want = 0
        elif n == 1 and (1 <= data[0] <= 16 or data[0] == 0x81):
            want = None
        else:
            want = n if n < 76 else 0x4c if n < 256 else 0x4d
        check(op == want, 'MINIMALDATA')

    def run(self, s, kind):
        """All of a script on the stack as it is."""
        check(kind == TAP or len(s) <= 10000, 'SCRIPT_SIZE')
        self.alt, self.conds, self.ops = [], [], 0
        self.separator, self.code_at, at, index = 0xffffffff, 0, 0, 0
        while at < len(s):
            step = next_op(s, at)
            check(step, 'BAD_OPCODE')
            op, data, at = step
            check(data is None or len(data) <= 520, 'PUSH_SIZE')
            if kind != TAP and op > 0x60:
                self.ops += 1
                check(self.ops <= 201, 'OP_COUNT')
            check(op not in DISABLED, 'DISABLED_OPCODE')
            if op == OP['CODESEPARATOR'] and kind == BASE:
                check('CONST_SCRIPTCODE' not in self.flags, 'OP_CODESEPARATOR')
            self.step(op, data, s, at, index, kind)
            check(len(self.stack) + len(self.alt) <= 1000, 'STACK_SIZE')
            index += 1
        check(not self.conds, 'UNBALANCED_CONDITIONAL')

    def step(self, op, data, s, at, index, kind):
        running = all(self.conds)
        if data is not None:
            if running:
                if 'MINIMALDATA' in self.flags:
                    self.minimal_push(op, data)
                self.stack.append(data)
        elif OP['IF'] <= op <= OP['ENDIF']:
            self.branch(op, running, kind)
        elif not running:
            return
        elif op <= 0x60:
            check(op != OP['RESERVED'], 'BAD_OPCODE')
            self.stack.append(num_bytes(op - 0x50))
        elif op == OP['CODESEPARATOR']:
            self.code_at, self.separator = at, index
        elif op in SIG_OPS:
            SIG_OPS[op](self, s[self.code_at:], kind)
        else:
            check(op in PLAIN, 'BAD_OPCODE')
            need, fn = PLAIN[op]
            self.need(need)
            fn(self)

    def branch(self, op, running, kind):
        if op in (OP['VERIF'], OP['VERNOTIF']):
            raise Bad('BAD_OPCODE')
        if op in (OP['IF'], OP['NOTIF']):
            value = False
            if running:
                self.need(1)
                top = self.stack[-1]
                if kind == TAP:
                    check(top in (b'', b'\1'), 'TAPSCRIPT_MINIMALIF')
                if kind == V0 and 'MINIMALIF' in self.flags:
                    check(top in (b'', b'\1'), 'MINIMALIF')
                value = self.true(self.pop()) == (op == OP['IF'])
            self.conds.append(value)
            return
        check(self.conds, 'UNBALANCED_CONDITIONAL')
        if op == OP['ELSE']:
            self.conds[-1] = not self.conds[-1]
        else:
            self.conds.pop()

    # Verification as a whole.

    def judge(self):
        check(self.stack and self.true(self.stack[-1]), 'EVAL_FALSE')

    def run_witness(self, s, items, kind):
        if kind == TAP:
            check(len(items) <= 1000, 'STACK_SIZE')
        check(all(len(i) <= 520 for i in items), 'PUSH_SIZE')
        self.stack = list(items)
        self.run(s, kind)
        check(len(self.stack) == 1, 'CLEANSTACK')
        self.judge()

    def program(self, version, prog, in_p2sh):
        wit, f = list(self.tx.wits[self.i]), self.flags
        if version == 0 and len(prog) == 32:
            check(wit, 'WITNESS_PROGRAM_WITNESS_EMPTY')
            s = wit.pop()
            check(secp.sha256(s) == prog, 'WITNESS_PROGRAM_MISMATCH')
            self.run_witness(s, wit, V0)
        elif version == 0 and len(prog) == 20:
            check(len(wit) == 2, 'WITNESS_PROGRAM_MISMATCH')
            self.run_witness(script('DUP', 'HASH160', prog, 'EQUALVERIFY',
                                    'CHECKSIG'), wit, V0)
        elif version == 0:
            raise Bad('WITNESS_PROGRAM_WRONG_LENGTH')
        elif version == 1 and len(prog) == 32 and not in_p2sh:
            if 'TAPROOT' in f:
                self.taproot(prog, wit)
        elif in_p2sh or version != 1 or prog != b'\x4e\x73':
            check('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM' not in f,
                  'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM')
        self.stack = [b'\1']

    def taproot(self, prog, wit):
        size = len(compact(len(wit))) + sum(len(compact(len(i))) + len(i)
                                            for i in wit)
        check(wit, 'WITNESS_PROGRAM_WITNESS_EMPTY')
        if len(wit) > 1 and wit[-1][:1] == b'\x50':
            self.annex = wit.pop()
        if len(wit) == 1:
            self.schnorr(wit[0], prog)
            return
        control, s = wit.pop(), wit.pop()
        n = len(control)
        check(33 <= n <= 33 + 32 * 128 and n % 32 == 1,
              'TAPROOT_WRONG_CONTROL_SIZE')
        version = control[0] & 0xfe
        self.leaf = node = secp.tap_leaf(s, version)
        for at in range(33, n, 32):
            node = secp.tap_branch(node, control[at:at + 32])
        check(secp.tap_tweak(control[1:33], node) == (prog, control[0] & 1),
              'WITNESS_PROGRAM_MISMATCH')
        if version != 0xc0:
            check('DISCOURAGE_UPGRADABLE_TAPROOT_VERSION' not in self.flags,
                  'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION')
            return
        self.tapscript(s, wit, size + 50)

    def tapscript(self, s, wit, budget):
        at = 0
        while at < len(s):
            step = next_op(s, at)
            check(step, 'BAD_OPCODE')
            if step[0] in SUCCESS:
                check('DISCOURAGE_OP_SUCCESS' not in self.flags,
                      'DISCOURAGE_OP_SUCCESS')
                return
            at = step[2]
        self.budget = budget
        self.run_witness(s, wit, TAP)

    def verify(self):
        sig, key, f = self.tx.ins[self.i][1], self.spent[self.i][1], self.flags
        had = False
        if 'SIGPUSHONLY' in f:
            check(only_pushes(sig), 'SIG_PUSHONLY')
        self.run(sig, BASE)
        before = list(self.stack)
        self.run(key, BASE)
        self.judge()
        prog = witness_program(key) if 'WITNESS' in f else None
        if prog:
            had = True
            check(not sig, 'WITNESS_MALLEATED')
            self.program(*prog, False)
        if 'P2SH' in f and is_p2sh(key):
            check(only_pushes(sig), 'SIG_PUSHONLY')
            self.stack = before
            redeem = self.pop()
            self.run(redeem, BASE)
            self.judge()
            prog = witness_program(redeem) if 'WITNESS' in f else None
            if prog:
                had = True
                check(sig == push(redeem), 'WITNESS_MALLEATED_P2SH')
                self.program(*prog, True)
        if 'CLEANSTACK' in f:
            check(len(self.stack) == 1, 'CLEANSTACK')
        if 'WITNESS' in f and not had:
            check(not self.tx.wits[self.i], 'WITNESS_UNEXPECTED')

    # Operations that need more than a line.

    def op_checksig(self, code, kind):
        self.need(2)
        sig, key = self.stack[-2:]
        ok = self.checksig(sig, key, code, kind)
        del self.stack[-2:]
        return ok

    def op_checksigadd(self, code, kind):
        check(kind == TAP, 'BAD_OPCODE')
        self.need(3)
        sig, n, key = self.stack[-3:]
        n = self.num(n)
        ok = self.checksig(sig, key, code, kind)
        self.stack[-3:] = [num_bytes(n + ok)]

    def lock(self, flag, fn):
        if flag not in self.flags:
            return  # an operation that does nothing
        self.need(1)
        fn(self.num(self.stack[-1], 5))

    def nop(self):
        check('DISCOURAGE_UPGRADABLE_NOPS' not in self.flags,
              'DISCOURAGE_UPGRADABLE_NOPS')

    def must(self, name):
        """The verdict on top holds; it stays there where it does not."""
        check(self.true(self.stack[-1]), name)
        self.pop()

    def op_return(self):
        raise Bad('OP_RETURN')

    def fromalt(self):
        check(self.alt, 'INVALID_ALTSTACK_OPERATION')
        self.stack.append(self.alt.pop())

    def pick(self, roll):
        n = self.pop_num()
        check(0 <= n < len(self.stack), 'INVALID_STACK_OPERATION')
        item = self.stack[-1 - n]
        if roll:
            del self.stack[-1 - n]
        self.stack.append(item)

    def reorder(self, n, order):
        """The top n items as order names them, from the deepest, 0."""
        top = self.stack[-n:]
        self.stack[-n:] = [top[i] for i in order]

    def hashed(self, fn):
        self.stack.append(fn(self.pop()))

    def numbers(self, n, fn):
        args = [self.num(b) for b in self.stack[-n:]]
        self.stack[-n:] = [num_bytes(int(fn(*args)))]

    def equal(self):
        b, a = self.pop(), self.pop()
        self.stack.append(b'\1' if a == b else b'')


def _flag(value):
    return b'\1' if value else b''


def _sig(fn, name=None):
    """An operation that leaves a verdict, or fails without one."""
    def op(m, code, kind):
        m.stack.append(_flag(getattr(m, fn)(code, kind)))
        if name:
            m.must(name)
    return op


SIG_OPS = {
    OP['CHECKSIG']: _sig('op_checksig'),
    OP['CHECKSIGVERIFY']: _sig('op_checksig', 'CHECKSIGVERIFY'),
    OP['CHECKMULTISIG']: _sig('op_checkmultisig'),
    OP['CHECKMULTISIGVERIFY']: _sig('op_checkmultisig',
                                    'CHECKMULTISIGVERIFY'),
    OP['CHECKSIGADD']: Machine.op_checksigadd,
}


def _orders():
    for name, n, order in (
            ('2DROP', 2, ()), ('2DUP', 2, (0, 1, 0, 1)),
            ('3DUP', 3, (0, 1, 2, 0, 1, 2)), ('2OVER', 4, (0, 1, 2, 3, 0, 1)),
            ('2ROT', 6, (2, 3, 4, 5, 0, 1)), ('2SWAP', 4, (2, 3, 0, 1)),
            ('DROP', 1, ()), ('DUP', 1, (0, 0)), ('NIP', 2, (1,)),
            ('OVER', 2, (0, 1, 0)), ('ROT', 3, (1, 2, 0)),
            ('SWAP', 2, (1, 0)), ('TUCK', 2, (1, 0, 1))):
        yield OP[name], (n, lambda m, n=n, o=order: m.reorder(n, o))


def _arithmetic():
    for name, n, fn in (
            ('1ADD', 1, lambda a: a + 1), ('1SUB', 1, lambda a: a - 1),
            ('NEGATE', 1, lambda a: -a), ('ABS', 1, abs),
            ('NOT', 1, lambda a: a == 0), ('0NOTEQUAL', 1, lambda a: a != 0),
            ('ADD', 2, lambda a, b: a + b), ('SUB', 2, lambda a, b: a - b),
            ('BOOLAND', 2, lambda a, b: a and b and 1),
            ('BOOLOR', 2, lambda a, b: bool(a or b)),
            ('NUMEQUAL', 2, lambda a, b: a == b),
            ('NUMNOTEQUAL', 2, lambda a, b: a != b),
            ('LESSTHAN', 2, lambda a, b: a < b),
            ('GREATERTHAN', 2, lambda a, b: a > b),
            ('LESSTHANOREQUAL', 2, lambda a, b: a <= b),
            ('GREATERTHANOREQUAL', 2, lambda a, b: a >= b),
            ('MIN', 2, min), ('MAX', 2, max),
            ('WITHIN', 3, lambda x, a, b: a <= x < b)):
        yield OP[name], (n, lambda m, n=n, f=fn: m.numbers(n, f))


def _others():
    yield 'NOP', 0, lambda m: None
    for name in 'NOP1 NOP4 NOP5 NOP6 NOP7 NOP8 NOP9 NOP10'.split():
        yield name, 0, Machine.nop
    yield 'CHECKLOCKTIMEVERIFY', 0, lambda m: m.lock(
        'CHECKLOCKTIMEVERIFY', m.locktime)
    yield 'CHECKSEQUENCEVERIFY', 0, lambda m: m.lock(
        'CHECKSEQUENCEVERIFY', m.sequence)
    yield 'VERIFY', 1, lambda m: m.must('VERIFY')
    yield 'RETURN', 0, Machine.op_return
    yield 'TOALTSTACK', 1, lambda m: m.alt.append(m.pop())
    yield 'FROMALTSTACK', 0, Machine.fromalt
    yield 'IFDUP', 1, lambda m: m.stack.extend(
        m.stack[-1:] if m.true(m.stack[-1]) else ())
    yield 'DEPTH', 0, lambda m: m.stack.append(num_bytes(len(m.stack)))
    yield 'PICK', 2, lambda m: m.pick(False)
    yield 'ROLL', 2, lambda m: m.pick(True)
    yield 'SIZE', 1, lambda m: m.stack.append(num_bytes(len(m.stack[-1])))
    yield 'EQUAL', 2, Machine.equal
    yield 'EQUALVERIFY', 2, lambda m: (m.equal(), m.must('EQUALVERIFY'))
    yield 'NUMEQUALVERIFY', 2, lambda m: (
        m.numbers(2, lambda a, b: a == b), m.must('NUMEQUALVERIFY'))
    yield 'RIPEMD160', 1, lambda m: m.hashed(
        lambda b: hashlib.new('ripemd160', b).digest())
    yield 'SHA1', 1, lambda m: m.hashed(lambda b: hashlib.sha1(b).digest())
    yield 'SHA256', 1, lambda m: m.hashed(secp.sha256)
    yield 'HASH160', 1, lambda m: m.hashed(hash160)
    yield 'HASH256', 1, lambda m: m.hashed(sha256d)


PLAIN = dict(_orders())
PLAIN.update(_arithmetic())
PLAIN.update((OP[name], (need, fn)) for name, need, fn in _others())


def evaluate(tx, spent, index, flags):
    """The verdict on one input; spent: (value, script) of every input."""
    try:
        Machine(tx, spent, index, flags).verify()
        return 'OK'
    except Bad as e:
        return e.args[0]
