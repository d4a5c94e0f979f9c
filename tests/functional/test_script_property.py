#!/usr/bin/env python3
"""Valid spends of many kinds, changed at random, have the verdict that a second
interpreter (spend.py, secp.py) comes to from the BIPs: the same error, on the
same input. CAIRN_SEED sets the chance, CAIRN_CASES the number of cases.
"""
import collections
import json
import os
import random

import scriptcases
import secp
import spend
from node import SLOW, main
from scriptcases import ask, request
from spend import Tx, Uncovered, evaluate, hash160, push, script

SEED = int(os.environ.get('CAIRN_SEED', '20261130'))
CASES = int(os.environ.get('CAIRN_CASES', '900')) // SLOW
EACH = 15  # changes of one valid transaction

CONSENSUS = {'P2SH', 'DERSIG', 'NULLDUMMY', 'CHECKLOCKTIMEVERIFY',
             'CHECKSEQUENCEVERIFY', 'WITNESS', 'TAPROOT'}
POLICY = CONSENSUS | set('''STRICTENC LOW_S SIGPUSHONLY MINIMALDATA
    DISCOURAGE_UPGRADABLE_NOPS CLEANSTACK DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM
    MINIMALIF NULLFAIL WITNESS_PUBKEYTYPE CONST_SCRIPTCODE
    DISCOURAGE_UPGRADABLE_TAPROOT_VERSION DISCOURAGE_OP_SUCCESS
    DISCOURAGE_UPGRADABLE_PUBKEYTYPE'''.split())

SECRETS = [int.from_bytes(secp.sha256(b'key %d' % i), 'big') for i in range(5)]
KEYS = [secp.public(d) for d in SECRETS]
XKEYS = [k[1:] for k in KEYS]
WHOLE = [secp.public(d, 'whole') for d in SECRETS]
HYBRID = [secp.public(d, 'hybrid') for d in SECRETS]
OLD_TYPES = [1, 1, 1, 2, 3, 0x81, 0x82, 0x83]


# Valid spends. A kind is (output script, sign, what the transaction needs); sign
# gives (script, witness) of the input.

def old_sig(rng, d, tx, i, code, value=None):
    kind = rng.choice(OLD_TYPES)
    if value is None:
        h = spend.sighash_legacy(tx, i, code, kind)
    else:
        h = spend.sighash_v0(tx, i, code, kind, value)
    return secp.ecdsa_sign(d, h) + bytes([kind])


def tap_sig(rng, d, tx, i, spent, annex, leaf=None, separator=0xffffffff):
    kind = rng.choice([0, 0, 1, 2, 3, 0x81, 0x82, 0x83])
    if kind & 3 == 3 and i >= len(tx.outs):
        kind = 0
    h = spend.sighash_tap(tx, i, spent, kind, annex, leaf, separator)
    return secp.schnorr_sign(d, h) + (bytes([kind]) if kind else b'')


def template(rng):
    """(script, its stack by how it is signed, needs): for every older form."""
    which = rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8])
    d, k = SECRETS, rng.choice([KEYS, KEYS, WHOLE, HYBRID])
    if which == 0:
        return script(k[0], 'CHECKSIG'), lambda s: [s(d[0])], {}
    if which in (1, 2):
        n = rng.randrange(2, 5)
        m = rng.randrange(1, n + 1)
        use = sorted(rng.sample(range(n), m))
        return (script(m, *KEYS[:n], n, 'CHECKMULTISIG'),
                lambda s: [b''] + [s(d[j]) for j in use], {})
    if which == 3:
        height = rng.choice([1, 17, 128, 32768, 500000000, 1700000000])
        later = rng.choice([0, 1, 255])
        return (script(height, 'CHECKLOCKTIMEVERIFY', 'DROP', KEYS[1],
                       'CHECKSIG'),
                lambda s: [s(d[1])], {'locktime': height + later})
    if which == 4:
        units = rng.choice([1, 16, 17, 144, 0xffff]) | rng.choice([0, 1 << 22])
        return (script(units, 'CHECKSEQUENCEVERIFY', 'DROP', KEYS[2],
                       'CHECKSIG'),
                lambda s: [s(d[2])], {'sequence': units | rng.choice(
                    [0, 1 << 16, 1 << 25])})
    if which == 5:
        image = rng.randbytes(32)
        return (script('SIZE', 32, 'EQUALVERIFY', 'HASH160', hash160(image),
                       'EQUALVERIFY', KEYS[3], 'CHECKSIG'),
                lambda s: [s(d[3]), image], {})
    if which == 6:
        yes = rng.randrange(2)
        return (script('IF', KEYS[0], 'ELSE', 5, 'CHECKSEQUENCEVERIFY',
                       'DROP', KEYS[1], 'ENDIF', 'CHECKSIG'),
                lambda s: [s(d[1 - yes]), b'\1' if yes else b''],
                {} if yes else {'sequence': 6})
    if which == 7:
        return (script(KEYS[0], 'CHECKSIGVERIFY', 'CODESEPARATOR', KEYS[1],
                       'CHECKSIG'),
                lambda s: [s(d[1], -35), s(d[0])], {})
    return (script('DUP', 'HASH160', hash160(k[4]), 'EQUALVERIFY', 'CHECKSIG'),
            lambda s: [s(d[4]), k[4]], {})


