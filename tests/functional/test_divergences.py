#!/usr/bin/env python3
"""Cases in which nodes are known to have judged a block otherwise than others did,
each as a block: the wrong one is refused with Bitcoin Core's reason, the right one
is taken. What can be changed below one header is in test_mutated_blocks.py.
"""
import hashlib

from blocks import ANYONE, COIN, Block, In, Tx, push, push_number
from node import Node, main, nodes, wait_until
from p2p import Peer, display, headers, sha256d
from pair import Pair, pair
from taproot import tree_of_one

FAILED = 'block-script-verify-flag-failed'


def sha256(b):
    return hashlib.sha256(b).digest()


@pair
def test_an_output_is_spent_once_by_a_transaction(p):
    txid, value = p.coin()
    twice = Tx([In(txid, 0), In(txid, 0)], [(2 * value, ANYONE)])
    p.refused(p.next(twice), 'bad-txns-inputs-duplicate')
    p.taken(p.next(Tx([In(txid, 0)], [(value, ANYONE)])))


@pair
def test_an_output_is_spent_once_in_a_block(p):
    txid, value = p.coin()
    one = Tx([In(txid, 0)], [(value, ANYONE)])
    two = Tx([In(txid, 0)], [(value - 1, ANYONE)])
    p.refused(p.next(one, two), 'bad-txns-inputs-missingorspent')
    p.taken(p.next(one))
    p.refused(p.next(two), 'bad-txns-inputs-missingorspent')


def test_outputs_are_spent_once_where_scripts_are_passed_over():
    a = Node()
    with nodes(a):
        a.start()
        a.rpc('generatetodescriptor', 101, 'raw(51)')
        chain = [bytes.fromhex(a.rpc('getblock', a.rpc(
            'getblockhash', h), 0)) for h in range(1, 102)]
        coins = [bytes.fromhex(a.rpc('getblock', a.rpc(
            'getblockhash', h))['tx'][0])[::-1] for h in (1, 2)]
        start = a.rpc('getblockheader', a.tip())['time']

    def take(coin, times, value=50 * COIN):
        """With a script that fails."""
        return Tx([In(coin, 0, b'\x6a')] * times, [(value, ANYONE)])
    for txs, reason in (
            ([take(coins[1], 2)], 'bad-txns-inputs-duplicate'),
            ([take(coins[1], 1), take(coins[1], 1, 1)],
             'bad-txns-inputs-missingorspent'),
            ([take(coins[0], 1, 1)], 'bad-txns-inputs-missingorspent')):
        # Many blocks above, as an assumed valid block lies two weeks deep.
        prev, raw = sha256d(chain[-1][:80]), []
        for i in range(2200):
            b = Block(prev, 102 + i, start + 1 + i * 600,
                      [take(coins[0], 1)] if i == 0 else
                      txs if i == 1 else [])
            raw.append(b.raw())
            prev = b.hash
        c = Node(args=['-assumevalid=' + display(sha256d(raw[10][:80])),
                       '-mocktime=%d' % (start + 600 * 2201)])
        with nodes(c):
            c.start()
            q = Peer(c).handshake()
            heads = [r[:80] for r in chain + raw]
            q.send('headers', headers(heads[:2000]))
            q.send('headers', headers(heads[2000:]))
            q.sync()
            for r in chain + raw[:1]:
                q.send('block', r)
            wait_until('the script is passed over', lambda: c.height() == 102)
            q.send('block', raw[1])
            q.wait_closed()
            assert c.height() == 102
            c.wait_log(reason)


@pair
def test_values_do_not_overflow_alone_or_together(p):
    money = 21000000 * COIN
    half = 0x7ffffffffff85ee0  # twice this is negative in 64 bits
    tx = p.spend(((half, ANYONE), (half, ANYONE)))
    p.refused(p.next(tx), 'bad-txns-vout-toolarge')
    tx.outs = [(money + 1, ANYONE)]
    p.refused(p.next(tx), 'bad-txns-vout-toolarge')
    tx.outs = [(money, ANYONE), (1, ANYONE)]
    p.refused(p.next(tx), 'bad-txns-txouttotal-toolarge')
    tx.outs = [(-1, ANYONE)]
    p.refused(p.next(tx), 'bad-txns-vout-negative')
    tx.outs = [(money, ANYONE)]
    p.refused(p.next(tx), 'bad-txns-in-belowout')
    tx.outs = [(50 * COIN, ANYONE)]
    p.taken(p.next(tx))


@pair
def test_versions_have_no_sign_where_locks_are_relative(p):
    # A coin of height 1 may be spent from 201 on.
    for version in (2, 0x7fffffff, 0x80000000, 0xffffffff):
        tx = p.spend(sequence=200, height=1, version=version)
        p.refused(p.next(tx), 'bad-txns-nonfinal')
    for version in (0, 1):
        p.taken(p.next(p.spend(sequence=200, version=version)))


@pair
def test_versions_have_no_sign_in_checksequenceverify(p):
    script = push_number(1) + b'\xb2\x75\x51'
    txid, value = p.funded(script, script, script)
    for version in (0, 1):
        p.refused(p.next(Tx([In(txid, 0, sequence=1)], [(value, ANYONE)],
                            version=version)), FAILED)
    for n, version in enumerate((2, 0x80000000, 0xffffffff)):
        p.taken(p.next(Tx([In(txid, n, sequence=1)], [(value, ANYONE)],
                          version=version)))


@pair
def test_success_comes_before_every_limit(p):
    script = b'\x50'
    out, control = tree_of_one(script)
    txid, value = p.funded(out, out, out)
    for n, stack in enumerate(([b''] * 500001, [bytes(11001)],
                               [bytes(521)] * 1001)):
        b = p.next(Tx([In(txid, n, witness=stack + [script, control])],
                      [(value, ANYONE)]))
        p.taken(b.commit())


