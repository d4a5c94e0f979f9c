#!/usr/bin/env python3
"""Hostile peers: garbage, every command with random and cut bodies, floods, claims that
never come true, slow senders, full slots. An honest peer beside them gets its pongs,
memory stays bounded, and the node ends cleanly.
"""
import contextlib
import os
import random
import select
import socket
import struct

from node import SLOW, Node, main, nodes, wait_until
from p2p import (MAGIC, Closed, Peer, compact, frame, getheaders, headers, inv,
                 sha256d, version)

SEED = int(os.environ.get('CAIRN_SEED', '20090103'))
COMMANDS = [
    'addr', 'addrv2', 'block', 'blocktxn', 'cfcheckpt', 'cfheaders', 'cfilter',
    'cmpctblock', 'feefilter', 'filteradd', 'filterclear', 'filterload',
    'getaddr', 'getblocks', 'getblocktxn', 'getcfcheckpt', 'getcfheaders',
    'getcfilters', 'getdata', 'getheaders', 'headers', 'inv', 'mempool',
    'merkleblock', 'notfound', 'ping', 'pong', 'sendaddrv2', 'sendcmpct',
    'sendheaders', 'sendtxrcncl', 'tx', 'verack', 'version', 'wtxidrelay',
    'unknowable']


class Honest:
    """A peer that behaves; check() is its ping answered."""

    def __init__(self, node):
        self.p = Peer(node).handshake()

    def check(self, timeout=5):
        self.p.sync(timeout)


def send_some(p, data):
    """As much as the node takes without being waited for; False: it hung up."""
    p.sock.setblocking(False)
    try:
        while data:
            data = data[p.sock.send(data):]
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        p.sock.setblocking(True)
    return True


def drain(p):
    """Forget what the node has sent; False: it hung up."""
    while select.select([p.sock], [], [], 0)[0]:
        try:
            if not p.sock.recv(1 << 20):
                return False
        except OSError:
            return False
    return True


def mutated(rnd, body):
    """A body with a few bytes changed, cut, repeated or a size made huge."""
    b = bytearray(body)
    kind = rnd.randrange(4)
    if kind == 0 and b:
        for _ in range(rnd.randrange(1, 8)):
            b[rnd.randrange(len(b))] = rnd.randrange(256)
    elif kind == 1:
        b = b[:rnd.randrange(len(b) + 1)]
    elif kind == 2:
        b += b[:rnd.randrange(len(b) + 1)]
    else:
        at = rnd.randrange(min(len(b), 100) + 1)
        b[at:at] = rnd.choice([b'\xfd\xff\xff', b'\xfe\xff\xff\xff\x7f',
                               b'\xff' * 9])
    return bytes(b)


def samples(a, block):
    """A well-formed body of each command that has one."""
    h = sha256d(block[:80])
    genesis = bytes.fromhex(a.rpc('getblockhash', 0))[::-1]
    addr = struct.pack('<IQ', 1700000000, 9) + bytes(10) + b'\xff\xff' + \
        bytes([8, 8, 8, 8]) + b'\x20\x8d'
    filters = b'\0' + struct.pack('<I', 0) + h
    return {
        'addr': compact(3) + addr * 3,
        'addrv2': compact(1) + struct.pack('<I', 1700000000) + compact(9) +
        b'\x01' + compact(4) + bytes([8, 8, 8, 8]) + b'\x20\x8d',
        'block': block,
        'blocktxn': h + compact(0),
        'cfcheckpt': b'\0' + h + compact(2) + bytes(64),
        'cfheaders': b'\0' + h + bytes(32) + compact(1) + bytes(32),
        'cfilter': b'\0' + h + compact(4) + bytes(4),
        'cmpctblock': block[:80] + bytes(8) + compact(0) + compact(1) +
        compact(0) + block[81:],
        'feefilter': struct.pack('<q', 1000),
        'getblocks': getheaders([genesis]),
        'getblocktxn': h + compact(1) + compact(0),
        'getcfcheckpt': b'\0' + h,
        'getcfheaders': filters,
        'getcfilters': filters,
        'getdata': inv([(2, h), (1, h), (0x40000002, genesis)]),
        'getheaders': getheaders([genesis]),
        'headers': headers([block[:80]] * 3),
        'inv': inv([(1, h), (2, h)]),
        'notfound': inv([(2, h)]),
        'ping': bytes(8),
        'pong': bytes(8),
        'sendcmpct': b'\0' + struct.pack('<Q', 2),
        'tx': block[81:],
        'version': version(),
    }


