#!/usr/bin/env python3
"""The pool's bounds: memory, age, relatives; and what is asked afterwards."""
import time

from node import Node, main, nodes, raises, wait_until
from purse import SUBSIDY, Purse, Spend, pool


def test_a_full_pool_drops_what_pays_least():
    a = Node(args=['-maxmempool=1', '-limitclustersize=20'])
    with nodes(a):
        a.start()
        p = Purse(a, 90)
        # About 15 kB each, each paying more than the one before.
        sent = [p.send(20000 + 1000 * i, pad=15000) for i in range(90)]
        info = a.rpc('getmempoolinfo')
        assert info['usage'] <= info['maxmempool'] == 1000000, info
        kept = pool(a)
        assert 20 < len(kept) < 90, len(kept)
        assert kept == {t.id for t in sent[-len(kept):]}
        assert info['mempoolminfee'] > info['minrelaytxfee'], info
        text = raises(-26, a.rpc, 'sendrawtransaction',
                      Spend([p.young[-100]], [SUBSIDY - 200]).hex)
        assert text.startswith('mempool min fee not met'), text
        p.mine()
        assert a.rpc('getmempoolinfo')['size'] == 0


def test_what_is_old_is_dropped():
    a = Node(args=['-mempoolexpiry=10'])
    with nodes(a):
        a.start()
        p = Purse(a)
        now = int(time.time())
        a.rpc('setmocktime', now)
        old = p.send()
        child = Spend([old.out()], [SUBSIDY - 50000])
        a.rpc('setmocktime', now + 9 * 3600)
        a.rpc('sendrawtransaction', child.hex)
        assert a.rpc('getmempoolentry', old.id)['time'] == now
        p.send()
        assert {old.id, child.id} <= pool(a)
        a.rpc('setmocktime', now + 10 * 3600 + 5)
        new = p.send()
        wait_until('it is gone', lambda: old.id not in pool(a))
        # Its child goes with it, however young.
        assert child.id not in pool(a) and new.id in pool(a)


def test_relatives_are_bounded():
    a = Node(args=['-limitclustercount=5'])
    with nodes(a):
        a.start()
        p = Purse(a)
        last = p.send()
        for i in range(4):
            last = Spend([last.out()], [last.values[0] - 20000])
            a.rpc('sendrawtransaction', last.hex)
        more = Spend([last.out()], [last.values[0] - 20000])
        text = raises(-26, a.rpc, 'sendrawtransaction', more.hex)
        assert text.startswith('too-large-cluster'), text
        assert a.rpc('getmempoolinfo')['limitclustercount'] == 5
        p.mine()
        assert a.rpc('sendrawtransaction', more.hex) == more.id


def test_settings_are_shown():
    a = Node(args=['-minrelaytxfee=0.00002', '-incrementalrelayfee=0.00001',
                   '-permitbaremultisig=0', '-datacarriersize=83',
                   '-blockmintxfee=0.0001', '-maxmempool=50'])
    with nodes(a):
        a.start()
        info = a.rpc('getmempoolinfo')
        assert info['mempoolminfee'] == info['minrelaytxfee'] == 0.00002
        assert info['incrementalrelayfee'] == 0.00001, info
        assert info['permitbaremultisig'] is False
        assert info['maxdatacarriersize'] == 83
        assert info['maxmempool'] == 50000000
        assert a.rpc('getmininginfo')['blockmintxfee'] == 0.0001
        info = a.rpc('getnetworkinfo')
        assert info['relayfee'] == 0.00002, info
        assert info['incrementalfee'] == 0.00001, info
        p = Purse(a)
        low, good = p.send(900), p.send(20000)
        block = a.rpc('getblock', p.mine()[0])
        assert block['tx'][1:] == [good.id], (low.id, block['tx'])


def test_block_weights_that_cannot_be_stop_the_start():
    for arg, words in [
            ('-blockmaxweight=4000001', 'exceeds consensus maximum'),
            ('-blockreservedweight=1999', 'lower than minimum safety value'),
            ('-blockreservedweight=4000001', 'exceeds consensus maximum'),
            ('-blockmaxweight=5000', 'exceeds -blockmaxweight'),
            ('-blockmintxfee=much', 'Invalid amount')]:
        a = Node(args=[arg])
        try:
            a.spawn()
            assert a.exit_code() == 1
            assert words in a.errors(), a.errors()
        finally:
            a.remove()


if __name__ == '__main__':
    main(globals())
