#!/usr/bin/env python3
"""getblocktemplate: a block made from a template is valid, proposals are judged as
blocks are but without work, and whoever waits hears of the next tip.
"""
import base64
import json
import select
import socket
import threading

from blocks import COIN, Block, In, Tx, next_block
from node import Node, main, nodes, raises, wait_until
from p2p import display, sha256d

SEGWIT = {'rules': ['segwit']}


def made_from(t):
    b = Block(bytes.fromhex(t['previousblockhash'])[::-1], t['height'],
              t['curtime'], version=t['version'], bits=int(t['bits'], 16))
    out = b.txs[0].outs[0]
    b.txs[0].outs = [(t['coinbasevalue'], out[1]),
                     (0, bytes.fromhex(t['default_witness_commitment']))]
    b.txs[0].ins[0].witness = [bytes(32)]
    return b


def propose(a, block, data=None):
    return a.rpc('getblocktemplate', dict(
        SEGWIT, mode='proposal', data=data or block.raw().hex()))


def test_a_block_made_from_a_template_is_valid():
    a = Node()
    with nodes(a):
        a.start()
        for height in range(1, 4):
            t = a.rpc('getblocktemplate', SEGWIT)
            assert t['height'] == height and t['transactions'] == [], t
            assert t['coinbasevalue'] == 50 * COIN, t
            assert t['target'] == '7fffff' + '0' * 58, t
            assert t['mintime'] <= t['curtime'], t
            b = made_from(t)
            assert propose(a, b) is None
            assert a.height() == height - 1
            assert a.rpc('submitblock', b.raw().hex()) is None
            assert a.tip() == display(b.hash)
        a.generate(147)
        t = a.rpc('getblocktemplate', SEGWIT)
        assert t['coinbasevalue'] == 25 * COIN, t
        assert t['version'] == 0x30000000, t
        assert t['vbavailable'] == {'testdummy': 28}, t


def test_a_template_says_what_binds_before_segwit():
    a = Node(args=['-testactivationheight=segwit@3'])
    with nodes(a):
        a.start()
        a.generate(1)
        t = a.rpc('getblocktemplate', SEGWIT)
        assert t['rules'] == ['csv'] and 'weightlimit' not in t, t
        assert (t['sigoplimit'], t['sizelimit']) == (20000, 1000000), t
        a.generate(1)
        t = a.rpc('getblocktemplate', SEGWIT)
        assert t['rules'] == ['csv', '!segwit', 'taproot'], t
        assert (t['sigoplimit'], t['sizelimit'], t['weightlimit']) == (
            80000, 4000000, 4000000), t


def test_the_least_time_goes_by_the_median_and_by_bip94():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(142)
        ahead = a.rpc('getblockheader', a.tip())['time'] + 7000
        b = next_block(a, time=ahead)
        assert a.rpc('submitblock', b.raw().hex()) is None
        assert a.height() == 143
        t = a.rpc('getblocktemplate', SEGWIT)
        assert t['mintime'] == ahead - 600, (t, ahead)
        assert t['curtime'] >= t['mintime'], t
        # Ours obeys it as well.
        assert a.rpc('getblock', a.generate(1)[0])['time'] >= ahead - 600
        t = a.rpc('getblocktemplate', SEGWIT)
        median = a.rpc('getblockheader', a.tip())['mediantime']
        assert t['mintime'] == median + 1, t


def test_proposals_are_judged_and_change_nothing():
    a = Node()
    with nodes(a):
        a.start()
        a.rpc('generatetodescriptor', 101, 'raw(51)')
        tip = a.tip()
        coins = [bytes.fromhex(a.rpc('getblock', a.rpc(
            'getblockhash', h))['tx'][0])[::-1] for h in (1, 5)]
        good = Tx([In(coins[0], 0)], [(50 * COIN, b'\x51')])
        young = Tx([In(coins[1], 0)], [(50 * COIN, b'\x51')])
        much = Tx([In(coins[0], 0)], [(50 * COIN + 1, b'\x51')])
        fails = Tx([In(coins[0], 0, b'\x6a')], [(1, b'\x51')])
        for txs, answer in (([good], None),
                            ([good, good], 'bad-txns-inputs-missingorspent'),
                            ([young], 'bad-txns-premature-spend-of-coinbase'),
                            ([much], 'bad-txns-in-belowout')):
            assert propose(a, next_block(a, txs)) == answer, answer
        got = propose(a, next_block(a, [fails]))
        assert got.startswith('block-script-verify-flag-failed'), got
        assert propose(a, next_block(a, bits=0x207ffffe)) == 'bad-diffbits'
        assert propose(a, next_block(a, time=5)) == 'time-too-old'
        assert propose(a, next_block(a, version=1)) == \
            'bad-version(0x00000001)'
        # Without proof of work, and not on the tip.
        raw = bytearray(next_block(a, [good]).raw())
        while sha256d(raw[:80])[31] < 128:
            raw[76] = (raw[76] + 1) % 256
        assert propose(a, None, raw.hex()) is None
        raw[4:36] = bytes(32)
        assert propose(a, None, raw.hex()) == 'inconclusive-not-best-prevblk'
        old = a.rpc('getblock', tip, 0)
        assert propose(a, None, old) == 'duplicate'
        raises(-22, propose, a, None, old[:-2])
        raises(-22, propose, a, None, old + '00')
        raises(-3, a.rpc, 'getblocktemplate', {'mode': 'proposal'})
        assert a.tip() == tip
        assert propose(a, next_block(a, [good])) is None


