#!/usr/bin/env python3
"""Writes seeds for the fuzz targets from the data folder: OUT/TARGET/NAME.

Real blocks, captured and malformed messages, published vectors. Python's
standard library only; a file that is missing gives no seeds.
"""
import glob
import gzip
import hashlib
import json
import os
import re
import struct
import sys

SEED_MAX = 100000
REGTEST = bytes.fromhex('fabfb5da')

# Which target reads the payload of a command.
TARGET_OF = {
    'inv': 'inv', 'getdata': 'inv', 'notfound': 'inv',
    'getheaders': 'locator', 'getblocks': 'locator',
    'getcfilters': 'getcf', 'getcfheaders': 'getcf',
    'ping': 'small', 'pong': 'small', 'feefilter': 'small',
    'sendcmpct': 'small', 'sendtxrcncl': 'small',
}

# The table of messages in its order, read from the header that states it.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..',
                       'include', 'cairn', 'wire', 'command.h')) as header:
    COMMANDS = [name.lower() for name in
                re.findall(r'^\tMSG_([A-Z0-9]+),', header.read(), re.M)]


class Seeds:
    def __init__(self, data, out):
        self.data, self.out = data, out

    def payload(self, command, seed):
        """For the target of the message, and for that of all messages."""
        self.put(TARGET_OF.get(command, command), seed)
        if command in COMMANDS:
            self.put('message', bytes([COMMANDS.index(command), 0]) + seed)

    def put(self, target, seed):
        """Every seed once; large ones only slow the fuzzer down."""
        if len(seed) > SEED_MAX:
            return
        folder = os.path.join(self.out, target)
        os.makedirs(folder, exist_ok=True)
        name = hashlib.sha256(seed).hexdigest()[:20]
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(seed)

    def files(self, pattern):
        return sorted(glob.glob(os.path.join(self.data, pattern)))

    def json(self, name):
        path = os.path.join(self.data, name)
        if not os.path.exists(path):
            return []
        with open(path) as f:
            return json.load(f)

    def read(self, path):
        with open(path, 'rb') as f:
            return f.read()


def compact(n):
    if n < 0xfd:
        return bytes([n])
    if n <= 0xffff:
        return b'\xfd' + struct.pack('<H', n)
    return b'\xfe' + struct.pack('<I', n)


def frames(s, stream):
    """The payloads of a stream of v1 frames, and the stream itself."""
    s.put('rx', stream)
    while len(stream) >= 24:
        s.put('frame', stream[:24])
        command = stream[4:16].split(b'\0')[0].decode('latin-1')
        n = struct.unpack('<I', stream[16:20])[0]
        if command.isascii() and command.isalnum():
            s.payload(command, stream[24:24 + n])
        stream = stream[24 + n:]


def messages(s):
    texts = []

    def walk(x):
        if isinstance(x, str):
            texts.append(x)
        else:
            for y in x.values() if isinstance(x, dict) else x:
                walk(y)

    walk(s.json('vectors/p2p/messages.json'))
    for text in texts:
        frames(s, bytes.fromhex(text))
    for path in s.files('malformed/*/*.bin'):
        frames(s, s.read(path)[:SEED_MAX])


def chains(s):
    """Some blocks of each chain; the headers of the first dozen as one message."""
    for path in s.files('chains/*.blk'):
        raw = s.read(path)
        at, blocks = 0, []
        while at + 8 <= len(raw) and len(blocks) < 3000:
            n = struct.unpack('<I', raw[at + 4:at + 8])[0]
            blocks.append(raw[at + 8:at + 8 + n])
            at += 8 + n
        for block in blocks[:3] + sorted(blocks, key=len)[-5:]:
            s.put('block', block)
        head = [b[:80] + b'\0' for b in blocks[:12]]
        s.payload('headers', compact(len(head)) + b''.join(head))
    for path in s.files('blocks/*/*.bin'):
        if os.path.getsize(path) < 20000:
            s.put('block', s.read(path))


def transactions(s):
    for path in s.files('txs/*.bin'):
        s.put('tx', s.read(path))
    for name in 'tx_valid', 'tx_invalid':
        for case in s.json('vectors/core/%s.json' % name):
            if len(case) > 1:
                s.put('tx', bytes.fromhex(case[1]))


