"""Signatures on secp256k1, written from SEC 1, SEC 2, BIP 340 and BIP 341. Slow
and not secret: for tests, beside which the library has to agree. Never calls it.
"""
import hashlib

P = 2 ** 256 - 2 ** 32 - 977
N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
G = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
     0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8)


def sha256(b):
    return hashlib.sha256(b).digest()


def tagged(tag, b):
    t = sha256(tag.encode())
    return sha256(t + t + b)


# Points in between are (X, Y, Z) with x = X / Z^2, y = Y / Z^3; None is the
# point at infinity; points given and returned are (x, y).

def _double(p):
    if p is None:
        return None
    x, y, z = p
    yy = y * y % P
    s = 4 * x * yy % P
    m = 3 * x * x % P
    x3 = (m * m - 2 * s) % P
    return x3, (m * (s - x3) - 8 * yy * yy) % P, 2 * y * z % P


def _add(p, q):
    """p and the affine q."""
    if p is None:
        return q + (1,)
    x, y, z = p
    zz = z * z % P
    h = (q[0] * zz - x) % P
    r = (q[1] * zz * z - y) % P
    if h == 0:
        return _double(p) if r == 0 else None
    hh = h * h % P
    hhh = h * hh % P
    v = x * hh % P
    x3 = (r * r - hhh - 2 * v) % P
    return x3, (r * (v - x3) - y * hhh) % P, h * z % P


def _affine(p):
    if p is None:
        return None
    i = pow(p[2], -1, P)
    return p[0] * i * i % P, p[1] * i * i * i % P


def add(p, q):
    if p is None or q is None:
        return p or q
    return _affine(_add(p + (1,), q))


def mul2(a, p, b=0, q=G):
    """a * p + b * q."""
    both, r = add(p, q) if b else None, None
    for i in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        r = _double(r)
        which = (a >> i & 1) + 2 * (b >> i & 1)
        # p and q may be inverses of each other: nothing is to be added then.
        t = (None, p, q, both)[which]
        if t:
            r = _add(r, t)
    return _affine(r)


def _powers():
    out = [G]
    while len(out) < 256:
        out.append(add(out[-1], out[-1]))
    return out


POWERS = _powers()  # G, 2 * G, 4 * G, ...


def mul_g(a):
    r = None
    for i, p in enumerate(POWERS):
        if a >> i & 1:
            r = _add(r, p)
    return _affine(r)


def on_curve(x, y):
    return x < P and y < P and (y * y - x * x * x - 7) % P == 0


def lift_x(x):
    """The point of even y, or None."""
    if x >= P:
        return None
    y = pow(x * x * x + 7, (P + 1) // 4, P)
    return (x, P - y if y & 1 else y) if on_curve(x, y) else None


def point(key):
    """A public key of 33 or 65 bytes, hybrid ones too, or None."""
    tag = key[0] if key else 0
    x = int.from_bytes(key[1:33], 'big')
    if len(key) == 33 and tag in (2, 3):
        p = lift_x(x)
        return p and (p if tag == 2 else (x, P - p[1]))
    if len(key) == 65 and tag in (4, 6, 7):
        y = int.from_bytes(key[33:], 'big')
        if on_curve(x, y) and (tag == 4 or y & 1 == tag & 1):
            return x, y
    return None


def b32(n):
    return n.to_bytes(32, 'big')


def public(d, form='compressed'):
    x, y = mul_g(d)
    if form == 'x':
        return b32(x)
    if form == 'compressed':
        return bytes([2 + (y & 1)]) + b32(x)
    tag = 4 if form == 'whole' else 6 + (y & 1)
    return bytes([tag]) + b32(x) + b32(y)


def der(r, s):
    out = b''
    for n in r, s:
        b = n.to_bytes(n.bit_length() // 8 + 1, 'big')
        out += b'\x02' + bytes([len(b)]) + b
    return b'\x30' + bytes([len(out)]) + out


def ecdsa_sign(d, h, high=False):
    """DER; the nonce comes from key and hash, so it is the same each time."""
    e = int.from_bytes(h, 'big')
    k = int.from_bytes(sha256(b'nonce' + b32(d) + h), 'big') % N
    r = mul_g(k)[0] % N
    s = (e + r * d) * pow(k, -1, N) % N
    return der(r, N - s if (s > N // 2) != high else s)


def der_strict(sig):
    """(r, s) of a signature that is DER to the last byte (BIP 66), or None."""
    if not 8 <= len(sig) <= 72 or sig[0] != 0x30 or sig[1] != len(sig) - 2:
        return None
    at, numbers = 2, []
    for _ in 'rs':
        if at + 2 > len(sig) or sig[at] != 2:
            return None
        n = sig[at + 1]
        b = sig[at + 2:at + 2 + n]
        if n == 0 or len(b) != n or b[0] & 0x80:
            return None
        if n > 1 and b[0] == 0 and not b[1] & 0x80:
            return None
        numbers.append(int.from_bytes(b, 'big'))
        at += 2 + n
    return tuple(numbers) if at == len(sig) else None


def ecdsa_verify(key, sig, h):
    """sig: (r, s)."""
    q, (r, s) = point(key), sig
    if q is None or not 0 < r < N or not 0 < s < N:
        return False
    w = pow(s, -1, N)
    e = int.from_bytes(h, 'big')
    p = mul2(e * w % N, G, r * w % N, q)
    return p is not None and p[0] % N == r


def schnorr_sign(d, msg):
    p = mul_g(d)
    d = N - d if p[1] & 1 else d
    k = int.from_bytes(tagged('nonce', b32(d) + msg), 'big') % N
    r = mul_g(k)
    k = N - k if r[1] & 1 else k
    e = int.from_bytes(tagged('BIP0340/challenge', b32(r[0]) + b32(p[0]) +
                              msg), 'big') % N
    return b32(r[0]) + b32((k + e * d) % N)


def schnorr_verify(key, sig, msg):
    p = lift_x(int.from_bytes(key, 'big'))
    r, s = int.from_bytes(sig[:32], 'big'), int.from_bytes(sig[32:], 'big')
    if p is None or r >= P or s >= N:
        return False
    e = int.from_bytes(tagged('BIP0340/challenge', sig[:32] + key + msg),
                       'big') % N
    q = mul2(s, G, N - e if e else 0, p)
    return q is not None and q[1] & 1 == 0 and q[0] == r


def tap_leaf(script, version=0xc0):
    n = len(script)
    size = bytes([n]) if n < 253 else b'\xfd' + n.to_bytes(2, 'little')
    return tagged('TapLeaf', bytes([version]) + size + script)


def tap_branch(a, b):
    return tagged('TapBranch', min(a, b) + max(a, b))


def tap_tweak(internal, root):
    """(output key of 32 bytes, oddness of its y), or None; root may be b''."""
    p = lift_x(int.from_bytes(internal, 'big'))
    t = int.from_bytes(tagged('TapTweak', internal + root), 'big')
    if p is None or t >= N:
        return None
    q = add(p, mul_g(t))
    return q and (b32(q[0]), q[1] & 1)


def tap_secret(d, root=b''):
    """The secret key of the output key."""
    p = mul_g(d)
    d = N - d if p[1] & 1 else d
    t = int.from_bytes(tagged('TapTweak', b32(p[0]) + root), 'big')
    return (d + t) % N
