#!/usr/bin/env python3
"""BIP152: the header of a cmpctblock is taken, the block put together from the
pool and what its sender gives for the rest, or asked for whole. getblocktxn and
getdata for compact blocks are answered, in order.
"""
import os
import struct

from node import Node, main, nodes, wait_until
from p2p import (INV_BLOCK, INV_WITNESS, Peer, compact, display, headers, inv,
                 parse_inv, read_compact, sha256d)

INV_CMPCT = 4


def next_block(a):
    """A valid block on the tip that the node itself has not seen submitted."""
    return bytes.fromhex(a.rpc('generateblock', 'raw(51)', [], False)['hex'])


def coinbase(block):
    """Of a block with that one transaction, as it stands there."""
    assert block[80] == 1
    return block[81:]


def cmpctblock(header, prefilled, short_ids=()):
    return (header + struct.pack('<Q', 7) + compact(len(short_ids)) +
            b''.join(s.to_bytes(6, 'little') for s in short_ids) +
            compact(len(prefilled)) +
            b''.join(compact(skip) + tx for skip, tx in prefilled))


def getblocktxn(block_hash, indexes):
    out, following = block_hash + compact(len(indexes)), 0
    for i in indexes:
        out += compact(i - following)
        following = i + 1
    return out


def speaker(a, announce=0):
    p = Peer(a).handshake()
    p.send('sendcmpct', bytes([announce]) + struct.pack('<Q', 2))
    p.sync()
    return p


def with_bad_pow(header):
    h = bytearray(header)
    while int.from_bytes(sha256d(h), 'little') >> 255 == 0:
        h[76] = (h[76] + 1) % 256
    return bytes(h)


def asked_for(p, block_hash):
    """The node asks for the block whole, with its witnesses."""
    items = parse_inv(p.wait('getdata'))
    assert items == [(INV_BLOCK | INV_WITNESS, block_hash)], items


def fast(a):
    """One that has brought a block, and so is to announce the next compact."""
    p, block = speaker(a), next_block(a)
    p.send('headers', headers([block[:80]]))
    kind = parse_inv(p.wait('getdata'))
    assert kind == [(INV_CMPCT, sha256d(block[:80]))], kind
    p.send('cmpctblock', cmpctblock(block[:80], [(0, coinbase(block))]))
    a.wait_tip(display(sha256d(block[:80])))
    p.sync()
    assert [b for c, b in p.got if c == 'sendcmpct'][-1][0] == 1
    return p


def asked_for_txs(p, block_hash, indexes):
    body = p.wait('getblocktxn')
    assert body == getblocktxn(block_hash, indexes), body.hex()


def test_what_lacks_is_asked_for():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        p = fast(a)
        block = next_block(a)
        h = sha256d(block[:80])
        p.send('cmpctblock', cmpctblock(block[:80], [], [1]))
        asked_for_txs(p, h, [0])
        p.send('blocktxn', h + b'\x01' + coinbase(block))
        a.wait_tip(display(h))
        p.close()


def test_with_all_of_it_nothing_is_asked_for():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        p = fast(a)
        block = next_block(a)
        p.send('cmpctblock', cmpctblock(block[:80], [(0, coinbase(block))]))
        a.wait_tip(display(sha256d(block[:80])))
        p.sync()
        # The one getdata is that of fast().
        assert len([c for c, _ in p.got if c == 'getdata']) == 1
        assert 'getblocktxn' not in p.seen
        p.close()


def test_where_a_false_transaction_came_the_whole_block_is_asked_for():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        p = fast(a)
        block = next_block(a)
        h = sha256d(block[:80])
        false = coinbase(bytes.fromhex(a.rpc('getblock', a.tip(), 0)))
        p.send('cmpctblock', cmpctblock(block[:80], [], [1]))
        asked_for_txs(p, h, [0])
        p.send('blocktxn', h + b'\x01' + false)
        asked_for(p, h)
        p.send('block', block)
        a.wait_tip(display(h))
        p.close()


def test_the_wrong_number_of_transactions_is_misbehaviour():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        p, q = fast(a), fast(a)
        block = next_block(a)
        h = sha256d(block[:80])
        for x in p, q:
            x.send('cmpctblock', cmpctblock(block[:80], [], [1]))
            asked_for_txs(x, h, [0])
        p.send('blocktxn', h + b'\x02' + 2 * coinbase(block))
        p.wait_closed()
        # The other is not disturbed.
        q.send('blocktxn', h + b'\x01' + coinbase(block))
        a.wait_tip(display(h))
        q.close()


