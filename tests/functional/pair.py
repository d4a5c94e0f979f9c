"""Two nodes with one chain, which judge each block twice: one gets it from a peer,
the other by submitblock.
"""
from blocks import ANYONE, COIN, In, Tx, next_block
from node import Node, nodes, wait_until
from p2p import Peer, display, sha256d

# The header says nothing about it: a peer is told off for "mutated block".
MUTATED = ('bad-txns-duplicate', 'bad-txnmrklroot', 'unexpected-witness',
           'bad-witness-merkle-match', 'bad-witness-nonce-size')


class Pair:
    """Two nodes with the same chain of n blocks whose coins anyone may take."""

    def __init__(self, *args):
        self.a, self.b = Node(args=args), Node(args=args)

    def start(self, n=101):
        self.a.start()
        self.b.start()
        mined_blocks = self.a.rpc('generatetodescriptor', n, 'raw(51)')
        for h in mined_blocks:
            assert self.b.rpc('submitblock', self.a.rpc(
                'getblock', h, 0)) is None
        self.used = 0
        return self

    def coin(self, height=None):
        """Txid and value of the next coinbase that is not used yet."""
        if height is None:
            self.used += 1
            height = self.used
        block = self.a.rpc('getblock', self.a.rpc('getblockhash', height), 2)
        return (bytes.fromhex(block['tx'][0]['txid'])[::-1],
                50 * COIN >> height // 150)

    def spend(self, outs=((0, ANYONE),), sequence=0xffffffff, height=None,
              **kw):
        txid, value = self.coin(height)
        return Tx([In(txid, 0, sequence=sequence)],
                  [(v or value, s) for v, s in outs], **kw)

    def next(self, *txs, **kw):
        return next_block(self.a, txs, **kw)

    def refused(self, block, reason, told=None):
        """By both nodes, which stay where they are; told: what submitblock
        says where it is not the reason."""
        raw = block if isinstance(block, bytes) else block.raw()
        tip, mark = self.a.tip(), len(self.a.log())
        p = Peer(self.a).handshake()
        p.send('block', raw)
        p.wait_closed()
        assert 'why=' + ('mutated block' if reason in MUTATED else
                         reason) in self.a.log()[mark:]
        got = self.b.rpc('submitblock', raw.hex())
        assert got.split(' (')[0] == (told or reason), got
        assert self.a.tip() == self.b.tip() == tip

    def taken(self, block):
        raw = block if isinstance(block, bytes) else block.raw()
        name = display(sha256d(raw[:80]))
        p = Peer(self.a).handshake()
        p.send('block', raw)
        wait_until('the block is the tip', lambda: self.a.tip() == name)
        p.close()
        got = self.b.rpc('submitblock', raw.hex())
        assert got is None and self.b.tip() == name, got

    def funded(self, *scripts):
        """A block that pays each of these scripts; (txid, value) of them."""
        txid, value = self.coin()
        each = value // (len(scripts) + 1)
        tx = Tx([In(txid, 0)], [(each, s) for s in scripts])
        self.taken(self.next(tx))
        return tx.id(), each


def pair(test):
    """A test that is given a Pair, started."""
    def run():
        p = Pair()
        with nodes(p.a, p.b):
            test(p.start())
    run.__name__ = test.__name__
    return run
