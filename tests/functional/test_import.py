#!/usr/bin/env python3
"""-loadblock takes what people have: junk between records, cut tails, blocks in any
order, several files, files of other networks, files that are none; and it can be
interrupted at any time.
"""
import contextlib
import os
import random
import struct
import tempfile

from node import Node, data_file, main, nodes, wait_until
from p2p import MAGIC, display, read_chain, sha256d
from test_real_chains import CHAINS, check_coins

SEED = int(os.environ.get('CAIRN_SEED', '20090103'))
ROW = CHAINS['regtest']


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix='cairn-test.') as d:
        yield d


def put(where, name, data):
    path = os.path.join(where, name)
    with open(path, 'wb') as f:
        f.write(data)
    return path


def record(block, chain='regtest'):
    return MAGIC[chain] + struct.pack('<I', len(block)) + block


def blocks():
    return read_chain(data_file('chains', ROW[1]), 'regtest')


def imported(*paths, args=()):
    """What a node that imported these files has: its node, running."""
    a = Node(args=args)
    try:
        a.start(*['-loadblock=' + p for p in paths])
        a.wait_log('import done')
        return a
    except BaseException:
        a.remove()
        raise


def all_there(a):
    a.wait_tip(ROW[3])
    check_coins(a, ROW)


def done_line(a):
    """The counts of the last import, by name."""
    line = [x for x in a.log().splitlines() if 'import done' in x][-1]
    return {k: int(v) for k, v in (w.split('=') for w in line.split()
                                   if '=' in w)}


def test_junk_between_records_is_passed_over():
    rnd = random.Random(SEED)
    m = MAGIC['regtest']
    out = rnd.randbytes(5000)
    for b in blocks():
        out += record(b) + rnd.choice([
            b'', bytes(17), m, m + b'\xff\xff\xff\xff', m + bytes(4), m[:3],
            m + struct.pack('<I', 200) + rnd.randbytes(100),
            record(b)[:40], rnd.randbytes(300), MAGIC['main'] + bytes(90)])
    with folder() as d:
        a = imported(put(d, 'junk', out))
        with nodes(a):
            all_there(a)
            assert done_line(a)['refused'] == 0


def test_a_cut_tail_costs_only_the_last_block():
    whole = b''.join(record(b) for b in blocks())
    with folder() as d:
        for cut in (1, 100):
            a = imported(put(d, 'cut', whole[:-cut]))
            with nodes(a):
                a.wait_height(ROW[2] - 1)
                assert a.height() == ROW[2] - 1
                assert done_line(a)['rc'] == 0


def test_blocks_in_any_order_and_over_two_files_find_together():
    rnd = random.Random(SEED)
    all_blocks = blocks()
    rnd.shuffle(all_blocks)
    half = len(all_blocks) // 2
    with folder() as d:
        paths = [put(d, 'one', b''.join(map(record, all_blocks[:half]))),
                 put(d, 'two', b''.join(map(record, all_blocks[half:])))]
        a = imported(*paths)
        with nodes(a):
            all_there(a)
            got = done_line(a)
            assert got['files'] == 2 and got['orphans'] == 0, got


def test_files_that_cannot_be_read_do_not_keep_others_out():
    with folder() as d:
        fifo = os.path.join(d, 'fifo')
        os.mkfifo(fifo)
        bad = [os.path.join(d, 'missing'), d, fifo, '/dev/zero',
               put(d, 'empty', b''), put(d, 'text', b'not a block file\n')]
        good = put(d, 'good', b''.join(map(record, blocks())))
        a = imported(*bad, good)
        with nodes(a):
            all_there(a)
            for p in bad[:4]:
                assert 'import cannot open file=%s: ' % p in a.log(), p


def test_a_file_of_another_network_brings_nothing():
    with folder() as d:
        a = imported(data_file('chains', 'testnet3-0-2100.blk'),
                     put(d, 'good', b''.join(map(record, blocks()))))
        with nodes(a):
            all_there(a)
            assert done_line(a)['refused'] == 0
        # The same blocks behind our magic are refused for their work or place.
        wrong = b''.join(record(b) for b in read_chain(data_file(
            'chains', 'signet-0-60.blk'), 'signet'))
        a = imported(put(d, 'wrong', wrong))
        with nodes(a):
            assert a.height() == 0
            got = done_line(a)
            assert got['blocks'] == 0 and got['rc'] == 0, got


