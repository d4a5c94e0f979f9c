#!/usr/bin/env python3
"""cairn-util verify-tx: all published vectors have their verdicts, the answers
have their form, and what cannot be read is refused with the reason.
"""
import json
import os
import resource
import subprocess

import scriptcases
import secp
import spend
from node import SLOW, data_file, main
from scriptcases import UTIL, ask, request, run
from spend import Tx, script

ALL = {'P2SH', 'STRICTENC', 'DERSIG', 'LOW_S', 'NULLDUMMY', 'SIGPUSHONLY',
       'MINIMALDATA', 'DISCOURAGE_UPGRADABLE_NOPS', 'CLEANSTACK',
       'CHECKLOCKTIMEVERIFY', 'CHECKSEQUENCEVERIFY', 'WITNESS',
       'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM', 'MINIMALIF', 'NULLFAIL',
       'WITNESS_PUBKEYTYPE', 'CONST_SCRIPTCODE', 'TAPROOT',
       'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION', 'DISCOURAGE_OP_SUCCESS',
       'DISCOURAGE_UPGRADABLE_PUBKEYTYPE'}


def verdicts(name, cases, count):
    """Ask about (request, valid or the error's name); none is left out."""
    cases = list(cases)
    assert len(cases) == count, (name, len(cases))
    rc, answers = ask([r for r, _ in cases])
    assert rc == 0 and len(answers) == count, (name, rc, len(answers))
    valid = 0
    for n, ((r, want), got) in enumerate(zip(cases, answers)):
        if isinstance(want, str):
            expected = {'valid': True} if want == 'OK' else {
                'valid': False, 'input': 0, 'error': want}
            assert got == expected, (name, n, got, want)
        else:
            assert got['valid'] is want, (name, n, got, want)
            assert want or 'error' in got
        valid += got['valid']
    print('%s: %d cases, %d valid, none skipped' % (name, count, valid))


def test_script_tests():
    verdicts('script_tests', (
        (request(tx, spent, flags, i), want)
        for tx, spent, i, flags, want in scriptcases.script_tests()), 1233)


def test_tx_valid():
    """All flags hold but those named; with one of them more it fails."""
    cases = [(dict(r, flags=','.join(sorted(
        ALL - scriptcases.flag_set(without)))), True)
        for r, without in scriptcases.transactions('tx_valid')]
    verdicts('tx_valid', cases, 121)


def test_tx_invalid():
    """BADTX: the transaction is wrong whatever its scripts are."""
    cases, bad = [], 0
    for r, flags in scriptcases.transactions('tx_invalid'):
        bad += flags == 'BADTX'
        cases.append((dict(r, flags='' if flags == 'BADTX' else flags),
                      False))
    assert bad > 5, bad
    verdicts('tx_invalid', cases, 93)


def test_taproot_reference():
    verdicts('taproot-ref', scriptcases.corpus_requests(
        scriptcases.taproot_ref_rows()), 5243)


def test_script_assets():
    verdicts('script_assets', scriptcases.corpus_requests(
        scriptcases.script_assets_rows()), 3735)


def test_transactions_out_of_the_ordinary():
    folder, cases = data_file('txs'), []
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.prevouts.json'):
            continue
        with open(os.path.join(folder, name)) as f:
            row = json.load(f)
        with open(os.path.join(folder, name.replace('.prevouts.json', '.bin')),
                  'rb') as f:
            cases.append(({'tx': f.read().hex(), 'prevouts': row['prevouts'],
                           'flags': ','.join(row['flags'])}, True))
    verdicts('txs', cases, 7)


# Form.

KEY = secp.public(7)
CODE = script(KEY, 'CHECKSIG')


def small():
    """A transaction of two inputs, of which the second spends CODE."""
    tx = Tx(2, [(bytes(36), b'\x51', 0), (bytes([1] * 36), b'', 0)],
            [(1, b'')])
    h = spend.sighash_legacy(tx, 1, CODE, 1)
    sig = secp.ecdsa_sign(7, h) + b'\1'
    return tx, [(5, b''), (6, CODE)], sig


