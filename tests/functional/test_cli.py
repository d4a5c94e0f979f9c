#!/usr/bin/env python3
"""cairn-cli by bitcoin-cli's rules: output, exit codes, options, waiting."""
import json
import os
import subprocess
import threading
import time

from node import ADDRESS, BUILD, Node, main, nodes


def test_output_and_exit_codes_are_bitcoin_clis():
    a = Node()
    with nodes(a):
        a.start()
        assert a.cli('getblockcount') == (0, '0\n', '')
        code, out, err = a.cli('getblockhash', '0')
        assert code == 0 and out.strip() == a.tip() and '"' not in out
        code, out, err = a.cli('getblockchaininfo')
        assert out.startswith('{\n  "chain": "regtest",\n'), out
        assert json.loads(out)['chain'] == 'regtest'
        assert a.cli('syncwithvalidationinterfacequeue') == (0, '', '')
        code, out, err = a.cli('getblockhash', '99')
        assert code == 8 and out == '', (code, out)
        assert err == ('error code: -8\nerror message:\n'
                       'Block height out of range\n'), err
        code, out, err = a.cli('getblockhash', 'x')
        assert code == 1 and 'Error parsing JSON' in err, (code, err)
        code, out, err = a.cli('nothing')
        assert code == 89 and '-32601' in err, (code, err)
        code, out, err = a.cli('gettxout', '0' * 64, '0')
        assert (code, out) == (0, ''), (code, out)


def test_named_and_standard_input_parameters():
    a = Node()
    with nodes(a):
        a.start()
        h = a.tip()
        code, out, _ = a.cli('-named', 'getblockhash', 'height=0')
        assert code == 0 and out.strip() == h
        code, out, _ = a.cli('-stdin', 'getblockhash', stdin=b'0\n')
        assert code == 0 and out.strip() == h
        code, out, _ = a.cli('generatetoaddress', '2', ADDRESS)
        assert code == 0 and len(json.loads(out)) == 2
        code, out, _ = a.cli('-getinfo')
        assert code == 0 and 'Blocks: 2' in out, out


def test_tcp_options_and_passwords():
    a = Node(args=['-rpcuser=u', '-rpcpassword=p'])
    with nodes(a):
        a.spawn('-connect=0')
        port = '-rpcport=%d' % a.rpcport
        code, out, err = a.cli(port, '-rpcuser=u', '-rpcpassword=p',
                               '-rpcwait', 'getblockcount')
        assert (code, out) == (0, '0\n'), (code, out, err)
        code, out, err = a.cli(port, '-rpcuser=u', '-stdinrpcpass',
                               'getblockcount', stdin=b'p\n')
        assert (code, out) == (0, '0\n'), (code, out, err)
        code, out, err = a.cli(port, '-rpcuser=u', '-rpcpassword=x',
                               'getblockcount')
        assert code == 1 and 'uthoriz' in err, (code, err)


def test_no_server_is_said_so():
    a = Node()
    try:
        code, out, err = a.cli('-rpcport=%d' % a.rpcport, 'getblockcount')
        assert code == 1 and 'Could not connect to the server' in err, err
        start = time.monotonic()
        code, out, err = a.cli('-rpcwait', '-rpcwaittimeout=1',
                               '-rpcport=%d' % a.rpcport, 'getblockcount')
        assert code == 1 and time.monotonic() - start >= 1, (code, err)
    finally:
        a.remove()


def test_rpcwait_waits_for_the_start():
    a = Node()
    with nodes(a):
        t = threading.Timer(0.5, a.spawn, ['-connect=0'])
        t.start()
        code, out, err = a.cli('-rpcwait', 'getblockcount')
        assert (code, out) == (0, '0\n'), (code, out, err)
        t.join()


def test_rpcwait_waits_for_the_cookie():
    a = Node()
    with nodes(a):
        a.start()
        late = os.path.join(a.dir, 'late')
        tcp = ['-rpcport=%d' % a.rpcport, '-rpccookiefile=' + late, '-rpcwait']
        code, _, err = a.cli('-rpcwaittimeout=1', *tcp, 'getblockcount')
        assert code == 1 and 'Failed to read cookie file' in err, (code, err)
        t = threading.Timer(0.5, os.link,
                            [os.path.join(a.netdir, '.cookie'), late])
        t.start()
        code, out, err = a.cli(*tcp, 'getblockcount')
        assert (code, out) == (0, '0\n'), (code, out, err)
        t.join()


def test_stop_stops():
    a = Node()
    with nodes(a):
        a.start()
        code, out, _ = a.cli('stop')
        assert code == 0 and 'stopping' in out
        assert a.exit_code() == 0


def test_the_configuration_file_tells_where_the_node_is():
    a = Node()
    with nodes(a):
        with open(os.path.join(a.dir, 'cairn.conf'), 'w') as f:
            f.write('chain=regtest\n[regtest]\nrpcport=%d\n' % a.rpcport)
        a.start()
        p = subprocess.run([os.path.join(BUILD, 'cairn-cli'),
                            '-datadir=' + a.dir, 'getblockcount'],
                           stdout=subprocess.PIPE, timeout=30)
        assert p.returncode == 0 and p.stdout == b'0\n', p


if __name__ == '__main__':
    main(globals())
