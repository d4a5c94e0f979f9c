#!/usr/bin/env python3
"""Peers that break rules: garbage, a bad merkle root, a lie about proof of work. The
node closes the connection, keeps its state, and takes the honest block afterwards.
"""
import struct

from node import Node, main, nodes, wait_until
from p2p import (Peer, display, frame, getheaders, headers, inv, parse_headers,
                 sha256d)


def tip_block(a):
    return bytes.fromhex(a.rpc('getblock', a.tip(), 0))


def next_block(a):
    """A valid block on the tip that the node itself has not seen submitted."""
    r = a.rpc('generateblock', 'raw(51)', [], False)
    return bytes.fromhex(r['hex'])


def offer(p, block):
    """Announce a block by its header and serve it when asked."""
    p.send('headers', headers([block[:80]]))
    p.wait('getdata')
    p.send('block', block)


def test_garbage_ends_the_connection_and_nothing_else():
    a = Node()
    with nodes(a):
        a.start()
        p = Peer(a)
        p.raw(b'GET / HTTP/1.1\r\nHost: x\r\n\r\n' + bytes(64))
        p.wait_closed()
        q = Peer(a).handshake()
        q.raw(b'\xff' * 24)
        q.wait_closed()
        wait_until('no peers', lambda: not a.rpc('getpeerinfo'))
        assert a.height() == 0


def test_a_bad_merkle_root_does_not_poison_the_header():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(3)
        good = next_block(a)
        bad = good[:-1] + bytes([good[-1] ^ 1])  # the lock time
        p = Peer(a).handshake()
        offer(p, bad)
        p.wait_closed()
        assert a.height() == 3
        q = Peer(a).handshake()
        offer(q, good)
        wait_until('the honest block is taken', lambda: a.height() == 4)
        assert a.tip() == display(sha256d(good[:80]))
        q.close()


def test_a_block_that_pays_too_much_is_marked_and_punished():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        block = bytearray(next_block(a))
        # The first output's value follows the coinbase's input.
        at = block.find(struct.pack('<q', 50 * 10 ** 8))
        block[at:at + 8] = struct.pack('<q', 51 * 10 ** 8)
        p = Peer(a).handshake()
        p.send('block', bytes(block))
        p.wait_closed()
        assert a.height() == 2


def test_bad_proof_of_work_ends_the_connection():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(1)
        h = bytearray(next_block(a)[:80])
        while int.from_bytes(sha256d(h), 'little') >> 255 == 0:
            h[76] = (h[76] + 1) % 256
        p = Peer(a).handshake()
        p.send('headers', headers([bytes(h)]))
        p.wait_closed()


def test_the_order_of_messages_is_kept_behind_a_block():
    """A request that follows a block sees that block connected."""
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        block = next_block(a)
        p = Peer(a).handshake()
        p.send('block', block)
        p.send('getheaders', getheaders([bytes.fromhex(a.rpc(
            'getblockhash', 0))[::-1]]))
        got = parse_headers(p.wait('headers'))
        assert len(got) == 3 and got[-1] == block[:80]
        p.close()


def test_a_failed_script_disconnects_marks_and_punishes():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        block = next_block(a)
        name = display(sha256d(block[:80]))
        assert a.stop() == 0
        a.start('-testfailblock=' + name)
        p = Peer(a).handshake()
        offer(p, block)
        p.wait_closed()
        assert a.height() == 2
        status = {t['hash']: t['status'] for t in a.rpc('getchaintips')}
        assert status[name] == 'invalid', status
        # Its child is refused by its header alone.
        q = Peer(a).handshake()
        child = bytearray(block[:80])
        child[4:36] = sha256d(block[:80])
        while int.from_bytes(sha256d(child), 'little') >> 255:
            child[76] = (child[76] + 1) % 256
        q.send('headers', headers([bytes(child)]))
        q.wait_closed()


def test_too_many_inventory_items_end_the_connection():
    a = Node()
    with nodes(a):
        a.start()
        p = Peer(a).handshake()
        p.send('inv', inv([(1, bytes(32))] * 50001))
        p.wait_closed()


def test_a_bad_checksum_is_dropped_without_blame():
    a = Node()
    with nodes(a):
        a.start()
        p = Peer(a).handshake()
        f = bytearray(frame(p.magic, 'ping', bytes(8)))
        f[20] ^= 1
        p.raw(bytes(f))
        p.sync()
        p.close()


if __name__ == '__main__':
    main(globals())
