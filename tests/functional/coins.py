"""Coins that anybody may spend by a standard transaction (P2WSH of OP_TRUE), on
regtest, and transactions that spend them. Beside the node, never by its codec.
"""
import hashlib

from blocks import In, Tx

TRUE = b'\x51'
SCRIPT = b'\x00\x20' + hashlib.sha256(TRUE).digest()
FEE = 1000


class Coin:
    def __init__(self, txid, n, value):
        self.txid, self.n, self.value = txid, n, value


def mine(a, n=1):
    """Mine n blocks to ourselves; gives their coinbases' coins."""
    coins = []
    for h in a.rpc('generatetodescriptor', n, 'raw(%s)' % SCRIPT.hex()):
        tx = a.rpc('getblock', h, 2)['tx'][0]
        out = tx['vout'][0]
        coins.append(Coin(bytes.fromhex(tx['txid'])[::-1], 0,
                          round(out['value'] * 10 ** 8)))
    return coins


def spend(coins, outs=1, fee=FEE, sequence=0xfffffffd, version=2, value=None):
    """coins to ourselves again, in equal parts."""
    total = sum(c.value for c in coins) - fee
    each = value or total // outs
    values = [each] * (outs - 1) + [total - each * (outs - 1)]
    ins = [In(c.txid, c.n, sequence=sequence, witness=[TRUE]) for c in coins]
    return Tx(ins, [(v, SCRIPT) for v in values], version=version)


def coin_of(tx, n=0):
    return Coin(tx.id(), n, tx.outs[n][0])