def test_answers_are_exactly_these():
    tx, spent, sig = small()
    r = request(tx, spent, {'P2SH'})
    good = dict(r, input=1, scriptSig=spend.push(sig).hex())
    lines = [
        (dict(r, input=0), '{"valid": true}'),
        (r, '{"valid": false, "input": 1, "error": '
            '"INVALID_STACK_OPERATION"}'),
        (good, '{"valid": true}'),
        (dict(good, comment='any', witness=None), '{"valid": true}'),
        (dict(good, witness=['00']), '{"valid": true}'),
        (dict(good, witness=['00'], flags='P2SH,WITNESS'),
         '{"valid": false, "input": 1, "error": "WITNESS_UNEXPECTED"}'),
        (dict(good, input=0), '{"valid": true}'),
        (dict(good, scriptSig='00'),
         '{"valid": false, "input": 1, "error": "EVAL_FALSE"}')]
    text = ''.join(json.dumps(x) + '\n' for x, _ in lines)
    assert run(text.encode()) == (0, [want for _, want in lines])
    # No end of line, blank lines, other line ends: the same.
    text = '\n \t\n' + text.replace('\n', '\r\n\n').rstrip()
    assert run(text.encode()) == (0, [want for _, want in lines])
    assert run(b'') == (0, [])


def test_a_transaction_as_a_whole():
    tx, spent, _ = small()
    tx.ins[1] = list(tx.ins[0])
    r = request(tx, spent, set())
    rc, got = ask([r, dict(r, input=0)])
    assert rc == 0 and got == [
        {'valid': False, 'error': 'bad-txns-inputs-duplicate'},
        {'valid': True}]


def test_a_witness_is_put_in_and_taken_out():
    program = script(0, secp.sha256(b'\x51'))
    tx = Tx(2, [(bytes(36), b'', 0), (bytes([1] * 36), b'', 0)], [(1, b'')])
    r = dict(request(tx, [(5, program)] * 2, {'WITNESS'}), input=1)
    with_it = tx.copy()
    with_it.wits[1] = [b'\x51']
    other = tx.copy()
    other.wits[0] = [b'\x51']
    rc, got = ask([
        r, dict(r, witness=['51']), dict(r, witness=['52']),
        dict(r, tx=with_it.bytes().hex()),
        dict(r, tx=with_it.bytes().hex(), witness=[]),
        dict(r, tx=other.bytes().hex(), witness=['51']),
        dict(r, tx=other.bytes().hex(), witness=['51'], input=0)])
    empty, wrong = 'WITNESS_PROGRAM_WITNESS_EMPTY', 'WITNESS_PROGRAM_MISMATCH'
    assert rc == 0 and [a.get('error') for a in got] == [
        empty, None, wrong, None, empty, None, None], got


def test_flags_of_a_height():
    """An output that only the rules of a height object to."""
    locked = Tx(1, [(bytes(36), b'\x51', 0)], [(1, b'')])
    r = request(locked, [(5, script(9, 'CHECKLOCKTIMEVERIFY'))], set())
    del r['flags']
    for chain, height in (('main', 388381), ('mainnet', 388381),
                          ('test', 581885), ('testnet3', 581885)):
        rc, got = ask([dict(r, chain=chain, height=height - 1),
                       dict(r, chain=chain, height=height)])
        assert rc == 0 and [a['valid'] for a in got] == [True, False], chain
        assert got[1]['error'] == 'UNSATISFIED_LOCKTIME'
    rc, got = ask([dict(r, chain=c, height=1)
                   for c in ('regtest', 'signet', 'testnet4')])
    assert rc == 0 and not any(a['valid'] for a in got), got


def refusals(r):
    """(line, words of the reason)."""
    tx = r['tx']
    yield '[]', 'not an object'
    for text in '{', 'x', '{"tx": "00"} {}', '"\\ud800"', '\xff', '[' * 600:
        yield text, 'not JSON'
    for key in 'tx', 'prevouts', 'flags':
        yield {k: v for k, v in r.items() if k != key}, (
            'either flags' if key == 'flags' else key + ': not a')
    for value, words in (('zz', 'not hexadecimal'), ('0', 'not hexadecimal'),
                         (5, 'not a string'), ('', 'tx: offset 0'),
                         (tx[:-2], 'tx: offset'), ('00' + '\0', 'not hexa'),
                         (tx + '00', '1 bytes behind'),
                         (tx[:8] + '0002' + tx[10:], 'flag: it is not known')):
        yield dict(r, tx=value), words
    two = r['prevouts']
    for value, words in (({}, 'not an array'), (two[:1], '1 for 2 inputs'),
                         (two * 2, '4 for 2'), ([two[0], 5], 'prevouts[1]: no'),
                         ([two[0], {'script': ''}], 'prevouts[1].value'),
                         ([two[0], {'value': 1}], 'prevouts[1].script: not a'),
                         ([{'value': 1.5, 'script': ''}, two[1]],
                          'prevouts[0].value'),
                         ([{'value': 2 ** 63, 'script': ''}, two[1]],
                          'prevouts[0].value'),
                         ([{'value': 1, 'script': '5'}, two[1]],
                          'prevouts[0].script: not hexadecimal')):
        yield dict(r, prevouts=value), words
    for value in 'NOSUCH', 'P2SH WITNESS', 'p2sh', 5, ['P2SH'], 'P2SH\0':
        yield dict(r, flags=value), 'flags: not names'
    yield dict(r, chain='main', height=1), 'either flags'
    plain = {k: v for k, v in r.items() if k != 'flags'}
    yield dict(plain, chain='main'), 'height: missing'
    yield dict(plain, height=1), 'chain: not'
    yield dict(plain, chain='moon', height=1), 'chain: not'
    for height in -1, 2 ** 31, '1', 1.5:
        yield dict(plain, chain='main', height=height), 'height: not'
    for i in -1, 2, 2 ** 40, '0', 0.5:
        yield dict(r, input=i), 'input: not the number of one of 2 inputs'
    yield dict(r, scriptSig=''), 'input: missing'
    yield dict(r, witness=[]), 'input: missing'
    yield dict(r, input=0, scriptSig='5'), 'scriptSig: not hexadecimal'
    yield dict(r, input=0, witness='51'), 'witness: not an array'
    yield dict(r, input=0, witness=['51', 5]), 'witness[1]: not a string'
    yield dict(r, input=0, witness=['x']), 'witness[0]: not hexadecimal'
    yield dict(r, witnes=[]), 'witnes: not known'
    yield dict(r, **{'"\n': 1}), 'a member of another name: not known'
    yield json.dumps(r)[:-1] + ', "tx": "00"}', 'tx: given twice'


