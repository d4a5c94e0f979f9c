#!/usr/bin/env python3
"""scantxoutset finds the coins of descriptors."""
from node import ADDRESS, Node, main, nodes, raises
from purse import COIN, DESC, SCRIPT, SUBSIDY, Purse


def test_coins_are_found_by_descriptor():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a, 3)
        t = p.send()
        p.mine()
        paid = a.rpc('generatetoaddress', 2, ADDRESS)
        r = a.rpc('scantxoutset', 'start', [DESC])
        assert r['success'] and r['height'] == a.height()
        assert r['bestblock'] == a.tip()
        assert r['txouts'] == a.rpc('gettxoutsetinfo')['txouts']
        # 103 blocks, of which one coin became another, and one more.
        assert len(r['unspents']) == 104, len(r['unspents'])
        total = sum(round(u['amount'] * COIN) for u in r['unspents'])
        assert total == 104 * SUBSIDY == round(r['total_amount'] * COIN)
        ids = [bytes.fromhex(u['txid'])[::-1] for u in r['unspents']]
        assert ids == sorted(ids)
        u = [u for u in r['unspents'] if u['txid'] == t.id][0]
        assert u['scriptPubKey'] == SCRIPT.hex() and not u['coinbase']
        assert u['confirmations'] == 3 and u['height'] == a.height() - 2
        assert u['blockhash'] == a.rpc('getblockhash', u['height'])
        r = a.rpc('scantxoutset', 'start',
                  ['raw(51)', {'desc': 'addr(%s)' % ADDRESS}])
        assert sorted(u['blockhash'] for u in r['unspents']) == sorted(paid)
        assert r['unspents'][0]['desc'].startswith('addr(' + ADDRESS)
        assert a.rpc('scantxoutset', 'start', [])['unspents'] == []


def test_actions_that_do_not_fit_are_refused():
    a = Node()
    with nodes(a):
        a.start()
        assert a.rpc('scantxoutset', 'status') is None
        assert a.rpc('scantxoutset', 'abort') is False
        raises(-1, a.rpc, 'scantxoutset', 'start')
        raises(-8, a.rpc, 'scantxoutset', 'wait')
        raises(-5, a.rpc, 'scantxoutset', 'start', ['nothing'])
        raises(-8, a.rpc, 'scantxoutset', 'start', [5])
        raises(-8, a.rpc, 'scantxoutset', 'start', [{}])
        raises(-8, a.rpc, 'scantxoutset', 'start',
               [{'desc': 'raw(51)', 'range': [0, 1000000]}])
        # A failure does not leave it busy.
        assert a.rpc('scantxoutset', 'start', ['raw(51)'])['success']


if __name__ == '__main__':
    main(globals())