def pushes(items):
    """As whoever writes a script does: small numbers are operations."""
    return b''.join(b'\x51' if i == b'\1' else push(i) for i in items)


def old_kind(rng, form):
    code, stack, needs = template(rng)
    witness = form in ('wsh', 'sh-wsh')

    def sign(tx, i, spent):
        value = spent[i][0] if witness else None

        def one(d, at=0):
            return old_sig(rng, d, tx, i, code[at:], value)
        items = stack(one)
        if form == 'bare':
            return pushes(items), []
        if form == 'sh':
            return pushes(items) + push(code), []
        return push(program) if form == 'sh-wsh' else b'', items + [code]

    program = script(0, secp.sha256(code))
    inner = program if form == 'sh-wsh' else code
    out = {'bare': code, 'wsh': program}.get(
        form, script('HASH160', hash160(inner), 'EQUAL'))
    return out, sign, needs


def key_hash(rng, form):
    j = rng.randrange(5)
    program = script(0, hash160(KEYS[j]))
    code = script('DUP', 'HASH160', hash160(KEYS[j]), 'EQUALVERIFY',
                  'CHECKSIG')

    def sign(tx, i, spent):
        sig = old_sig(rng, SECRETS[j], tx, i, code, spent[i][0])
        return push(program) if form == 'sh-wpkh' else b'', [sig, KEYS[j]]
    return (script('HASH160', hash160(program), 'EQUAL')
            if form == 'sh-wpkh' else program), sign, {}


def some_annex(rng):
    return b'\x50' + rng.randbytes(rng.randrange(4)) if rng.randrange(
        4) == 0 else None


def tap_key(rng, _):
    j, root = rng.randrange(5), rng.choice([b'', secp.sha256(b'root')])
    out, _ = secp.tap_tweak(XKEYS[j], root)
    annex = some_annex(rng)

    def sign(tx, i, spent):
        sig = tap_sig(rng, secp.tap_secret(SECRETS[j], root), tx, i, spent,
                      annex)
        return b'', [sig] + ([annex] if annex else [])
    return script(1, out), sign, {}


def tap_template(rng):
    """(script, its stack, needs), signed by x-only keys."""
    which, d, x = rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 6]), SECRETS, XKEYS
    if which == 0:
        return script(x[0], 'CHECKSIG'), lambda s: [s(d[0])], {}
    if which in (1, 2):
        skip = rng.randrange(4)
        parts = [x[0], 'CHECKSIG'] + [p for k in x[1:3]
                                      for p in (k, 'CHECKSIGADD')]
        need = 2 if skip < 3 else 3
        return (script(*parts, need, 'NUMEQUAL'),
                lambda s: [b'' if j == skip else s(d[j]) for j in (2, 1, 0)],
                {})
    if which == 3:
        return (script(100, 'CHECKLOCKTIMEVERIFY', 'VERIFY', x[1],
                       'CHECKSIGVERIFY', 1),
                lambda s: [s(d[1])], {'locktime': 100})
    if which == 4:
        return (script(1 << 22 | 3, 'CHECKSEQUENCEVERIFY', 'DROP', x[2],
                       'CHECKSIG'),
                lambda s: [s(d[2])], {'sequence': 1 << 22 | 4})
    if which == 5:
        return (script('CODESEPARATOR', x[0], 'CHECKSIGVERIFY',
                       'CODESEPARATOR', x[1], 'CHECKSIG'),
                lambda s: [s(d[1], 3), s(d[0], 0)], {})
    yes = rng.randrange(2)
    return (script('IF', x[0], 'ELSE', x[1] + b'\1', 'ENDIF', 'CHECKSIG'),
            lambda s: [s(d[0]), b'\1' if yes else b''], {})


