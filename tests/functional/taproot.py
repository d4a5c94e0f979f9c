"""Outputs of BIP 341 with a script path, written from the BIP. Arithmetic on
secp256k1 as plain as can be; for tests, as it leaks whatever it computes with.
"""
import hashlib

from p2p import compact

P = 2 ** 256 - 2 ** 32 - 977
G = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
     0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8)
# The point of which nobody knows the logarithm (BIP 341).
NUMS = 0x50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0


def add(a, b):
    if a is None or b is None:
        return b if a is None else a
    if a[0] == b[0]:
        if a[1] != b[1]:
            return None
        s = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        s = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (s * s - a[0] - b[0]) % P
    return x, (s * (a[0] - x) - a[1]) % P


def mul(n, a):
    r = None
    while n:
        if n & 1:
            r = add(r, a)
        a = add(a, a)
        n >>= 1
    return r


def lift_x(x):
    y = pow(x ** 3 + 7, (P + 1) // 4, P)
    return x, y if y % 2 == 0 else P - y


def tagged(tag, data):
    t = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(t + t + data).digest()


def tree_of_one(script, leaf=0xc0):
    """(output script, control block) of a tree with this leaf alone."""
    root = tagged('TapLeaf', bytes([leaf]) + compact(len(script)) + script)
    inner = NUMS.to_bytes(32, 'big')
    tweak = int.from_bytes(tagged('TapTweak', inner + root), 'big')
    x, y = add(lift_x(NUMS), mul(tweak, G))
    return (b'\x51\x20' + x.to_bytes(32, 'big'),
            bytes([leaf | y & 1]) + inner)
