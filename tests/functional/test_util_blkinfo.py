#!/usr/bin/env python3
"""cairn-util blkinfo counts the blocks of a file and names what is wrong."""
import hashlib
import os
import struct
import subprocess
import tempfile

from node import BUILD

UTIL = os.path.join(BUILD, 'cairn-util')
MAGIC = {'main': 'f9beb4d9', 'test': '0b110907', 'testnet4': '1c163f28',
         'signet': '0a03cf40', 'regtest': 'fabfb5da'}


def sha256d(b):
    return hashlib.sha256(hashlib.sha256(b).digest()).digest()


def block(n):
    """A block in form: one transaction with one input and one output."""
    tx = (struct.pack('<i', 1) + b'\x01' + bytes(32) + b'\xff' * 4 + b'\x02' +
          struct.pack('<H', n) + b'\xff' * 4 + b'\x01' + bytes(8) + b'\x00' +
          bytes(4))
    head = struct.pack('<i32s32sIII', 1, bytes(32), sha256d(tx), n, 0, 0)
    return head + b'\x01' + tx


def record(net, body):
    return bytes.fromhex(MAGIC[net]) + struct.pack('<I', len(body)) + body


def name(body):
    return sha256d(body[:80])[::-1].hex()


def run(*args):
    p = subprocess.run([UTIL] + list(args), stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=60)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def blkinfo(folder, data, key=None):
    path = os.path.join(folder, 'blk00000.dat')
    xor = os.path.join(folder, 'xor.dat')
    if os.path.exists(xor):
        os.unlink(xor)
    if key:
        with open(xor, 'wb') as f:
            f.write(key)
        if len(key) == 8:
            data = bytes(c ^ key[i % 8] for i, c in enumerate(data))
    with open(path, 'wb') as f:
        f.write(data)
    rc, out, err = run('blkinfo', path)
    return rc, dict(line.split('=') for line in out.split()), err


def check(folder, data, want, key=None):
    rc, got, err = blkinfo(folder, data, key)
    assert rc == 0 and not err, (rc, err)
    for k, v in want.items():
        assert got[k] == str(v), (k, got[k], v)


def check_bad(folder, data, words, key=None):
    rc, got, err = blkinfo(folder, data, key)
    assert rc == 1 and not got, (rc, got)
    assert words in err, (words, err)


def main():
    a, b = block(1), block(2)
    with tempfile.TemporaryDirectory() as folder:
        for net in MAGIC:
            data = record(net, a) + record(net, b)
            check(folder, data, {'network': net, 'blocks': 2,
                                 'first': name(a), 'last': name(b),
                                 'bytes': len(data), 'junk': 0,
                                 'truncated': 0})
        check(folder, b'', {'network': 'none', 'blocks': 0, 'bytes': 0})
        two = record('main', a) + record('main', b)
        # Junk before, between, behind; among it another network's record and
        # a length that no block has.
        other = record('test', a)
        odd = bytes.fromhex(MAGIC['main']) + struct.pack('<I', 4000001)
        junk = b'\x00' * 5 + record('main', a) + other + odd + \
            record('main', b) + b'\x00' * 100000
        check(folder, junk, {'blocks': 2, 'last': name(b),
                             'junk': 5 + len(other) + len(odd) + 100000})
        # The tail of a file that was cut.
        for n in (7, 8, 50, len(record('main', b)) - 1):
            tail = record('main', b)[:n]
            check(folder, two + tail,
                  {'blocks': 2, 'junk': 7 if n == 7 else 0,
                   'truncated': 0 if n == 7 else n})
        # Many windows: a file of 40 MB with blocks of 2 MB.
        big = a[:81] + a[81:-4 - 1] + b'\xfe' + struct.pack('<I', 2000000) + \
            bytes(2000000) + bytes(4)
        check(folder, record('main', big) * 20,
              {'blocks': 20, 'last': name(big)})
        # Stored under a key, as Bitcoin Core does.
        key = bytes(range(1, 9))
        check(folder, two, {'blocks': 2, 'last': name(b)}, key)
        check(folder, record('main', big) * 20, {'blocks': 20}, key)
        check_bad(folder, two, 'xor.dat', b'\x01\x02')
        # Malformed: a count too high; bytes behind the block; cut inside.
        at = 'offset %d: ' % len(two)
        wrong = a[:80] + b'\x02' + a[81:]
        check_bad(folder, two + record('main', wrong), at + 'malformed block')
        check_bad(folder, two + record('main', a + b'\x00'),
                  at + 'record is longer than its block')
        check_bad(folder, two + record('main', a[:-1]),
                  at + 'malformed block')
        rc, _, err = run('blkinfo', os.path.join(folder, 'nowhere'))
        assert rc == 1 and 'nowhere' in err, err
    rc, out, _ = run('--help')
    assert rc == 0 and 'blkinfo FILE' in out
    rc, out, _ = run('--version')
    assert rc == 0 and out.startswith('cairn-util '), out
    for args in ([], ['blkinfo'], ['nonsense'], ['blkinfo', 'a', 'b']):
        rc, out, err = run(*args)
        assert rc == 1 and not out and 'Usage' in err, args


if __name__ == '__main__':
    main()
