#!/usr/bin/env python3
"""Raw transactions by RPC: taken apart, put together."""
import decimal
import json
import struct

from node import ADDRESS, Node, data_file, main, nodes, raises

TXID = 'ab' * 32


def test_transactions_are_taken_apart_as_bitcoin_core_does():
    with open(data_file('vectors', 'core', 'util_tx_cases.json')) as f:
        cases = json.load(f)
    a = Node('main')
    n = 0
    with nodes(a):
        a.start()
        for name, text in cases.items():
            want = json.loads(text) if name.endswith('.json') else None
            if not isinstance(want, dict) or 'hex' not in want:
                continue
            raw = want.pop('hex')
            got = a.rpc('decoderawtransaction', raw)
            assert got == want, (name, got, want)
            n += 1
    print('util_tx_cases: %d transactions' % n)
    assert n == 24, n


def test_scripts_are_taken_apart_as_bitcoin_core_does():
    with open(data_file('vectors', 'core', 'rpc_decodescript.json')) as f:
        cases = json.load(f)
    a = Node()
    with nodes(a):
        a.start()
        for script, want in cases:
            got = a.rpc('decodescript', script)
            assert got == want, (script, got, want)
        assert a.rpc('decodescript', '')['type'] == 'nonstandard'
        raises(-8, a.rpc, 'decodescript', '5')
    print('rpc_decodescript: %d scripts' % len(cases))
    assert len(cases) == 10


def test_forms_without_inputs_are_told_apart():
    a = Node()
    with nodes(a):
        a.start()
        raw = a.rpc('createrawtransaction', [], [{ADDRESS: 1}])
        tx = a.rpc('decoderawtransaction', raw)
        assert (len(tx['vin']), len(tx['vout'])) == (0, 1), tx
        assert a.rpc('decoderawtransaction', raw, False) == tx
        raises(-22, a.rpc, 'decoderawtransaction', raw, True)
        for bad in ('', '00', 'x', raw + '00', raw[:-2]):
            raises(-22, a.rpc, 'decoderawtransaction', bad)


def test_values_that_no_money_has_are_shown_as_they_are():
    a = Node()
    with nodes(a):
        a.start()
        for values in ([2 ** 63 - 1, 1], [-2 ** 63, -1], [2 ** 63 - 1] * 3):
            raw = '0200000001' + 'aa' * 32 + '00000000' + '00' + 'ff' * 4 + \
                '%02x' % len(values) + ''.join(
                    struct.pack('<q', v).hex() + '0151' for v in values) + \
                '00000000'
            status, body = a.post(json.dumps(
                {'method': 'decoderawtransaction', 'params': [raw]}))
            got = json.loads(body, parse_float=decimal.Decimal)['result']
            assert [int(o['value'].scaleb(8)) for o in got['vout']] == values


def test_createrawtransaction_puts_together_what_is_named():
    a = Node()
    with nodes(a):
        a.start()
        one = {'txid': TXID, 'vout': 3}
        raw = a.rpc('createrawtransaction', [one, dict(one, sequence=7)],
                    [{ADDRESS: '0.00000001'}, {'data': 'c0ffee'}], 9, True, 3)
        tx = a.rpc('decoderawtransaction', raw)
        assert (tx['version'], tx['locktime']) == (3, 9), tx
        assert [i['sequence'] for i in tx['vin']] == [0xfffffffd, 7], tx
        assert tx['vin'][0]['txid'] == TXID and tx['vin'][0]['vout'] == 3
        assert [o['value'] for o in tx['vout']] == [1e-8, 0], tx
        assert tx['vout'][1]['scriptPubKey']['hex'] == '6a03c0ffee', tx
        # An object of outputs is the same.
        assert a.rpc('createrawtransaction', [one], {ADDRESS: 2}) == (
            a.rpc('createrawtransaction', [one], [{ADDRESS: 2}]))
        final = a.rpc('createrawtransaction', [one], [], 0, False)
        assert a.rpc('decoderawtransaction', final)['vin'][0]['sequence'] == (
            0xffffffff)


def test_createrawtransaction_refuses_what_does_not_fit():
    a = Node()
    with nodes(a):
        a.start()
        one = {'txid': TXID, 'vout': 0}
        for code, *args in (
                (-8, [{'txid': TXID}], []), (-8, [dict(one, vout=-1)], []),
                (-8, [dict(one, txid='x')], []), (-3, [1], []),
                (-8, [dict(one, sequence=-1)], []),
                (-3, [one], {ADDRESS: 'x'}), (-3, [one], {ADDRESS: -1}),
                (-3, [one], {ADDRESS: 21000001}), (-5, [one], {'x': 1}),
                (-8, [one], [{ADDRESS: 1}, {ADDRESS.upper(): 1}]),
                (-8, [one], {'data': 'x'}), (-8, [one], [{}]),
                (-8, [one], [], -1), (-8, [one], [], 1 << 32),
                (-8, [dict(one, sequence=0xffffffff)], [], 0, True),
                (-8, [one], [], 0, True, 4), (-8, [one], None)):
            raises(code, a.rpc, 'createrawtransaction', *args)


if __name__ == '__main__':
    main(globals())
