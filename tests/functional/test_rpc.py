#!/usr/bin/env python3
"""The RPC server from outside: transports, passwords, versions of JSON-RPC, batches,
errors with bitcoind's codes, and answers whose memory stays flat.
"""
import hashlib
import hmac
import json
import os
import socket
import stat

from node import Node, main, nodes, raises, wait_until

BITCOIND_HEADER = {'hash', 'confirmations', 'height', 'version', 'versionHex',
                   'merkleroot', 'time', 'mediantime', 'nonce', 'bits',
                   'target', 'difficulty', 'chainwork', 'nTx',
                   'previousblockhash', 'nextblockhash'}


def unix_request(a, body):
    """One request over the unix socket, without a password."""
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.path.join(a.netdir, 'cairn.sock'))
    s.sendall(b'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
              b'Content-Length: %d\r\n\r\n' % len(body) + body)
    d = b''
    while True:
        x = s.recv(65536)
        if not x:
            break
        d += x
    s.close()
    head, _, body = d.partition(b'\r\n\r\n')
    return int(head.split()[1]), json.loads(body)


def test_the_unix_socket_needs_no_password_from_its_owner():
    a = Node()
    with nodes(a):
        a.start()
        path = os.path.join(a.netdir, 'cairn.sock')
        assert stat.S_ISSOCK(os.stat(path).st_mode)
        status, r = unix_request(a, b'{"method":"getblockcount","id":7}')
        assert status == 200 and r == {'result': 0, 'error': None, 'id': 7}, r
        # A socket that a killed node left behind is replaced.
        a.kill()
        assert os.path.exists(path)
        a.start()
        assert unix_request(a, b'{"method":"uptime"}')[0] == 200
        assert a.stop() == 0
        assert not os.path.exists(path)
        assert not os.path.exists(os.path.join(a.netdir, '.cookie'))


def test_a_datadir_too_deep_for_a_socket_still_serves_tcp():
    a = Node()
    a.dir = os.path.join(a.dir, 'x' * 120)
    os.mkdir(a.dir)
    with nodes(a):
        a.start()
        assert a.height() == 0
        assert a.log().count('cairn.sock') == 1, a.log()


def test_passwords_are_checked():
    salt = 'f7efda5c189b999524f151318c0c86'
    digest = hmac.new(salt.encode(), b'secret', hashlib.sha256).hexdigest()
    a = Node(args=['-rpcauth=carol:%s$%s' % (salt, digest)])
    with nodes(a):
        a.start()
        body = '{"method":"getblockcount"}'
        assert a.post(body)[0] == 200
        assert a.post(body, auth=b'carol:secret')[0] == 200
        assert a.post(body, auth=b'carol:wrong')[0] == 401
        assert a.post(body, auth=b'nobody:x')[0] == 401
        assert a.post(body, path='/other')[0] == 404
    b = Node(args=['-rpcuser=u', '-rpcpassword=p'])
    with nodes(b):
        b.spawn('-connect=0')
        wait_until('it answers', lambda: os.path.exists(
            os.path.join(b.netdir, 'cairn.sock')))
        wait_until('ready', lambda: 'ready' in b.log())
        assert b.post(body, auth=b'u:p')[0] == 200
        assert not os.path.exists(os.path.join(b.netdir, '.cookie'))


def call(a, obj):
    status, data = a.post(obj if isinstance(obj, str) else json.dumps(obj))
    return status, json.loads(data) if data.strip() else None


def test_versions_of_json_rpc_answer_as_bitcoind():
    a = Node()
    with nodes(a):
        a.start()
        assert call(a, {'method': 'getblockcount', 'id': 'x'}) == (
            200, {'result': 0, 'error': None, 'id': 'x'})
        st, r = call(a, {'method': 'nothing', 'id': 1})
        assert st == 404 and r['error']['code'] == -32601, (st, r)
        st, r = call(a, {'method': 'getblockhash', 'params': [9], 'id': 1})
        assert st == 500 and r['error']['code'] == -8 and r['result'] is None
        st, r = call(a, {'jsonrpc': '2.0', 'method': 'nothing', 'id': 1})
        assert st == 200 and r['error']['code'] == -32601
        assert 'result' not in r
        st, r = call(a, {'jsonrpc': '2.0', 'method': 'getblockcount'})
        assert st == 204 and r is None
        st, r = call(a, {'jsonrpc': '3.0', 'method': 'getblockcount', 'id': 1})
        assert st == 400 and r['error']['code'] == -32600, (st, r)
        st, r = call(a, '{broken')
        assert st == 500 and r['error']['code'] == -32700, (st, r)
        st, r = call(a, {'method': 5, 'id': 1})
        assert st == 400 and r['error']['code'] == -32600, (st, r)