@pair
def test_witness_items_are_as_large_as_their_version_allows(p):
    script = b'\x75\x51'  # drop one item
    v0 = b'\x00\x20' + sha256(script)
    tap, control = tree_of_one(script)
    unknown = b'\x52\x20' + bytes([1] * 32)
    pad = b'\x61' * 9998 + b'\x75\x51'
    long0 = b'\x00\x20' + sha256(pad)
    over0 = b'\x00\x20' + sha256(b'\x61' + pad)
    longer = b'\x01' * 40000 + b'\x51'
    longest = push(bytes(100)) + b'\x75' + b'\x61' * 40000 + b'\x51'
    tap_long, control_long = tree_of_one(longest)
    txid, value = p.funded(v0, tap, unknown, long0, over0, tap_long)

    def spend(n, *witness):
        return p.next(Tx([In(txid, n, witness=witness)],
                         [(value, ANYONE)])).commit()
    # Items of the stack: 520 bytes in version 0 and tapscript.
    p.refused(spend(0, bytes(521), script), FAILED)
    p.taken(spend(0, bytes(520), script))
    p.refused(spend(1, bytes(521), script, control), FAILED)
    p.taken(spend(1, bytes(520), script, control))
    # Programs of later versions may carry anything.
    p.taken(spend(2, bytes(11001), longer))
    # The script: 10,000 bytes in version 0, where 201 operations are the
    # next limit; any size in tapscript.
    p.refused(spend(3, b'', pad), FAILED)
    p.refused(spend(4, b'', b'\x61' + pad), FAILED)
    p.taken(spend(5, longest, control_long))


@pair
def test_unknown_leaves_are_valid_only_when_committed_to(p):
    script = b'\x6a'
    out, control = tree_of_one(script, 0xc2)
    txid, value = p.funded(out)

    def spend(control, script=script):
        return p.next(Tx([In(txid, 0, witness=[script, control])],
                         [(value, ANYONE)])).commit()
    p.refused(spend(control[:1] + sha256(b'anything')), FAILED)
    p.refused(spend(control, b'\x51'), FAILED)
    p.refused(spend(bytes([control[0] ^ 1]) + control[1:]), FAILED)
    p.refused(spend(bytes([control[0] ^ 4]) + control[1:]), FAILED)
    p.refused(spend(control + bytes(32)), FAILED)
    p.refused(spend(control + bytes(1)), FAILED)
    p.taken(spend(control))


def test_heights_are_pushed_in_the_shortest_form():
    right = {16: b'\x60', 17: b'\x01\x11', 127: b'\x01\x7f',
             128: b'\x02\x80\x00'}
    wrong = {16: [b'\x01\x10', b'\x01\x11'],
             17: [b'\x02\x11\x00', b'\x61', b'\x01\x10'],
             127: [b'\x02\x7f\x00', b'\x4c\x01\x7f', b'\x01\xff'],
             128: [b'\x01\x80', b'\x03\x80\x00\x00', b'\x02\x80\x80']}
    p = Pair()
    with nodes(p.a, p.b):
        p.start(0)
        for height in range(1, 129):
            b = p.next()
            assert b.height == height
            for script in wrong.get(height, []):
                b.txs[0].ins[0].script = script + bytes(3)
                p.refused(b, 'bad-cb-height')
            if height in right:
                b.txs[0].ins[0].script = right[height] + bytes(1)
                p.taken(b)
            else:
                p.b.rpc('submitblock', b.raw().hex())
                p.a.rpc('submitblock', b.raw().hex())


@pair
def test_absolute_locks_are_over_behind_their_height_or_median(p):
    height = p.a.height() + 1
    tx = p.spend(sequence=0, lock_time=height)
    p.refused(p.next(tx), 'bad-txns-nonfinal')
    tx.lock_time = height - 1
    p.taken(p.next(tx))
    median = p.a.rpc('getblockheader', p.a.tip())['mediantime']
    tx = p.spend(sequence=0, lock_time=median)
    p.refused(p.next(tx), 'bad-txns-nonfinal')
    tx.lock_time = median - 1
    p.taken(p.next(tx))


@pair
def test_coinbases_are_spent_a_hundred_blocks_later(p):
    # The next block has height 102.
    p.refused(p.next(p.spend(height=3)),
              'bad-txns-premature-spend-of-coinbase')
    p.taken(p.next(p.spend(height=2)))


@pair
def test_difficulty_bits_that_are_no_target_are_refused(p):
    for bits in (0x20ffffff, 0x04923456, 0x01fedcba,  # negative
                 0, 0x00123456, 0x01003456, 0x20000000,  # zero
                 0x23000100, 0x22010000, 0xff123456,  # overflow
                 0x21008000):  # easier than the easiest
        p.refused(p.next(bits=bits), 'high-hash')
    # One that is met, but not the one that is due.
    b = p.next(bits=0x207ffffe)
    p.refused(b, 'bad-diffbits')
    p.taken(p.next())


def test_time_may_not_go_back_where_bip94_holds():
    def chain(*args):
        """Up to the last block of a period, an hour ahead of all others."""
        p = Pair(*args)
        with nodes(p.a, p.b):
            p.start(142)
            last = p.a.rpc('getblockheader', p.a.tip())['time'] + 3600
            p.taken(p.next(time=last))
            if args:
                p.refused(p.next(time=last - 601), 'time-timewarp-attack')
                p.taken(p.next(time=last - 600))
            else:
                p.taken(p.next(time=last - 601))
            # Within a period it may.
            p.taken(p.next(time=last + 700))
            p.taken(p.next(time=last))
    chain('-test=bip94')
    chain()


if __name__ == '__main__':
    main(globals())
