"""A Bitcoin peer written from the BIPs and the protocol's description, so that two
independent encodings must agree. Never calls Cairn's codec.
"""
import hashlib
import os
import random
import socket
import struct
import time

# As in node.py.
SLOW = int(os.environ.get('CAIRN_SLOW', '1'))
MAGIC = {'main': bytes.fromhex('f9beb4d9'), 'test': bytes.fromhex('0b110907'),
         'testnet4': bytes.fromhex('1c163f28'),
         'signet': bytes.fromhex('0a03cf40'),
         'regtest': bytes.fromhex('fabfb5da')}
NETWORK, WITNESS, FILTERS, LIMITED = 1, 8, 64, 1024
INV_TX, INV_BLOCK, INV_WITNESS = 1, 2, 1 << 30


def sha256d(b):
    return hashlib.sha256(hashlib.sha256(b).digest()).digest()


def compact(n):
    if n < 0xfd:
        return bytes([n])
    if n <= 0xffff:
        return b'\xfd' + struct.pack('<H', n)
    if n <= 0xffffffff:
        return b'\xfe' + struct.pack('<I', n)
    return b'\xff' + struct.pack('<Q', n)


def read_compact(b, at):
    tag = b[at]
    if tag < 0xfd:
        return tag, at + 1
    size = {0xfd: 2, 0xfe: 4, 0xff: 8}[tag]
    return int.from_bytes(b[at + 1:at + 1 + size], 'little'), at + 1 + size


def frame(magic, command, payload=b''):
    return (magic + command.encode().ljust(12, b'\0') +
            struct.pack('<I', len(payload)) + sha256d(payload)[:4] + payload)


def display(h):
    return h[::-1].hex()


def version(height=0, services=NETWORK | WITNESS, nonce=None, proto=70016,
            agent=b'/test/', relay=True):
    addr = struct.pack('<Q', 0) + bytes(10) + b'\xff\xff\x7f\0\0\1' + b'\0\0'
    return (struct.pack('<iQq', proto, services, int(time.time())) + addr * 2 +
            struct.pack('<Q', nonce if nonce is not None
                        else random.getrandbits(64)) +
            compact(len(agent)) + agent + struct.pack('<iB', height, relay))


def getheaders(locator, stop=bytes(32)):
    return (struct.pack('<I', 70016) + compact(len(locator)) +
            b''.join(locator) + stop)


def inv(items):
    return compact(len(items)) + b''.join(
        struct.pack('<I', t) + h for t, h in items)


def headers(list80):
    return compact(len(list80)) + b''.join(h + b'\0' for h in list80)


def parse_headers(p):
    n, at = read_compact(p, 0)
    return [p[at + 81 * i:at + 81 * i + 80] for i in range(n)]


def parse_inv(p):
    n, at = read_compact(p, 0)
    return [(struct.unpack_from('<I', p, at + 36 * i)[0],
             p[at + 36 * i + 4:at + 36 * i + 36]) for i in range(n)]


class Closed(Exception):
    pass


class Peer:
    def __init__(self, node=None, port=None, chain='regtest', sock=None):
        self.magic = MAGIC[node.chain if node else chain]
        self.sock = sock or socket.create_connection(
            ('127.0.0.1', node.port if node else port), 10)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buf = b''
        self.seen = []
        self.got = []  # the same with their payloads

    def send(self, command, payload=b''):
        self.sock.sendall(frame(self.magic, command, payload))

    def raw(self, data):
        self.sock.sendall(data)

    def recv(self, timeout=10):
        """The next (command, payload); Closed when the node hung up."""
        return self._recv(time.monotonic() + timeout * SLOW)

    def _recv(self, end):
        while True:
            if len(self.buf) >= 24:
                n = struct.unpack_from('<I', self.buf, 16)[0]
                if len(self.buf) >= 24 + n:
                    assert self.buf[:4] == self.magic
                    cmd = self.buf[4:16].rstrip(b'\0').decode()
                    body = self.buf[24:24 + n]
                    assert sha256d(body)[:4] == self.buf[20:24]
                    self.buf = self.buf[24 + n:]
                    self.seen.append(cmd)
                    if len(body) < 1000:
                        self.got.append((cmd, body))
                    return cmd, body
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError('timeout waiting for a message')
            self.sock.settimeout(left)
            try:
                d = self.sock.recv(1 << 20)
            except socket.timeout:
                continue
            except OSError:
                raise Closed()
            if not d:
                raise Closed()
            self.buf += d

    def wait(self, command, timeout=10):
        """Payload of the next message of this kind; pings are answered."""
        return self._wait(command, time.monotonic() + timeout * SLOW)

    def _wait(self, command, end):
        while True:
            cmd, body = self._recv(end)
            if cmd == 'ping':
                self.send('pong', body)
            if cmd == command:
                return body

    def wait_closed(self, timeout=10):
        end = time.monotonic() + timeout * SLOW
        try:
            while True:
                self._recv(end)
        except Closed:
            return

    def handshake(self, **kw):
        self.send('version', version(**kw))
        self.wait('verack')
        self.send('verack')
        self.sync()
        return self

    def sync(self, timeout=10):
        """All sent before has taken effect once the pong comes."""
        nonce = os.urandom(8)
        self.send('ping', nonce)
        end = time.monotonic() + timeout * SLOW
        while self._wait('pong', end) != nonce:
            pass

    def close(self):
        self.sock.close()


def read_chain(path, chain):
    """Blocks of a chain file: magic, length, block."""
    with open(path, 'rb') as f:
        d = f.read()
    at, blocks = 0, []
    while at + 8 <= len(d):
        assert d[at:at + 4] == MAGIC[chain]
        n = struct.unpack_from('<I', d, at + 4)[0]
        blocks.append(d[at + 8:at + 8 + n])
        at += 8 + n
    return blocks
