#!/usr/bin/env python3
"""Life and end of connections: handshakes that go well and badly, timeouts by the mock
clock, pings, a node that meets itself, peers sent away.
"""
import contextlib
import socket
import struct
import time

from node import Node, main, nodes, raises, wait_until
from p2p import Peer, compact, version

NOW = int(time.time())


def advance(a, seconds):
    """Move the node's clock; its timers run at once."""
    a.now = getattr(a, 'now', NOW) + seconds
    a.rpc('setmocktime', a.now)


def mocked(a, *args):
    a.start(*args)
    advance(a, 0)
    return a


def why(a, n=-1):
    """The reason that the log gives for the last end of a connection."""
    lines = [x for x in a.log().splitlines() if '->CLOSING' in x]
    return lines[n].split('why=')[1]


def info(a):
    return a.rpc('getpeerinfo')


def spoken(p, body=None, **kw):
    """Say version and read until the node has said its own."""
    p.send('version', version(**kw) if body is None else body)
    p.wait('version')
    return p


class Pinged(Peer):
    """Answers pings only by answer()."""
    nonce = None

    def _wait(self, command, end):
        while True:
            cmd, body = self._recv(end)
            if cmd == 'ping':
                self.nonce = body
            if cmd == command:
                return body

    def answer(self):
        self.send('pong', self.nonce)


def test_a_peer_that_says_nothing_is_let_go_after_the_peertimeout():
    for args, seconds in ([], 60), (['-peertimeout=3'], 3):
        a = Node()
        with nodes(a):
            mocked(a, *args)
            p = Peer(a)
            wait_until('it is connected', lambda: info(a))
            advance(a, seconds)
            assert len(info(a)) == 1
            advance(a, 1)
            p.wait_closed()
            assert 'never received from peer' in why(a), why(a)


def test_a_handshake_that_never_ends_is_let_go():
    a = Node()
    with nodes(a):
        mocked(a, '-peertimeout=5')
        p = spoken(Peer(a))
        advance(a, 5)
        assert len(info(a)) == 1
        advance(a, 1)
        p.wait_closed()
        assert why(a) == 'version handshake timeout', why(a)


def test_a_ping_comes_every_two_minutes_and_is_measured():
    a = Node()
    with nodes(a):
        mocked(a)
        p = Pinged(a).handshake()
        # One at once, when the handshake is over.
        p.answer()
        wait_until('it is measured', lambda: 'minping' in info(a)[0])
        assert info(a)[0]['minping'] == 0
        advance(a, 120)
        p.sync()
        assert 'pingwait' not in info(a)[0]
        advance(a, 1)
        p.wait('ping')
        advance(a, 7)
        assert info(a)[0]['pingwait'] == 7
        p.answer()
        wait_until('it is measured', lambda: info(a)[0]['pingtime'] == 7)
        assert info(a)[0]['minping'] == 0
        # One that is asked for.
        a.rpc('ping')
        advance(a, 0)
        p.wait('ping')
        # A wrong answer is none.
        p.send('pong', bytes(7) + b'\x01')
        p.sync()
        advance(a, 3)
        assert info(a)[0]['pingwait'] == 3
        p.answer()
        wait_until('it is measured', lambda: info(a)[0]['pingtime'] == 3)
        p.close()


def test_a_ping_that_is_never_answered_ends_the_connection():
    a = Node()
    with nodes(a):
        mocked(a)
        p = Pinged(a).handshake()
        other = Peer(a).handshake()
        wait_until('both are known', lambda: len(info(a)) == 2)
        for _ in range(10):
            advance(a, 119)
            other.sync()
            # It speaks, it only does not answer.
            p.sync()
        assert len(info(a)) == 2
        advance(a, 12)
        p.wait_closed()
        assert why(a) == 'ping timeout', why(a)
        other.sync()
        assert len(info(a)) == 1
        other.close()


def test_a_peer_that_falls_silent_is_let_go_after_twenty_minutes():
    a = Node()
    with nodes(a):
        mocked(a)
        # An old one gets pings that ask for no answer.
        p = spoken(Peer(a), proto=60000)
        p.wait('verack')
        p.send('verack')
        wait_until('it is ready', lambda: 'WAIT_VERACK->READY' in a.log())
        for _ in range(10):
            advance(a, 120)
        assert len(info(a)) == 1
        advance(a, 1)
        p.wait_closed()
        assert why(a) == 'socket receive timeout', why(a)


def test_a_node_that_dials_itself_notices():
    a = Node()
    with nodes(a):
        a.start()
        a.rpc('addnode', '127.0.0.1:%d' % a.port, 'onetry')
        a.wait_log('why=connected to self')
        wait_until('both ends are gone', lambda: not info(a))


def test_the_nonce_of_a_dialled_peer_betrays_the_node_to_itself():
    """What the node said to us when it dialled comes back from us as our own."""
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        s.listen(1)
        a = Node()
        with nodes(a):
            a.start()
            a.rpc('addnode', '127.0.0.1:%d' % s.getsockname()[1], 'onetry')
            out = Peer(sock=s.accept()[0])
            theirs = out.wait('version')
            back = Peer(a)
            back.send('version', version(
                nonce=struct.unpack_from('<Q', theirs, 72)[0]))
            back.wait_closed()
            assert why(a) == 'connected to self', why(a)
            # Any other nonce is welcome, and so is the dialled one.
            Peer(a).handshake().close()
            out.send('version', version())
            out.wait('verack')
            out.send('verack')
            out.sync()
            assert [i['connection_type'] for i in info(a)
                    if not i['inbound']] == ['manual']
            out.close()


