#!/usr/bin/env python3
"""Transactions between peers: announced, asked for, given, judged. A mocked clock
stands in for waiting.
"""
import struct
import time

from coins import Coin, coin_of, mine, spend
from node import Node, main, nodes, wait_until
from p2p import (INV_TX, INV_WITNESS, Peer, display, inv, parse_inv,
                 version)

INV_WTX = 5


class Clock:
    """Of several nodes, moved by hand."""

    def __init__(self, *of):
        self.nodes, self.now = of, int(time.time())
        self.forward(0)

    def forward(self, seconds):
        self.now += seconds
        for a in self.nodes:
            a.rpc('setmocktime', self.now)


def ready(*of):
    """Nodes past initial download that share a chain with ripe coins."""
    for a in of:
        a.start()
    clock = Clock(*of)
    coins = mine(of[0], 3)
    mine(of[0], 100)
    for a in of[1:]:
        a.connect(of[0])
        a.wait_tip(of[0].tip())
    for a in of:
        assert not a.rpc('getblockchaininfo')['initialblockdownload']
    return clock, coins


def in_pool(a, tx):
    return display(tx.id()) in a.rpc('getrawmempool')


def offer(p, tx, wait=True):
    """Send it unasked, and wait until it was judged."""
    p.send('tx', tx.raw())
    if wait:
        p.sync()


