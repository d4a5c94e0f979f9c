#!/usr/bin/env python3
"""submitpackage: a child pays for parents that would not be kept alone."""
import time

from node import Node, main, nodes, raises, wait_until
from purse import SUBSIDY, Purse, Spend, pool


def test_a_child_pays_for_its_parents():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        cheap, good = p.pay(0), p.pay(10000)
        child = Spend([cheap.out(), good.out()], [2 * SUBSIDY - 50000])
        raises(-26, a.rpc, 'sendrawtransaction', cheap.hex)
        r = a.rpc('submitpackage', [cheap.hex, good.hex, child.hex])
        assert r['package_msg'] == 'success', r
        fees = {w: r['tx-results'][w]['fees'] for w in r['tx-results']}
        assert fees[cheap.wid]['base'] == 0
        assert fees[good.wid]['effective-includes'] == [good.wid]
        assert fees[cheap.wid]['effective-includes'] == [cheap.wid, child.wid]
        assert fees[cheap.wid]['effective-feerate'] == \
            fees[child.wid]['effective-feerate']
        assert pool(a) == {cheap.id, good.id, child.id}
        # What is there has a fee and no rate.
        again = a.rpc('submitpackage', [cheap.hex, good.hex, child.hex])
        assert again['package_msg'] == 'success', again
        assert 'effective-feerate' not in again['tx-results'][cheap.wid]['fees']


def test_what_was_replaced_is_told():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        c = p.coin()
        old = Spend([c], [SUBSIDY - 1000])
        a.rpc('sendrawtransaction', old.hex)
        new = Spend([c], [SUBSIDY - 90000])
        r = a.rpc('submitpackage', [new.hex])
        assert r['replaced-transactions'] == [old.id], r
        assert pool(a) == {new.id}


def test_peers_hear_of_packages():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        b.start()
        p = Purse(a)
        for h in p.hashes:
            b.rpc('submitblock', a.rpc('getblock', h, 0))
        a.connect(b)
        cheap = p.pay(0)
        child = Spend([cheap.out()], [SUBSIDY - 50000])
        a.rpc('submitpackage', [cheap.hex, child.hex])
        now = int(time.time())

        def later():
            nonlocal now
            now += 3
            for n in (a, b):
                n.rpc('setmocktime', now)
            return pool(b) == pool(a)

        # They are told of at random times, by the clock.
        wait_until('the peer has both', later)


def test_packages_that_are_none_are_refused():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        one, two = p.pay(), p.pay()
        raises(-8, a.rpc, 'submitpackage', [])
        raises(-8, a.rpc, 'submitpackage', [one.hex] * 26)
        raises(-22, a.rpc, 'submitpackage', ['00'])
        raises(-25, a.rpc, 'submitpackage', [one.hex, two.hex])
        mid = Spend([one.out()], [SUBSIDY - 20000])
        end = Spend([one.out(), mid.out()], [SUBSIDY])
        raises(-25, a.rpc, 'submitpackage', [one.hex, mid.hex, end.hex])
        burn = Spend([p.coin()], [SUBSIDY - 10000, (1000, b'\x6a')])
        raises(-25, a.rpc, 'submitpackage', [burn.hex])
        dear = Spend([one.out()], [SUBSIDY - 9000000])
        r = a.rpc('submitpackage', [one.hex, dear.hex])
        assert r['package_msg'] == 'transaction failed', r
        assert r['tx-results'][dear.wid]['error'].startswith(
            'max feerate exceeded'), r


if __name__ == '__main__':
    main(globals())
