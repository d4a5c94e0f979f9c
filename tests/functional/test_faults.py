#!/usr/bin/env python3
"""A disk that gets full, writes short, or fails to sync at the n-th call, while blocks
are taken in or left for another branch: the node ends with one sentence and exit code
1, and when the fault is gone it starts again and gets where it would have got.

All n are tried with CAIRN_FAULTS=all, a spread of them otherwise.
"""
import contextlib
import os
import re
import struct
import subprocess
import tempfile

from node import HERE, SLOW, Node, data_file, main, nodes, skip
from p2p import MAGIC
from test_real_chains import CHAINS
from test_sync import OTHER

ROW = CHAINS['regtest']
FULL = r'disk (is )?full|No space left on device'
ALL = os.environ.get('CAIRN_FAULTS') == 'all'


def library(folder):
    path = os.path.join(folder, 'faultfs.so')
    try:
        subprocess.check_call(
            [os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-O1', '-Wall',
             '-o', path, os.path.join(HERE, 'faultfs.c'), '-ldl'])
    except OSError:
        skip('no C compiler')
    return path


def spread(total, n):
    """n of the numbers from 1 to total: dense at first, the last among them."""
    if ALL or total <= n:
        return range(1, total + 1)
    dense = n // 3
    return sorted(set(range(1, dense + 1)) | {
        dense + (total - dense) * i // (n - dense) for i in range(n - dense + 1)
    } - {0})


class Faulty:
    """A node on a disk whose calls fail as told; the import ends it. The pool's
    file, which may be lost, is test_mempool_keep's."""

    def __init__(self, lib, op, files=None, tip=ROW[3]):
        self.files = files or [data_file('chains', ROW[1])]
        self.tip = tip
        self.node = Node(args=['-dbcache=4', '-blockfilterindex=1',
                               '-listen=0', '-connect=0',
                               '-persistmempool=0'] +
                         ['-loadblock=' + f for f in self.files])
        self.count = self.node.dir + '.count'
        self.faults = {
            'LD_PRELOAD': lib, 'FAULT_DIR': self.node.dir, 'FAULT_OP': op,
            'FAULT_COUNT': self.count}
        asan = os.environ.get('ASAN_OPTIONS', '')
        self.faults['ASAN_OPTIONS'] = asan + ':verify_asan_link_order=0'
        self.clean = dict(self.node.env)

    def run(self, at, once=False, number=28):
        """Import with the fault; the exit code. n calls were seen."""
        self.node.env = dict(self.clean, **self.faults)
        self.node.env.update(FAULT_AT=str(at), FAULT_ERRNO=str(number))
        if once:
            self.node.env['FAULT_ONCE'] = '1'
        self.node.spawn('-stopafterblockimport')
        code = self.node.exit_code(60)
        self.node.env = self.clean
        with open(self.count, 'rb') as f:
            self.n = int.from_bytes(f.read(8), 'little')
        os.remove(self.count)
        return code

    def recover(self, coins):
        """Without the fault all that was there is used, and the end is right."""
        self.node.start()
        self.node.wait_tip(self.tip)
        got = self.node.rpc('gettxoutsetinfo')['hash_serialized_3']
        assert got == coins, got
        assert self.node.stop() == 0
        assert self.node.errors() == '', self.node.errors()

    def remove(self):
        with contextlib.suppress(OSError):
            os.remove(self.count)
        self.node.remove()


def one_sentence(text, phrase):
    lines = text.strip().split('\n')
    assert len(lines) == 1 and lines[0].startswith('Error: '), text
    assert re.search(phrase, text), text


def attempt(f, at, once, number, phrase, coins):
    """True when the fault met the node, which then held."""
    try:
        code = f.run(at, once, number)
        if f.n < at:
            return False
        assert code == 1, (at, code, f.node.errors())
        one_sentence(f.node.errors(), phrase)
        f.recover(coins)
        return True
    except BaseException:
        print('at=%d' % at)
        with contextlib.suppress(OSError):
            print(f.node.log()[-3000:])
        raise
    finally:
        f.remove()


