#!/usr/bin/env python3
"""Signing by RPC: coins of every kind are spent with private keys, and mined.

The keys' arithmetic is secp.py's, so that the node is not asked what it did."""
from node import ADDRESS, Node, main, nodes, raises
from secp import public, sha256
from spend import hash160, next_op, parse_tx, push

BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
TYPES = ['DEFAULT'] + [t + any_ for t in ('ALL', 'NONE', 'SINGLE')
                       for any_ in ('', '|ANYONECANPAY')]
CHECKSIG = b'\xac'


def wif(secret, compressed=True):
    """A private key of regtest."""
    b = b'\xef' + secret.to_bytes(32, 'big') + b'\x01' * compressed
    b += sha256(sha256(b))[:4]
    n, text = int.from_bytes(b, 'big'), ''
    while n:
        n, digit = divmod(n, 58)
        text = BASE58[digit] + text
    return text


A, B, C = (public(d) for d in (1, 2, 3))
U = public(1, 'whole')
WIFS = [wif(d) for d in (1, 2, 3)] + [wif(1, False)]
PKH = b'\x76\xa9' + push(hash160(A)) + b'\x88' + CHECKSIG
MULTI = b'\x52' + push(A) + push(B) + push(C) + b'\x53\xae'
SORTED = b'\x52' + b''.join(push(k) for k in sorted((A, B, C))) + b'\x53\xae'
MULTI_DESC = 'multi(2,%s,%s,%s)' % (A.hex(), B.hex(), C.hex())
# Descriptor, script behind a hash, whether two have to sign.
KINDS = [
    ('pk(%s)' % A.hex(), None, False),
    ('pk(%s)' % U.hex(), None, False),
    ('pkh(%s)' % A.hex(), None, False),
    ('pkh(%s)' % U.hex(), None, False),
    ('wpkh(%s)' % A.hex(), None, False),
    ('combo(%s)' % B.hex(), None, False),
    ('rawtr(%s)' % A.hex()[2:], None, False),
    ('tr(%s)' % A.hex()[2:], None, False),
    (MULTI_DESC, None, True),
    ('sh(wpkh(%s))' % A.hex(), b'\0' + push(hash160(A)), False),
    ('sh(pk(%s))' % A.hex(), push(A) + CHECKSIG, False),
    ('sh(pkh(%s))' % A.hex(), PKH, False),
    ('sh(%s)' % MULTI_DESC, MULTI, True),
    ('sh(sorted%s)' % MULTI_DESC, SORTED, True),
    ('wsh(pk(%s))' % A.hex(), push(A) + CHECKSIG, False),
    ('wsh(pkh(%s))' % A.hex(), PKH, False),
    ('wsh(%s)' % MULTI_DESC, MULTI, True),
    ('wsh(sorted%s)' % MULTI_DESC, SORTED, True),
    ('sh(wsh(pkh(%s)))' % A.hex(), PKH, False),
    ('sh(wsh(%s))' % MULTI_DESC, MULTI, True),
]


class Coin:
    """The coins of a block that was mined to a descriptor."""

    def __init__(self, a, desc, code=None, two=False):
        self.desc, self.two = desc, two
        block = a.rpc('generatetodescriptor', 1, desc)[0]
        tx = a.rpc('getblock', block, 2)['tx'][0]
        self.txid = tx['txid']
        self.amount = tx['vout'][0]['value']
        self.prevout = {'txid': self.txid, 'vout': 0, 'amount': self.amount,
                        'scriptPubKey': tx['vout'][0]['scriptPubKey']['hex']}
        if code is not None and desc.startswith('sh(wsh('):
            self.prevout['redeemScript'] = (b'\0' + push(sha256(code))).hex()
        if code is not None:
            self.prevout['witnessScript' if 'wsh(' in desc
                         else 'redeemScript'] = code.hex()

    def spend(self, a):
        """Not signed."""
        return a.rpc('createrawtransaction', [{'txid': self.txid, 'vout': 0}],
                     [{ADDRESS: round(self.amount - 0.001, 8)}])

    def sign(self, a, raw, keys, *args):
        return a.rpc('signrawtransactionwithkey', raw, keys, [self.prevout],
                     *args)