def test_changed_blocks_are_refused_and_the_rest_is_taken():
    rnd = random.Random(SEED)
    out, changed = b'', set(rnd.sample(range(1, 206), 20))
    all_blocks = blocks()
    for i, b in enumerate(all_blocks):
        if i in changed:
            bad = bytearray(b)
            bad[-1 - rnd.randrange(4)] ^= 1 << rnd.randrange(8)
            out += record(bytes(bad))
        out += record(b)
    with folder() as d:
        a = imported(put(d, 'changed', out))
        with nodes(a):
            all_there(a)
            assert done_line(a)['refused'] == 20, done_line(a)


def test_a_file_full_of_false_beginnings_can_be_left():
    """Every 88 bytes claim a block of almost four megabytes, with proof of work."""
    m = MAGIC['regtest'] + struct.pack('<I', 3999999) + blocks()[0][:80]
    with folder() as d:
        a = Node()
        with nodes(a):
            a.start('-loadblock=' + put(d, 'false', m * 270000))
            a.wait_log('import file=')
            assert a.rpc('getblockcount') == 0
            assert a.stop(5) == 0
            assert a.errors() == ''


def test_sigterm_in_the_middle_ends_soon_and_the_next_start_goes_on():
    row = CHAINS['testnet3']
    path = data_file('chains', row[1])
    a = Node('test', ['-minimumchainwork=0'])
    with folder() as d, nodes(a):
        # Behind the blocks lies a void that takes seconds to search.
        with open(path, 'rb') as f:
            long = put(d, 'long', f.read())
        os.truncate(long, 20 << 30)
        for height in (1, 300, row[2]):
            a.start('-loadblock=' + long)
            a.wait_height(height)
            assert a.stop(5) == 0
            assert a.errors() == ''
            assert done_line(a)['rc'] == -1008, done_line(a)
        a.start('-loadblock=' + path)
        a.wait_tip(row[3])
        check_coins(a, row)


def test_a_kill_in_the_middle_is_made_good_by_the_next_import():
    row = CHAINS['testnet3']
    load = '-loadblock=' + data_file('chains', row[1])
    a = Node('test', ['-minimumchainwork=0', '-dbcache=4'])
    with nodes(a):
        for height in (1, 500, 1500):
            a.start(load)
            a.wait_height(height)
            a.kill()
        a.start(load)
        a.wait_tip(row[3])
        check_coins(a, row)


def test_importing_again_changes_nothing():
    path = data_file('chains', ROW[1])
    a = imported(path)
    with nodes(a):
        all_there(a)
        size = a.rpc('getblockchaininfo')['size_on_disk']
        assert a.stop() == 0
        a.start('-loadblock=' + path)
        wait_until('it is done again',
                   lambda: a.log().count('import done') == 2)
        got = done_line(a)
        assert got['known'] == 207 and got['blocks'] == 0, got
        all_there(a)
        assert a.rpc('getblockchaininfo')['size_on_disk'] <= size + 65536


def test_a_side_branch_in_the_file_is_kept_as_one():
    all_blocks = blocks()
    with folder() as d:
        a = imported(put(d, 'good', b''.join(map(record, all_blocks))))
        with nodes(a):
            a.rpc('invalidateblock', display(sha256d(all_blocks[200][:80])))
            a.rpc('setmocktime', 0)
            side = a.generate(3)
            more = [bytes.fromhex(a.rpc('getblock', h, 0)) for h in side]
        b = imported(put(d, 'both', b''.join(map(record, more + all_blocks))))
        with nodes(b):
            all_there(b)
            tips = {t['hash']: t['status'] for t in b.rpc('getchaintips')}
            assert tips[side[-1]] in ('valid-fork', 'valid-headers'), tips


if __name__ == '__main__':
    main(globals())
