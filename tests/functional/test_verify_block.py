#!/usr/bin/env python3
"""cairn-util verify-block: every real block with its coins is valid, and a block
that breaks a rule is refused with the reason; so are files that are none.
"""
import glob
import itertools
import os
import struct
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import secp
import spend
from node import SLOW, data_file, main
from p2p import compact, read_chain, read_compact, sha256d
from scriptcases import UTIL
from spend import Tx, script


def run(*args):
    """(exit code, {key: value} of standard output, standard error)."""
    p = subprocess.run([UTIL, 'verify-block'] + [str(a) for a in args],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=100 * SLOW)
    lines = p.stdout.decode().splitlines()
    return (p.returncode, dict(x.split('=', 1) for x in lines),
            p.stderr.decode())


# Real blocks.

def read_block(raw):
    """(transactions, size without witnesses) by a second reading."""
    n, at = read_compact(raw, 80)
    base, txs = at, []
    for _ in range(n):
        start, tx = at, Tx(struct.unpack_from('<I', raw, at)[0])
        some = raw[at + 4] == 0
        k, at = read_compact(raw, at + 4 + 2 * some)
        for _ in range(k):
            size, p = read_compact(raw, at + 36)
            tx.ins.append(raw[at:at + 36])
            at = p + size + 4
        k, at = read_compact(raw, at)
        for _ in range(k):
            size, p = read_compact(raw, at + 8)
            tx.outs.append(struct.unpack_from('<q', raw, at)[0])
            at = p + size
        end = at
        for _ in tx.ins if some else ():
            k, at = read_compact(raw, at)
            for _ in range(k):
                size, at = read_compact(raw, at)
                at += size
        base += at - start - (at - end + 2 if some else 0) + 4
        at += 4
        txs.append(tx)
    assert at == len(raw)
    return txs, base


def coin_values(raw):
    n, at = struct.unpack_from('<I', raw, 36)[0], 40
    values = []
    for _ in range(n):
        values.append(struct.unpack_from('<q', raw, at)[0])
        size, at = read_compact(raw, at + 13)
        at += size
    return values