def setup(a, kinds):
    """Coins of every kind, old enough to be spent."""
    a.start()
    coins = [Coin(a, *kind) for kind in kinds]
    a.rpc('generatetodescriptor', 100, 'raw(51)')
    return coins


def mine(a, *txs):
    return a.rpc('generateblock', 'raw(51)', list(txs))['hash']


def refused(a, tx):
    raises(-25, a.rpc, 'generateblock', 'raw(51)', [tx.bytes().hex()])


def parsed(raw):
    return parse_tx(bytes.fromhex(raw))


def pushes(sig):
    at = 0
    while at < len(sig):
        _, data, at = next_op(sig, at)
        yield data or b''


def signatures(raw):
    """All that the first input holds, with their types."""
    tx = parsed(raw)
    items = list(pushes(tx.ins[0][1])) + tx.wits[0]
    return [i for i in items if len(i) in (64, 65) and i[0] not in (4, 0x52)
            or i[:1] == b'\x30' and 60 < len(i) < 74]


def tampered(raw):
    """The same with another amount, and with a signature that has a bit
    flipped."""
    tx = parsed(raw)
    tx.outs[0] = (tx.outs[0][0] - 1, tx.outs[0][1])
    yield tx
    sig = signatures(raw)[0]
    at = bytes.fromhex(raw).index(sig) + 40
    b = bytearray.fromhex(raw)
    b[at] ^= 1
    yield parse_tx(bytes(b))


def test_coins_of_every_kind_are_spent():
    a = Node()
    with nodes(a):
        txs = []
        for coin in setup(a, KINDS):
            raw = coin.spend(a)
            raises(-25, a.rpc, 'generateblock', 'raw(51)', [raw])
            got = coin.sign(a, raw, WIFS)
            assert got['complete'] and 'errors' not in got, (coin.desc, got)
            for sig in signatures(got['hex']):
                # The first half is low, and so is the second.
                assert sig[0] != 0x30 or (
                    len(sig) <= 71 and sig[3] <= 32), (coin.desc, sig.hex())
            assert len(signatures(got['hex'])) == 1 + coin.two, coin.desc
            for tx in tampered(got['hex']):
                refused(a, tx)
            # Signed again it stays what it is.
            again = coin.sign(a, got['hex'], [])
            assert again['complete'] and again['hex'] == got['hex'], coin.desc
            txs.append(got['hex'])
        block = mine(a, *txs)
        mined = a.rpc('getblock', block, 2)['tx'][1:]
        assert [t['hex'] for t in mined] == txs
        assert a.rpc('gettxout', mined[-1]['txid'], 0)['confirmations'] == 1


def test_all_inputs_are_signed_at_once():
    a = Node()
    with nodes(a):
        coins = setup(a, KINDS)
        raw = a.rpc('createrawtransaction',
                    [{'txid': c.txid, 'vout': 0} for c in coins],
                    [{ADDRESS: 3}])
        # Scripts behind hashes are told, the rest is in the chain.
        told = [c.prevout for c in coins if len(c.prevout) > 4]
        few = a.rpc('signrawtransactionwithkey', raw, WIFS)
        assert not few['complete'] and len(few['errors']) == len(told), few
        got = a.rpc('signrawtransactionwithkey', few['hex'], WIFS, told)
        assert got['complete'], got
        mine(a, got['hex'])
        # Now they are spent.
        got = a.rpc('signrawtransactionwithkey', raw, WIFS)
        assert [e['error'] for e in got['errors']] == (
            ['Input not found or already spent'] * len(coins)), got