def test_batches_answer_each_member():
    a = Node()
    with nodes(a):
        a.start()
        st, r = call(a, [
            {'jsonrpc': '2.0', 'method': 'getblockcount', 'id': 1},
            {'method': 'nothing', 'id': 2}, 5,
            {'jsonrpc': '2.0', 'method': 'getblockcount'},
            {'method': 'getbestblockhash', 'id': 4}])
        assert st == 200 and len(r) == 4, r
        assert r[0] == {'jsonrpc': '2.0', 'result': 0, 'id': 1}
        assert r[1]['error']['code'] == -32601
        assert r[2]['error']['code'] == -32600
        assert r[3]['result'] == a.tip()
        assert call(a, [])[1] == []


def test_named_parameters_work_and_unknown_ones_do_not():
    a = Node()
    with nodes(a):
        a.start()
        h = a.rpc('getblockhash', height=0)
        assert a.rpc('getblock', blockhash=h, verbosity=1)['hash'] == h
        assert a.rpc('getblock', blockhash=h, verbose=False).startswith('01')
        assert 'nothing' in raises(-8, a.rpc, 'getblockhash', nothing=1)


def test_wrong_parameters_have_bitcoinds_codes():
    a = Node()
    with nodes(a):
        a.start()
        zero = '0' * 64
        raises(-8, a.rpc, 'getblock', '00')
        raises(-8, a.rpc, 'getblock', 'z' * 64)
        raises(-5, a.rpc, 'getblock', zero)
        raises(-5, a.rpc, 'getblockheader', zero)
        raises(-3, a.rpc, 'getblockhash', True)
        raises(-3, a.rpc, 'getblock', 5)
        raises(-1, a.rpc, 'getblock')
        raises(-1, a.rpc, 'getblockcount', 1)
        raises(-8, a.rpc, 'gettxout', '00', 1)
        raises(-5, a.rpc, 'invalidateblock', zero)
        raises(-8, a.rpc, 'gettxoutsetinfo', 'foo')
        raises(-24, a.rpc, 'addnode', '127.0.0.1:1', 'remove')
        a.rpc('addnode', '127.0.0.1:1', 'add')
        raises(-23, a.rpc, 'addnode', '127.0.0.1:1', 'add')
        raises(-29, a.rpc, 'disconnectnode', '1.2.3.4:5')
        raises(-32602, a.rpc, 'disconnectnode')
        raises(-8, a.rpc, 'logging', ['nothing'])


def test_answers_have_bitcoinds_fields():
    a = Node()
    with nodes(a):
        a.start()
        one, two = a.generate(2)
        assert set(a.rpc('getblockheader', one)) == BITCOIND_HEADER
        b = a.rpc('getblock', one)
        assert set(b) == BITCOIND_HEADER | {
            'strippedsize', 'size', 'weight', 'coinbase_tx', 'tx'}
        tx = a.rpc('getblock', one, 2)['tx'][0]
        assert set(tx) == {'txid', 'hash', 'version', 'size', 'vsize',
                           'weight', 'locktime', 'vin', 'vout', 'hex'}
        out = a.rpc('gettxout', tx['txid'], 0)
        assert set(out) == {'bestblock', 'confirmations', 'value',
                            'scriptPubKey', 'coinbase'}
        assert out['confirmations'] == 2 and out['coinbase'] is True
        assert a.rpc('gettxout', tx['txid'], 9) is None
        assert set(a.rpc('getmininginfo')) >= {
            'blocks', 'bits', 'difficulty', 'target', 'networkhashps',
            'pooledtx', 'chain', 'next', 'warnings'}
        assert a.rpc('getrawmempool') == []
        assert a.rpc('getmempoolinfo')['loaded'] is True


def test_amounts_are_exact_text():
    a = Node()
    with nodes(a):
        a.start()
        h = a.generate(1)[0]
        _, data = a.post(json.dumps(
            {'method': 'getblock', 'params': [h, 2]}))
        assert b'"value":50.00000000,' in data, data


def test_help_lists_every_command_and_explains_one():
    a = Node()
    with nodes(a):
        a.start()
        text = a.rpc('help')
        assert '== Blockchain ==' in text and 'getblockcount' in text
        for line in text.splitlines():
            if line and not line.startswith('=='):
                assert line.split()[0] in a.rpc('help', line.split()[0])
        assert a.rpc('help', 'nothing') == 'help: unknown command: nothing'


def test_a_batch_of_thousands_keeps_memory_flat():
    a = Node()
    with nodes(a):
        a.start()
        h = a.generate(1)[0]
        before = a.anon_kb()
        st, r = call(a, [{'method': 'getblock', 'params': [h, 2], 'id': i}
                         for i in range(5000)])
        assert st == 200 and len(r) == 5000
        a.check_growth(before, 40000)


if __name__ == '__main__':
    main(globals())