def scripts(s):
    """Spends: flags, value and script of the outputs, the transaction."""
    spends = []
    for path in s.files('txs/*.prevouts.json'):
        spent = s.json(os.path.relpath(path, s.data))['prevouts'][0]
        spends.append((spent['value'], spent['script'],
                       s.read(path.replace('.prevouts.json', '.bin'))))
    cases = s.json('vectors/kernel/script_verify_success.json')
    for case in cases['tests'] if cases else []:
        p = case['request']['params']
        spends.append((p['amount'], p['script_pubkey'],
                       bytes.fromhex(p['tx_to'])))
    for value, script, tx in spends:
        for flags in 0x1fffff, 0x20e15, 0x80020e15:
            s.put('script', struct.pack('<IqH', flags, value,
                                        len(script) // 2) +
                  bytes.fromhex(script) + tx)


def taproot_rows(s, count):
    path = os.path.join(s.data, 'vectors', 'taproot', 'taproot-ref.jsonl.gz')
    if not os.path.exists(path):
        return []
    with gzip.open(path, 'rt') as f:
        rows = [json.loads(line) for line in f if line.strip()]
    return rows[::max(len(rows) // count, 1)]


def requests(s):
    """Lines of verify-tx: whole transactions, and inputs put into them."""
    for path in s.files('txs/*.prevouts.json'):
        row = s.json(os.path.relpath(path, s.data))
        tx = s.read(path.replace('.prevouts.json', '.bin'))
        for more in ({'flags': ','.join(row['flags'])},
                     {'chain': 'main', 'height': 481824, 'input': 0}):
            s.put('request', json.dumps(dict(
                more, tx=tx.hex(), prevouts=row['prevouts'])).encode())
    for row in taproot_rows(s, 60):
        spent = []
        for out in row['prevouts']:
            n = 2 * {'fd': 11, 'fe': 13}.get(out[16:18], 9)
            spent.append({'value': int.from_bytes(bytes.fromhex(out[:16]),
                                                  'little'),
                          'script': out[n:]})
        for key in set(row) & {'success', 'failure'}:
            s.put('request', json.dumps({
                'tx': row['tx'], 'prevouts': spent, 'flags': row['flags'],
                'input': row['index'], 'comment': row['comment'],
                **row[key]}).encode())


def checks(s):
    """Transactions behind a coin, blocks behind a byte of bits."""
    for name in 'tx_valid', 'tx_invalid':
        for case in s.json('vectors/core/%s.json' % name):
            if len(case) > 1:
                for script in (b'\x51', b'\xa9\x14' + bytes(20) + b'\x87',
                               b'\0\x20' + bytes(32)):
                    s.put('txcheck', struct.pack('<H', len(script)) + script +
                          struct.pack('<qIB', 5000000000, 999000, 0) +
                          bytes.fromhex(case[1]))
    for path in s.files('chains/*.blk'):
        raw, at = s.read(path), 0
        for k in range(8):
            n = struct.unpack('<I', raw[at + 4:at + 8])[0]
            s.put('blockcheck', bytes([3 | k * 36 & 0xff]) +
                  raw[at + 8:at + 8 + n])
            at += 8 + n
    for path in s.files('blocks/*/*.bin') + s.files('prevouts/*/*.bin'):
        if os.path.getsize(path) < 25000:
            for bits in 0x0f, 0x3f, 0x01, 0x4f:
                s.put('blockcheck', bytes([bits]) + s.read(path))


def coin(value, script, height=1000, coinbase=0):
    return (struct.pack('<qIB', value, height, coinbase) +
            compact(len(script)) + script)


def prevouts(s):
    """Real blocks with their coins, and small ones that spend their own."""
    def put(block, coins):
        s.put('prevouts', struct.pack('<I', len(block))[:3] + block + coins)
    for path in s.files('prevouts/*/*.prevouts'):
        block = path.replace('.prevouts', '.bin')
        if os.path.getsize(block) < 25000:
            put(s.read(block), s.read(path)[36:])

    outs = [(7, b'\x51'), (8, b'\x52'), (9, b'\x6a')]

    def tx(prev, index):
        return (b'\2\0\0\0\1' + prev + struct.pack('<I', index) +
                b'\0\0\0\0\0\3' + b''.join(struct.pack('<q', v) + b'\1' + c
                                            for v, c in outs) + bytes(4))
    first = tx(b'\5' * 32, 0)
    txid = hashlib.sha256(hashlib.sha256(first).digest()).digest()
    for spends in [1], [0, 1], [1, 0], [1, 1], [2], [3]:
        txs = [tx(bytes(32), 0xffffffff), first]
        txs += [tx(txid, i) for i in spends]
        put(bytes(80) + compact(len(txs)) + b''.join(txs),
            struct.pack('<I', len(txs) - 1) + coin(20, b'') +
            b''.join(coin(*outs[i % 3], 700000) for i in spends))


def filters(s):
    """The messages of BIP 157 around published filters."""
    for case in s.json('vectors/core/blockfilters.json'):
        if len(case) < 7:
            continue
        block, basic = bytes.fromhex(case[1])[::-1], bytes.fromhex(case[5])
        head = b'\0' + block
        s.payload('cfilter', head + compact(len(basic)) + basic)
        s.put('cfheaders', head + bytes(32) + compact(2) + block + block)
        s.put('cfcheckpt', head + compact(1) + block)
        s.put('getcf', b'\0' + struct.pack('<I', case[0]) + block)
        s.put('getcfcheckpt', head)


def addresses(s):
    for case in s.json('vectors/bips/bip155-addresses.json'):
        raw = next((v for v in case.values() if isinstance(v, str) and
                    len(v) > 7 and set(v) <= set('0123456789abcdef')), '')
        s.put('addrv2', compact(1) + bytes(4) + b'\x01' + bytes.fromhex(raw)
              + b'\x20\x8d')
    entry = bytes(4) + struct.pack('<Q', 1) + bytes(10) + b'\xff\xff' + \
        bytes([127, 0, 0, 1]) + b'\x20\x8d'
    s.put('addr', compact(3) + entry * 3)


def payloads(s):
    """Files that are one payload each."""
    for path in s.files('vectors/p2p/compact*.raw'):
        s.payload('cmpctblock', s.read(path))
    for path in s.files('vectors/p2p/merkle*.raw') + \
            s.files('vectors/p2p/txoutproof-*.bin'):
        s.payload('merkleblock', s.read(path))
    for case in s.json('vectors/core/bloom.json'):
        for text in case.values():
            if isinstance(text, str) and len(text) % 2 == 0:
                try:
                    s.payload('filterload', bytes.fromhex(text))
                except ValueError:
                    pass
    for n in 0, 252, 253, 0xffff, 0x10000, 0x2000000:
        s.put('compact', compact(n))


def votes(s):
    cases = s.json('vectors/tendermint/vote_vectors.json')
    for case in cases['vectors'] if cases else []:
        s.put('delimited', bytes.fromhex(case['sign_bytes']))
        s.put('delimited', bytes.fromhex(case['vote_marshal_delimited']))


def descriptors(s):
    """Behind network, how its checksum is treated, and an index."""
    texts = [c['input'] for c in s.json('vectors/descriptors/desc-invalid.json')]
    for name in 'desc-valid', 'desc-addresses':
        kinds = s.json('vectors/descriptors/%s.json' % name)
        for cases in kinds.values() if kinds else ():
            texts += [case['input'] for case in cases]
    for text in texts:
        for head in (b'\0\0', b'\3\7') if len(text) < 3000 else ():
            s.put('descriptor', head + text.encode())
    for name in 'key_io_valid', 'key_io_invalid':
        for case in s.json('vectors/core/%s.json' % name):
            for network in b'\0', b'\1':
                s.put('keys', network + case[0].encode())


def signing(s):
    """Behind a type: a transaction, and a coin for each of its inputs."""
    def put(tx, coins):
        for kind in range(7):
            s.put('sign', bytes([kind]) + tx + b''.join(
                struct.pack('<qB', value, len(script)) + script
                for value, script in coins))
    for path in s.files('txs/*.prevouts.json'):
        spent = [(c['value'], bytes.fromhex(c['script']))
                 for c in s.json(os.path.relpath(path, s.data))['prevouts']]
        if max(len(script) for _, script in spent) < 255:
            put(s.read(path.replace('.prevouts.json', '.bin')), spent)

    # Coins of the keys that the target signs with.
    g = bytes.fromhex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f28'
                      '15b16f81798')
    h = bytes.fromhex('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac0'
                      '9b95c709ee5')
    hashed = bytes.fromhex('751e76e8199196d454941c45d1b3a323f1433bd6')
    codes = [b'\x21' + g + b'\xac', b'\x76\xa9\x14' + hashed + b'\x88\xac',
             b'\0\x14' + hashed, b'\x52\x21' + g + b'\x21' + h + b'\x52\xae']
    coins = codes + [b'\x51\x20' + g[1:], bytes.fromhex(
        '5120da4710964f7852695de2da025290e24af6d8c281de5a0b902b7135fd9fd74d21')]
    for code in codes:
        wsh = b'\0\x20' + hashlib.sha256(code).digest()
        coins += [wsh] + [
            b'\xa9\x14' + hashlib.new(
                'ripemd160', hashlib.sha256(c).digest()).digest() + b'\x87'
            for c in (code, wsh)]
    for spent in [[c] for c in coins] + [coins]:
        put(b'\2\0\0\0' + compact(len(spent)) +
            b''.join(bytes(32) + struct.pack('<I', i) + bytes(5)
                     for i in range(len(spent))) +
            b'\1' + struct.pack('<q', 1) + b'\1\x51' + bytes(4),
            [(1000, script) for script in spent])


def offers(s):
    """Records for a pool: numbers stand for coins and for accepted ones."""
    wsh = b'\0\x20' + hashlib.sha256(b'\x51').digest()

    def tx(spends, outs, version=2, sequence=0xfffffffd, lock=0):
        ins = b''.join(bytes(31) + bytes([k]) + struct.pack('<I', i) + b'\0' +
                       struct.pack('<I', sequence) for k, i in spends)
        body = b''.join(struct.pack('<qB', v, len(c)) + c for v, c in outs)
        wit = b''.join(b'\1\1\x51' for _ in spends)
        return (struct.pack('<i', version) + b'\0\1' +
                bytes([len(spends)]) + ins + bytes([len(outs)]) + body + wit +
                struct.pack('<I', lock))

    def put(policy, *records):
        s.put('accept', bytes([policy]) + b''.join(
            bytes([bits]) + struct.pack('<H', len(t)) + t
            for bits, t in records))
    coin, other = (8, 0), (14, 0)
    pay = [(63000, wsh)]
    for policy in range(8):
        for version in 2, 3:
            # A chain of three, a replacement of its first, blocks taken off.
            put(policy, (0, tx([coin], pay, version)),
                (0, tx([(128, 0)], [(62000, wsh)], version)),
                (0, tx([(129, 0)], [(61000, wsh)], version)),
                (0, tx([coin], [(50000, wsh)], version)),
                (0x48, tx([coin], [(40000, wsh)], version)))
            # Two children of one parent, dust, a parent without a fee.
            put(policy, (0, tx([coin], [(31000, wsh), (31000, wsh)], version)),
                (0, tx([(128, 0)], [(30000, wsh)], version)),
                (0, tx([(128, 1)], [(20000, wsh)], version)),
                (1, tx([(20, 0)], [(400000, wsh), (0, wsh)], version)),
                (0, tx([(131, 0)], [(300000, wsh)], version)))
            # A package; one that is locked, one too young.
            put(policy, (2, tx([coin], [(64000, wsh)], version)),
                (6, tx([other], [(100000, wsh)], version)),
                (0, tx([coin], pay, version, sequence=17)),
                (0x10, tx([(7, 0)], [(40000, wsh)], version)),
                (0, tx([coin], pay, version, lock=1001)))


def standard(s):
    """Behind a policy: a transaction, and the script that each input spends."""
    def put(tx, scripts):
        for head in b'\1\xb8\x0b\0\0', b'\x56\x01\0\0\0':
            s.put('policy', head + tx + b''.join(
                struct.pack('<H', len(c)) + c for c in scripts))
    for path in s.files('txs/*.prevouts.json'):
        spent = s.json(os.path.relpath(path, s.data))['prevouts']
        put(s.read(path.replace('.prevouts.json', '.bin')),
            [bytes.fromhex(c['script']) for c in spent])

    # Redeem scripts and witnesses that pass and that do not.
    keys = b'\x21\2' + bytes(32)
    true = b'\x51'
    wsh = b'\0\x20' + hashlib.sha256(true).digest()
    outs = [b'\x76\xa9\x14' + bytes(20) + b'\x88\xac', b'\x51' + keys * 3 +
            b'\x53\xae', b'\x51' + keys + b'\x51\xae', b'\x6a\5short', wsh,
            b'\x51\2\x4e\x73', b'\x52\2\x4e\x73']

    def sh(redeem):
        return b'\xa9\x14' + hashlib.new(
            'ripemd160', hashlib.sha256(redeem).digest()).digest() + b'\x87'
    for script, sig, stack in (
            (sh(true), b'\1\x51', []), (sh(wsh), b'\x22' + wsh, [true]),
            (wsh, b'', [true]), (wsh, b'', [bytes(81), b'\x75\x51']),
            (sh(b'\xac' * 16), b'\x10' + b'\xac' * 16, []),
            (b'\x51\2\x4e\x73', b'', []), (b'\x51\2\x4e\x73', b'', [b'']),
            (b'\xac' * 2501, b'', []), (b'\x51\x20' + bytes(32), b'', [
                bytes(81), true, b'\xc0' + bytes(32)]),
            (b'\x51\x20' + bytes(32), b'', [bytes(64), b'\x50'])):
        put(b'\2\0\0\0' + b'\0\1' * bool(stack) + b'\1' + bytes(36) +
            compact(len(sig)) + sig + bytes(4) + compact(len(outs)) +
            b''.join(struct.pack('<q', 330) + compact(len(o)) + o
                     for o in outs) +
            (compact(len(stack)) + b''.join(compact(len(i)) + i for i in stack)
             if stack else b'') + bytes(4), [script])


def write(data, out):
    s = Seeds(data, out)
    for source in (messages, chains, transactions, scripts, checks, requests,
                   prevouts, filters, addresses, payloads, votes, descriptors,
                   signing, offers, standard):
        source(s)


if __name__ == '__main__':
    write(sys.argv[1], sys.argv[2])
