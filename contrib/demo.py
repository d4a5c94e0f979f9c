#!/usr/bin/env python3
"""The main job, shown: node A has a chain, node B starts empty, syncs it from A over
the peer-to-peer protocol, and both answer over RPC. Loopback only.

First on regtest with a few hundred mined blocks; then, where the data folder is
there, on the real first 2,100 blocks of mainnet, imported offline by A.
"""
import argparse
import http.client
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'tests', 'functional'))

MINED = 300
POLL_S = 0.02


def headline(text):
    print('\n== ' + text, flush=True)


def bar(done, of, width=30):
    fill = width * done // max(of, 1)
    return '[' + '#' * fill + '.' * (width - fill) + ']'


def follow(node, target):
    """Show height, rate and time left until node is at target."""
    start = last = time.monotonic()
    base = node.rpc('getblockcount')
    while True:
        info = node.rpc('getblockchaininfo')
        height, now = info['blocks'], time.monotonic()
        done = height >= target
        if done or now - last > 0.25:
            last = now
            rate = (height - base) / max(now - start, 1e-6)
            eta = (target - height) / rate if rate > 0 else float('inf')
            print('   %s %5d/%d  headers %d  %.0f blocks/s  eta %s' % (
                bar(height, target), height, target, info['headers'], rate,
                '%.1f s' % eta if eta != float('inf') else '?'), flush=True)
        if done:
            return time.monotonic() - start
        time.sleep(POLL_S)


def show(a, b):
    """The answers of both, side by side; they must agree."""
    for method, args, keys in (
            ('getblockchaininfo', (), ('chain', 'blocks', 'bestblockhash')),
            ('gettxoutsetinfo', ('hash_serialized_3',),
             ('height', 'txouts', 'total_amount', 'hash_serialized_3'))):
        ra, rb = a.rpc(method, *args), b.rpc(method, *args)
        print('   ' + method)
        for k in keys:
            same = '' if ra[k] == rb[k] else '   DIFFERENT'
            print('     %-18s A %s\n     %-18s B %s%s' % (
                k, ra[k], '', rb[k], same))
            if same:
                sys.exit('demo: the nodes disagree')
    for p in b.rpc('getpeerinfo'):
        print('   B is connected to %s %s, received %d bytes' % (
            p['addr'], p['subver'], p['bytesrecv']))


def pair(chain, args, prepare, target):
    """One pair of nodes: prepare A, sync B from it, show both, stop both."""
    from node import Node
    a = Node(chain, args)
    b = Node(chain, args + ['-connect=127.0.0.1:%d' % a.port, '-listen=0'])
    try:
        prepare(a)
        want = target or a.rpc('getblockcount')
        print('   A listens on 127.0.0.1:%d with %d blocks' % (a.port, want))
        headline('B starts empty and syncs from A')
        b.start()
        seconds = follow(b, want)
        print('   synced in %.2f s after B answered' % seconds)
        headline('RPC answers of both')
        show(a, b)
        for n in (b, a):
            if n.stop() != 0:
                sys.exit('demo: a node did not stop cleanly')
        print('   both stopped')
    finally:
        a.remove()
        b.remove()


def mine(a):
    headline('regtest: A mines %d blocks' % MINED)
    a.start()
    a.generate(MINED)


def importer(path):
    def prepare(a):
        headline('mainnet: A imports the real blocks from %s, offline'
                 % os.path.basename(path))
        a.start('-loadblock=' + path, '-connect=0', '-listen=1')
        follow(a, 2100)
    return prepare


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('--build', default='build')
    args = ap.parse_args()
    os.environ['CAIRN_BUILD'] = os.path.abspath(args.build)
    from node import DATA
    try:
        pair('regtest', [], mine, MINED)
        path = os.path.join(DATA, 'chains', 'mainnet-0-2100.blk')
        if os.path.exists(path):
            pair('main', ['-minimumchainwork=0'], importer(path), 2100)
        else:
            print('\nno data folder: the pair on real blocks is left out')
    except (OSError, AssertionError, http.client.HTTPException) as e:
        sys.exit('demo: %s' % e)
    print('\ndemo: done')


if __name__ == '__main__':
    main()