def test_random_bytes_and_frames_harm_nobody():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        honest = Honest(a)
        before = a.anon_kb()
        for i in range(200):
            p = Peer(a)
            if i % 2:
                send_some(p, rnd.randbytes(rnd.randrange(1, 3000)))
            else:
                send_some(p, frame(p.magic, 'version', version()))
                for _ in range(5):
                    f = bytearray(frame(p.magic, rnd.choice(COMMANDS),
                                        rnd.randbytes(rnd.randrange(200))))
                    f[rnd.randrange(len(f))] ^= 1 << rnd.randrange(8)
                    send_some(p, bytes(f))
            if i % 20 == 0:
                honest.check()
            p.close()
        honest.check()
        a.check_growth(before, 8000)
        assert a.height() == 2


def battle(a, rnd, rounds, body_of):
    """Send commands in both states on new connections, honest beside them."""
    honest = Honest(a)
    for i in range(rounds):
        p = Peer(a)
        send_some(p, frame(p.magic, 'version', version()))
        if rnd.randrange(4):
            send_some(p, frame(p.magic, 'verack'))
        for _ in range(20):
            cmd = rnd.choice(COMMANDS)
            if not send_some(p, frame(p.magic, cmd, body_of(cmd))):
                break
        if not drain(p) or i % 10 == 0:
            honest.check()
        p.close()
    honest.check()


def stack_kb(a):
    with open('/proc/%d/status' % a.proc.pid, encoding='ascii') as f:
        return int(next(s for s in f if s.startswith('VmStk')).split()[1])


def test_no_request_makes_the_stack_grow():
    """What is asked for by turns is not there: nothing is sent or read between
    one item and the next."""
    a = Node()
    with nodes(a):
        a.start()
        a.generate(1)
        p = Peer(a).handshake(relay=False)
        p.send('getdata', inv([(1, b'\7' * 32), (2, b'\x08' * 32)] * 25000))
        p.sync()
        assert stack_kb(a) < 1024
        p.close()


def test_every_command_with_random_bodies_harms_nobody():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        tip = a.generate(3)[-1]
        before = a.anon_kb()
        battle(a, rnd, 150,
               lambda cmd: rnd.randbytes(int(rnd.paretovariate(0.5)) % 9000))
        a.check_growth(before, 12000)
        assert a.tip() == tip


def test_every_command_changed_or_cut_harms_nobody():
    rnd = random.Random(SEED)
    a = Node(args=['-blockfilterindex=1', '-peerblockfilters=1'])
    with nodes(a):
        a.start()
        tip = a.generate(3)[-1]
        good = samples(a, bytes.fromhex(a.rpc('getblock', tip, 0)))
        before = a.anon_kb()
        battle(a, rnd, 250,
               lambda cmd: mutated(rnd, good.get(cmd, rnd.randbytes(8))))
        a.check_growth(before, 12000)
        assert a.tip() == tip


def pump(peers, honest, reads=True):
    """Send what each peer has in out, whole frames in the end, until all of it is
    taken, or nobody takes more; the honest one pings meanwhile."""
    busy, turns = set(p for p in peers if p.out), 0
    for p in peers:
        p.sock.setblocking(False)
    while busy:
        r, w, _ = select.select(list(busy) if reads else [], list(busy), [],
                                0.3 * SLOW)
        if not r and not w:
            break
        for p in r:
            if not p.drop_input():
                busy.discard(p)
        for p in w:
            if not p.push() or not p.out:
                busy.discard(p)
        turns += 1
        if turns % 50 == 0:
            honest.check()
    honest.check()