def test_a_false_block_does_not_end_the_download_of_another():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        p, q = fast(a), speaker(a)
        block = next_block(a)
        h = sha256d(block[:80])
        false = coinbase(bytes.fromhex(a.rpc('getblock', a.tip(), 0)))
        p.send('cmpctblock', cmpctblock(block[:80], [], [1]))
        asked_for_txs(p, h, [0])
        q.send('block', block[:81] + false)
        q.wait_closed()
        p.send('blocktxn', h + b'\x01' + coinbase(block))
        a.wait_tip(display(h))
        p.close()


def test_of_others_only_the_header_is_taken():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        p, block = speaker(a), next_block(a)
        p.send('cmpctblock', cmpctblock(block[:80], [(0, coinbase(block))]))
        asked_for(p, sha256d(block[:80]))
        p.send('block', block)
        a.wait_tip(display(sha256d(block[:80])))
        p.close()


def test_it_is_ignored_from_who_never_said_sendcmpct():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(1)
        block = next_block(a)
        p = Peer(a).handshake()
        for version in (None, 1):
            if version:
                p.send('sendcmpct', b'\0' + struct.pack('<Q', version))
            p.send('cmpctblock', cmpctblock(block[:80],
                                            [(0, coinbase(block))]))
            p.sync()
            assert 'getdata' not in p.seen
            assert a.rpc('getblockchaininfo')['headers'] == 1
        p.close()


def test_its_header_is_judged():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        block = next_block(a)
        tx = [(0, coinbase(block))]
        p = speaker(a)
        p.send('cmpctblock', cmpctblock(with_bad_pow(block[:80]), tx))
        p.wait_closed()
        # Cut short, or with an index above 16 bits: dropped.
        p = speaker(a)
        whole = cmpctblock(block[:80], tx)
        p.send('cmpctblock', whole[:-1])
        p.send('cmpctblock', cmpctblock(block[:80], [(65536, tx[0][1])]))
        p.sync()
        assert a.rpc('getblockchaininfo')['headers'] == 2
        # An unknown parent: what leads to it is asked for, once the question
        # that every peer gets at first is answered.
        p.send('headers', headers([]))
        stray = block[:4] + bytes(32) + block[36:80]
        p.send('cmpctblock', cmpctblock(stray, tx))
        p.wait('getheaders')
        p.close()


def mined(header):
    """The header with a nonce that regtest's target accepts."""
    h = bytearray(header)
    while int.from_bytes(sha256d(h), 'little') >> 255:
        h[76:80] = os.urandom(4)
    return bytes(h)


def test_a_header_under_little_work_is_ignored():
    """144 blocks of work below the tip nothing new may enter the tree."""
    a = Node()
    with nodes(a):
        a.start()
        a.generate(150)
        p = speaker(a)
        for height, known in ((3, False), (149, True)):
            prev = bytes.fromhex(a.rpc('getblockhash', height))[::-1]
            block = bytes.fromhex(a.rpc('getblock', a.tip(), 0))
            h = mined(block[:4] + prev + block[36:80])
            p.send('cmpctblock', cmpctblock(h, [(0, coinbase(block))]))
            p.sync()
            tips = {t['hash'] for t in a.rpc('getchaintips')}
            assert (display(sha256d(h)) in tips) == known, height
        p.close()


def test_a_block_that_is_known_to_be_bad_is_not_held_against_the_peer():
    """Its sender may have passed it on before its transactions were checked."""
    a = Node()
    with nodes(a):
        a.start()
        bad = a.generate(2)[1]
        block = bytes.fromhex(a.rpc('getblock', bad, 0))
        a.rpc('invalidateblock', bad)
        p = speaker(a)
        p.send('cmpctblock', cmpctblock(block[:80], [(0, coinbase(block))]))
        p.sync()
        # A header on top of it is one that its sender should have refused.
        child = mined(block[:4] + sha256d(block[:80]) + block[36:80])
        p.send('cmpctblock', cmpctblock(child, [(0, coinbase(block))]))
        p.wait_closed()


def test_a_false_compact_block_that_was_asked_for_is_misbehaviour():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(2)
        block = next_block(a)
        p = speaker(a)
        p.send('cmpctblock', cmpctblock(block[:80], []))
        asked_for(p, sha256d(block[:80]))
        p.send('cmpctblock', cmpctblock(block[:80], [(1, coinbase(block))]))
        p.wait_closed()


