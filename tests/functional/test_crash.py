#!/usr/bin/env python3
"""kill -9 at random moments, while real blocks are taken in with small caches and
frequent flushes, and while two chains displace each other: each start continues, repeats
no more than was not flushed, and the end has the coins that Bitcoin Core has.

CAIRN_SEED chooses the moments; CAIRN_KILLS how many.
"""
import contextlib
import os
import random
import re
import shutil
import threading

from node import ADDRESS, Node, data_file, main, nodes, wait_until
from test_real_chains import CHAINS, check_coins
from test_sync import OTHER, same_coins

SEED = int(os.environ.get('CAIRN_SEED', '20090103'))
KILLS = int(os.environ.get('CAIRN_KILLS', '16'))


class Flusher(threading.Thread):
    """Asks for statistics of the coins again and again: each is a whole flush."""

    def __init__(self, node):
        super().__init__()
        self.node, self.flushed = node, -1
        self.start()

    def run(self):
        with contextlib.suppress(Exception):
            while True:
                info = self.node.rpc('gettxoutsetinfo', 'none')
                self.flushed = max(self.flushed, info['height'])


def live_and_die(rnd, b, top, start_more=()):
    """Start, flush all the time, and be killed at a random height on the way. Gives
    what was flushed at least."""
    b.spawn(*start_more)
    if rnd.randrange(4) == 0:
        # Before anything answers.
        wait_until('it has begun', lambda: os.path.exists(b.netdir + '/blocks'))
        b.kill()
        return -1
    wait_until('RPC answers', b._ready)
    f = Flusher(b)
    target = rnd.randrange(top)
    with contextlib.suppress(Exception):
        while b.height() < target:
            pass
    b.kill()
    f.join()
    return f.flushed


def kept(b):
    """Height of the coins that a start found, from the log of that start."""
    if not os.path.exists(os.path.join(b.netdir, 'debug.log')):
        return -1
    m = re.findall(r'ready height=(\d+)', b.log())
    return int(m[-1]) if m else -1


def begin_anew(b):
    shutil.rmtree(b.dir)
    os.mkdir(b.dir)


def crash_while_syncing(key):
    rnd = random.Random(SEED)
    row = CHAINS[key]
    chain, name, height, tip = row[:4]
    a = Node(chain, ['-minimumchainwork=0'])
    b = Node(chain, ['-minimumchainwork=0', '-dbcache=4', '-listen=0',
                     '-blockfilterindex=1', '-connect=127.0.0.1:%d' % a.port])
    with nodes(a, b):
        a.start('-loadblock=' + data_file('chains', name))
        a.wait_tip(tip)
        flushed, seen = -1, set()
        for _ in range(KILLS):
            now = live_and_die(rnd, b, height)
            if now >= 0:
                assert kept(b) >= flushed, (kept(b), flushed)
            seen.add(kept(b))
            flushed = max(flushed, now)
            if flushed == height:
                begin_anew(b)
                flushed = -1
        # It was killed on the way, not only before and after.
        assert seen - {-1, 0, height}, seen
        b.start()
        assert kept(b) >= flushed, (kept(b), flushed)
        b.wait_tip(tip)
        check_coins(b, row)
        # The whole index is there, and in order.
        wait_until('filters are complete', lambda: b.rpc(
            'getblockfilter', tip)['header'] is not None)
        assert b.stop() == 0
        b.start()
        assert kept(b) == height
        check_coins(b, row)


def test_killed_while_syncing_mainnet_it_ends_with_cores_coins():
    crash_while_syncing('mainnet')


def test_killed_while_syncing_testnet3_it_ends_with_cores_coins():
    crash_while_syncing('testnet3')


def test_killed_while_importing_it_ends_with_cores_coins():
    rnd = random.Random(SEED)
    row = CHAINS['testnet3']
    b = Node('test', ['-minimumchainwork=0', '-dbcache=4',
                      '-blockfilterindex=1'])
    load = '-loadblock=' + data_file('chains', row[1])
    with nodes(b):
        flushed = -1
        for _ in range(KILLS):
            now = live_and_die(rnd, b, row[2], [load])
            if now >= 0:
                assert kept(b) >= flushed, (kept(b), flushed)
            flushed = max(flushed, now)
            if flushed == row[2]:
                begin_anew(b)
                flushed = -1
        b.start(load)
        b.wait_tip(row[3])
        check_coins(b, row)


def test_killed_while_chains_displace_each_other_it_follows_the_best():
    """Two peers mine against each other; the third follows both and dies."""
    rnd = random.Random(SEED)
    a, b, c = Node(), Node(), Node(args=['-dbcache=4', '-blockfilterindex=1'])
    with nodes(a, b, c):
        a.start()
        b.start()
        a.generate(20)
        b.connect(a)
        b.wait_tip(a.tip())
        for n in (a, b):
            n.rpc('setnetworkactive', False)
            n.rpc('setnetworkactive', True)
        for i in range(KILLS):
            # The one behind overtakes the other by a branch of its own.
            first, second = (a, b) if i % 2 else (b, a)
            need = second.height() + 1 + rnd.randrange(3) - first.height()
            first.generate(max(need, 1), ADDRESS if i % 2 else OTHER)
            c.start('-addnode=127.0.0.1:%d' % a.port,
                    '-addnode=127.0.0.1:%d' % b.port, '-connect=0')
            f = Flusher(c)
            wait_until('it has seen the new branch',
                       lambda: c.tip() in (first.tip(), second.tip()))
            for _ in range(rnd.randrange(5)):
                c.height()
            first.generate(1)
            c.kill()
            f.join()
        c.start()
        c.connect(a)
        c.connect(b)
        best = max((a, b), key=lambda n: n.height())
        c.wait_tip(best.tip())
        same_coins(c, best)
        tips = {t['status'] for t in c.rpc('getchaintips')}
        assert 'invalid' not in tips, tips


if __name__ == '__main__':
    main(globals())
