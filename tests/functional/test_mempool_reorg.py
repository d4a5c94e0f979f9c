#!/usr/bin/env python3
"""When blocks are taken off, what they held is unconfirmed again, as far as the
new chain allows."""
from node import Node, main, nodes
from purse import SUBSIDY, Purse, Spend, pool


def test_transactions_of_a_block_taken_off_are_back():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        t = p.send()
        child = Spend([t.out()], [SUBSIDY - 30000])
        first = p.mine()[0]
        a.rpc('sendrawtransaction', child.hex)
        second = p.mine()[0]
        late = Spend([child.out()], [SUBSIDY - 60000])
        a.rpc('sendrawtransaction', late.hex)
        a.rpc('invalidateblock', second)
        assert pool(a) == {child.id, late.id}
        a.rpc('invalidateblock', first)
        assert pool(a) == {t.id, child.id, late.id}
        assert a.rpc('getmempoolentry', late.id)['ancestorcount'] == 3
        block = p.mine()[0]
        assert a.rpc('getblock', block)['tx'][1:] == [t.id, child.id, late.id]
        assert pool(a) == set()


def test_what_the_new_chain_spends_otherwise_is_gone():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        c = p.coin()
        t = Spend([c], [SUBSIDY - 10000])
        a.rpc('sendrawtransaction', t.hex)
        b = p.mine()[0]
        child = Spend([t.out()], [SUBSIDY - 30000])
        a.rpc('sendrawtransaction', child.hex)
        other = Spend([c], [SUBSIDY - 70000])
        a.rpc('invalidateblock', b)
        assert pool(a) == {t.id, child.id}
        a.rpc('generateblock', 'raw(51)', [other.hex])
        assert pool(a) == set()
        assert a.rpc('gettxout', other.id, 0)['confirmations'] == 1


def test_a_coinbase_that_is_young_again_cannot_be_spent():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a, 1)
        t = Spend([p.young[0]], [SUBSIDY - 10000])
        a.rpc('sendrawtransaction', t.hex)
        # One block less, and its coin is too young; it was never mined.
        a.rpc('invalidateblock', a.tip())
        assert pool(a) == set()
        a.generate(1)
        assert a.rpc('sendrawtransaction', t.hex) == t.id


def test_a_lock_that_is_closed_again_drops_its_transaction():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        height = a.height()
        t = p.send(locktime=height)
        old = p.send()
        a.rpc('invalidateblock', a.tip())
        assert pool(a) == {old.id}, (t.id, pool(a))


def test_a_better_chain_from_a_peer_does_the_same():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        b.start()
        p = Purse(a)
        for h in p.hashes:
            b.rpc('submitblock', a.rpc('getblock', h, 0))
        t = p.send()
        p.mine()
        assert pool(a) == set()
        for h in b.rpc('generatetodescriptor', 2, 'raw(51)'):
            a.rpc('submitblock', b.rpc('getblock', h, 0))
        assert a.tip() == b.tip()
        assert pool(a) == {t.id}
        assert a.rpc('getblocktemplate',
                     {'rules': ['segwit']})['transactions'][0]['txid'] == t.id


if __name__ == '__main__':
    main(globals())