def verify_real(path):
    """Its inputs; what the tool counts is what this file counts."""
    chain, height = os.path.basename(path)[:-4].split('-')
    name, height = path[:-4], int(height)
    with open(path, 'rb') as f:
        raw = f.read()
    with open(name + '.prevouts', 'rb') as f:
        values = coin_values(f.read())
    args = [path, '--prevouts', name + '.prevouts', '--chain', chain,
            '--height', height]
    if os.path.exists(name + '.times'):
        args.append('--times=' + name + '.times')
    rc, got, err = run(*args)
    txs, base = read_block(raw)
    assert (rc, err, got['verdict']) == (0, '', 'valid'), (path, got, err)
    assert got['hash'] == sha256d(raw[:80])[::-1].hex()
    assert int(got['transactions']) == len(txs)
    assert int(got['inputs']) == len(values) == sum(
        len(t.ins) for t in txs[1:])
    assert int(got['weight']) == 3 * base + len(raw)
    assert int(got['fees']) == sum(values) - sum(
        sum(t.outs) for t in txs[1:])
    subsidy = (50 * 10 ** 8) >> (height // 210000)
    assert int(got['subsidy']) == subsidy
    assert sum(txs[0].outs) <= subsidy + int(got['fees'])
    return len(values)


def test_real_blocks():
    paths = sorted(glob.glob(os.path.join(data_file('prevouts'), '*',
                                          '*.bin')))
    with ThreadPoolExecutor(2) as ex:
        inputs = sum(ex.map(verify_real, paths))
    print('%d blocks, %d inputs, none skipped' % (len(paths), inputs))
    assert len(paths) == 18 and inputs == 59035


def test_real_blocks_at_other_places():
    """Rules of a place that the block is not at."""
    name = data_file('prevouts', 'mainnet', 'mainnet-757739.bin')[:-4]
    test = data_file('prevouts', 'testnet3', 'testnet3-1087400.bin')[:-4]
    for path, chain, height, reason in (
            (name, 'main', 757738, 'bad-cb-height'),
            (name, 'main', 1, 'bad-txns-nonfinal'),
            (name, 'signet', 757739, 'bad-signet-blksig'),
            (test, 'test', 1087401, 'bad-cb-height')):
        rc, got, err = run(path + '.bin', '--prevouts', path + '.prevouts',
                           '--chain', chain, '--height', height)
        assert (rc, err) == (1, '') and got['verdict'] == 'invalid'
        assert got['reason'] == reason, (path, chain, height, got)


def test_signed_blocks_of_signet():
    blocks = read_chain(data_file('chains', 'signet-0-60.blk'), 'signet')
    with tempfile.TemporaryDirectory() as folder:
        for height in 1, 30, 60:
            rc, got, _ = verify(folder, blocks[height], [], 'signet', height)
            assert rc == 0 and got['verdict'] == 'valid', got
        # The same work and root, with another signature in the witness that
        # only the signature itself binds.
        raw = blocks[60]
        rc, got, _ = verify(folder, raw, [], 'main', 60)
        assert rc == 1 and got['reason'] == 'high-hash', got


# Blocks made here, on regtest.

HEIGHT, MTP = 200, 1600000000
SUBSIDY = 25 * 10 ** 8
TRUE = script(1)
ANYONE = script(0, secp.sha256(TRUE))  # spent by the witness TRUE
prev_ids = itertools.count(1)


class Coin:
    def __init__(self, value=1000, out=TRUE, height=50, coinbase=0):
        self.value, self.out = value, out
        self.height, self.coinbase = height, coinbase

    def bytes(self):
        return (struct.pack('<qIB', self.value, self.height, self.coinbase) +
                compact(len(self.out)) + self.out)


def txid(tx):
    t = tx.copy()
    t.wits = []
    return sha256d(t.bytes())


def pay(value=1000, out=TRUE, prev=None, sequence=0xffffffff, wit=(), **kw):
    """A transaction with one input."""
    prev = prev or struct.pack('<I', next(prev_ids)) * 8 + bytes(4)
    tx = Tx(2, [(prev, b'', sequence)], [(value, out)], **kw)
    tx.wits = [list(wit)]
    return tx


def coinbase(fees, height=HEIGHT, sig=None):
    sig = spend.push_num(height) + b'\0' if sig is None else sig
    return Tx(2, [(bytes(32) + b'\xff' * 4, sig, 0xffffffff)],
              [(SUBSIDY + fees, TRUE)])


def root(hashes):
    while len(hashes) > 1:
        if len(hashes) & 1:
            hashes = hashes + hashes[-1:]
        hashes = [sha256d(hashes[i] + hashes[i + 1])
                  for i in range(0, len(hashes), 2)]
    return hashes[0]


def commit(txs, nonce=bytes(32), change=b''):
    """The commitment to the witnesses, into the coinbase."""
    ids = [bytes(32)] + [sha256d(t.bytes()) for t in txs[1:]]
    h = sha256d(root(ids) + nonce + change)
    txs[0].outs.append((0, b'\x6a\x24\xaa\x21\xa9\xed' + h))
    txs[0].wits[0] = [nonce]


def mine(txs, merkle=None, work=True, extra=b''):
    """A block: its work is done, or surely not."""
    merkle = merkle or root([txid(t) for t in txs])
    for nonce in itertools.count():
        head = struct.pack('<i32s32sIII', 4, bytes(32), merkle, MTP + 600,
                           0x207fffff, nonce)
        if (sha256d(head)[31] < 0x80) == work:
            return head + compact(len(txs)) + b''.join(
                t.bytes() for t in txs) + extra


def prevouts(block, coins):
    return (b'PVO1' + sha256d(block[:80]) + struct.pack('<I', len(coins)) +
            b''.join(c.bytes() for c in coins))


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, 'wb') as f:
        f.write(data)
    return path


def verify(folder, block, coins, chain='regtest', height=HEIGHT, more=()):
    return run(write(folder, 'block', block), '--prevouts', write(
        folder, 'coins', prevouts(block, coins)), '--chain=' + chain,
        '--height=%d' % height, *more)


