#!/usr/bin/env python3
"""Headers with little work: as long as a peer has not shown -minimumchainwork, none of
its headers are kept, memory stays flat, and the node itself serves none. When it has,
its chain is read a second time and kept.
"""
import struct
import time

from node import Node, main, nodes, wait_until
from p2p import (Peer, display, getheaders, headers, parse_headers,
                 read_compact, sha256d)

GENESIS = bytes.fromhex('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1f'
                        'c7b2b73cf188910f')
BATCH = 2000


def chain(n, salt=0, prev=GENESIS, start=None):
    """n cheap headers of regtest on top of prev."""
    out = []
    when = (start or int(time.time()) - 3600) - n
    for i in range(n):
        head = struct.pack('<i', 0x20000000) + prev + struct.pack(
            '<Q', salt) + bytes(24) + struct.pack('<II', when + i, 0x207fffff)
        nonce = 0
        while True:
            h = head + struct.pack('<I', nonce)
            prev = sha256d(h)
            if prev[31] < 0x80:
                break
            nonce += 1
        out.append(h)
    return out


def min_work(blocks):
    """The option for as much work as so many blocks of regtest have: 2 each."""
    return '-minimumchainwork=%064x' % (2 * blocks)


class Server(Peer):
    """Keeps the locators of the getheaders that come."""

    def __init__(self, node):
        super().__init__(node)
        self.asked = []

    def _recv(self, end):
        cmd, body = super()._recv(end)
        if cmd == 'getheaders':
            n, at = read_compact(body, 4)
            self.asked.append([body[at + 32 * i:at + 32 * i + 32]
                               for i in range(n)])
        return cmd, body

    def question(self):
        """The next locator, which may have come already."""
        if not self.asked:
            self.wait('getheaders')
        return self.asked.pop(0)


def serve(p, run):
    """Serve the chain until it is not asked for any more; how many messages."""
    index = {sha256d(h): i for i, h in enumerate(run)}
    index[GENESIS] = -1
    sent = 0
    while p.asked:
        at = next(index[h] for h in p.asked.pop(0) if h in index) + 1
        p.send('headers', headers(run[at:at + BATCH]))
        sent += 1
        p.sync()
    return sent


def nothing_kept(a):
    info = a.rpc('getblockchaininfo')
    assert info['headers'] == 0 and info['blocks'] == 0, info
    assert len(a.rpc('getchaintips')) == 1


def test_headers_below_the_work_are_counted_and_not_kept():
    run = chain(12000)
    a = Node(args=[min_work(20000)])
    with nodes(a):
        a.start()
        p = Server(a).handshake()
        before = a.anon_kb()
        assert p.question() == [GENESIS]
        for at in range(0, len(run), BATCH):
            p.send('headers', headers(run[at:at + BATCH]))
            asked = p.question()
            # It goes on behind what it has read, and can fall back.
            assert asked[0] == sha256d(run[at + BATCH - 1])
            assert asked[-1] == GENESIS
        info = a.rpc('getpeerinfo')[0]
        assert info['presynced_headers'] == len(run), info
        assert info['synced_headers'] == -1, info
        nothing_kept(a)
        a.check_growth(before, 1000)
        # The end of the chain comes before the work: that was all.
        p.send('headers', headers(chain(5, 1, sha256d(run[-1]))))
        p.sync()
        info = a.rpc('getpeerinfo')[0]
        assert info['presynced_headers'] == -1, info
        nothing_kept(a)
        p.close()


def test_a_chain_that_shows_the_work_is_read_again_and_kept():
    run = chain(11000)
    a = Node(args=[min_work(10000)])
    with nodes(a):
        a.start()
        before = a.anon_kb()
        p = Server(a).handshake()
        sent = serve(p, run)
        # Five messages show the work, six more bring the whole chain.
        assert sent >= 11, sent
        assert a.rpc('getblockchaininfo')['headers'] == len(run)
        tips = a.rpc('getchaintips')
        assert {t['hash']: t['status'] for t in tips}[
            display(sha256d(run[-1]))] == 'headers-only', tips
        # 11,000 headers with their nodes, and a buffer that is gone again.
        a.check_growth(before, 8000)
        # The peer's next block is taken like any other's.
        p.send('headers', headers(chain(1, 7, sha256d(run[-1]))))
        p.sync()
        assert a.rpc('getblockchaininfo')['headers'] == len(run) + 1
        # Now its blocks are wanted.
        assert 'getdata' in p.seen, p.seen[-5:]
        p.close()


def test_another_chain_in_the_second_reading_is_not_kept():
    run, other = chain(11000), chain(11000, salt=1)
    a = Node(args=[min_work(10000)])
    with nodes(a):
        a.start()
        p = Server(a).handshake()
        assert p.question() == [GENESIS]
        for at in range(0, 10000, BATCH):
            p.send('headers', headers(run[at:at + BATCH]))
            asked = p.question()
        assert asked[0] == GENESIS
        # From the start again, and now the lie.
        for at in range(0, 11000, BATCH):
            p.send('headers', headers(other[at:at + BATCH]))
            p.sync()
        # Each commitment catches a lie by chance of a half, long before the
        # headers that wait for more of them are let through.
        nothing_kept(a)
        p.close()


def test_many_peers_at_once_cost_next_to_nothing():
    run = chain(10000)
    a = Node(args=[min_work(20000)])
    with nodes(a):
        a.start()
        peers = [Server(a).handshake() for _ in range(20)]
        before = a.anon_kb()
        for at in range(0, len(run), BATCH):
            message = headers(run[at:at + BATCH])
            for p in peers:
                p.send('headers', message)
        for p in peers:
            p.sync()
        total = [i['presynced_headers'] for i in a.rpc('getpeerinfo')]
        assert total == [len(run)] * 20, total
        nothing_kept(a)
        a.check_growth(before, 3000)
        for p in peers:
            p.close()


def test_a_node_with_too_little_work_serves_no_headers():
    a = Node(args=[min_work(50)])
    with nodes(a):
        a.start()
        a.generate(20)
        p = Peer(a).handshake()
        p.send('getheaders', getheaders([GENESIS]))
        assert p.wait('headers') == b'\0'
        # At the minimum it does.
        a.generate(30)
        p.send('getheaders', getheaders([GENESIS]))
        assert len(parse_headers(p.wait('headers'))) == 50
        p.close()


def test_a_second_node_syncs_through_the_presync():
    a = Node()
    b = Node(args=[min_work(2100)])
    with nodes(a, b):
        a.start()
        a.generate(2200)
        b.start()
        b.connect(a)
        b.wait_tip(a.tip())
        assert b.rpc('getblockchaininfo')['headers'] == 2200


def test_headers_announced_alone_without_work_are_ignored():
    a = Node(args=[min_work(1000)])
    with nodes(a):
        a.start()
        p = Server(a).handshake()
        p.send('headers', headers(chain(8)))
        p.sync()
        nothing_kept(a)
        wait_until('it is still there', lambda: len(a.rpc('getpeerinfo')) == 1)
        p.close()


if __name__ == '__main__':
    main(globals())