def txs_of(a, h):
    """Raw transactions of a block, as the RPC gives them."""
    return [bytes.fromhex(t['hex']) for t in a.rpc('getblock', h, 2)['tx']]


def test_getblocktxn_is_answered_in_order():
    a = Node()
    with nodes(a):
        a.start()
        hashes = a.generate(3)
        p = speaker(a)
        for h in hashes:
            p.send('getblocktxn', getblocktxn(bytes.fromhex(h)[::-1], [0]))
        p.send('ping', b'12345678')
        for h in hashes:
            cmd, body = p.recv()
            assert cmd == 'blocktxn', cmd
            assert body[:32] == bytes.fromhex(h)[::-1]
            assert body[32:] == b'\x01' + txs_of(a, h)[0]
        assert p.recv() == ('pong', b'12345678')
        p.close()


def many_txs(a):
    """A block of the tip with five transactions that spend coinbases."""
    coins = [a.rpc('generateblock', 'raw(51)', [])['hash'] for _ in range(4)]
    a.generate(100)
    spends = []
    for h in coins:
        txid = bytes.fromhex(a.rpc('getblock', h, 1)['tx'][0])[::-1]
        spends.append((struct.pack('<i', 2) + b'\x01' + txid + bytes(4) +
                       b'\x00' + b'\xff' * 4 + b'\x01' +
                       struct.pack('<q', 10 ** 8) + b'\x01\x51' +
                       bytes(4)).hex())
    return a.rpc('generateblock', 'raw(51)', spends)['hash']


def test_getblocktxn_picks_transactions():
    a = Node()
    with nodes(a):
        a.start()
        h = many_txs(a)
        wire, txs = bytes.fromhex(h)[::-1], txs_of(a, h)
        assert len(txs) == 5
        p = speaker(a)
        for want in ([0], [4], [1, 3], [0, 1, 2, 3, 4]):
            p.send('getblocktxn', getblocktxn(wire, want))
            body = p.wait('blocktxn')
            assert body == (wire + compact(len(want)) +
                            b''.join(txs[i] for i in want)), want
        # One that the block does not have.
        p.send('getblocktxn', getblocktxn(wire, [1, 5]))
        p.wait_closed()
        wait_until('it is gone', lambda: not a.rpc('getpeerinfo'))


def test_getblocktxn_of_nothing_and_of_the_unknown():
    a = Node()
    with nodes(a):
        a.start()
        h = bytes.fromhex(a.generate(1)[0])[::-1]
        p = speaker(a)
        p.send('getblocktxn', getblocktxn(bytes(32), [0]))
        p.send('getblocktxn', h + b'\x01')  # cut short
        p.send('getblocktxn', h + b'\x02\xfd\xff\xff\x00')  # over 65,535
        p.sync()
        assert 'blocktxn' not in p.seen
        p.send('getblocktxn', getblocktxn(h, []))
        p.wait_closed()


def test_deep_blocks_come_whole():
    a = Node()
    with nodes(a):
        a.start()
        hashes = a.generate(12)
        p = speaker(a)
        for depth, kind in ((10, 'blocktxn'), (11, 'block')):
            h = hashes[-1 - depth]
            p.send('getblocktxn', getblocktxn(bytes.fromhex(h)[::-1], [0]))
            cmd, body = p.recv()
            assert cmd == kind, (depth, cmd)
        assert body == bytes.fromhex(a.rpc('getblock', h, 0))
        assert read_compact(body, 80)[0] == 1
        p.close()


def test_compact_blocks_are_given_of_the_last_ones():
    a = Node()
    with nodes(a):
        a.start()
        hashes = a.generate(8)
        p = speaker(a)
        for depth, kind in ((0, 'cmpctblock'), (5, 'cmpctblock'),
                            (6, 'block')):
            h = hashes[-1 - depth]
            p.send('getdata', inv([(INV_CMPCT, bytes.fromhex(h)[::-1])]))
            cmd, body = p.recv()
            assert cmd == kind, (depth, cmd)
            block = bytes.fromhex(a.rpc('getblock', h, 0))
            if cmd == 'block':
                assert body == block
            else:
                assert body[:80] == block[:80]
                assert body[88:] == b'\0\1\0' + block[81:]
        p.close()


if __name__ == '__main__':
    main(globals())
