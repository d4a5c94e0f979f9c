#!/usr/bin/env python3
"""Compact filters (BIP157, BIP158): built while blocks are connected, served only when
the index is complete, checkpoints asked of peers, and a liar found out.
"""
import os
import struct

from node import Node, data_file, main, nodes, raises, wait_until
from p2p import (FILTERS, NETWORK, WITNESS, Peer, compact, headers,
                 read_chain, read_compact, sha256d)

SERVE = ['-blockfilterindex=1', '-peerblockfilters=1', '-minimumchainwork=0']


def real_headers():
    """Filter headers of mainnet 0..2100 as published, wire order."""
    with open(data_file('filters', 'mainnet-filterheaders-0-50000.bin'),
              'rb') as f:
        d = f.read(32 * 2101)
    return [d[i * 32:i * 32 + 32] for i in range(2101)]


def start_real(a):
    a.start('-loadblock=' + data_file('chains', 'mainnet-0-2100.blk'))
    a.wait_height(2100)
    wait_until('filters are complete', lambda: all(
        i['synced'] and i['best_block_height'] == 2100
        for i in a.rpc('getindexinfo').values()))


def wire(hexhash):
    return bytes.fromhex(hexhash)[::-1]


def test_real_filters_are_served_at_any_range():
    published = real_headers()
    a = Node('main', SERVE)
    with nodes(a):
        start_real(a)
        tip = wire(a.tip())
        for h in (0, 1, 999, 2100):
            r = a.rpc('getblockfilter', a.rpc('getblockhash', h))
            assert r['header'] == published[h][::-1].hex(), h
        p = Peer(a).handshake()
        p.send('getcfcheckpt', b'\0' + tip)
        m = p.wait('cfcheckpt')
        assert m[:33] == b'\0' + tip and m[33] == 2
        assert m[34:] == published[1000] + published[2000]
        stop = wire(a.rpc('getblockhash', 1500))
        p.send('getcfheaders', b'\0' + struct.pack('<I', 1001) + stop)
        m = p.wait('cfheaders')
        n, at = read_compact(m, 65)
        assert m[33:65] == published[1000] and n == 500
        prev = published[1000]
        for i in range(n):
            prev = sha256d(m[at + 32 * i:at + 32 * i + 32] + prev)
        assert prev == published[1500]
        p.send('getcfilters', b'\0' + struct.pack('<I', 1401) + stop)
        p.send('ping', bytes(8))
        prev = published[1400]
        for h in range(1401, 1501):
            m = p.wait('cfilter')
            size, at = read_compact(m, 33)
            assert m[1:33] == wire(a.rpc('getblockhash', h)) and len(
                m) == at + size
            prev = sha256d(sha256d(m[at:]) + prev)
        assert prev == published[1500]
        # The reply to what came later stands behind the last filter.
        assert p.recv()[0] == 'pong'
        p.close()


def test_the_bit_is_offered_only_with_a_complete_index():
    a = Node(args=['-blockfilterindex=1'])
    with nodes(a):
        a.start()
        a.generate(3)
        assert 'COMPACT_FILTERS' not in a.rpc(
            'getnetworkinfo')['localservicesnames']
        p = Peer(a).handshake()
        p.send('getcfcheckpt', b'\0' + wire(a.tip()))
        p.wait_closed()
        assert a.stop() == 0
        a.start('-peerblockfilters=1')
        wait_until('the bit is offered', lambda: 'COMPACT_FILTERS' in a.rpc(
            'getnetworkinfo')['localservicesnames'])


def test_the_index_catches_up_when_it_is_switched_on_later():
    a, b = Node(), Node(args=['-blockfilterindex=1'])
    with nodes(a, b):
        a.start()
        b.start()
        a.generate(40)
        b.connect(a)
        b.wait_tip(a.tip())
        raises(-1, a.rpc, 'getblockfilter', a.tip())
        assert a.stop() == 0
        a.start('-blockfilterindex=1')
        wait_until('filters are complete', lambda: a.rpc('getindexinfo')[
            'basic block filter index']['best_block_height'] == 40)
        assert a.rpc('getblockfilter', a.tip()) == b.rpc(
            'getblockfilter', b.tip())


def test_stale_blocks_keep_their_filters():
    a = Node(args=['-blockfilterindex=1'])
    with nodes(a):
        a.start()
        lost = a.generate(3)[-1]
        was = a.rpc('getblockfilter', lost)
        a.rpc('invalidateblock', lost)
        a.rpc('generatetodescriptor', 2, 'raw(51)')
        assert a.rpc('getblockfilter', lost) == was


def checkpoints(b):
    return {r['height']: r for r in b.rpc('getcfcheckpointinfo')}


def test_checkpoints_of_an_honest_peer_become_validated():
    published = real_headers()
    a = Node('main', SERVE)
    b = Node('main', ['-minimumchainwork=0', '-blockfilterindex=1'])
    with nodes(a, b):
        start_real(a)
        b.start()
        b.connect(a)
        b.wait_tip(a.tip())
        wait_until('both are validated', lambda: [
            (h, r['state']) for h, r in sorted(checkpoints(b).items())] == [
                (1000, 'validated'), (2000, 'validated')])
        for h, r in checkpoints(b).items():
            assert r['filterheader'] == published[h][::-1].hex()
            assert r['peers'] == [b.rpc('getpeerinfo')[0]['id']]


def lying_peer(b, blocks, heads):
    """A peer that offers filters and a real chain, and lies about height 2000."""
    p = Peer(b)
    p.handshake(services=NETWORK | WITNESS | FILTERS, height=2100)
    p.send('headers', headers([x[:80] for x in blocks[1:2001]]))
    p.send('headers', headers([x[:80] for x in blocks[2001:]]))
    m = p.wait('getcfcheckpt', 20)
    stop = m[1:33]
    n = [i for i, x in enumerate(blocks) if sha256d(x[:80]) == stop][0] // 1000
    claim = [heads[1000 * (i + 1)] for i in range(n)]
    if n > 1:
        claim[1] = os.urandom(32)
    p.send('cfcheckpt', m[:33] + compact(n) + b''.join(claim))
    return p


def test_a_peer_that_lies_is_disconnected_and_named():
    heads = real_headers()
    blocks = read_chain(data_file('chains', 'mainnet-0-2100.blk'), 'main')
    b = Node('main', ['-minimumchainwork=0', '-blockfilterindex=1'])
    with nodes(b):
        start_real(b)
        p = lying_peer(b, blocks, heads)
        p.wait_closed(20)
        assert 'sent a false filter checkpoint height=2000' in b.log()
        rows = b.rpc('getcfcheckpointinfo')
        states = sorted((r['height'], r['state']) for r in rows)
        assert (2000, 'refuted') in states and (1000, 'validated') in states


if __name__ == '__main__':
    main(globals())
