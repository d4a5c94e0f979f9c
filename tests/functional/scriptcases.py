"""Published cases of scripts as (transaction, outputs spent, input, flags, what
must come out), and how cairn-util verify-tx is asked about them.
"""
import gzip
import json
import os
import subprocess

import secp
import spend
from node import BUILD, SLOW, data_file
from p2p import read_compact, sha256d
from spend import Tx

UTIL = os.path.join(BUILD, 'cairn-util')


def run(text, *args):
    """(exit code, lines) of verify-tx for what it is given to read."""
    p = subprocess.run([UTIL, 'verify-tx'] + list(args), input=text,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=200 * SLOW)
    assert not p.stderr, p.stderr
    return p.returncode, p.stdout.decode().splitlines()


def ask(requests):
    """(exit code, answers) for a list of requests."""
    rc, lines = run(''.join(json.dumps(r) + '\n' for r in requests).encode())
    return rc, [json.loads(x) for x in lines]


def request(tx, spent, flags, index=None):
    r = {'tx': tx.bytes().hex(), 'flags': ','.join(sorted(flags)),
         'prevouts': [{'value': v, 'script': s.hex()} for v, s in spent]}
    if index is not None:
        r['input'] = index
    return r


def flag_set(text):
    """Flags that make no sense without others bring them along."""
    f = {x for x in text.split(',') if x not in ('', 'NONE')}
    if 'CLEANSTACK' in f:
        f |= {'WITNESS'}
    return f | {'P2SH'} if 'WITNESS' in f else f


def witness_of(items):
    """(items, output key) where a tapscript is to be committed to."""
    out, key, leaf = [], b'', None
    for x in items:
        if x.startswith('#SCRIPT#'):
            leaf = spend.read_script(x[len('#SCRIPT#'):])
            out.append(leaf)
        elif x == '#CONTROLBLOCK#':
            internal = secp.b32(secp.G[0])
            key, odd = secp.tap_tweak(internal, secp.tap_leaf(leaf))
            out.append(bytes([0xc0 + odd]) + internal)
        else:
            out.append(bytes.fromhex(x))
    return out, key


def script_tests():
    """Of script_tests.json, with the name of the error."""
    with open(data_file('vectors', 'core', 'script_tests.json')) as f:
        rows = [r for r in json.load(f) if len(r) > 1]
    for r in rows:
        wit, amount = [], 0
        if isinstance(r[0], list):
            *wit, amount = r.pop(0)
        wit, key = witness_of(wit)
        value = round(amount * 10 ** 8)
        out = spend.read_script(r[1].replace('#TAPROOTOUTPUT#',
                                             '0x' + key.hex()))
        first = Tx(1, [(bytes(32) + b'\xff' * 4, b'\0\0', 0xffffffff)],
                   [(value, out)])
        tx = Tx(1, [(sha256d(first.bytes()) + bytes(4),
                     spend.read_script(r[0]), 0xffffffff)], [(value, b'')])
        tx.wits[0] = wit
        yield tx, [(value, out)], 0, flag_set(r[2]), r[3]


def spent_of(b):
    _, at = read_compact(b, 8)
    return int.from_bytes(b[:8], 'little', signed=True), b[at:]


def corpus_requests(rows):
    """Both spends of each row by the request that replaces script and
    witness, and whether they are valid."""
    for row in rows:
        spent = [spent_of(bytes.fromhex(b)) for b in row['prevouts']]
        for key in 'success', 'failure':
            if key in row:
                yield {'tx': row['tx'], 'flags': row['flags'],
                       'input': row['index'],
                       'prevouts': [{'value': v, 'script': s.hex()}
                                    for v, s in spent],
                       'scriptSig': row[key]['scriptSig'],
                       'witness': row[key]['witness']}, key == 'success'


def taproot_ref_rows():
    path = data_file('vectors', 'taproot', 'taproot-ref.jsonl.gz')
    with gzip.open(path, 'rt') as f:
        return [json.loads(x) for x in f if x.strip()]


def script_assets_rows():
    path = data_file('vectors', 'taproot', 'script_assets_test.json.gz')
    with gzip.open(path, 'rt') as f:
        return json.load(f)


def taproot_ref(every):
    """Each so many-th of the dumped cases of feature_taproot."""
    for r, valid in corpus_requests(taproot_ref_rows()[::every]):
        tx, i = spend.parse_tx(bytes.fromhex(r['tx'])), r['input']
        tx.ins[i][1] = bytes.fromhex(r['scriptSig'])
        tx.wits[i] = [bytes.fromhex(x) for x in r['witness']]
        spent = [(p['value'], bytes.fromhex(p['script']))
                 for p in r['prevouts']]
        yield tx, spent, i, flag_set(r['flags']), valid


def transactions(name):
    """(request without flags, flags as they stand) of tx_valid, tx_invalid."""
    with open(data_file('vectors', 'core', name + '.json')) as f:
        rows = [r for r in json.load(f) if isinstance(r[0], list)]
    for coins, raw, flags in rows:
        at = {(bytes.fromhex(c[0])[::-1], c[1] & 0xffffffff): c for c in coins}
        tx, prevouts = spend.parse_tx(bytes.fromhex(raw)), []
        for prev, _, _ in tx.ins:
            c = at[prev[:32], int.from_bytes(prev[32:], 'little')]
            prevouts.append({'value': c[3] if len(c) > 3 else 0,
                             'script': spend.read_script(c[2]).hex()})
        yield {'tx': raw, 'prevouts': prevouts}, flags