def test_the_rules_have_to_be_known():
    a, s = Node(), Node('signet')
    with nodes(a, s):
        a.start()
        raises(-8, a.rpc, 'getblocktemplate', {'rules': []})
        raises(-8, a.rpc, 'getblocktemplate', {'mode': 'other'})
        raises(-3, a.rpc, 'getblocktemplate', {'rules': [1]})
        raises(-8, a.rpc, 'getblocktemplate', {'rules': ['segwit\0']})
        # What is cut before it is shown stays text.
        assert raises(-8, a.rpc, 'getblocktemplate', dict(
            SEGWIT, longpollid='x' + 'é' * 40)).count('é') == 31
        s.start()
        assert 'signet' in raises(-8, s.rpc, 'getblocktemplate', SEGWIT)
        t = s.rpc('getblocktemplate', {'rules': ['segwit', 'signet']})
        assert '!signet' in t['rules'] and t['signet_challenge'], t
    m = Node('main')
    with nodes(m):
        m.start()
        raises(-9, m.rpc, 'getblocktemplate', SEGWIT)


def waiting(a, n, request):
    """n calls that wait; their answers come into the list."""
    got = []

    def ask():
        status, body = a.post(json.dumps(
            {'id': 1, 'method': 'getblocktemplate', 'params': [request]}))
        got.append(json.loads(body))
    threads = [threading.Thread(target=ask) for _ in range(n)]
    for t in threads:
        t.start()
    wait_until('they wait', lambda: sum(
        c['method'] == 'getblocktemplate'
        for c in a.rpc('getrpcinfo')['active_commands']) == n)
    return got, threads


def test_whoever_waits_hears_of_the_next_tip():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(1)
        known = a.rpc('getblocktemplate', SEGWIT)['longpollid']
        got, threads = waiting(a, 5, dict(SEGWIT, longpollid=known))
        assert got == []
        tip = a.generate(1)[0]
        for t in threads:
            t.join(30)
        assert [g['result']['previousblockhash'] for g in got] == [tip] * 5
        # One that is known no longer is answered at once.
        t = a.rpc('getblocktemplate', dict(SEGWIT, longpollid=known))
        assert t['previousblockhash'] == tip
        raises(-8, a.rpc, 'getblocktemplate', dict(SEGWIT, longpollid='1'))


def test_whoever_waits_hears_of_the_end():
    a = Node()
    with nodes(a):
        a.start()
        got, threads = waiting(a, 3, dict(SEGWIT, longpollid=1))
        assert a.stop() == 0
        for t in threads:
            t.join(30)
        assert [g['error']['code'] for g in got] == [-9] * 3, got


def poll(a):
    """A connection that asks for the template behind the next tip."""
    body = json.dumps({'id': 1, 'method': 'getblocktemplate',
                       'params': [dict(SEGWIT, longpollid=1)]})
    auth = base64.b64encode(a.cookie()).decode()
    s = socket.create_connection(('127.0.0.1', a.rpcport), 30)
    s.sendall(('POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic %s\r\n'
               'Content-Length: %d\r\n\r\n%s' % (auth, len(body), body)
               ).encode())
    return s


MOST = 256


def test_only_so_many_wait():
    a = Node()
    with nodes(a):
        a.start()
        socks = [poll(a) for _ in range(MOST + 1)]
        ready = select.select(socks, [], [], 30)[0]
        assert len(ready) == 1, len(ready)
        assert b'"height":1' in ready[0].recv(1 << 16)
        a.generate(1)
        for s in socks:
            if s is not ready[0]:
                assert b'"height":2' in s.recv(1 << 16)
            s.close()


def seen(a):
    """What clients have done so far, the node has read: a call of its own takes
    it turns of its loop."""
    for _ in range(3):
        a.height()


def test_whoever_left_keeps_nobody_from_waiting():
    a = Node()
    with nodes(a):
        a.start()
        for s in [poll(a) for _ in range(MOST)]:
            s.close()
        seen(a)
        # One that only closed its own side is answered for the others' sake.
        half = poll(a)
        half.shutdown(socket.SHUT_WR)
        seen(a)
        socks = [poll(a) for _ in range(MOST)]
        assert b'"height":1' in half.recv(1 << 16)
        a.height()
        assert select.select(socks, [], [], 0)[0] == []
        a.generate(1)
        for s in socks:
            assert b'"height":2' in s.recv(1 << 16)
            s.close()
        half.close()


if __name__ == '__main__':
    main(globals())
