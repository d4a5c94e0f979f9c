#!/usr/bin/env python3
"""Hostile RPC clients: malformed HTTP, endless headers, deep and broken JSON, claims of
length, slow senders, more connections than there are descriptors. Other clients are
answered meanwhile, memory stays bounded, and the node ends cleanly.
"""
import base64
import contextlib
import json
import os
import random
import socket

from node import ADDRESS, Node, main, nodes, raises, wait_until

SEED = int(os.environ.get('CAIRN_SEED', '20090103'))


def connect(a):
    s = socket.create_connection(('127.0.0.1', a.rpcport), 20)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def head(a, length=None, auth=True, more=''):
    out = 'POST / HTTP/1.1\r\nHost: x\r\n' + more
    if auth:
        out += 'Authorization: Basic %s\r\n' % base64.b64encode(
            a.cookie()).decode()
    if length is not None:
        out += 'Content-Length: %s\r\n' % length
    return (out + '\r\n').encode()


def read_all(s):
    """What comes until the node closes; b'' also when it resets."""
    out = b''
    with contextlib.suppress(ConnectionError):
        while True:
            d = s.recv(1 << 16)
            if not d:
                break
            out += d
    return out


def status_of(a, data, end=True):
    """The status of the answer to data, None for a closed connection."""
    with connect(a) as s:
        with contextlib.suppress(ConnectionError):
            s.sendall(data)
        if end:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_WR)
        got = read_all(s)
    return int(got.split()[1]) if got.startswith(b'HTTP/1.1 ') else None


def alive(a):
    assert a.rpc('getblockcount') == a.height()


def test_malformed_http_is_refused():
    a = Node()
    with nodes(a):
        a.start()
        body = b'{"method":"getblockcount"}'
        for data in [
                b'\0' * 100, b'\r\n' * 5000, b'GET', b'GET / HTTP/9.9\r\n\r\n',
                b'POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n',
                b'POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n'
                b'\r\n',
                b'POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3'
                b'\r\n\r\n{}',
                b'POST / HTTP/1.1\r\nContent-Length: 2\r\n'
                b'Transfer-Encoding: chunked\r\n\r\n{}',
                b'POST / HTTP/1.1\r\nA: b\0c\r\n\r\n',
                b'POST / HTTP/1.1\r\n: no name\r\n\r\n',
                b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(200),
                b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']:
            assert status_of(a, data) in (None, 400, 401, 405, 413, 505), data
            alive(a)
        assert status_of(a, head(a, len(body)) + body) == 200


def test_huge_headers_and_claims_are_refused_early():
    a = Node()
    with nodes(a):
        a.start()
        before = a.anon_kb()
        for data in [
                b'POST /' + b'a' * 200000 + b' HTTP/1.1\r\n\r\n',
                b'POST / HTTP/1.1\r\n' + b'X: ' + b'y' * 200000 + b'\r\n\r\n',
                b'POST / HTTP/1.1\r\n' + b'X: y\r\n' * 50000 + b'\r\n',
                head(a, 1 << 40) + b'{}',
                head(a, (32 << 20) + 1) + b'{}',
                head(a, 1 << 20, auth=False) + b'x' * (1 << 20),
                b'POST / HTTP/1.1\r\nAuthorization: Basic ' + b'A' * 8000 +
                b'\r\nContent-Length: 2\r\n\r\n{}']:
            got = status_of(a, data)
            assert got in (None, 400, 401, 413, 431), (got, data[:60])
        alive(a)
        a.check_growth(before, 4000)


def post(a, body):
    status, data = a.post(body)
    return status, json.loads(data) if data else None


def test_deep_and_broken_json_is_a_parse_error():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        before = a.anon_kb()
        for body in [b'[' * 5000000, b'{"a":' * 1000000, b'[' * 600 + b']' * 600,
                     b'{"method":"getblockcount","params":' + b'[' * 100000,
                     b'"' + b'\\u' * 1000, b'1' * 1000000, b'-', b'\xff\xfe',
                     b'{"method":"\xed\xa0\x80"}', b'nul', b'[1,]', b'{"a"}',
                     b'', b' ' * 1000000, b'{}{}']:
            status, r = post(a, body)
            assert status in (400, 404, 500), (status, body[:40])
            assert r['error']['code'] in (-32700, -32600), (r, body[:40])
        good = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'getblockhash',
                           'params': [0]}).encode()
        for _ in range(500):
            b = bytearray(good)
            for _ in range(rnd.randrange(1, 5)):
                b[rnd.randrange(len(b))] = rnd.randrange(256)
            status, data = a.post(bytes(b))
            assert status in (200, 204, 400, 404, 500), (status, b)
        alive(a)
        a.check_growth(before, 20000)


