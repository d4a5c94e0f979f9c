#!/usr/bin/env python3
"""What commands show of the pool: relatives, clusters, fees, spenders."""
import base64
import json
import socket

from node import Node, RpcError, main, nodes, raises, wait_until
from p2p import Peer
from purse import COIN, SUBSIDY, Purse, Spend, pool


def family(a, p):
    """A parent with two children, of which the second has one with both."""
    top = Spend([p.coin()], [SUBSIDY // 2, SUBSIDY // 2 - 1000])
    left = Spend([top.out(0)], [SUBSIDY // 2 - 2000])
    right = Spend([top.out(1)], [SUBSIDY // 2 - 4000])
    low = Spend([left.out(), right.out()], [SUBSIDY - 26000])
    for t in (top, left, right, low):
        a.rpc('sendrawtransaction', t.hex)
    return top, left, right, low


def test_relatives_are_counted_and_named():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        top, left, right, low = family(a, p)
        lone = p.send(300)
        e = a.rpc('getmempoolentry', low.id)
        assert sorted(e['depends']) == sorted([left.id, right.id])
        assert e['ancestorcount'] == 4 and e['descendantcount'] == 1
        assert round(e['fees']['ancestor'] * COIN) == 26000, e
        assert e['spentby'] == [] and e['wtxid'] == low.wid
        e = a.rpc('getmempoolentry', top.id)
        assert e['spentby'] == sorted([left.id, right.id], key=lambda i:
                                      bytes.fromhex(i)[::-1])
        assert e['descendantcount'] == 4 and e['ancestorcount'] == 1
        assert e['descendantsize'] == sum(
            x['vsize'] for i, x in a.rpc('getrawmempool', True).items()
            if i != lone.id)
        up = a.rpc('getmempoolancestors', low.id)
        assert set(up) == {top.id, left.id, right.id}
        down = a.rpc('getmempooldescendants', top.id, True)
        assert set(down) == {left.id, right.id, low.id}
        assert down[left.id] == a.rpc('getmempoolentry', left.id)
        whole = a.rpc('getrawmempool', True)
        assert whole[low.id] == a.rpc('getmempoolentry', low.id)
        assert set(whole) == pool(a)
        for m in ('getmempoolentry', 'getmempoolancestors',
                  'getmempooldescendants', 'getmempoolcluster'):
            assert raises(-5, a.rpc, m, '11' * 32) == \
                'Transaction not in mempool'
            raises(-8, a.rpc, m, 'short')
        raises(-8, a.rpc, 'getrawmempool', True, True)


def test_chunks_add_up_to_the_diagram():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        top, left, right, low = family(a, p)
        p.send(300)
        c = a.rpc('getmempoolcluster', low.id)
        assert c['txcount'] == 4
        assert c == a.rpc('getmempoolcluster', top.id)
        assert [i for x in c['chunks'] for i in x['txs']] == \
            [i for i in a.rpc('getrawmempool') if i in
             (top.id, left.id, right.id, low.id)]
        weights = [x['chunkweight'] for x in c['chunks']]
        assert sum(weights) == c['clusterweight']
        points = a.rpc('getmempoolfeeratediagram')
        assert points[0] == {'weight': 0, 'fee': 0}
        assert round(points[-1]['fee'] * COIN) == 26300, points
        rates = [(y['fee'] - x['fee']) / (y['weight'] - x['weight'])
                 for x, y in zip(points, points[1:])]
        assert rates == sorted(rates, reverse=True), rates


def test_spenders_are_found():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        c, free = p.coins[:2]
        t = p.send()
        asked = [{'txid': c[0], 'vout': 0}, {'txid': free[0], 'vout': 0}]
        r = a.rpc('gettxspendingprevout', asked)
        assert r == [dict(asked[0], spendingtxid=t.id), asked[1]], r
        r = a.rpc('gettxspendingprevout', asked[:1],
                  {'return_spending_tx': True})
        assert r[0]['spendingtx'] == t.hex
        raises(-1, a.rpc, 'gettxspendingprevout', asked,
               {'mempool_only': False})
        raises(-8, a.rpc, 'gettxspendingprevout', [])
        raises(-8, a.rpc, 'gettxspendingprevout', [{'txid': c[0], 'vout': -1}])
        raises(-3, a.rpc, 'gettxspendingprevout', [{'txid': c[0]}])
        raises(-3, a.rpc, 'gettxspendingprevout', [dict(asked[0], n=1)])
        many = a.rpc('gettxspendingprevout', asked * 5000)
        assert len(many) == 10000 and many[-2:] == [
            dict(asked[0], spendingtxid=t.id), asked[1]]


def test_orphans_are_shown_with_who_sent_them():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        top = p.pay()
        kids = [Spend([top.out()], [SUBSIDY - 20000 - i]) for i in range(3)]
        x, y = Peer(a).handshake(), Peer(a).handshake()
        for k in kids[1:]:
            x.send('tx', k.raw)
        x.sync()
        y.send('tx', kids[0].raw)
        y.sync()
        ids = [i['id'] for i in a.rpc('getpeerinfo')]
        r = a.rpc('getorphantxs', 2)
        order = sorted(kids, key=lambda k: bytes.fromhex(k.wid)[::-1])
        assert [o['wtxid'] for o in r] == [k.wid for k in order], r
        assert [o['hex'] for o in r] == [k.hex for k in order]
        assert a.rpc('getorphantxs') == [k.id for k in order]
        who = {o['txid']: o['from'] for o in a.rpc('getorphantxs', 1)}
        assert who == {kids[0].id: ids[1:], kids[1].id: ids[:1],
                       kids[2].id: ids[:1]}, (who, ids)
        for bad, code in [(3, -8), (-1, -8), (True, -3), ('1', -3)]:
            raises(code, a.rpc, 'getorphantxs', bad)
        assert 'getorphantxs' not in a.rpc('help')
        x.close()
        y.close()


def test_priorities_change_the_order_only():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        good, bad = p.send(20000), p.send(500)
        assert a.rpc('getrawmempool') == [good.id, bad.id]
        # Before it comes, too.
        later = p.pay(600)
        assert a.rpc('prioritisetransaction', later.id, 0, 100000) is True
        a.rpc('prioritisetransaction', bad.id, None, 50000)
        a.rpc('sendrawtransaction', later.hex)
        assert a.rpc('getrawmempool') == [later.id, bad.id, good.id]
        fees = a.rpc('getmempoolentry', bad.id)['fees']
        assert fees['base'] == 0.000005 and fees['modified'] == 0.000505, fees
        assert a.rpc('getprioritisedtransactions') == {
            bad.id: {'fee_delta': 50000, 'in_mempool': True,
                     'modified_fee': 50500},
            later.id: {'fee_delta': 100000, 'in_mempool': True,
                       'modified_fee': 100600}}
        a.rpc('prioritisetransaction', bad.id, 0, -50000)
        assert bad.id not in a.rpc('getprioritisedtransactions')
        raises(-8, a.rpc, 'prioritisetransaction', bad.id, 1, 1)
        raises(-8, a.rpc, 'prioritisetransaction', 'none', 0, 1)
        p.mine()
        assert a.rpc('getprioritisedtransactions') == {}


def test_a_long_list_is_streamed():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a, 3)
        wide = [Spend([p.coin()], [SUBSIDY // 400 - 500] * 400)
                for _ in range(3)]
        for t in wide:
            a.rpc('sendrawtransaction', t.hex, 0)
        p.mine()
        sent = set()
        for t in wide:
            for n in range(0, 400, 2):
                s = Spend([t.out(n), t.out(n + 1)], [SUBSIDY // 200 - 5000])
                a.rpc('sendrawtransaction', s.hex)
                sent.add(s.id)
        assert pool(a) == sent and len(sent) == 600
        whole = a.rpc('getrawmempool', True)
        assert set(whole) == sent
        some = next(iter(whole))
        assert whole[some] == a.rpc('getmempoolentry', some)
        # Those who ask and do not read hold a copy each, but not any number.
        idle = [asking(a, 'getrawmempool', [True]) for _ in range(20)]
        text = wait_until('it is enough', lambda: refusal(a))
        assert text == 'The pool is being copied by 16 calls already', text
        for x in idle:
            x.close()
        wait_until('they are gone', lambda: not refusal(a))


def asking(a, method, params):
    """A connection that has sent a call and takes next to nothing of the
    answer."""
    x = socket.socket()
    x.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    x.connect(('127.0.0.1', a.rpcport))
    body = json.dumps({'method': method, 'params': params}).encode()
    x.sendall(b'POST / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ' +
              base64.b64encode(a.cookie()) + b'\r\nContent-Length: %d\r\n\r\n'
              % len(body) + body)
    return x


def refusal(a):
    try:
        a.rpc('getrawmempool')
        return None
    except RpcError as e:
        assert e.code == -7, e
        return e.message


if __name__ == '__main__':
    main(globals())
