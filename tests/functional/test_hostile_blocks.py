#!/usr/bin/env python3
"""Hostile work: blocks, headers and compact blocks with real proof of work whose
contents are changed at random. The node refuses or takes them, never breaks, never
loses its chain, and takes an honest block afterwards.
"""
import os
import random
import struct

from blocks import mined, root_of
from node import Node, main, nodes, wait_until
from p2p import Closed, Peer, compact, display, headers, inv, sha256d

SEED = int(os.environ.get('CAIRN_SEED', '20090103'))


def build(prev, time, txs, version=0x20000000, bits=0x207fffff):
    """A block of transactions without witnesses, well formed or not."""
    head = struct.pack('<i', version) + prev + root_of(
        [sha256d(t) for t in txs]) + struct.pack('<III', time, bits, 0)
    return mined(head) + compact(len(txs)) + b''.join(txs)


def coinbase(height, rnd):
    """A valid one; the extra bytes make it unlike any other."""
    h = compact(2) + struct.pack('<H', height) if height > 127 else \
        compact(1) + bytes([height])
    if height <= 16:
        h = bytes([0x50 + height])
    script = h + compact(8) + rnd.randbytes(8)
    return (struct.pack('<i', 1) + b'\x01' + bytes(32) + b'\xff' * 4 +
            compact(len(script)) + script + b'\xff' * 4 + b'\x01' +
            struct.pack('<q', 25 * 10 ** 8) + b'\x01\x51' + bytes(4))


def transaction(rnd, coins):
    """Spends one of the coins, or something that is not there."""
    txid = rnd.choice(coins + [rnd.randbytes(32)])
    n_out = rnd.randrange(3)
    return (struct.pack('<i', rnd.choice([1, 2, -1])) + b'\x01' + txid +
            struct.pack('<I', rnd.choice([0, 0, 1, 0xffffffff])) + b'\0' +
            struct.pack('<I', rnd.choice([0, 1, 0x400001, 0xffffffff])) +
            compact(n_out) + b''.join(
                struct.pack('<q', rnd.choice([0, 1, 25 * 10 ** 8, -1,
                                              21 * 10 ** 14, 1 << 62])) +
                b'\x01\x51' for _ in range(n_out)) +
            struct.pack('<I', rnd.choice([0, 0, 5, 600000000, 0xffffffff])))


def changed(rnd, tx):
    b = bytearray(tx)
    for _ in range(rnd.randrange(1, 4)):
        kind = rnd.randrange(3)
        at = rnd.randrange(len(b) + 1)
        if kind == 0 and at < len(b):
            b[at] = rnd.randrange(256)
        elif kind == 1:
            del b[at:at + rnd.randrange(1, 6)]
        else:
            b[at:at] = rnd.randbytes(rnd.randrange(1, 6))
        if not b:
            return b'\0'
    return bytes(b)


class Chain:
    """The tip as the node has it, and the coins of its first blocks."""

    def __init__(self, a):
        self.a = a
        self.coins = [bytes.fromhex(
            a.rpc('getblock', a.rpc('getblockhash', h))['tx'][0])[::-1]
            for h in range(1, 6)]
        self.move()

    def move(self):
        self.height = self.a.height()
        tip = self.a.rpc('getblockheader', self.a.tip())
        self.hash = bytes.fromhex(tip['hash'])[::-1]
        self.time = tip['time'] + 1

    def block(self, rnd, spoil):
        txs = [coinbase(self.height + 1, rnd)]
        for _ in range(rnd.randrange(4)):
            txs.append(transaction(rnd, self.coins))
        if spoil:
            at = rnd.randrange(len(txs))
            txs[at] = changed(rnd, txs[at])
        return build(self.hash, self.time + rnd.choice([0, 0, 0, 7300, -9999]),
                     txs)


def give(a, p, command, body):
    """Send and wait until the node has answered for it; a new peer if it hung
    up."""
    try:
        p.send(command, body)
        p.sync()
        return p
    except (Closed, OSError):
        return Peer(a).handshake()


def honest_block_is_taken(a, chain, rnd):
    chain.move()
    good = build(chain.hash, chain.time, [coinbase(chain.height + 1, rnd)])
    p = Peer(a).handshake()
    p.send('block', good)
    wait_until('the honest block is the tip',
               lambda: a.tip() == display(sha256d(good[:80])))
    p.close()