def test_every_command_with_random_parameters_answers():
    rnd = random.Random(SEED)
    pool = [None, True, -1, 0, 1, 2 ** 31, 2 ** 63, -2 ** 70, 1.5, 1e300, '',
            'x', 'a' * 64, '00' * 32, '00' * 80, ADDRESS, [], {}, [[]], [''],
            {'a': 1}, '\x00', 'raw(51)', '127.0.0.1:1', 'é' * 300]
    a = Node()
    with nodes(a):
        a.start()
        a.generate(3)
        names = [line.split()[0] for line in a.rpc('help').splitlines()
                 if line and not line.startswith('==')]
        assert len(names) > 30, names
        # These change what the test stands on, or wait.
        names = [n for n in names if n not in ('stop', 'setmocktime')]
        for name in names:
            for _ in range(25):
                params = [rnd.choice(pool) for _ in range(rnd.randrange(4))]
                status, r = post(a, json.dumps(
                    {'id': 1, 'method': name, 'params': params}))
                assert status in (200, 404, 500) and 'result' in r, (
                    name, params, status, r)
                code = r['error'] and r['error']['code']
                assert code != -32603, (name, params, r)
        alive(a)


def test_a_word_with_a_zero_behind_it_is_another_word():
    key = 'cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW'
    a = Node()
    with nodes(a):
        a.start()
        for code, method, params in [
                (-5, 'signmessagewithprivkey', [key + '\0', 'text']),
                (-5, 'generatetoaddress', [1, ADDRESS + '\0']),
                (-8, 'getblockheader', [a.tip() + '\0']),
                (-8, 'gettxoutsetinfo', ['none\0']),
                (-8, 'logging', [['net\0']]),
                (-32601, 'getblockcount\0', [])]:
            assert '\0' not in raises(code, a.rpc, method, *params)
        assert a.height() == 0


def test_slow_and_silent_clients_hold_nobody_up():
    a = Node()
    with nodes(a):
        a.start('-rpcservertimeout=60')
        before = a.anon_kb()
        socks = [connect(a) for _ in range(200)]
        request = head(a, 30 << 20)
        for i in range(0, len(request), 40):
            for s in socks:
                s.sendall(request[i:i + 40])
            alive(a)
        for s in socks:
            s.sendall(b'[' * 1000)
        alive(a)
        a.check_growth(before, 8000)
        for s in socks:
            s.close()
        alive(a)


def test_a_thousand_connections_are_served():
    a = Node()
    with nodes(a):
        a.start()
        before = a.anon_kb()
        body = b'{"id":1,"method":"getblockcount","params":[]}'
        socks = [connect(a) for _ in range(1000)]
        for s in socks:
            s.sendall(head(a, len(body)) + body)
        for s in socks:
            assert s.recv(4096).startswith(b'HTTP/1.1 200 ')
        alive(a)
        a.check_growth(before, 12000)
        for s in socks:
            s.close()


def test_more_connections_than_descriptors_leave_the_node_whole():
    """With 400 descriptors in all, 1,000 connections of both kinds: files and
    databases can still be opened, blocks are still taken and written."""
    a = Node(args=['-dbcache=4', '-blockfilterindex=1'],
             wrap=['sh', '-c', 'ulimit -n 400 && exec "$@"', 'sh'])
    b = Node()
    with nodes(a, b):
        a.start()
        b.start()
        b.generate(150)
        socks = []
        for i in range(1000):
            s = socket.socket()
            s.setblocking(False)
            with contextlib.suppress(OSError):
                s.connect(('127.0.0.1', a.rpcport if i % 2 else a.port))
            socks.append(s)
        # Whoever is silent makes room.
        for _ in range(3):
            wait_until('RPC answers', lambda: responds(a))
        b.rpc('addnode', '127.0.0.1:%d' % a.port, 'add')
        used = len(os.listdir('/proc/%d/fd' % a.proc.pid))
        assert used < 300, used
        a.wait_tip(b.tip())
        a.generate(1)
        for s in socks:
            s.close()
        b.wait_tip(a.tip())
        b.rpc('addnode', '127.0.0.1:%d' % a.port, 'remove')


def responds(a):
    with contextlib.suppress(Exception):
        return a.rpc('getblockcount') >= 0
    return False


def test_the_node_ends_cleanly_with_clients_in_every_state():
    rnd = random.Random(SEED)
    a = Node()
    with nodes(a):
        a.start()
        body = b'{"id":1,"method":"getblockchaininfo"}'
        whole = head(a, len(body)) + body
        socks = [connect(a) for _ in range(100)]
        for s in socks:
            s.sendall(whole[:rnd.randrange(len(whole) + 1)])
        alive(a)
        assert a.stop(15) == 0
        assert a.errors() == ''
        for s in socks:
            s.close()


if __name__ == '__main__':
    main(globals())
