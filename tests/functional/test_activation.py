#!/usr/bin/env python3
"""Each buried rule binds from its own height on and not one block before: what breaks
it is valid below and refused from there. Rules without a height bind from the start.
"""
import hashlib

from blocks import ANYONE, In, Tx, push, push_number
from node import main, nodes
from pair import Pair

FAILED = 'block-script-verify-flag-failed'
FAR = 1000
# A height for each, all different.
CSV, SEGWIT, DERSIG, CLTV, BIP34 = HEIGHTS = range(106, 111)
KEY = bytes.fromhex('0279be667ef9dcbbac55a06295ce870b07'
                    '029bfcdb2dce28d959f2815b16f81798')


class Offence:
    """A transaction that breaks one rule, and the height of the rule."""

    def __init__(self, since, reason, script, script_sig=b'', **kw):
        self.since, self.reason, self.script = since, reason, script
        self.script_sig, self.kw = script_sig, kw

    def tx(self, coin, median):
        kw = dict(self.kw)
        sequence = kw.pop('sequence', 0xffffffff)
        if kw.pop('median', False):
            kw['lock_time'] = median
        return Tx([In(*coin[:2], self.script_sig, sequence)],
                  [(coin[2], ANYONE)], **kw)


OFFENCES = [
    Offence(CSV, 'bad-txns-nonfinal', ANYONE, sequence=FAR),  # BIP 68
    Offence(CSV, FAILED, push_number(FAR) + b'\xb2\x75\x51'),  # BIP 112
    Offence(CSV, 'bad-txns-nonfinal', ANYONE, sequence=0,
            median=True),  # BIP 113
    Offence(SEGWIT, FAILED, b'\0\0\xae', b'\x51'),  # BIP 147
    Offence(DERSIG, FAILED, push(KEY) + b'\xac\x91', push(b'\1\1')),
    Offence(CLTV, FAILED, push_number(FAR) + b'\xb1\x75\x51'),
]
# Blocks of these versions are refused from a height on.
VERSIONS = [(BIP34, 1), (DERSIG, 2), (CLTV, 3)]


def check_height(p, coins):
    height = p.a.height() + 1
    median = p.a.rpc('getblockheader', p.a.tip())['mediantime']
    txs = [o.tx(coins[i], median) for i, o in enumerate(OFFENCES)]
    for o, tx in zip(OFFENCES, txs):
        if height >= o.since:
            p.refused(p.next(tx), o.reason)
    least = 1
    for since, version in VERSIONS:
        if height >= since:
            p.refused(p.next(version=version),
                      'bad-version(0x%08x)' % version)
            least = max(least, version + 1)
    b = p.next(*(tx for o, tx in zip(OFFENCES, txs) if height < o.since),
               version=least)
    b.txs[0].ins[0].script = push(b'no height %d' % height)
    if height >= BIP34:
        p.refused(b, 'bad-cb-height')
        b = p.next()
    b.txs[0].ins[0].witness = [bytes(32)]
    b.txs[0].outs.append((0, b'\x6a\x24\xaa\x21\xa9\xed' + b.commitment()))
    if height < SEGWIT:
        p.refused(b, 'unexpected-witness', 'unexpected-witness')
        b.txs[0].ins[0].witness = []
    p.taken(b)


def test_each_rule_binds_from_its_height_on():
    names = dict(zip(HEIGHTS, ('csv', 'segwit', 'dersig', 'cltv', 'bip34')))
    p = Pair(*('-testactivationheight=%s@%d' % (n, h)
               for h, n in names.items()))
    with nodes(p.a, p.b):
        p.start(102)
        fund = []
        for height in (1, 2):
            txid, value = p.coin(height)
            scripts = [o.script for o in OFFENCES] * 4
            each = value // (len(scripts) + 1)
            tx = Tx([In(txid, 0)], [(each, s) for s in scripts])
            p.taken(p.next(tx))
            fund += [(tx.id(), i, each) for i in range(len(scripts))]
        for i in range(6):
            check_height(p, fund[i * len(OFFENCES):])
        assert p.a.height() == max(HEIGHTS)


def test_some_rules_bind_from_the_start():
    p = Pair('-testactivationheight=segwit@%d' % FAR)
    redeem = b'\x6a'
    h160 = hashlib.new('ripemd160', hashlib.sha256(redeem).digest()).digest()
    with nodes(p.a, p.b):
        p.start(101)
        txid, value = p.funded(b'\xa9' + push(h160) + b'\x87',
                               b'\0' + push(bytes([1] * 32)),
                               b'\x51' + push(bytes([1] * 32)))
        for n, script_sig in ((0, push(redeem)), (1, b''), (2, b'')):
            p.refused(p.next(Tx([In(txid, n, script_sig)],
                                [(value, ANYONE)])), FAILED)


if __name__ == '__main__':
    main(globals())