def tap_script(rng, _):
    code, stack, needs = tap_template(rng)
    version = rng.choice([0xc0] * 7 + [0xc2])
    leaf = secp.tap_leaf(code, version)
    path, node = [], leaf
    for _ in range(rng.randrange(3)):
        path.append(rng.randbytes(32))
        node = secp.tap_branch(node, path[-1])
    internal, annex = rng.choice(XKEYS), some_annex(rng)
    out, odd = secp.tap_tweak(internal, node)
    control = bytes([version + odd]) + internal + b''.join(path)

    def sign(tx, i, spent):
        def one(d, separator=0xffffffff):
            return tap_sig(rng, d, tx, i, spent, annex, leaf, separator)
        return b'', stack(one) + [code, control] + ([annex] if annex else [])
    return script(1, out), sign, needs


FORMS = [(old_kind, 'bare'), (old_kind, 'sh'), (old_kind, 'wsh'),
         (old_kind, 'sh-wsh'), (key_hash, 'wpkh'), (key_hash, 'sh-wpkh'),
         (tap_key, 'tr'), (tap_key, 'tr'), (tap_script, 'tapscript'),
         (tap_script, 'tapscript'), (tap_script, 'tapscript')]


class Spend:
    """A transaction with all its inputs signed."""

    def __init__(self, rng):
        self.forms, kinds, needs = [], [], {}
        for _ in range(rng.choice([1, 1, 2, 3])):
            fn, form = rng.choice(FORMS)
            kind = fn(rng, form)
            # Locks of one transaction would have to agree with each other.
            if needs and kind[2]:
                continue
            needs = needs or dict(kind[2], input=len(kinds))
            kinds.append(kind)
            self.forms.append(form)
        self.locked = needs.get('input')
        self.tx = Tx(rng.choice([1, 2, 2, 3, 0xffffffff]),
                     locktime=needs.get('locktime', rng.randrange(1000)))
        self.spent = [(rng.randrange(1000, 1 << 40), k[0]) for k in kinds]
        for i in range(len(kinds)):
            sequence = rng.choice([0xffffffff, 0xfffffffe, 0])
            if 'locktime' in needs:
                sequence = 0xfffffffe
            if self.locked == i:
                sequence = needs.get('sequence', sequence)
            self.tx.ins.append([rng.randbytes(36), b'', sequence])
        if 'sequence' in needs:
            self.tx.version = max(self.tx.version, 2)
        self.tx.outs = [(rng.randrange(1 << 40), rng.randbytes(
            rng.randrange(40))) for _ in range(rng.randrange(1, 4))]
        self.tx.wits = [[] for _ in kinds]
        signed = [k[1](self.tx, i, self.spent) for i, k in enumerate(kinds)]
        for i, (sig, wit) in enumerate(signed):
            self.tx.ins[i][1], self.tx.wits[i] = sig, wit

    def copy(self):
        s = Spend.__new__(Spend)
        s.forms, s.locked = self.forms, self.locked
        s.tx, s.spent = self.tx.copy(), list(self.spent)
        return s


# Changes: each takes a spend and an input, and says whether it could.

def flip(rng, b):
    at = rng.randrange(len(b))
    return b[:at] + bytes([b[at] ^ 1 << rng.randrange(8)]) + b[at + 1:]


def change_witness_bit(rng, s, i):
    full = [k for k, item in enumerate(s.tx.wits[i]) if item]
    if not full:
        return False
    k = rng.choice(full)
    s.tx.wits[i][k] = flip(rng, s.tx.wits[i][k])


def change_script_bit(rng, s, i):
    if not s.tx.ins[i][1]:
        return False
    s.tx.ins[i][1] = flip(rng, s.tx.ins[i][1])


def change_output_script(rng, s, i):
    v, code = s.spent[i]
    s.spent[i] = v, flip(rng, code)


def change_amount(rng, s, _):
    k = rng.randrange(len(s.spent))
    s.spent[k] = s.spent[k][0] ^ 1 << rng.randrange(50), s.spent[k][1]


def change_sequence(rng, s, _):
    k = rng.randrange(len(s.tx.ins))
    s.tx.ins[k][2] = rng.choice([s.tx.ins[k][2] ^ 1 << rng.randrange(32),
                                 0xffffffff, 0, s.tx.ins[k][2] - 1]
                                ) & 0xffffffff