def is_valid(folder, txs, coins, **kw):
    rc, got, err = verify(folder, mine(txs), coins, **kw)
    assert (rc, err, got['verdict']) == (0, '', 'valid'), (got, err)
    return got


def is_bad(folder, block, coins, reason, where=None, **kw):
    rc, got, err = verify(folder, block, coins, **kw)
    assert (rc, err) == (1, '') and got['verdict'] == 'invalid', (got, err)
    assert got['reason'] == reason, (reason, got)
    assert got.get('transaction') == (where and str(where)), got
    return got


def test_rules_of_a_block_by_itself():
    coins = [Coin(), Coin()]
    with tempfile.TemporaryDirectory() as folder:
        def two():
            return [coinbase(0), pay(), pay()]
        is_valid(folder, two(), coins)
        txs = two()
        is_bad(folder, mine(txs, work=False), coins, 'high-hash')
        is_bad(folder, mine(txs, merkle=bytes(32)), coins, 'bad-txnmrklroot')
        is_bad(folder, mine(txs + txs[2:], merkle=root(
            [txid(t) for t in txs])), coins + coins[1:], 'bad-txns-duplicate')
        is_bad(folder, mine([pay(), pay()]), coins[:1], 'bad-cb-missing')
        is_bad(folder, mine([coinbase(0), coinbase(1)]), coins[:1],
               'bad-cb-multiple')
        is_bad(folder, mine([coinbase(0), pay(value=-1)]), coins[:1],
               'bad-txns-vout-negative')
        twice = pay()
        twice.ins *= 2
        is_bad(folder, mine([coinbase(0), twice]), coins,
               'bad-txns-inputs-duplicate')
        is_bad(folder, mine([coinbase(0, sig=bytes(101))]), [],
               'bad-cb-length')
        is_bad(folder, mine([coinbase(0), pay(out=b'\x51' * 1000000)]),
               coins[:1], 'bad-blk-length')
        is_bad(folder, mine([coinbase(0), pay(out=b'\xac' * 20001)]),
               coins[:1], 'bad-blk-sigops')


def test_rules_of_a_block_in_its_place():
    coins = [Coin(out=ANYONE), Coin(out=ANYONE)]
    with tempfile.TemporaryDirectory() as folder:
        def two():
            return [coinbase(0), pay(wit=[TRUE]), pay(wit=[TRUE])]
        is_bad(folder, mine([coinbase(0, height=HEIGHT + 1)]), [],
               'bad-cb-height')
        txs = two()
        is_bad(folder, mine(txs), coins, 'unexpected-witness')
        commit(txs)
        is_valid(folder, txs, coins)
        txs[0].wits[0] = [bytes(31)]
        is_bad(folder, mine(txs), coins, 'bad-witness-nonce-size')
        txs = two()
        commit(txs, change=b'x')
        is_bad(folder, mine(txs), coins, 'bad-witness-merkle-match')
        txs = two()
        txs[2].wits[0] = [bytes(4000000), TRUE]
        commit(txs)
        is_bad(folder, mine(txs), coins, 'bad-blk-weight')
        late = pay(locktime=HEIGHT, sequence=0)
        is_bad(folder, mine([coinbase(0), late]), [Coin()],
               'bad-txns-nonfinal')
        late.locktime -= 1
        is_valid(folder, [coinbase(0), late], [Coin()])


