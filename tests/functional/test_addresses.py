#!/usr/bin/env python3
"""Addresses, multisigs and signed messages by RPC."""
from node import ADDRESS, Node, main, nodes, raises

# Secret 1 on regtest, its public key, and its P2PKH address.
WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA'
KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
FULL = ('0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
        '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8')
P2PKH = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r'


def test_validateaddress_describes_or_says_why():
    a = Node()
    with nodes(a):
        a.start()
        r = a.rpc('validateaddress', ADDRESS)
        assert r == {
            'isvalid': True, 'address': ADDRESS,
            'scriptPubKey': '0014751e76e8199196d454941c45d1b3a323f1433bd6',
            'isscript': False, 'iswitness': True, 'witness_version': 0,
            'witness_program': '751e76e8199196d454941c45d1b3a323f1433bd6'}, r
        r = a.rpc('validateaddress', P2PKH)
        assert (r['isscript'], r['iswitness']) == (False, False), r
        r = a.rpc('validateaddress', ADDRESS[:-1] + 'q')
        assert not r['isvalid'] and r['error_locations'] == [43], r
        assert 'Invalid Bech32 checksum' in r['error'], r
        r = a.rpc('validateaddress', 'x')
        assert (r['isvalid'], r['error_locations']) == (False, []), r


def test_createmultisig_agrees_with_descriptors():
    a = Node()
    with nodes(a):
        a.start()
        for kind, desc in (('legacy', 'sh(%s)'), ('bech32', 'wsh(%s)'),
                           ('p2sh-segwit', 'sh(wsh(%s))')):
            r = a.rpc('createmultisig', 2, [KEY, '03' + KEY[2:]], kind)
            want = desc % 'multi(2,%s,03%s)' % (KEY, KEY[2:])
            assert r['descriptor'].split('#')[0] == want, r
            assert a.rpc('deriveaddresses', r['descriptor']) == [r['address']]
        r = a.rpc('createmultisig', 1, [FULL], 'bech32')
        assert r['descriptor'].startswith('sh(multi(1,04') and r['warnings'], r
        raises(-8, a.rpc, 'createmultisig', 0, [KEY])
        raises(-8, a.rpc, 'createmultisig', 2, [KEY])
        raises(-8, a.rpc, 'createmultisig', 1, [KEY] * 16)
        raises(-8, a.rpc, 'createmultisig', 1, [KEY] * 21, 'bech32')
        assert a.rpc('createmultisig', 20, [KEY] * 20, 'bech32')
        raises(-5, a.rpc, 'createmultisig', 1, [KEY[:-2]])
        raises(-5, a.rpc, 'createmultisig', 1, ['05' + KEY[2:]])
        raises(-5, a.rpc, 'createmultisig', 1, [KEY], 'bech32m')
        raises(-3, a.rpc, 'createmultisig', 1, [1])


def test_messages_verify_with_their_address_only():
    a = Node()
    with nodes(a):
        a.start()
        sig = a.rpc('signmessagewithprivkey', WIF, 'Trust no one')
        # The nonce is that of RFC 6979, so the signature is always the same.
        assert sig == a.rpc('signmessagewithprivkey', WIF, 'Trust no one')
        assert a.rpc('verifymessage', P2PKH, sig, 'Trust no one') is True
        assert a.rpc('verifymessage', P2PKH, sig, 'Trust me') is False
        assert a.rpc('verifymessage', P2PKH, 'A' + sig[1:], 'x') is False
        raises(-5, a.rpc, 'verifymessage', 'x', sig, 'x')
        raises(-3, a.rpc, 'verifymessage', ADDRESS, sig, 'x')
        raises(-3, a.rpc, 'verifymessage', P2PKH, sig[1:], 'x')
        raises(-5, a.rpc, 'signmessagewithprivkey', WIF[:-1], 'x')


if __name__ == '__main__':
    main(globals())
