#!/usr/bin/env python3
"""-assumevalid passes over scripts of blocks below the named one, and of no others: not
off its chain, not off the best chain, not without enough work, not when it lies less
than two weeks deep.
"""
from blocks import ANYONE, COIN, Block, In, Tx
from node import Node, main, nodes, wait_until
from p2p import Peer, display, headers, sha256d

SPACING = 600
DEPTH = 2017  # blocks that take more than two weeks


class Base:
    """101 blocks, and a transaction whose script fails."""

    def __init__(self):
        a = Node()
        with nodes(a):
            a.start()
            a.rpc('generatetodescriptor', 101, 'raw(51)')
            self.raw = [bytes.fromhex(a.rpc('getblock', a.rpc(
                'getblockhash', h), 0)) for h in range(1, 102)]
            coin = bytes.fromhex(a.rpc('getblock', a.rpc(
                'getblockhash', 1))['tx'][0])[::-1]
            self.time = a.rpc('getblockheader', a.tip())['time']
        self.failing = Tx([In(coin, 0, b'\x6a')], [(50 * COIN, ANYONE)])

    def branch(self, n, bad, extra=b''):
        prev, out = sha256d(self.raw[-1][:80]), []
        for i in range(n):
            b = Block(prev, 102 + i, self.time + 1 + i * SPACING,
                      [self.failing] if bad and i == 0 else [], extra=extra)
            out.append(b.raw())
            prev = b.hash
        return out


def name(block):
    return display(sha256d(block[:80]))


BASE = []


def base():
    if not BASE:
        BASE.append(Base())
    return BASE[0]


def judged(branches, assumed, *args):
    """The height of a node that knows these branches and gets the first block
    of the first one: 102 where its script is passed over."""
    b = base()
    later = b.time + SPACING * (DEPTH + 500)
    c = Node(args=['-mocktime=%d' % later] + list(args) + (
        ['-assumevalid=' + name(assumed)] if assumed else []))
    with nodes(c):
        c.start()
        q = Peer(c).handshake()
        for branch in branches:
            heads = [r[:80] for r in b.raw + branch]
            for i in range(0, len(heads), 2000):
                q.send('headers', headers(heads[i:i + 2000]))
        q.sync()
        for r in b.raw:
            q.send('block', r)
        wait_until('the base is connected', lambda: c.height() == 101)
        q.send('block', branches[0][0])
        wait_until('the block is judged', lambda: c.height() == 102 or
                   not c.rpc('getpeerinfo'))
        return c.height()


def test_scripts_far_below_the_assumed_block_are_passed_over():
    bad = base().branch(DEPTH + 1, True)
    assert judged([bad], bad[10]) == 102
    assert judged([bad], bad[0]) == 102
    assert judged([bad], None) == 101


def test_the_assumed_block_lies_over_two_weeks_deep():
    bad = base().branch(DEPTH, True)
    assert judged([bad], bad[10]) == 101
    bad = base().branch(DEPTH + 1, True)
    assert judged([bad], bad[10]) == 102


def test_blocks_that_are_not_below_the_assumed_one_are_verified():
    bad = base().branch(DEPTH + 9, True)
    good = base().branch(DEPTH + 1, False, b'other')
    assert judged([bad, good], good[10]) == 101
    # Nor is one whose hash nobody has seen.
    assert judged([bad], bad[10][:79] + b'\1') == 101


def test_blocks_off_the_best_chain_are_verified():
    bad = base().branch(DEPTH + 1, True)
    good = base().branch(DEPTH + 9, False, b'other')
    assert judged([bad, good], bad[10]) == 101


def test_a_chain_without_enough_work_is_verified():
    b = base()
    bad = b.branch(DEPTH + 1, True)
    # Two hashes a block: a little over what the chain has.
    for work, height in ((2 * (101 + len(bad) + 2), 101),
                         (2 * (101 + len(bad)), 102)):
        c = Node(args=['-assumevalid=' + name(bad[10]),
                       '-minimumchainwork=%x' % work, '-mocktime=%d' % (
                           b.time + SPACING * (DEPTH + 500))])
        with nodes(c):
            c.start()
            for r in b.raw:
                assert c.rpc('submitblock', r.hex()) is None
            for r in bad:
                c.rpc('submitheader', r[:80].hex())
            c.rpc('submitblock', bad[0].hex())
            assert c.height() == height


if __name__ == '__main__':
    main(globals())
