#!/usr/bin/env python3
"""SIGTERM and SIGINT at random moments of starting, importing, syncing and answering:
the node ends with exit code 0 and says nothing, and the next start finds all in order.

A moment is a length that the log has reached. CAIRN_SEED chooses them.
"""
import contextlib
import os
import random
import signal
import socket
import threading
import time

from node import ADDRESS, SLOW, Node, data_file, main, nodes, wait_until
from test_hostile_rpc import connect, head
from test_real_chains import CHAINS, check_coins

SEED = int(os.environ.get('CAIRN_SEED', '20090103'))
QUIET_S = 0.2 * min(SLOW, 4)
ROUNDS = int(os.environ.get('CAIRN_ROUNDS', '12'))


def log_size(a):
    path = os.path.join(a.netdir, 'debug.log')
    return os.path.getsize(path) if os.path.exists(path) else 0


def stop_at(a, size, number, twice=False):
    """Send the signal when the log is so long, or does not grow; the exit code."""
    now, end = 0, time.monotonic() + QUIET_S
    while now < size and a.proc.poll() is None and time.monotonic() < end:
        if log_size(a) > now:
            now, end = log_size(a), time.monotonic() + QUIET_S
    for _ in range(1 + twice):
        with contextlib.suppress(ProcessLookupError):
            a.proc.send_signal(number)
    return a.exit_code(20)


def begun(a, size):
    """Does the log behind size show that signals were being listened to?"""
    return 'index loaded' in a.log()[size:]


def random_stops(rnd, a, spread, *more):
    for i in range(ROUNDS):
        size = log_size(a)
        a.spawn(*more)
        number = rnd.choice([signal.SIGTERM, signal.SIGINT])
        code = stop_at(a, size + rnd.randrange(1, spread), number,
                       rnd.randrange(4) == 0)
        # Before anything was opened a signal may simply end it.
        assert code == 0 or (code == -number and not begun(a, size)), code
        assert a.errors() == '', a.errors()


def p2pkh(a, key):
    desc = a.rpc('getdescriptorinfo', 'pkh(%s)' % key)['descriptor']
    return a.rpc('validateaddress', a.rpc(
        'deriveaddresses', desc)[0])['scriptPubKey']


def paid(coins, script):
    return [dict(c, scriptPubKey=script) for c in coins]


def ask_once(a, method, params):
    with contextlib.suppress(Exception):
        a.rpc(method, *params)


def test_stopped_while_importing_at_any_moment():
    rnd = random.Random(SEED)
    row = CHAINS['testnet3']
    load = '-loadblock=' + data_file('chains', row[1])
    a = Node('test', ['-minimumchainwork=0', '-blockfilterindex=1'])
    with nodes(a):
        random_stops(rnd, a, 4000, load, '-connect=0', '-listen=1')
        a.start(load)
        a.wait_tip(row[3])
        check_coins(a, row)


def test_stopped_while_syncing_at_any_moment():
    rnd = random.Random(SEED)
    row = CHAINS['mainnet']
    a = Node('main', ['-minimumchainwork=0'])
    b = Node('main', ['-minimumchainwork=0', '-listen=0', '-dbcache=4',
                      '-connect=127.0.0.1:%d' % a.port])
    with nodes(a, b):
        a.start('-loadblock=' + data_file('chains', row[1]))
        a.wait_tip(row[3])
        random_stops(rnd, b, 9000)
        b.start()
        b.wait_tip(row[3])
        check_coins(b, row)


def ask_forever(a, method, params):
    body = ('{"id":1,"method":"%s","params":%s}' % (method, params)).encode()
    with contextlib.suppress(OSError):
        request = head(a, len(body)) + body
        while True:
            with connect(a) as s:
                s.sendall(request)
                if not s.recv(1 << 16):
                    return


def test_stopped_while_answering_all_kinds_of_calls():
    rnd = random.Random(SEED)
    row = CHAINS['regtest']
    a = Node()
    with nodes(a):
        a.start('-loadblock=' + data_file('chains', row[1]))
        a.wait_tip(row[3])
        a.stop()
        for _ in range(ROUNDS // 3):
            size = log_size(a)
            a.start()
            threads = [threading.Thread(target=ask_forever, args=(a,) + call)
                       for call in (('getblock', '["%s", 2]' % row[3]),
                                    ('gettxoutsetinfo', '[]'),
                                    ('getblockchaininfo', '[]'),
                                    ('getchaintips', '[]'),
                                    ('generatetodescriptor',
                                     '[1, "raw(51)"]'))]
            for t in threads:
                t.start()
            code = stop_at(a, size + 4000 + rnd.randrange(6000),
                           signal.SIGTERM)
            for t in threads:
                t.join()
            assert code == 0, code
            assert a.errors() == '', a.errors()
        a.start()
        assert a.rpc('gettxoutsetinfo')['height'] == a.height() >= row[2]


def test_stopped_by_rpc_with_clients_waiting():
    a = Node()
    with nodes(a):
        a.start()
        a.generate(5)
        idle = [socket.create_connection(('127.0.0.1', a.rpcport))
                for _ in range(20)]
        assert a.rpc('stop') == 'Cairn stopping'
        assert a.exit_code(10) == 0
        assert a.errors() == ''
        for s in idle:
            s.close()


def running(a):
    return [c['method'] for c in a.rpc('getrpcinfo')['active_commands']]


def test_a_stop_waits_for_no_long_call():
    """Signing many inputs hashes the whole transaction for each; nonces are sought
    for a target that no miner of ours meets."""
    key = 'cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW'
    coins = [{'txid': '%064x' % i, 'vout': 0} for i in range(1, 20001)]
    signet = ('signet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx')
    regtest = ('regtest', ADDRESS)
    for (chain, address), method, make in [
            (regtest, 'signrawtransactionwithkey', lambda a: [
                a.rpc('createrawtransaction', coins, {ADDRESS: 1}), [key],
                paid(coins, p2pkh(a, key))]),
            (signet, 'generatetoaddress', lambda a: [1, address, 2 ** 31 - 1])]:
        a = Node(chain)
        with nodes(a):
            a.start()
            params = make(a)
            t = threading.Thread(target=ask_once, args=(a, method, params))
            t.start()
            wait_until('it runs', lambda: method in running(a))
            begin = time.monotonic()
            assert a.stop() == 0
            t.join()
            took = time.monotonic() - begin
            assert took < 2 * SLOW, (method, took)


if __name__ == '__main__':
    main(globals())