def each_fault(op, n, phrase, once=False, number=28, files=None, tip=ROW[3],
               coins=ROW[6]):
    with tempfile.TemporaryDirectory() as folder:
        lib = library(folder)
        f = Faulty(lib, op, files, tip)
        assert f.run(0) == 0, f.node.errors()
        total = f.n
        f.remove()
        print('%s: %d calls' % (op, total))
        assert total >= 10
        met = [attempt(Faulty(lib, op, files, tip), at, once, number, phrase,
                       coins) for at in spread(total, n // min(SLOW, 3))]
        assert sum(met) > 1, met


def test_a_disk_that_is_full_from_the_nth_write_on_stops_the_node_whole():
    each_fault('write', 15, FULL)


def test_a_single_write_without_space_stops_the_node_whole():
    each_fault('write', 9, FULL, once=True)


def test_no_space_for_a_new_file_stops_the_node_whole():
    each_fault('create', 9, FULL)


def test_a_failed_sync_stops_the_node_whole():
    each_fault('sync', 9, 'disk error', once=True, number=5)


def test_a_sync_without_space_stops_the_node_whole():
    each_fault('sync', 6, FULL)


def write_blocks(node, path, heights):
    with open(path, 'wb') as f:
        for h in heights:
            b = bytes.fromhex(node.rpc('getblock',
                                       node.rpc('getblockhash', h), 0))
            f.write(MAGIC['regtest'] + struct.pack('<I', len(b)) + b)


def test_a_full_disk_in_a_reorganisation_stops_the_node_whole():
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, n) for n in ('one', 'two')]
        a = Node()
        with nodes(a):
            a.start()
            a.generate(60)
            write_blocks(a, files[0], range(61))
            a.rpc('invalidateblock', a.rpc('getblockhash', 11))
            a.generate(70, OTHER)
            write_blocks(a, files[1], range(81))
            tip = a.tip()
            coins = a.rpc('gettxoutsetinfo')['hash_serialized_3']
        each_fault('write', 12, FULL, files=files, tip=tip, coins=coins)
        each_fault('sync', 6, 'disk error', number=5, files=files, tip=tip,
                   coins=coins)


def test_short_writes_are_continued():
    with tempfile.TemporaryDirectory() as folder:
        f = Faulty(library(folder), 'short')
        try:
            assert f.run(1) == 0, f.node.errors()
            assert f.n > 400, f.n
            f.recover(ROW[6])
        finally:
            f.remove()


def test_a_file_system_that_is_really_full_stops_the_node_whole():
    """Needs root: a small file system of its own, which is enlarged afterwards."""
    folder = tempfile.mkdtemp(prefix='cairn-test.')
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=3m', 'tmpfs',
                       folder], stderr=subprocess.DEVNULL).returncode:
        os.rmdir(folder)
        print('SKIP: a file system cannot be mounted')
        return
    a, b = Node(datadir=folder), Node()
    try:
        with nodes(a, b):
            b.start()
            a.start('-blockfilterindex=1')
            b.connect(a)
            with contextlib.suppress(Exception):
                while True:
                    a.generate(100)
            assert a.exit_code() == 1
            one_sentence(a.errors(), FULL)
            subprocess.check_call(['mount', '-o', 'remount,size=64m', folder])
            a.start('-blockfilterindex=1')
            assert a.height() > 100, a.height()
            b.connect(a)
            a.wait_tip(b.tip())
            b.wait_tip(a.generate(10)[-1])
            assert a.rpc('gettxoutsetinfo')['hash_serialized_3'] == \
                b.rpc('gettxoutsetinfo')['hash_serialized_3']
    finally:
        subprocess.check_call(['umount', folder])
        os.rmdir(folder)


if __name__ == '__main__':
    main(globals())