def test_malformed_lines_are_told_and_the_others_answered():
    tx, spent, _ = small()
    r = request(tx, spent, set())
    cases = list(refusals(r))
    assert len(cases) > 50
    lines = []
    for bad, _ in cases:
        lines.append(bad if isinstance(bad, str) else json.dumps(bad))
        lines.append(json.dumps(dict(r, input=0)))
    text = '\n'.join(lines).encode('latin-1')
    rc, out = run(text)
    assert rc == 1 and len(out) == len(lines)
    for n, (bad, words) in enumerate(cases):
        got = json.loads(out[2 * n])
        assert set(got) == {'line', 'error'} and got['line'] == 2 * n + 1, got
        assert words in got['error'], (bad, words, got)
        assert out[2 * n + 1] == '{"valid": true}'


def run_within(mb, text):
    """(exit code, lines) of a run that may take so much memory."""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (mb << 20, mb << 20))
    p = subprocess.run([UTIL, 'verify-tx'], input=text, timeout=100 * SLOW,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       preexec_fn=bound if SLOW == 1 else None)
    assert not p.stderr, p.stderr
    return p.returncode, p.stdout.decode().splitlines()


def test_lines_and_their_memory_are_bounded():
    tx, spent, _ = small()
    good = json.dumps(dict(request(tx, spent, set()), input=0)).encode()
    long = b' ' * ((32 << 20) - len(good)) + good
    text = b'\n'.join([long, b'x' + long, good, b'{' * (80 << 20), good])
    rc, out = run_within(150, text)
    assert rc == 1 and len(out) == 5, (rc, out)
    assert out[0] == out[2] == out[4] == '{"valid": true}', out
    for n in 1, 3:
        assert json.loads(out[n]) == {
            'line': n + 1, 'error': 'the line is longer than 32 MiB'}
    # Small values take many times the memory of their text.
    rc, out = run_within(450, b'[' + b'1,' * (15 << 20) + b'1]\n' + good)
    assert rc == 1 and 'too much memory' in out[0], out
    assert out[1] == '{"valid": true}'


def test_who_asks_line_by_line_gets_each_answer_at_once():
    tx, spent, _ = small()
    line = json.dumps(dict(request(tx, spent, set()), input=0)).encode()
    p = subprocess.Popen([UTIL, 'verify-tx'], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    for _ in range(3):
        p.stdin.write(line + b'\n')
        p.stdin.flush()
        assert p.stdout.readline() == b'{"valid": true}\n'
    p.stdin.close()
    assert p.wait(60) == 0
    p.stdout.close()


def test_what_goes_wrong_around_it():
    p = subprocess.run([UTIL, 'verify-tx', 'file'], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert p.returncode == 1 and not p.stdout and b'Usage' in p.stderr
    tx, spent, _ = small()
    line = json.dumps(dict(request(tx, spent, set()), input=0)).encode()
    with open('/dev/full', 'wb') as full:
        p = subprocess.run([UTIL, 'verify-tx'], input=line, stdout=full,
                           stderr=subprocess.PIPE)
    assert p.returncode == 1 and b'standard output' in p.stderr
    p = subprocess.run([UTIL, 'verify-tx'], stdin=os.open('/', os.O_RDONLY),
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert p.returncode == 1 and b'standard input' in p.stderr, p


if __name__ == '__main__':
    main(globals())
