#!/usr/bin/env python3
"""-reindex and -reindex-chainstate: what is made again is what was there, block files
are not written, scripts are checked again, and a stop in the middle loses nothing.
"""
import glob
import os
import shutil

from blocks import next_block
from node import Node, main, nodes, wait_until


def blk_files(a):
    return {os.path.basename(p): open(p, 'rb').read() for p in
            sorted(glob.glob(os.path.join(a.netdir, 'blocks', 'blk*.dat')))}


def state(a):
    return a.rpc('gettxoutsetinfo')['hash_serialized_3'], a.tip()


def reindexed(a):
    return not os.path.exists(os.path.join(a.netdir, 'blocks', 'reindex'))


def start_reindex(a, tip, *more):
    a.start('-reindex', *more)
    wait_until('the files are read', lambda: reindexed(a))
    a.wait_tip(tip)


def grown(a):
    """A chain with a branch of one block, and spends."""
    a.start()
    a.generate(105)
    side = next_block(a, extra=b'side').raw()
    a.generate(5)
    assert a.rpc('submitblock', side.hex()) == 'inconclusive'
    a.generate(3)
    return state(a)


def test_everything_is_made_again_from_the_block_files():
    a = Node(args=['-blockfilterindex=1'])
    with nodes(a):
        before = grown(a)
        tips = a.rpc('getchaintips')
        filt = a.rpc('getblockfilter', a.tip())
        assert a.stop() == 0
        files = blk_files(a)
        # Nothing but the block files is needed.
        for name in ('chainstate', 'indexes'):
            assert os.path.isdir(os.path.join(a.netdir, name)), name
            shutil.rmtree(os.path.join(a.netdir, name))
        start_reindex(a, before[1])
        assert state(a) == before
        assert a.rpc('getblockfilter', a.tip()) == filt
        assert {t['hash'] for t in a.rpc('getchaintips')} == {
            t['hash'] for t in tips}
        # Undo data too.
        fifty = a.rpc('getblockhash', 50)
        a.rpc('invalidateblock', fifty)
        assert a.height() == 49
        a.rpc('reconsiderblock', fifty)
        a.wait_tip(before[1])
        assert a.stop() == 0
        assert blk_files(a) == files
        # Blocks that come later lie behind those that were there.
        a.start()
        new = a.generate(2)
        assert a.stop() == 0
        now = blk_files(a)
        assert all(now[k].startswith(v) for k, v in files.items())
        start_reindex(a, new[-1])
        assert blk_files(a) == now


def test_a_lost_index_does_not_cost_the_blocks():
    a = Node()
    with nodes(a):
        before = grown(a)
        assert a.stop() == 0
        files = blk_files(a)
        shutil.rmtree(os.path.join(a.netdir, 'indexes', 'headers'))
        a.start()
        a.wait_tip(before[1])
        assert state(a) == before
        assert a.stop() == 0
        assert blk_files(a) == files


def test_a_reindex_that_was_cut_short_goes_on():
    a = Node()
    with nodes(a):
        a.start()
        for _ in range(4):
            a.generate(1000)
        before = state(a)
        assert a.stop() == 0
        files = blk_files(a)
        cut = 0
        for n in range(6):
            a.start(*(['-reindex'] if n == 0 else []))
            goal = min(4000, 200 + 700 * n)
            wait_until('some blocks are back', lambda: a.height() >= goal or
                       reindexed(a))
            if n == 0:
                # What is appended now lies behind all that is not read yet.
                a.rpc('generatetodescriptor', 1, 'raw(52)')
            cut += not reindexed(a)
            if n % 2:
                a.kill()
            else:
                assert a.stop() == 0
            now = blk_files(a)
            assert all(now[k].startswith(v) for k, v in files.items())
        assert cut, 'never cut short'
        a.start()
        wait_until('the files are read', lambda: reindexed(a))
        a.wait_tip(before[1])
        assert state(a) == before
        a.generate(1)
        assert a.stop() == 0
        now = blk_files(a)
        assert all(now[k].startswith(v) for k, v in files.items())


def test_scripts_are_checked_again():
    a = Node()
    with nodes(a):
        before = grown(a)
        bad = a.rpc('getblockhash', 40)
        assert a.stop() == 0
        a.start('-testfailblock=' + bad)
        assert a.height() == 113
        assert a.stop() == 0
        a.start('-reindex-chainstate', '-testfailblock=' + bad)
        a.wait_height(39)
        status = {t['hash']: t['status'] for t in a.rpc('getchaintips')}
        assert a.height() == 39 and 'invalid' in status.values(), status
        assert a.stop() == 0
        a.start()
        a.rpc('reconsiderblock', bad)
        a.wait_tip(before[1])
        assert state(a) == before
        assert a.stop() == 0
        a.start('-reindex', '-testfailblock=' + bad)
        wait_until('the files are read', lambda: reindexed(a))
        assert a.height() == 39


def test_coins_are_made_again_from_the_stored_blocks():
    a = Node(args=['-blockfilterindex=1'])
    with nodes(a):
        before = grown(a)
        assert a.stop() == 0
        files = blk_files(a)
        shutil.rmtree(os.path.join(a.netdir, 'chainstate'))
        a.start('-reindex-chainstate')
        assert state(a) == before
        assert a.rpc('getindexinfo')['basic block filter index']['synced']
        assert a.stop() == 0
        assert blk_files(a) == files


def test_blocks_kept_before_segwit_was_a_rule_are_read_again():
    a = Node()
    with nodes(a):
        a.start('-testactivationheight=segwit@20')
        a.generate(15)
        assert a.stop() == 0
        a.spawn('-connect=0', '-testactivationheight=segwit@10')
        assert a.exit_code() == 1
        assert 'after height 10 requires validation. Please restart with ' \
            '-reindex.' in a.errors()
        # They commit to witnesses and have none: they have to come again.
        a.start('-reindex', '-testactivationheight=segwit@10')
        wait_until('the files are read', lambda: reindexed(a))
        assert a.height() == 9
        a.generate(1)
        assert a.stop() == 0
        a.start('-testactivationheight=segwit@10')
        assert a.height() == 10


def test_a_damaged_file_is_read_as_far_as_it_goes():
    a, b = Node(), Node()
    with nodes(a, b):
        before = grown(a)
        b.start()
        b.connect(a)
        b.wait_tip(before[1])
        assert a.stop() == 0
        path = os.path.join(a.netdir, 'blocks', 'blk00000.dat')
        with open(path, 'rb') as f:
            raw = f.read()
        # A block in the middle is broken, and the end is torn.
        at = len(raw) // 2
        with open(path, 'wb') as f:
            f.write(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1:-50])
        a.start('-reindex')
        wait_until('the files are read', lambda: reindexed(a))
        assert 40 < a.height() < 70, a.height()
        a.connect(b)
        a.wait_tip(before[1])
        assert state(a) == before


if __name__ == '__main__':
    main(globals())