def attack(a, rnd, rounds, one):
    chain = Chain(a)
    p = Peer(a).handshake()
    heights = set()
    for i in range(rounds):
        p = one(chain, p, i)
        if i % 20 == 0:
            heights.add(a.height())
            chain.move()
    honest_block_is_taken(a, chain, rnd)
    p.close()
    info = a.rpc('gettxoutsetinfo')
    # Nothing was made out of nothing.
    assert info['total_amount'] <= sum(
        50 if h <= 150 else 25 for h in range(1, info['height'] + 1)), info
    return heights


def test_blocks_with_work_and_changed_contents_are_survived():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        a.generate(110)
        before = a.anon_kb()
        heights = attack(a, rnd, 300, lambda chain, p, i: give(
            a, p, 'block', chain.block(rnd, i % 3)))
        # Some of them were valid.
        assert len(heights) > 2, heights
        a.check_growth(before, 12000)
        digest = a.rpc('gettxoutsetinfo')
        assert a.stop() == 0
        a.start()
        again = a.rpc('gettxoutsetinfo')
        assert digest['hash_serialized_3'] == again['hash_serialized_3']


def test_blocks_announced_and_then_served_changed_are_survived():
    rnd = random.Random(SEED)
    a = Node()

    def one(chain, p, i):
        block = chain.block(rnd, i % 3)
        try:
            p.send('headers', headers([block[:80]]))
            p.sync()
            if 'getdata' not in p.seen:
                return p
            p.seen.clear()
            if rnd.randrange(2):
                block = block[:80] + changed(rnd, block[80:])
            p.send('block', block)
            p.sync()
            return p
        except (Closed, OSError):
            return Peer(a).handshake()
    with nodes(a):
        a.start()
        a.generate(110)
        attack(a, rnd, 300, one)


def test_headers_with_work_and_random_fields_are_survived():
    rnd = random.Random(SEED)
    a = Node()

    def one(chain, p, i):
        run, prev = [], chain.hash
        for _ in range(rnd.randrange(1, 30)):
            h = mined(struct.pack('<i', rnd.choice([1, 4, -1, 1 << 29])) +
                      prev + rnd.randbytes(32) + struct.pack(
                          '<III', rnd.choice([chain.time, chain.time, 0,
                                              0xffffffff, chain.time + 9000]),
                          rnd.choice([0x207fffff] * 9 + [0x1d00ffff]), 0))
            run.append(h)
            prev = sha256d(h) if rnd.randrange(20) else rnd.randbytes(32)
        return give(a, p, 'headers', headers(run))
    with nodes(a):
        a.start()
        tip = a.generate(20)[-1]
        before = a.anon_kb()
        chain, p = Chain(a), Peer(a).handshake()
        for i in range(300):
            p = one(chain, p, i)
        assert a.tip() == tip
        a.check_growth(before, 8000)
        honest_block_is_taken(a, chain, rnd)


def test_compact_blocks_with_work_and_random_bodies_are_survived():
    rnd = random.Random(SEED)
    a = Node()

    def one(chain, p, i):
        block = chain.block(rnd, False)
        ids = rnd.randrange(3)
        body = block[:80] + rnd.randbytes(8) + compact(ids) + \
            rnd.randbytes(6 * ids) + compact(1) + \
            compact(rnd.choice([0, 0, 1, 65535])) + block[81:]
        p = give(a, p, 'cmpctblock',
                 body if rnd.randrange(2) else changed(rnd, body))
        h = sha256d(block[:80])
        p = give(a, p, 'blocktxn', h + compact(rnd.choice([0, 1, 253])) +
                 changed(rnd, block[81:]))
        p = give(a, p, 'getblocktxn', rnd.choice([h, chain.hash]) + compact(
            2) + compact(rnd.choice([0, 1, 65535])) + compact(0))
        return give(a, p, 'getdata', inv([(4, h), (3, h), (4, chain.hash)]))
    with nodes(a):
        a.start()
        a.generate(110)
        attack(a, rnd, 120, one)


if __name__ == '__main__':
    main(globals())