def test_multisigs_are_signed_in_turns():
    a = Node()
    with nodes(a):
        txs = []
        for coin in setup(a, [k for k in KINDS if k[2]]):
            raw = coin.spend(a)
            first = coin.sign(a, raw, WIFS[:1])
            assert not first['complete'] and len(first['errors']) == 1, first
            error = first['errors'][0]
            assert (error['txid'], error['vout']) == (coin.txid, 0), error
            assert error['error'] == (
                'CHECK(MULTI)SIG failing with non-zero signature (possibly '
                'need more signatures)'), error
            refused(a, parsed(first['hex']))
            last = coin.sign(a, raw, WIFS[2:])
            both = coin.sign(a, first['hex'], WIFS[2:])
            assert both['complete'], both
            for forms in ([first, last], [last, first], [last, both]):
                assert a.rpc('combinerawtransaction',
                             [f['hex'] for f in forms]) == both['hex']
            txs.append(both['hex'])
        mine(a, *txs)


def test_types_say_what_is_signed():
    a = Node()
    kinds = [k for k in KINDS if k[0].startswith(('pkh(02', 'wpkh', 'tr('))]
    with nodes(a):
        for coin in setup(a, [k for k in kinds for _ in TYPES]):
            name = TYPES.pop(0)
            TYPES.append(name)
            got = coin.sign(a, coin.spend(a), WIFS, name)
            assert got['complete'], (coin.desc, name, got)
            for tx in tampered(got['hex']):
                if name.startswith('NONE') and tx.outs != parsed(
                        got['hex']).outs:
                    mined = tx
                else:
                    refused(a, tx)
                    mined = parsed(got['hex'])
            # Outputs may be added to SINGLE, inputs to ANYONECANPAY.
            mined.outs.append((0, b'\x51'))
            if name.startswith(('DEFAULT', 'ALL')):
                refused(a, mined)
                mined.outs.pop()
            mine(a, mined.bytes().hex())


def test_what_cannot_be_signed_is_told():
    a = Node()
    with nodes(a):
        coin = setup(a, [('wpkh(%s)' % A.hex(),)])[0]
        raw, sign = coin.spend(a), 'signrawtransactionwithkey'
        for keys in ([], WIFS[1:]):
            got = a.rpc(sign, raw, keys)
            assert not got['complete'] and got['hex'] == raw, got
            assert got['errors'][0]['error'] == (
                'Witness program hash mismatch'), got
        other = a.rpc('createrawtransaction', [{'txid': 'ab' * 32, 'vout': 0}],
                      [{ADDRESS: 1}])
        got = a.rpc(sign, other, WIFS)
        assert got['errors'][0]['error'] == (
            'Input not found or already spent'), got
        out = {'txid': 'ab' * 32, 'vout': 0,
               'scriptPubKey': coin.prevout['scriptPubKey']}
        raises(-3, a.rpc, sign, other, WIFS, [out])
        assert a.rpc(sign, other, WIFS, [dict(out, amount=1)])['complete']
        for code, *args in (
                (-22, '00', WIFS), (-22, raw[:-2], WIFS), (-5, raw, ['x']),
                (-5, raw, [WIFS[0][:-1]]), (-8, raw, WIFS, [], 'MOST'),
                (-3, raw, [1]), (-3, raw, WIFS, [{'txid': 'ab' * 32}]),
                (-22, raw, WIFS, [dict(out, vout=-1)]),
                (-22, raw, WIFS, [dict(coin.prevout, scriptPubKey='51')]),
                (-8, raw, WIFS, [dict(out, txid='x')]), (-22, raw, WIFS, [1])):
            raises(code, a.rpc, sign, *args)
        combine = 'combinerawtransaction'
        for code, forms in ((-22, [raw]), (-22, []), (-22, [raw, '00']),
                            (-8, [raw, other]), (-25, [other, other])):
            raises(code, a.rpc, combine, forms)


if __name__ == '__main__':
    main(globals())
