#!/usr/bin/env python3
"""Descriptors by RPC: what they say, their addresses, mining to them."""
import json

from node import Node, main, nodes, raises

G = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
GX = G[2:]
# The key of secret 1 on regtest, and BIP 32's test vector 1 as tprv and tpub.
WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA'
TPRV = ('tprv8ZgxMBicQKsPeDgjzdC36fs6bMjGApWDNLR9erAXMs5skhMv36j9MV5ecvfavji5kh'
        'qjWaWSFhN3YcCUUdiKH6isR4Pwy3U5y5egddBr16m')
TPUB = ('tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56h'
        'jod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp')


def with_sum(a, desc):
    return desc + '#' + a.rpc('getdescriptorinfo', desc)['checksum']


def test_getdescriptorinfo_says_what_a_descriptor_is():
    a = Node()
    with nodes(a):
        a.start()
        r = a.rpc('getdescriptorinfo', 'wpkh(%s/0\'/*)' % TPRV)
        want = 'wpkh(%s/0\'/*)' % TPUB
        assert r['descriptor'].split('#')[0] == want, r
        assert (r['isrange'], r['issolvable'], r['hasprivatekeys']) == (
            True, True, True), r
        # The checksum is that of what was given.
        assert a.rpc('getdescriptorinfo', 'raw(51)#8lvh9jxk')['checksum'] == (
            '8lvh9jxk')
        r = a.rpc('getdescriptorinfo', 'pkh(%s/<0;1>/*)' % TPUB)
        kinds = [d.split('#')[0] for d in r['multipath_expansion']]
        assert kinds == ['pkh(%s/%d/*)' % (TPUB, i) for i in (0, 1)], r
        assert r['descriptor'] == r['multipath_expansion'][0]
        for bad in ('', 'wsh(older(1))', 'pk(%s)' % G[:-1], 'raw(51)#8lvh9jxl',
                    'raw(51)\0'):
            raises(-5, a.rpc, 'getdescriptorinfo', bad)


def test_deriveaddresses_gives_every_address_of_a_range():
    a = Node()
    with nodes(a):
        a.start()
        desc = with_sum(a, 'tr(%s/1/*,pk(%s))' % (TPUB, GX))
        all_ = a.rpc('deriveaddresses', desc, [0, 199])
        assert len(set(all_)) == 200
        assert a.rpc('deriveaddresses', desc, [37, 37]) == [all_[37]]
        assert a.rpc('deriveaddresses', desc, 2) == all_[:3]
        two = a.rpc('deriveaddresses',
                    with_sum(a, 'wpkh(%s/<1;2>/*)' % TPUB), 70)
        assert [len(x) for x in two] == [71, 71] and two[0] != two[1]
        # Of combo the key itself has no address.
        assert len(a.rpc('deriveaddresses', with_sum(a, 'combo(%s)' % G))) == 3
        # A large answer is the same as its parts.
        many = a.rpc('deriveaddresses', desc, [100, 4099])
        assert many[:100] == all_[100:] and len(set(many)) == 4000


def test_deriveaddresses_refuses_what_has_none():
    a = Node()
    with nodes(a):
        a.start()
        ranged = with_sum(a, 'wpkh(%s/*)' % TPUB)
        single = with_sum(a, 'wpkh(%s)' % G)
        why = raises(-5, a.rpc, 'deriveaddresses', 'raw(51)')
        assert why == 'Missing checksum', why
        for desc in ('pk(%s)' % G, 'multi(1,%s)' % G, 'raw(51)'):
            raises(-5, a.rpc, 'deriveaddresses', with_sum(a, desc))
        why = raises(-5, a.rpc, 'deriveaddresses',
                     with_sum(a, 'wpkh(%s/1h)' % TPUB))
        assert why == 'Cannot derive script without private keys', why
        raises(-1, a.rpc, 'deriveaddresses', with_sum(a, 'unused(%s)' % G))
        raises(-8, a.rpc, 'deriveaddresses', ranged)
        raises(-8, a.rpc, 'deriveaddresses', single, 0)
        for bad in (-1, [-1, 1], [2, 1], [0, 1 << 31], [0, 1000000], 'x', [0],
                    [0, 'x'], {}):
            raises(-8, a.rpc, 'deriveaddresses', ranged, bad)
        raises(-1, a.rpc, 'deriveaddresses', ranged, 1.5)
        assert len(a.rpc('deriveaddresses', ranged,
                         [(1 << 31) - 1, (1 << 31) - 1])) == 1


def test_blocks_are_mined_to_every_kind_of_descriptor():
    a = Node()
    with nodes(a):
        a.start()
        for desc in ('pk(%s)' % G, 'pkh(%s)' % WIF, 'wpkh(%s/3)' % TPRV,
                     'sh(wpkh(%s))' % G, 'wsh(multi(1,%s,%s/1h))' % (G, TPRV),
                     'sh(wsh(sortedmulti(1,%s,%s)))' % (G, TPUB),
                     'tr(%s,{pk(%s),multi_a(1,%s)})' % (GX, TPUB, GX),
                     'rawtr(%s)' % GX, 'sh(multi(1,%s))' % G):
            block = a.rpc('generatetodescriptor', 1, desc)[0]
            out = a.rpc('getblock', block, 2)['tx'][0]['vout'][0]
            got = out['scriptPubKey'].get('address')
            if got:
                assert [got] == a.rpc('deriveaddresses', with_sum(a, desc))
        block = a.rpc('generateblock', 'combo(%s)' % G, [])['hash']
        out = a.rpc('getblock', block, 2)['tx'][0]['vout'][0]['scriptPubKey']
        assert out['type'] == 'witness_v0_keyhash', out
        for call, args in (('generatetodescriptor', (1, )),
                           ('generateblock', ())):
            more = ([], ) if call == 'generateblock' else ()
            for bad in ('pkh(%s/*)' % TPUB, 'pkh(%s/<0;1>)' % TPUB):
                raises(-8, a.rpc, call, *args, bad, *more)
            raises(-5, a.rpc, call, *args, 'pkh(%s/1h)' % TPUB, *more)


def test_private_keys_do_not_come_back():
    a = Node()
    with nodes(a):
        a.start()
        for desc in ('pk(%s)' % WIF, 'wsh(multi(1,%s/0h,%s))' % (TPRV, WIF)):
            said = json.dumps(a.rpc('getdescriptorinfo', desc))
            assert WIF not in said and TPRV not in said, said


if __name__ == '__main__':
    main(globals())
