#!/usr/bin/env python3
"""mempool.dat: the pool over a restart, and from other files."""
import concurrent.futures
import os
import shutil
import struct
import time

from node import Node, main, nodes, raises, wait_until
from p2p import compact
from purse import SUBSIDY, Purse, Spend, pool


def loaded(a):
    wait_until('the pool is read', lambda: a.rpc('getmempoolinfo')['loaded'])


def restarted(a, *args):
    assert a.stop() == 0
    a.start(*args)
    loaded(a)


def test_the_pool_is_there_after_a_restart():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        t = p.send()
        child = Spend([t.out()], [SUBSIDY - 30000])
        a.rpc('sendrawtransaction', child.hex)
        a.rpc('prioritisetransaction', child.id, 0, 777)
        a.rpc('prioritisetransaction', '22' * 32, 0, -5)
        before = a.rpc('getrawmempool', True)
        restarted(a)
        assert a.rpc('getrawmempool', True) == before
        assert a.rpc('getmempoolinfo')['unbroadcastcount'] == 2
        deltas = a.rpc('getprioritisedtransactions')
        assert deltas[child.id]['fee_delta'] == 777
        assert deltas['22' * 32] == {'fee_delta': -5, 'in_mempool': False}
        # Not wanted: neither read nor written.
        restarted(a, '-persistmempool=0')
        assert pool(a) == set()
        restarted(a)
        assert pool(a) == set(before)
        p.mine()
        restarted(a)
        assert pool(a) == set()


def test_calls_that_save_at_the_same_time_leave_a_whole_file():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a, 30)
        sent = {p.send(pad=60000).id for _ in range(30)}
        with concurrent.futures.ThreadPoolExecutor(8) as several:
            for name in several.map(
                    lambda _: a.rpc('savemempool')['filename'], range(60)):
                assert name == os.path.join(a.netdir, 'mempool.dat')
        restarted(a)
        assert pool(a) == sent


def test_files_of_both_forms_are_read():
    a = Node()
    with nodes(a):
        a.start('-persistmempoolv1=1')
        p = Purse(a)
        t = p.send()
        name = a.rpc('savemempool')['filename']
        assert name == os.path.join(a.netdir, 'mempool.dat')
        plain = open(name, 'rb').read()
        time_s = a.rpc('getmempoolentry', t.id)['time']
        txid = bytes.fromhex(t.id)[::-1]
        assert plain == (struct.pack('<QQ', 1, 1) + t.raw +
                         struct.pack('<qq', time_s, 0) + b'\0' +
                         b'\1' + txid)
        restarted(a)
        assert pool(a) == {t.id}
        a.rpc('savemempool')
        mixed = open(name, 'rb').read()
        assert mixed[:9] == struct.pack('<QB', 2, 8)
        key = mixed[9:17]
        rest = bytes(c ^ key[(17 + i) % 8] for i, c in enumerate(mixed[17:]))
        assert rest == plain[8:]


def test_a_damaged_file_takes_nothing_but_itself():
    a = Node()
    with nodes(a):
        a.start('-persistmempoolv1=1')
        p = Purse(a)
        one, two = p.send(2000), p.send(1000)
        a.stop()
        name = os.path.join(a.netdir, 'mempool.dat')
        whole = open(name, 'rb').read()
        for cut, kept in [(0, 0), (5, 0), (16, 0), (40, 0),
                          (16 + len(one.raw) + 20, 1),
                          (len(whole) - 1, 2), (len(whole), 2)]:
            open(name, 'wb').write(whole[:cut])
            a.start()
            loaded(a)
            assert len(pool(a)) == kept, (cut, pool(a))
            a.kill()
        # Lengths that cannot be, another form, many that are not there.
        for bad in (struct.pack('<QQ', 3, 0), struct.pack('<Q', 2) + b'\7',
                    struct.pack('<QQ', 1, 2 ** 63) + b'\xff' * 100,
                    struct.pack('<QQ', 1, 0) + compact(2 ** 25 - 1)):
            open(name, 'wb').write(bad)
            a.start()
            loaded(a)
            assert pool(a) == set()
            a.kill()
        os.remove(name)
        a.start()
        loaded(a)


def test_other_files_are_imported_as_asked():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        now = int(time.time())
        a.rpc('setmocktime', now)
        t, gone = p.send(), p.send()
        a.rpc('prioritisetransaction', t.id, 0, 1000)
        copy = os.path.join(a.dir, 'copy.dat')
        shutil.copy(a.rpc('savemempool')['filename'], copy)
        other = Spend([(t.id, 0)], [SUBSIDY - 40000])
        a.rpc('generateblock', 'raw(51)', [gone.hex])
        a.rpc('prioritisetransaction', t.id, 0, -1000)
        restarted(a, '-persistmempool=0')
        assert pool(a) == set()
        a.rpc('setmocktime', now + 5000)
        a.generate(1)
        assert a.rpc('importmempool', copy) == {}
        assert pool(a) == {t.id}
        e = a.rpc('getmempoolentry', t.id)
        assert e['time'] == now + 5000 and not e['unbroadcast'], e
        assert a.rpc('getprioritisedtransactions') == {}
        a.rpc('sendrawtransaction', other.hex)
        assert a.rpc('importmempool', copy, {
            'apply_fee_delta_priority': True,
            'apply_unbroadcast_set': True}) == {}
        assert pool(a) == {t.id, other.id}
        assert a.rpc('getprioritisedtransactions')[t.id]['fee_delta'] == 1000
        assert a.rpc('getmempoolentry', t.id)['unbroadcast']
        restarted(a, '-persistmempool=0')
        a.rpc('setmocktime', now + 5000)
        a.generate(1)
        a.rpc('importmempool', copy, {'use_current_time': False})
        assert a.rpc('getmempoolentry', t.id)['time'] == now
        raises(-1, a.rpc, 'importmempool', os.path.join(a.dir, 'none'))
        raises(-1, a.rpc, 'importmempool', a.dir)
        pipe = os.path.join(a.dir, 'pipe')
        os.mkfifo(pipe)
        raises(-1, a.rpc, 'importmempool', pipe)
        raises(-3, a.rpc, 'importmempool', copy, {'use_current_time': 1})


def test_what_is_too_old_stays_out():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        now = int(time.time())
        a.rpc('setmocktime', now - 400 * 3600)
        p.send()
        a.rpc('savemempool')
        a.kill()
        a.start()
        loaded(a)
        assert pool(a) == set()


def test_a_disk_that_is_full_is_told():
    a = Node()
    with nodes(a):
        a.start()
        p = Purse(a)
        t = p.send()
        os.mkdir(os.path.join(a.netdir, 'mempool.dat.new'))
        raises(-1, a.rpc, 'savemempool')
        os.rmdir(os.path.join(a.netdir, 'mempool.dat.new'))
        restarted(a)
        assert pool(a) == {t.id}


if __name__ == '__main__':
    main(globals())