def told(p, clock, command='inv', kinds=(INV_TX, INV_WTX), tries=40):
    """Items of the next message that is about transactions, time passing."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        clock.forward(5)
        before = len(p.seen)
        items = []
        p.send('ping', struct.pack('<Q', len(p.seen)))
        while True:
            cmd, body = p.recv()
            if cmd == 'ping':
                p.send('pong', body)
            if cmd == command:
                items += [i for i in parse_inv(body) if i[0] & 7 in kinds]
            if cmd == 'pong':
                break
        if items:
            return items
        tries -= 1
        if tries == 0:
            return []
        assert len(p.seen) > before
    return []


def by_txid(a, **kw):
    """A peer that does not speak of wtxids."""
    return Peer(a).handshake(proto=70015, **kw)


def by_wtxid(a, **kw):
    p = Peer(a)
    p.send('version', version(**kw))
    p.wait('version')
    p.send('wtxidrelay')
    p.wait('verack')
    p.send('verack')
    p.sync()
    return p


def asked(p, seconds=0, clock=None):
    """Items of getdata that have come when time has passed."""
    if clock:
        clock.forward(seconds)
    p.send('ping', b'askedask')
    items = []
    while True:
        cmd, body = p.recv()
        if cmd == 'getdata':
            items += parse_inv(body)
        if cmd == 'ping':
            p.send('pong', body)
        if cmd == 'pong' and body == b'askedask':
            return items


def test_a_transaction_reaches_the_other_node_and_is_mined_there():
    a, b = Node(), Node()
    with nodes(a, b):
        clock, coins = ready(a, b)
        p = by_wtxid(a)
        tx = spend(coins[:1])
        offer(p, tx)
        assert in_pool(a, tx)

        def arrived():
            clock.forward(5)
            return in_pool(b, tx)
        wait_until('it arrives', arrived)
        own = spend(coins[1:2])
        a.rpc('sendrawtransaction', own.raw().hex())
        wait_until('the own one arrives',
                   lambda: clock.forward(5) or in_pool(b, own))
        h = b.generate(1)[0]
        block = b.rpc('getblock', h)
        assert {display(tx.id()), display(own.id())} < set(block['tx'])
        a.wait_tip(h)
        assert a.rpc('getrawmempool') == b.rpc('getrawmempool') == []
        info = {i['inbound']: i for i in a.rpc('getpeerinfo')}
        assert info[True]['last_transaction'] > 0


def test_a_block_of_known_transactions_crosses_as_its_compact_form():
    a, b = Node(), Node()
    with nodes(a, b):
        clock, coins = ready(a, b)
        # b has had a block of a, so it wants the next ones at once.
        a.generate(1)
        b.wait_tip(a.tip())
        wait_until('b asks for compact blocks', lambda: [
            i for i in b.rpc('getpeerinfo') if i['bip152_hb_to']])
        wait_until('a knows', lambda: [
            i for i in a.rpc('getpeerinfo') if i['bip152_hb_from']])
        before = b.rpc('getpeerinfo')[0]['bytesrecv_per_msg']
        tx = spend(coins[:1])
        for node in (a, b):
            node.rpc('sendrawtransaction', tx.raw().hex())
        h = a.generate(1)[0]
        b.wait_tip(h)
        assert display(tx.id()) in b.rpc('getblock', h)['tx']
        after = b.rpc('getpeerinfo')[0]['bytesrecv_per_msg']
        assert after['cmpctblock'] > before.get('cmpctblock', 0)
        assert after['block'] == before['block']


def test_each_peer_hears_by_its_kind_of_id():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        t, w, none = by_txid(a), by_wtxid(a), by_txid(a, relay=False)
        src = by_wtxid(a)
        clock.forward(60)
        tx = spend(coins[:1])
        offer(src, tx)
        assert told(w, clock) == [(INV_WTX, tx.wid())]
        assert told(t, clock) == [(INV_TX, tx.id())]
        assert told(none, clock, tries=5) == []
        assert told(src, clock, tries=5) == []  # it has it
        # Given as each asks for it.
        w.send('getdata', inv([(INV_WTX, tx.wid())]))
        assert w.wait('tx') == tx.raw()
        t.send('getdata', inv([(INV_TX, tx.id())]))
        assert t.wait('tx') == tx.raw(witness=False)
        t.send('getdata', inv([(INV_TX | INV_WITNESS, tx.id())]))
        assert t.wait('tx') == tx.raw()
        # The other kind is not asked for.
        other = spend(coins[1:2])
        w.send('inv', inv([(INV_TX, other.id())]))
        t.send('inv', inv([(INV_WTX, other.wid())]))
        assert asked(w, 30, clock) == [] and asked(t) == []
        w.send('inv', inv([(INV_WTX, other.wid())]))
        assert asked(w, 30, clock) == [(INV_WTX, other.wid())]
        third = spend(coins[2:3])
        t.send('inv', inv([(INV_TX, third.id())]))
        assert asked(t, 30, clock) == [(INV_TX | INV_WITNESS, third.id())]


def test_the_fee_filter_of_a_peer_is_respected():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        p, src = by_wtxid(a), by_wtxid(a)
        assert filters(p) == [100]
        p.send('feefilter', struct.pack('<q', 20000))
        p.sync()
        low, high = spend(coins[:1], fee=500), spend(coins[1:2], fee=50000)
        offer(src, low)
        offer(src, high)
        assert told(p, clock) == [(INV_WTX, high.wid())]
        assert told(p, clock, tries=5) == []
        info = a.rpc('getpeerinfo')
        assert sorted(i['minfeefilter'] for i in info) == [0, 0.0002]


def filters(p, clock=None):
    """Fee rates that it was told of."""
    if clock:
        clock.forward(1)
    p.sync()
    return [struct.unpack('<q', b)[0] for c, b in p.got if c == 'feefilter']


def test_what_was_not_announced_is_not_given():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        p, src = by_wtxid(a), by_wtxid(a)
        clock.forward(60)
        p.sync()
        tx = spend(coins[:1])
        offer(src, tx)
        for item in ((INV_WTX, tx.wid()), (INV_TX, tx.id()),
                     (INV_WTX, bytes(32))):
            p.send('getdata', inv([item]))
            assert parse_inv(p.wait('notfound')) == [item]
        # The parent of what was announced is.
        child = spend([coin_of(tx)])
        told(p, clock)
        offer(src, child)
        p.send('getdata', inv([(INV_WTX, tx.wid())]))
        assert p.wait('tx') == tx.raw()
        # Those of the last block are, to anybody.
        a.generate(1)
        assert not a.rpc('getrawmempool')
        q = by_wtxid(a)
        q.send('getdata', inv([(INV_WTX, child.wid())]))
        assert q.wait('tx') == child.raw()
        a.generate(1)
        q.send('getdata', inv([(INV_WTX, child.wid())]))
        assert q.wait('notfound')


def test_another_is_asked_when_one_does_not_answer():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        p, q = by_wtxid(a), by_wtxid(a)
        tx = spend(coins[:1])
        item = [(INV_WTX, tx.wid())]
        for peer in (p, q):
            peer.send('inv', inv(item))
            peer.sync()
        assert asked(p) == asked(q) == []  # inbound: not at once
        got = asked(p, 2, clock), asked(q)
        assert sorted(got) == [[], item], got
        first, second = (p, q) if got[0] else (q, p)
        assert asked(second, 57, clock) == []
        assert asked(second, 4, clock) == item
        # Nor is notfound the end.
        first.send('inv', inv(item))
        first.sync()
        second.send('notfound', inv(item))
        second.sync()
        assert asked(first, 2, clock) == []  # it had its turn
        r = by_wtxid(a)
        r.send('inv', inv(item))
        r.sync()
        assert asked(r, 2, clock) == item
        offer(r, tx)
        assert in_pool(a, tx)
        # It is here: nobody is asked.
        q.send('inv', inv(item))
        assert asked(q, 30, clock) == []


def test_orphans_ask_for_their_parents():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        p, q = by_wtxid(a), by_wtxid(a)
        top = spend(coins[:1], outs=2)
        mid = spend([coin_of(top, 0)])
        low = spend([coin_of(top, 1), coin_of(mid)])
        offer(p, low)
        want = asked(p, 5, clock)
        assert sorted(want) == sorted((INV_TX | INV_WITNESS, t.id())
                                      for t in (top, mid)), want
        offer(p, mid)
        assert not a.rpc('getrawmempool')
        offer(q, top)
        # Accepted one after another, whoever sent them.
        p.sync()
        wait_until('all are in the pool',
                   lambda: len(a.rpc('getrawmempool')) == 3)
        # An orphan of what was refused is not kept.
        bad = spend(coins[1:2], fee=1000)
        bad.outs[0] = (bad.outs[0][0], b'\x51' * 40)
        child = spend([coin_of(bad)])
        offer(q, bad)
        offer(q, child)
        assert asked(q, 30, clock) == [(INV_TX | INV_WITNESS, bad.id())]


def test_a_child_pays_for_its_parent():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        p = by_wtxid(a)
        parent = spend(coins[:1], fee=0)
        child = spend([coin_of(parent)], fee=5000)
        offer(p, parent)
        assert not a.rpc('getrawmempool')
        offer(p, child)
        assert asked(p, 5, clock) == [(INV_TX | INV_WITNESS, parent.id())]
        offer(p, parent)
        assert in_pool(a, parent) and in_pool(a, child)


def test_nothing_is_taken_in_initial_download():
    a = Node()
    with nodes(a):
        a.start('-maxtipage=60')
        clock = Clock(a)
        coins = mine(a, 101)
        a.stop()
        clock.now += 100000
        a.start('-mocktime=%d' % clock.now, '-maxtipage=60')
        assert a.rpc('getblockchaininfo')['initialblockdownload']
        p = by_wtxid(a)
        assert filters(p) == [9936506]
        tx = spend(coins[:1])
        p.send('inv', inv([(INV_WTX, tx.wid())]))
        assert asked(p, 60, clock) == []
        offer(p, tx)
        assert not a.rpc('getrawmempool')
        mine(a, 1)
        assert not a.rpc('getblockchaininfo')['initialblockdownload']
        assert filters(p, clock) == [9936506, 100]
        p.send('inv', inv([(INV_WTX, tx.wid())]))
        assert asked(p, 60, clock) == [(INV_WTX, tx.wid())]


def test_blocks_only_takes_none_and_says_so():
    a = Node(args=['-blocksonly'])
    with nodes(a):
        clock, coins = ready(a)
        tx = spend(coins[:1])
        for command, body in (('tx', tx.raw()),
                              ('inv', inv([(INV_WTX, tx.wid())]))):
            p = by_wtxid(a)
            p.send(command, body)
            p.wait_closed()
        assert not a.rpc('getnetworkinfo')['localrelay']
        # The own one is announced all the same.
        p = by_wtxid(a)
        clock.forward(60)
        a.rpc('sendrawtransaction', tx.raw().hex())
        assert told(p, clock) == [(INV_WTX, tx.wid())]
        assert 'feefilter' not in p.seen
        # Its version has said that none are wanted.
        q = Peer(a)
        q.send('version', version())
        assert q.wait('version')[-1] == 0


def test_an_own_one_is_announced_until_somebody_asks():
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        tx = spend(coins[:1])
        item = [(INV_WTX, tx.wid())]
        a.rpc('sendrawtransaction', tx.raw().hex())
        assert a.rpc('getmempoolinfo')['unbroadcastcount'] == 1
        p = by_wtxid(a)
        assert told(p, clock, tries=5) == []
        clock.forward(900)
        assert told(p, clock) == item
        p.send('getdata', inv(item))
        p.wait('tx')
        assert a.rpc('getmempoolinfo')['unbroadcastcount'] == 0
        q = by_wtxid(a)
        clock.forward(900)
        assert told(q, clock, tries=5) == []


def test_what_an_operator_grants():
    a = Node(args=['-blocksonly', '-whitelist=noban,mempool,relay@127.0.0.0/8'])
    with nodes(a):
        clock, coins = ready(a)
        p, q = by_wtxid(a), by_wtxid(a)
        tx, other = spend(coins[:1]), spend(coins[1:2])
        # Taken in spite of -blocksonly, and told of without any delay.
        offer(p, tx)
        assert in_pool(a, tx)
        assert parse_inv(q.wait('inv')) == [(INV_WTX, tx.wid())]
        a.rpc('sendrawtransaction', other.raw().hex())
        for peer in (p, q):
            assert parse_inv(peer.wait('inv')) == [(INV_WTX, other.wid())]
        # BIP 35: all that is kept.
        q.send('mempool')
        q.sync()
        clock.forward(5)
        assert sorted(parse_inv(q.wait('inv'))) == sorted(
            (INV_WTX, t.wid()) for t in (tx, other))
        # A broken rule has no consequence.
        q.send('inv', inv([(INV_TX, bytes(32))] * 50001))
        q.sync()
        assert a.rpc('getpeerinfo')[0]['permissions'] == [
            'noban', 'relay', 'mempool', 'download']
    b = Node()
    with nodes(b):
        b.start()
        p = by_wtxid(b)
        p.send('mempool')
        p.wait_closed()


def test_a_flood_stays_within_bounds():
    """Announcements, orphans and nonsense: memory and what is asked for."""
    a = Node()
    with nodes(a):
        clock, coins = ready(a)
        p, before = by_wtxid(a), a.anon_kb()
        for k in range(4):
            p.send('inv', inv([(INV_WTX, struct.pack('<QQ', k, i) * 2)
                               for i in range(50000)]))
        p.sync()
        assert len(asked(p, 2, clock)) == 5000
        p.close()
        p = by_wtxid(a)
        for i in range(3500):
            tx = spend([Coin(struct.pack('<QQ', 9, i) * 2, 0, 10 ** 6)])
            offer(p, tx, wait=False)
        p.sync(60)
        p.send('tx', b'\1')
        p.sync()
        a.check_growth(before, 30000)
        assert not a.rpc('getrawmempool')
        offer(p, spend(coins[:1]))
        assert len(a.rpc('getrawmempool')) == 1


def test_a_wtxidrelay_that_comes_late_ends_the_connection():
    a = Node()
    with nodes(a):
        a.start()
        p = by_txid(a)
        p.send('wtxidrelay')
        p.wait_closed()


if __name__ == '__main__':
    main(globals())