class Flooder(Peer):
    """Has bytes to send, takes part in pump()."""
    out = b''

    def fileno(self):
        return self.sock.fileno()

    def push(self):
        try:
            self.out = memoryview(self.out)
            self.out = self.out[self.sock.send(self.out[:1 << 18]):]
            return True
        except BlockingIOError:
            return True
        except OSError:
            self.out = b''
            return False

    def drop_input(self):
        try:
            return bool(self.sock.recv(1 << 20))
        except BlockingIOError:
            return True
        except OSError:
            return False


def test_floods_of_inventory_and_requests_leave_memory_flat():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        a.generate(3)
        honest = Honest(a)
        magic = MAGIC['regtest']
        unknown = [rnd.randbytes(32) for _ in range(50000)]
        locator = [rnd.randbytes(32) for _ in range(101)]
        floods = {
            'inv of transactions': frame(magic, 'inv', inv(
                [(1, h) for h in unknown])),
            'inv of blocks': frame(magic, 'inv', inv(
                [(2, h) for h in unknown])),
            'getdata of unknown blocks': frame(magic, 'getdata', inv(
                [(2, h) for h in unknown])),
            'getdata of unknown transactions': frame(magic, 'getdata', inv(
                [(1, h) for h in unknown])),
            'notfound': frame(magic, 'notfound', inv(
                [(2, h) for h in unknown])),
            'getheaders': frame(magic, 'getheaders',
                                getheaders(locator)) * 500,
            'getblocks': frame(magic, 'getblocks', getheaders(locator)) * 500,
            'ping': frame(magic, 'ping', bytes(8)) * 20000,
            'addr': frame(magic, 'addr', compact(1000) + b''.join(
                struct.pack('<IQ', 1700000000, 1) + bytes(10) + b'\xff\xff' +
                rnd.randbytes(6) for _ in range(1000))) * 20,
        }
        before = a.anon_kb()
        for name, message in floods.items():
            peers = [Flooder(a).handshake() for _ in range(6)]
            for p in peers:
                p.out = message * 2
            pump(peers, honest)
            assert not any(p.out for p in peers), name
            a.check_growth(before, 40000)
            for p in peers:
                p.close()
        honest.check()


def test_a_peer_that_asks_and_never_reads_is_bounded():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(600)
        honest = Honest(a)
        genesis = bytes.fromhex(a.rpc('getblockhash', 0))[::-1]
        blocks = [bytes.fromhex(a.rpc('getblockhash', h))[::-1]
                  for h in range(600)]
        asks = [frame(MAGIC['regtest'], 'getheaders', getheaders([genesis])),
                frame(MAGIC['regtest'], 'getdata',
                      inv([(2 | 1 << 30, h) for h in blocks]))]
        peers = [Flooder(a).handshake() for _ in range(12)]
        before = a.anon_kb()
        out = b''.join(asks) * 1500
        for p in peers:
            p.out = out
        pump(peers, honest, reads=False)
        assert all(p.out for p in peers)
        # A megabyte to send, five to read, for each of them at most.
        a.check_growth(before, 12 * 7000)
        for p in peers:
            p.close()


def test_lengths_that_are_claimed_and_not_sent_cost_nothing():
    a = Node()
    with nodes(a):
        a.start('-maxconnections=125')
        honest = Honest(a)
        before = a.anon_kb()
        peers = []
        for i in range(100):
            p = Peer(a)
            # Half of them within the handshake, half before it.
            if i % 2:
                p.handshake()
            p.raw(p.magic + b'block\0\0\0\0\0\0\0' +
                  struct.pack('<I', 4000000) + bytes(4) + bytes(1000))
            peers.append(p)
        honest.check()
        a.check_growth(before, 6000)
        for p in peers:
            p.close()


