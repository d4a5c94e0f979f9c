"""Coins that anybody may spend and transactions of standard form that do, for
tests of the pool. Written from the BIPs; never calls the node's codec.
"""
import hashlib
import struct

from p2p import sha256d
from spend import Tx

COIN = 10 ** 8
SUBSIDY = 50 * COIN
TRUE = b'\x51'
SCRIPT = b'\0\x20' + hashlib.sha256(TRUE).digest()
DESC = 'raw(%s)' % SCRIPT.hex()
REPLACEABLE = 0xfffffffd


class Spend:
    """Spends outputs [(txid, n)] to values in satoshi, or (value, script)."""

    def __init__(self, coins, outs, version=2, sequence=REPLACEABLE,
                 locktime=0, witness=True, pad=0):
        outs = [o if isinstance(o, tuple) else (o, SCRIPT) for o in outs]
        if pad:
            outs.append((0, b'\x6a\x4d' + struct.pack('<H', pad) + bytes(pad)))
        t = Tx(version, [[bytes.fromhex(txid)[::-1] + struct.pack('<I', n),
                          b'', sequence] for txid, n in coins], outs, locktime)
        self.id = sha256d(t.bytes())[::-1].hex()
        if witness:
            t.wits = [[TRUE] for _ in coins]
        self.raw = t.bytes()
        self.hex = self.raw.hex()
        self.wid = sha256d(self.raw)[::-1].hex()
        self.values = [v for v, _ in outs]

    def out(self, n=0):
        return self.id, n


class Purse:
    """Mines blocks to itself: coins holds (txid, 0) of those that are mature,
    each worth SUBSIDY."""

    def __init__(self, node, n=10):
        self.node = node
        self.hashes = node.rpc('generatetodescriptor', 100 + n, DESC)
        self.coins = [(node.rpc('getblock', h)['tx'][0], 0)
                      for h in self.hashes]
        self.young = self.coins[n:]
        self.coins = self.coins[:n]

    def coin(self):
        return self.coins.pop(0)

    def pay(self, fee=10000, **kw):
        """A transaction that spends one coin; not sent."""
        return Spend([self.coin()], [SUBSIDY - fee], **kw)

    def send(self, fee=10000, **kw):
        t = self.pay(fee, **kw)
        assert self.node.rpc('sendrawtransaction', t.hex) == t.id
        return t

    def mine(self, n=1):
        return self.node.rpc('generatetodescriptor', n, DESC)


def pool(node):
    return set(node.rpc('getrawmempool'))