def change_locktime(rng, s, _):
    s.tx.locktime = rng.choice([s.tx.locktime ^ 1 << rng.randrange(32), 0,
                                s.tx.locktime - 1, s.tx.locktime + 1,
                                500000000]) & 0xffffffff


def change_version(rng, s, _):
    s.tx.version = rng.choice([0, 1, 2, 0xffffffff, 0x80000001])


def change_lock(rng, s, i):
    """What a lock of this input looks at."""
    what = rng.randrange(6)
    if what < 2:
        s.tx.locktime = s.tx.locktime + (-1, 1)[what] & 0xffffffff
    elif what == 2:
        s.tx.ins[i][2] = 0xffffffff
    elif what == 3:
        s.tx.version = rng.choice([0, 1])
    else:
        s.tx.ins[i][2] ^= 1 << (22, 31)[what - 4]


def change_side(rng, s, i):
    """Something in the script of a witness' input, or the other way round."""
    if s.tx.wits[i]:
        s.tx.ins[i][1] = rng.choice([b'\0', b'\x51']) + s.tx.ins[i][1]
    else:
        s.tx.wits[i] = [rng.choice([b'', b'\1'])]


def change_prevout(rng, s, _):
    k = rng.randrange(len(s.tx.ins))
    s.tx.ins[k][0] = flip(rng, s.tx.ins[k][0])


def change_outputs(rng, s, _):
    outs, k = s.tx.outs, rng.randrange(len(s.tx.outs))
    what = rng.randrange(4)
    if what == 0:
        outs[k] = outs[k][0] ^ 1, outs[k][1]
    elif what == 1:
        outs[k] = outs[k][0], outs[k][1] + b'\x51'
    elif what == 2:
        outs.insert(k, (7, b''))
    elif len(outs) > 1:
        del outs[k]
    else:
        return False


def change_annex(rng, s, i):
    """Add one, take it away, or make it another."""
    wit = s.tx.wits[i]
    if not wit:
        return False
    there = len(wit) > 1 and wit[-1][:1] == b'\x50'
    what = rng.randrange(3) if there else 2
    if what == 0:
        wit.pop()
    elif what == 1:
        wit[-1] += b'\0'
    else:
        wit.append(b'\x50' + rng.randbytes(rng.randrange(3)))


def pushed(b):
    """The pushes of a script, or None where it holds anything else."""
    out, at = [], 0
    while at < len(b):
        step = spend.next_op(b, at)
        if step is None or step[1] is None:
            return None
        out.append(step[1])
        at = step[2]
    return out


def items_of(s, i):
    """Signature and the like, wherever they stand, and how to put them back."""
    if s.tx.wits[i]:
        return list(s.tx.wits[i]), lambda v: s.tx.wits.__setitem__(i, v)
    items = pushed(s.tx.ins[i][1])
    return items, lambda v: s.tx.ins[i].__setitem__(
        1, b''.join(push(x) for x in v))


def change_items(rng, s, i):
    items, put = items_of(s, i)
    if items is None:
        return False
    k = rng.randrange(len(items) + 1)
    what = rng.randrange(6)
    if what == 0 or k == len(items):
        items.insert(k, rng.choice([b'', b'\1', bytes(521), b'\0']))
    elif what == 1:
        del items[k]
    elif what == 2:
        items[k] = b''
    elif what == 3:
        items[k] += rng.choice([b'\0', b'\1', b'\x81'])
    elif what == 4:
        items[k] = items[k][:-1]
    else:
        m = rng.randrange(len(items))
        items[k], items[m] = items[m], items[k]
    put(items)


def change_signature(rng, s, i):
    """Another type byte, the mirrored s, none, one of another input."""
    items, put = items_of(s, i)
    sigs = [k for k, b in enumerate(items or [])
            if secp.der_strict(b[:-1]) or len(b) in (64, 65)]
    if not sigs:
        return False
    k, what = rng.choice(sigs), rng.randrange(5)
    numbers = secp.der_strict(items[k][:-1])
    if what == 0:
        items[k] = items[k][:-1] + bytes([rng.choice(
            OLD_TYPES + [0, 4, 0x80, 0x41, rng.randrange(256)])])
    elif what == 1 and numbers:
        items[k] = secp.der(numbers[0], secp.N - numbers[1]) + items[k][-1:]
    elif what == 2:
        items[k] = b''
    elif what == 3:
        items[k] += rng.choice([b'\0', b'\1'])
    else:
        items[k] = secp.sha256(b'r') * 2
    put(items)


