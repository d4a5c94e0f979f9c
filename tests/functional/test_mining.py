#!/usr/bin/env python3
"""Generating and submitting blocks, and the answers of BIP22."""
from node import ADDRESS, Node, main, nodes, raises


def test_generate_pays_addresses_and_descriptors():
    a = Node()
    with nodes(a):
        a.start()
        one = a.rpc('generatetoaddress', 1, ADDRESS)
        two = a.rpc('generatetodescriptor', 2, 'raw(51)')
        assert len(one) == 1 and len(two) == 2
        out = a.rpc('getblock', two[1], 2)['tx'][0]['vout'][0]
        assert out['scriptPubKey']['hex'] == '51', out
        out = a.rpc('getblock', one[0], 2)['tx'][0]['vout'][0]
        assert out['scriptPubKey']['address'] == ADDRESS, out
        assert a.rpc('generatetoaddress', 0, ADDRESS) == []
        # Nobody can spend it, but it may be paid.
        long = '51' * 20000
        made = a.rpc('generatetodescriptor', 1, 'raw(%s)' % long)
        out = a.rpc('getblock', made[0], 2)['tx'][0]['vout'][0]
        assert out['scriptPubKey']['hex'] == long


def test_generate_refuses_what_is_no_destination():
    a = Node()
    with nodes(a):
        a.start()
        raises(-5, a.rpc, 'generatetoaddress', 1, 'bc1nothing')
        raises(-5, a.rpc, 'generatetodescriptor', 1, 'nothing(51)')
        raises(-5, a.rpc, 'generateblock', 'nothing', [])
        raises(-22, a.rpc, 'generateblock', ADDRESS, ['00'])
        assert a.height() == 0


def test_submitblock_answers_as_bip22_says():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        b.start()
        raw = [a.rpc('getblock', h, 0) for h in a.generate(3)]
        assert b.rpc('submitblock', raw[2]) == 'prev-blk-not-found'
        assert b.rpc('submitblock', raw[0]) is None
        assert b.rpc('submitblock', raw[0]) == 'duplicate'
        bad = bytearray(bytes.fromhex(raw[1]))
        bad[-1] ^= 1  # the lock time: another transaction
        assert b.rpc('submitblock', bad.hex()) == 'bad-txnmrklroot'
        # The header of a block that is bad by itself is not kept.
        assert b.rpc('getblockchaininfo')['headers'] == 1
        assert b.rpc('submitblock', raw[1]) is None
        assert b.rpc('submitblock', raw[2]) is None
        assert b.tip() == a.tip()
        raises(-22, b.rpc, 'submitblock', raw[2][:-2])
        raises(-22, b.rpc, 'submitblock', 'zz')


def test_a_header_alone_is_known_but_not_the_tip():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        b.start()
        h = [a.rpc('getblockheader', x, False) for x in a.generate(2)]
        assert 'previous header' in raises(-25, b.rpc, 'submitheader', h[1])
        b.rpc('submitheader', h[0])
        b.rpc('submitheader', h[1])
        info = b.rpc('getblockchaininfo')
        assert info['headers'] == 2 and info['blocks'] == 0, info
        tips = {t['status']: t for t in b.rpc('getchaintips')}
        assert tips['headers-only']['branchlen'] == 2, tips
        raises(-22, b.rpc, 'submitheader', h[0][:-2])


def test_generateblock_without_submit_leaves_the_chain():
    a = Node()
    with nodes(a):
        a.start()
        r = a.rpc('generateblock', ADDRESS, [], False)
        assert a.height() == 0
        assert a.rpc('submitblock', r['hex']) is None
        assert a.tip() == r['hash']


if __name__ == '__main__':
    main(globals())