def test_rules_of_coins():
    old = Coin(coinbase=1, height=HEIGHT - 100)
    young = Coin(coinbase=1, height=HEIGHT - 99)
    with tempfile.TemporaryDirectory() as folder:
        def one(tx, coin, reason, fees=0, **kw):
            is_bad(folder, mine([coinbase(fees), tx]), [coin], reason, 1, **kw)
        got = is_valid(folder, [coinbase(7), pay(), pay(value=993)],
                       [old, Coin()])
        assert got['fees'] == '7' and got['subsidy'] == str(SUBSIDY)
        one(pay(), young, 'bad-txns-premature-spend-of-coinbase')
        one(pay(), Coin(21 * 10 ** 14 + 1), 'bad-txns-inputvalues-outofrange')
        one(pay(), Coin(-1), 'bad-txns-inputvalues-outofrange')
        one(pay(value=1001), Coin(), 'bad-txns-in-belowout')
        is_bad(folder, mine([coinbase(8), pay(value=993)]), [Coin()],
               'bad-cb-amount')
        one(pay(sequence=151), Coin(), 'bad-txns-nonfinal')
        is_valid(folder, [coinbase(0), pay(sequence=150)], [Coin()])
        # What the file does not know is not judged, but counted.
        got = is_valid(folder, [coinbase(0), pay(sequence=151), pay()],
                       [Coin(height=0xffffffff, coinbase=255), Coin()])
        assert got['unjudged_coins'] == '1'
        sigops = Coin(out=script('HASH160', spend.hash160(b'\xac' * 250),
                                 'EQUAL'))
        tx = pay()
        tx.ins = [(struct.pack('<I', i) * 9, spend.push(b'\xac' * 250), 0)
                  for i in range(81)]
        is_bad(folder, mine([coinbase(0), tx]), [sigops] * 81,
               'bad-blk-sigops', 1)


def test_locks_by_time():
    timed = pay(sequence=1 << 22 | 2)
    late = pay(locktime=MTP, sequence=0)
    with tempfile.TemporaryDirectory() as folder:
        def times(t):
            return '--times=' + write(folder, 'times %d' % t,
                                      struct.pack('<I', t))
        mtp = '--mtp=%d' % MTP
        for tx, more, valid, unjudged in (
                (timed, (), True, 1),
                (timed, (times(MTP - 1024), mtp), True, 0),
                (timed, (times(MTP - 1023), mtp), False, 0),
                (timed, (times(MTP - 1023),), True, 1),
                # Whatever the median is, it lies before the block's time.
                (timed, (times(MTP + 600),), False, 1),
                (late, (), True, 1), (late, (mtp,), False, 0),
                (late, ('--mtp=%d' % (MTP + 1),), True, 0)):
            block = mine([coinbase(0), tx])
            rc, got, err = verify(folder, block, [Coin()], more=more)
            assert not err and (rc == 0) == valid, (more, got, err)
            assert valid or got['reason'] == 'bad-txns-nonfinal', got
            if valid:
                assert got['unjudged_locks'] == str(unjudged), (more, got)


def test_coins_that_the_block_makes_and_spends():
    first = pay(value=990)
    first.outs.append((10, b'\x6a'))
    own = Coin(990, height=HEIGHT)

    def second(output=0):
        return pay(990, prev=txid(first) + struct.pack('<I', output))
    missing = 'bad-txns-inputs-missingorspent'
    with tempfile.TemporaryDirectory() as folder:
        txs = [coinbase(0), first, second()]
        is_valid(folder, txs, [Coin(), own])
        got = is_valid(folder, txs, [Coin(), Coin(990, height=0xffffffff,
                                                  coinbase=255)])
        assert got['unjudged_coins'] == '0'
        is_bad(folder, mine([coinbase(0), second(), first]), [own, Coin()],
               missing, 1)
        is_bad(folder, mine([coinbase(0), first, second(2)]), [Coin(), own],
               missing, 2)
        # Unspendable outputs make no coins.
        is_bad(folder, mine([coinbase(0), first, second(1)]), [Coin(), own],
               missing, 2)
        again = second()
        again.outs[0] = 1, TRUE
        is_bad(folder, mine(txs + [again]), [Coin(), own, own], missing, 3)
        # The own coinbase is never mature; a coin spent twice from outside.
        cb = coinbase(0)
        is_bad(folder, mine([cb, pay(prev=txid(cb) + bytes(4))]),
               [Coin(SUBSIDY, height=HEIGHT, coinbase=1)],
               'bad-txns-premature-spend-of-coinbase', 1)
        a, b = pay(), pay()
        b.ins[0][0] = a.ins[0][0]
        b.outs[0] = 5, TRUE
        is_bad(folder, mine([coinbase(0), a, b]), [Coin(), Coin()], missing, 2)
        # The file says of such a coin what is not so.
        for wrong in (Coin(991, height=HEIGHT), Coin(990, b'\x52', HEIGHT),
                      Coin(990), Coin(990, height=HEIGHT, coinbase=1)):
            rc, got, err = verify(folder, mine(txs), [Coin(), wrong])
            assert rc == 1 and not got and 'makes itself' in err, err


