"""Transactions and blocks made from the BIPs, right or wrong as a test wants them.
Never calls Cairn's codec or its rules.
"""
import struct

from p2p import compact, sha256d

COIN = 10 ** 8
REGTEST_BITS = 0x207fffff
ANYONE = b'\x51'  # OP_TRUE


def mined(header):
    """The header with a nonce that meets regtest's target."""
    h = bytearray(header)
    n = 0
    while int.from_bytes(sha256d(h), 'little') >> 255:
        n += 1
        h[76:80] = struct.pack('<I', n)
    return bytes(h)


def root_of(ids):
    while len(ids) > 1:
        ids = [sha256d(ids[i] + ids[min(i + 1, len(ids) - 1)])
               for i in range(0, len(ids), 2)]
    return ids[0]


def push(data):
    """The shortest push of up to 255 bytes that are no small number."""
    return (bytes([len(data)]) if len(data) < 76 else
            b'\x4c' + bytes([len(data)])) + data


def push_number(n):
    if 0 <= n <= 16:
        return bytes([0x50 + n]) if n else b'\0'
    out, rest = b'', abs(n)
    while rest:
        out += bytes([rest & 255])
        rest >>= 8
    if out[-1] & 0x80:
        out += b'\0'
    if n < 0:
        out = out[:-1] + bytes([out[-1] | 0x80])
    return push(out)


class In:
    def __init__(self, txid, n, script=b'', sequence=0xffffffff, witness=()):
        self.txid, self.n, self.script = txid, n, script
        self.sequence, self.witness = sequence, list(witness)

    def raw(self):
        return (self.txid + struct.pack('<I', self.n) +
                compact(len(self.script)) + self.script +
                struct.pack('<I', self.sequence))


class Tx:
    """outs: (value, script) each."""

    def __init__(self, ins, outs, version=2, lock_time=0):
        self.ins, self.outs = list(ins), list(outs)
        self.version, self.lock_time = version, lock_time

    def raw(self, witness=True):
        witness = witness and any(i.witness for i in self.ins)
        out = struct.pack('<I', self.version & 0xffffffff)
        out += b'\0\1' if witness else b''
        out += compact(len(self.ins)) + b''.join(i.raw() for i in self.ins)
        out += compact(len(self.outs)) + b''.join(
            struct.pack('<q', v) + compact(len(s)) + s for v, s in self.outs)
        if witness:
            for i in self.ins:
                out += compact(len(i.witness)) + b''.join(
                    compact(len(w)) + w for w in i.witness)
        return out + struct.pack('<I', self.lock_time)

    def id(self):
        return sha256d(self.raw(witness=False))

    def wid(self):
        return sha256d(self.raw())


def coinbase(height, value, script=ANYONE, extra=b''):
    """extra makes it unlike any other of its height."""
    return Tx([In(bytes(32), 0xffffffff,
                  push_number(height) + (push(extra) if extra else b'\0'))],
              [(value, script)])


class Block:
    """Above prev at height; txs follow the coinbase, which takes no fees."""

    def __init__(self, prev, height, time, txs=(), version=0x20000000,
                 bits=REGTEST_BITS, extra=b''):
        self.prev, self.height, self.time = prev, height, time
        self.version, self.bits = version, bits
        value = 50 * COIN >> height // 150
        self.txs = [coinbase(height, value, extra=extra)] + list(txs)

    def commit(self, nonce=bytes(32)):
        """Add the witness commitment and its nonce (BIP 141)."""
        cb = self.txs[0]
        cb.ins[0].witness = [nonce]
        cb.outs.append((0, b'\x6a\x24\xaa\x21\xa9\xed' +
                        self.commitment(nonce)))
        return self

    def commitment(self, nonce=bytes(32)):
        return sha256d(root_of([bytes(32)] + [t.wid() for t in self.txs[1:]]) +
                       nonce)

    def raw(self):
        self.head = mined(
            struct.pack('<I', self.version & 0xffffffff) + self.prev +
            root_of([t.id() for t in self.txs]) +
            struct.pack('<III', self.time, self.bits, 0))
        self.hash = sha256d(self.head)
        return (self.head + compact(len(self.txs)) +
                b''.join(t.raw() for t in self.txs))


def next_block(a, txs=(), **kw):
    """A block on the node's tip."""
    tip = a.rpc('getblockheader', a.tip())
    kw.setdefault('time', tip['time'] + 1)
    return Block(bytes.fromhex(tip['hash'])[::-1], tip['height'] + 1,
                 txs=txs, **kw)