def test_many_large_messages_at_once_stay_within_the_budget():
    """100 peers send 3 of 4 megabytes each: beyond the global budget they wait, and
    an honest peer is served all the while."""
    a = Node()
    with nodes(a):
        a.start('-maxconnections=125')
        honest = Honest(a)
        before = a.anon_kb()
        peers = [Flooder(a).handshake() for _ in range(100)]
        head = MAGIC['regtest'] + b'block\0\0\0\0\0\0\0' + \
            struct.pack('<I', 4000000) + bytes(4)
        out = head + bytes(3900000)
        for p in peers:
            p.out = out
        pump(peers, honest)
        assert a.anon_kb() - before > 60000, 'it never came near the budget'
        honest.check()
        # 128 MiB for all, and one read of 64 KiB a peer.
        a.check_growth(before, 150000)
        for p in peers:
            p.close()
        honest.check()
        wait_until('the memory is given back',
                   lambda: SLOW > 1 or a.anon_kb() - before < 30000, 10)


def test_slow_senders_do_not_hold_up_others():
    """Bytes one by one: each connection has a header that never gets whole."""
    a = Node()
    with nodes(a):
        a.start()
        a.generate(1)
        honest = Honest(a)
        slow = [Peer(a) for _ in range(50)]
        stream = frame(slow[0].magic, 'version', version())
        for i in range(len(stream) - 1):
            for p in slow:
                p.raw(stream[i:i + 1])
            if i % 20 == 0:
                honest.check()
        tip = a.generate(1)[0]
        assert a.tip() == tip
        honest.check()
        for p in slow:
            p.close()


def open_many(port, n):
    socks = []
    for _ in range(n):
        s = socket.socket()
        s.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            s.connect(('127.0.0.1', port))
        socks.append(s)
    return socks


def test_silent_connections_beyond_the_slots_displace_each_other():
    a = Node()
    with nodes(a):
        a.start('-maxconnections=40')
        honest = Honest(a)
        honest.check()
        socks = open_many(a.port, 300)
        # Room for 40 less 11 that automatic connections keep.
        wait_until('the slots are full',
                   lambda: len(a.rpc('getpeerinfo')) == 29)
        honest.check()
        assert len(a.rpc('getpeerinfo')) <= 29
        for s in socks:
            s.close()
        wait_until('only the honest one is left',
                   lambda: len(a.rpc('getpeerinfo')) == 1)
        Honest(a).check()


def test_connections_that_end_in_every_state_leave_nothing():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        a.generate(3)
        honest = Honest(a)
        before = a.anon_kb()
        fds = len(os.listdir('/proc/%d/fd' % a.proc.pid))
        whole = frame(MAGIC['regtest'], 'version', version()) + \
            frame(MAGIC['regtest'], 'verack') + \
            frame(MAGIC['regtest'], 'getheaders', getheaders([bytes(32)])) + \
            frame(MAGIC['regtest'], 'getdata', inv([(2, bytes(32))] * 100))
        for i in range(600):
            p = Peer(a)
            send_some(p, whole[:rnd.randrange(len(whole))])
            if rnd.randrange(2):
                # A reset instead of an end.
                p.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                  struct.pack('ii', 1, 0))
            p.close()
        honest.check()
        wait_until('all are gone', lambda: len(a.rpc('getpeerinfo')) == 1)
        a.check_growth(before, 8000)
        now = len(os.listdir('/proc/%d/fd' % a.proc.pid))
        assert now <= fds + 3, (fds, now)


def test_the_node_ends_cleanly_in_the_middle_of_an_attack():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        a.generate(50)
        h = [bytes.fromhex(a.rpc('getblockhash', i))[::-1] for i in range(50)]
        peers = [Peer(a).handshake() for _ in range(20)]
        for i in range(30):
            for p in peers:
                send_some(p, frame(p.magic, 'getdata',
                                   inv([(2, x) for x in h])))
                send_some(p, frame(p.magic, rnd.choice(COMMANDS),
                                   rnd.randbytes(500)))
        assert a.stop(15) == 0
        assert a.errors() == ''
        with contextlib.suppress(Closed, OSError):
            for p in peers:
                p.wait_closed()


if __name__ == '__main__':
    main(globals())