def test_versions_are_judged_as_bitcoin_core_does():
    a = Node()
    with nodes(a):
        mocked(a)
        p = Peer(a)
        p.send('version', version(proto=31799))
        p.wait_closed()
        assert why(a) == 'obsolete version', why(a)
        for proto, common in ((31800, 31800), (60001, 60001), (70015, 70015),
                              (70016, 70016), (90000, 70016)):
            p = spoken(Peer(a), proto=proto)
            p.wait('verack')
            p.send('verack')
            wait_until('it is ready', lambda: a.log().count(
                'WAIT_VERACK->READY') > 0 and info(a))
            got = info(a)[0]
            assert got['version'] == proto, got
            assert ('wtxidrelay' in p.seen) == (common >= 70016), p.seen
            assert ('sendaddrv2' in p.seen) == (common >= 70016), p.seen
            p.close()
            wait_until('it is gone', lambda: not info(a))


def test_what_a_version_says_is_told():
    a = Node()
    with nodes(a):
        mocked(a)
        p = Peer(a).handshake(services=0x409, height=1234, relay=False,
                              agent=b'/a:1.0(x)/\x01<b>"')
        got = info(a)[0]
        assert got['services'] == '0000000000000409', got
        assert got['startingheight'] == 1234 and not got['relaytxes'], got
        assert got['subver'] == '/a:1.0(x)/b', got
        assert got['timeoffset'] in (-1, 0, 1, 2, 3, 4, 5), got
        assert got['conntime'] == NOW and got['inbound'], got
        p.close()


def test_versions_that_cannot_be_read_never_complete():
    good = version()
    for bad in (b'', good[:3], good[:79], good[:20],
                good[:80] + compact(257) + b'x' * 257 + good[-5:],
                good[:80] + b'\xff' * 9):
        a = Node()
        with nodes(a):
            mocked(a)
            p = Peer(a)
            p.send('version', bad)
            p.send('verack')
            p.send('ping', bytes(8))
            wait_until('it was read', lambda: info(a) and
                       'ping' in info(a)[0]['bytesrecv_per_msg'])
            assert info(a)[0]['version'] == 0, info(a)
            # A good one may still come.
            p.handshake()
            assert info(a)[0]['version'] == 70016
            p.close()


def test_old_versions_may_end_early():
    """Fields behind the first three came later; their absence is no fault."""
    good = version(height=77)
    for end, height in ((46, -1), (80, -1), (80 + 7, -1), (91, 77), (92, 77)):
        a = Node()
        with nodes(a):
            mocked(a)
            p = spoken(Peer(a), good[:end])
            p.wait('verack')
            p.send('verack')
            p.sync()
            got = info(a)[0]['startingheight']
            assert got == height, (end, got)
            p.close()


def test_messages_out_of_their_place_are_ignored_or_end_it():
    a = Node()
    with nodes(a):
        mocked(a)
        # Before version, and twice: ignored.
        p = Peer(a)
        for cmd in ('verack', 'ping', 'getheaders', 'sendaddrv2'):
            p.send(cmd, bytes(8))
        p.handshake()
        p.send('version', version(height=9))
        p.send('verack')
        p.sync()
        assert info(a)[0]['startingheight'] == 0
        p.close()
        # Between version and verack: a ping is not answered.
        p = spoken(Peer(a))
        p.send('ping', bytes(8))
        p.wait('verack')
        p.send('verack')
        p.sync()
        assert p.seen.count('pong') == 1, p.seen
        p.close()
        # What may only be said before verack ends it afterwards.
        for cmd in ('wtxidrelay', 'sendaddrv2'):
            p = Peer(a).handshake()
            p.send(cmd)
            p.wait_closed()
            assert why(a) == cmd + ' received after verack', why(a)


def test_peers_are_sent_away_by_id_address_and_switch():
    a = Node()
    with nodes(a):
        a.start()
        p, q, r = (Peer(a).handshake() for _ in range(3))
        ids = {i['addr']: i['id'] for i in info(a)}
        name = '%s:%d' % q.sock.getsockname()
        a.rpc('disconnectnode', '', ids['%s:%d' % p.sock.getsockname()])
        p.wait_closed()
        a.rpc('disconnectnode', name)
        q.wait_closed()
        assert raises(-29, a.rpc, 'disconnectnode', name) == \
            'Node not found in connected nodes'
        r.sync()
        assert a.rpc('setnetworkactive', False) is False
        r.wait_closed()
        with contextlib.suppress(OSError):
            Peer(a).wait_closed()
        assert a.rpc('getnetworkinfo')['networkactive'] is False
        a.rpc('setnetworkactive', True)
        Peer(a).handshake().close()


def test_a_peer_that_was_dialled_and_does_not_speak_is_let_go():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        s.listen(1)
        a = Node()
        with nodes(a):
            mocked(a)
            where = '127.0.0.1:%d' % s.getsockname()[1]
            a.rpc('addnode', where, 'onetry')
            p = Peer(sock=s.accept()[0])
            p.wait('version')
            assert info(a)[0]['connection_type'] == 'manual'
            advance(a, 61)
            p.wait_closed()
            assert 'never received from peer' in why(a), why(a)
            # An added one is dialled again.
            a.rpc('addnode', where, 'add')
            p = Peer(sock=s.accept()[0])
            p.close()
            wait_until('it is gone', lambda: not info(a))
            advance(a, 61)
            Peer(sock=s.accept()[0]).wait('version')


def test_a_port_where_nobody_listens_does_no_harm():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        a = Node()
        with nodes(a):
            a.start()
            a.rpc('addnode', '127.0.0.1:%d' % s.getsockname()[1], 'onetry')
            a.wait_log('connection refused')
            assert not info(a)


if __name__ == '__main__':
    main(globals())