def change_push(rng, s, i):
    """The same bytes by a longer push, an operation, or one item more."""
    sig = s.tx.ins[i][1]
    if not sig or sig[0] > 75:
        return False
    what = rng.randrange(4)
    s.tx.ins[i][1] = (b'\x4c' + sig, b'\x61' + sig, b'\x51' + sig,
                      sig + b'\x61')[what]


def change_place(rng, s, i):
    """Change places with another input, coin and witness included."""
    k = rng.randrange(len(s.tx.ins))
    if k == i:
        return False
    for seq in s.tx.ins, s.tx.wits, s.spent:
        seq[i], seq[k] = seq[k], seq[i]


CHANGES = [v for k, v in sorted(globals().items()) if k.startswith('change_')]


def changed(rng, base, seen):
    """(spend, input) of a valid one with one change, sometimes two."""
    while True:
        s = base.copy()
        i = rng.randrange(len(s.tx.ins))
        fn = rng.choice(CHANGES)
        if i == s.locked and rng.randrange(3) == 0:
            fn = change_lock
        if fn(rng, s, i) is False:
            continue
        if rng.randrange(6) == 0:
            rng.choice(CHANGES)(rng, s, i)
        seen[fn.__name__] += 1
        return s, i


def some_flags(rng):
    what = rng.randrange(4)
    if what == 0:
        return CONSENSUS
    if what == 1:
        return POLICY
    f = {x for x in sorted(POLICY) if rng.randrange(2)} | {'DERSIG'}
    if f & {'CLEANSTACK', 'WITNESS'}:
        f |= {'P2SH', 'WITNESS'}
    return f


def compare(cases):
    """Verdicts of both for (spend, input, flags)."""
    rc, answers = ask([request(s.tx, s.spent, f, i) for s, i, f in cases])
    assert rc == 0 and len(answers) == len(cases)
    names = collections.Counter()
    for (s, i, f), got in zip(cases, answers):
        try:
            want = evaluate(s.tx, s.spent, i, f)
        except Uncovered:
            want = got.get('error', 'OK')
            names['uncovered'] += 1
        expected = {'valid': True} if want == 'OK' else {
            'valid': False, 'input': i, 'error': want}
        assert got == expected, (got, expected,
                                 json.dumps(request(s.tx, s.spent, f, i)))
        names[want] += 1
    return names


def test_valid_spends_are_valid():
    rng = random.Random(SEED)
    spends = [Spend(rng) for _ in range(max(60, CASES // 20))]
    forms = collections.Counter(f for s in spends for f in s.forms)
    assert len(forms) == 8, forms
    for s in spends:
        for i in range(len(s.tx.ins)):
            got = evaluate(s.tx, s.spent, i, CONSENSUS)
            assert got == 'OK', (s.forms, i, got)
    rc, answers = ask([request(s.tx, s.spent, CONSENSUS) for s in spends])
    assert rc == 0
    for s, got in zip(spends, answers):
        assert got == {'valid': True}, (s.forms, got)
    print('%d transactions, %d inputs: %s' % (
        len(spends), sum(forms.values()), dict(forms)))


def test_changed_spends_have_the_verdict_of_a_second_evaluation():
    rng, seen = random.Random(SEED + 1), collections.Counter()
    names = collections.Counter()
    for _ in range(-(-CASES // EACH)):
        base = Spend(rng)
        names += compare([changed(rng, base, seen) + (some_flags(rng),)
                          for _ in range(EACH)])
    n = sum(names.values()) - names['uncovered']
    print('%d cases: %d valid; %s' % (n, names['OK'], ', '.join(
        '%s %d' % row for row in names.most_common() if row[0] != 'OK')))
    assert names['uncovered'] * 50 < n, names
    if CASES >= 900:
        assert len(seen) == len(CHANGES), seen
        assert names['OK'] * 20 > n and len(names) > 20, names


def test_the_second_evaluation_agrees_with_published_vectors():
    n = uncovered = 0
    for *case, want in scriptcases.script_tests():
        try:
            got = evaluate(*case)
        except Uncovered:
            uncovered += 1
            continue
        assert got == want, (got, want)
        n += 1
    tap = 0
    for *case, want in scriptcases.taproot_ref(20 * SLOW):
        assert (evaluate(*case) == 'OK') == want
        tap += 1
    print('script_tests: %d, %d not judged; taproot-ref: %d' % (
        n, uncovered, tap))
    assert n > 1200 and uncovered < 30 and tap * SLOW > 200


if __name__ == '__main__':
    main(globals())