def test_scripts():
    with tempfile.TemporaryDirectory() as folder:
        good, bad = Coin(), Coin(out=script(0))
        txs = [coinbase(1000), pay(), pay(), pay()]
        txs[2].ins.append((bytes([9] * 36), b'', 0))
        got = is_bad(folder, mine(txs), [good, good, bad, bad],
                     'block-script-verify-flag-failed (Script evaluated '
                     'without error but finished with a false/empty top '
                     'stack element)', 2)
        assert got['input'] == '1' and got['error'] == 'EVAL_FALSE', got
        assert got['txid'] == txid(txs[2])[::-1].hex()
        # Rules of the height: the same output, before and after.
        csv = Coin(out=script(200, 'CHECKSEQUENCEVERIFY'))
        tx = [coinbase(0), pay()]
        got = is_bad(folder, mine(tx), [csv], 'block-script-verify-flag-'
                     'failed (Locktime requirement not satisfied)', 1)
        assert got['error'] == 'UNSATISFIED_LOCKTIME'


def test_files_that_are_none():
    block = mine([coinbase(0), pay()])
    good = prevouts(block, [Coin()])
    with tempfile.TemporaryDirectory() as folder:
        def refused(block, coins, words, *more):
            rc, got, err = run(write(folder, 'block', block), '--prevouts',
                               write(folder, 'coins', coins), '--chain',
                               'regtest', '--height', HEIGHT, *more)
            assert rc == 1 and not got and words in err, (words, got, err)
        for n in range(len(good)):
            refused(block, good[:n], 'coins: ')
        refused(block, b'PVO2' + good[4:], 'PVO1')
        refused(block, good + b'\0', 'bytes behind the last coin')
        refused(block, good[:4] + bytes(32) + good[36:], 'of another block')
        refused(block, good[:36] + b'\xff' * 4 + good[40:], 'shorter')
        refused(block, prevouts(block, []), 'not as many')
        refused(block, prevouts(block, [Coin()] * 2), 'not as many')
        refused(block, prevouts(block, [Coin(coinbase=2)]), 'malformed coin')
        refused(block, prevouts(block, [Coin(height=1 << 31)]), 'malformed')
        refused(block[:-1], good, 'malformed block')
        refused(block + b'\0', good, 'bytes behind the block')
        refused(block, good, '4 bytes for each', '--times=' + write(
            folder, 'times', bytes(5)))
        refused(bytes(80) + b'\xff' * 9, good, 'malformed block')
        path, coins = write(folder, 'b', block), write(folder, 'c', good)
        huge = write(folder, 'huge', b'')
        for size, args in (((32 << 20) + 1, [huge, '--prevouts', coins]),
                           ((128 << 20) + 1, [path, '--prevouts', huge])):
            os.truncate(huge, size)
            rc, got, err = run(*args, '--chain=regtest', '--height=200')
            assert rc == 1 and not got and 'huge: limit reached' in err, err
        whole = [path, '--prevouts', coins, '--chain', 'regtest', '--height',
                 '200']
        assert run(*whole)[0] == 0
        for n in range(len(whole)):
            usage(*whole[:n] + whole[n + 1:])
        for more in (['x'], ['--frob=1'], ['--mtp'], ['--mtp=x'],
                     ['--height=-1'], ['--height=3000000000'], ['--chain=x']):
            usage(*whole + more)
        rc, got, err = run(path + '.not', *whole[1:])
        assert rc == 1 and not got and 'b.not: ' in err


def usage(*args):
    rc, got, err = run(*args)
    assert rc == 1 and not got and 'Usage' in err, (args, err)


if __name__ == '__main__':
    main(globals())
