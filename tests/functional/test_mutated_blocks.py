#!/usr/bin/env python3
"""Blocks whose header says nothing about what was changed in them: repeated or other
transactions, another witness, a commitment that is not the one that counts. Each is
refused with Bitcoin Core's reason, and the honest block with the same header is taken
afterwards.
"""
import hashlib

from blocks import ANYONE, In, Tx
from node import main
from pair import pair


def sha256(b):
    return hashlib.sha256(b).digest()


@pair
def test_repeated_transactions_do_not_keep_the_honest_block_out(p):
    honest = p.next(p.spend(), p.spend())
    raw = honest.raw()
    # A third leaf is paired with itself, so the root stays what it is.
    honest.txs.append(honest.txs[-1])
    copy = honest.raw()
    assert copy[:80] == raw[:80] and copy != raw
    p.refused(copy, 'bad-txns-duplicate')
    p.taken(raw)


@pair
def test_other_transactions_do_not_keep_the_honest_block_out(p):
    honest = p.next(p.spend())
    raw = honest.raw()
    p.refused(raw[:-1] + b'\1', 'bad-txnmrklroot')
    p.taken(raw)


@pair
def test_another_witness_does_not_keep_the_honest_block_out(p):
    program = b'\x00\x20' + sha256(ANYONE)
    txid, value = p.funded(program)
    honest = p.next(Tx([In(txid, 0, witness=[ANYONE])], [(value, ANYONE)]))
    raw = honest.commit().raw()
    honest.txs[1].ins[0].witness = [b'\x6a']
    p.refused(honest, 'bad-witness-merkle-match')
    honest.txs[1].ins[0].witness = []
    p.refused(honest, 'bad-witness-merkle-match')
    p.taken(raw)


@pair
def test_a_swollen_coinbase_witness_does_not_keep_the_block_out(p):
    honest = p.next().commit()
    raw = honest.raw()
    # As many bytes as a message has at most, and more weight than a block.
    honest.txs[0].ins[0].witness = [bytes(4000000 - len(raw) + 32 - 4)]
    assert len(honest.raw()) == 4000000
    p.refused(honest, 'bad-witness-nonce-size')
    p.taken(raw)


@pair
def test_the_last_commitment_counts(p):
    b = p.next().commit()
    right = b.txs[0].outs[-1]
    wrong = (0, right[1][:-1] + bytes([right[1][-1] ^ 1]))
    b.txs[0].outs.append(wrong)
    p.refused(b, 'bad-witness-merkle-match')
    b.txs[0].outs[-2:] = [wrong, right]
    p.taken(b)
    # Longer outputs that begin like one are one; shorter are none.
    b = p.next().commit()
    b.txs[0].outs.append((0, wrong[1][:-1]))
    b.txs[0].outs[-2] = (0, b.txs[0].outs[-2][1] + b'\x51')
    p.taken(b)


@pair
def test_the_reserved_value_has_32_bytes(p):
    for nonce in ([bytes(31)], [bytes(33)], [bytes(32), b''], [b'']):
        b = p.next()
        raw = b.commit().raw()
        b.txs[0].ins[0].witness = nonce
        p.refused(b, 'bad-witness-nonce-size')
    p.taken(raw)
    # Without one, submitblock adds zeros for miners that know none.
    b = p.next(p.spend()).commit()
    b.txs[0].ins[0].witness = []
    b.txs[1].ins[0].witness = [b'']
    p.refused(b, 'bad-witness-nonce-size', 'bad-witness-merkle-match')
    b = p.next(extra=b'even with a commitment to 31 bytes')
    b.commit(bytes(31))
    p.refused(b, 'bad-witness-nonce-size')


@pair
def test_a_witness_needs_a_commitment(p):
    b = p.next(p.spend())
    raw = b.raw()
    b.txs[1].ins[0].witness = [b'nobody paid for this']
    p.refused(b, 'unexpected-witness')
    p.taken(raw)


if __name__ == '__main__':
    main(globals())
