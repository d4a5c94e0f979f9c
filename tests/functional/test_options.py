#!/usr/bin/env python3
"""Options: what is refused is refused with one sentence that names it and a non-zero
exit; what works works by bitcoind's names; other programs' data are not touched.
"""
import os
import re
import socket
import subprocess

from node import BUILD, Node, main, nodes, raises, wait_until


def refused(args, words, chain='regtest', before=None):
    """cairnd ends with 1 and one sentence that holds all words."""
    n = Node(chain)
    try:
        if before:
            before(n)
        n.spawn(*args)
        code = n.exit_code()
        err = n.errors().strip()
        assert code == 1, (args, code, err)
        assert err.startswith('Error: ') and '\n' not in err, (args, err)
        for w in words:
            assert w in err, (args, w, err)
        return n, err
    finally:
        n.remove()


def test_unknown_and_wrong_options_stop_the_start():
    refused(['-dbcach=100'], ['dbcach', 'dbcache'])
    refused(['-prune=550'], ['prune', 'not supported yet'])
    refused(['-txindex=1'], ['txindex', 'not supported yet'])
    refused(['-minimumchainwork=xyz'], ['minimum work', 'xyz'])
    refused(['-assumevalid=xyz'], ['assumevalid', 'xyz'])
    refused(['-testactivationheight=nothing@3'], ['testactivationheight'])
    refused(['-testactivationheight=segwit'], ['testactivationheight'])
    refused(['-bind=nowhere:x'], ['bind'])
    refused(['-rpcport=99999'], ['rpcport', '99999'])
    refused(['-chain=moon'], ['moon'])
    refused(['-regtest', '-signet'], ['regtest'])
    refused(['-loglevel=loud'], ['loud'])
    refused(['-debug=nothing'], ['nothing'])
    refused(['stray'], ['stray'])


def test_a_configuration_file_is_checked_line_by_line():
    def write(text):
        def put(n):
            with open(os.path.join(n.dir, 'cairn.conf'), 'w') as f:
                f.write(text)
        return put
    refused([], ['cairn.conf', '2', 'nonsens'],
            before=write('server=1\nnonsens=2\n'))
    refused([], ['cairn.conf', '1'], before=write('just words\n'))
    refused(['-conf=missing.conf'], ['missing.conf'])


def test_sections_and_includes_are_read_as_bitcoind_does():
    a = Node()
    with nodes(a):
        with open(os.path.join(a.dir, 'bitcoin.conf'), 'w') as f:
            f.write('uacomment=top\nincludeconf=more.conf\n'
                    '[regtest]\nuacomment=section\n[main]\nuacomment=no\n')
        with open(os.path.join(a.dir, 'more.conf'), 'w') as f:
            f.write('uacomment=included\n')
        a.start()
        agent = a.rpc('getnetworkinfo')['subversion']
        for word in ('top', 'section', 'included'):
            assert word in agent, agent
        assert '(no' not in agent and '; no' not in agent, agent


def test_a_second_process_on_the_datadir_is_refused():
    a = Node()
    with nodes(a):
        a.start()
        b = Node(datadir=a.dir)
        b.spawn()
        assert b.exit_code() == 1
        err = b.errors()
        assert 'lock' in err.lower() and a.dir in err, err
        assert a.height() == 0


def test_a_port_in_use_is_named():
    s = socket.socket()
    s.bind(('127.0.0.1', 0))
    s.listen()
    port = s.getsockname()[1]
    refused(['-bind=127.0.0.1:%d' % port], [str(port)])
    refused(['-rpcbind=127.0.0.1:%d' % port, '-rpcallowip=127.0.0.1'],
            [str(port)])
    s.close()


def test_another_nodes_folder_is_refused_and_left_alone():
    def foreign(n):
        os.makedirs(os.path.join(n.netdir, 'chainstate'))
        os.makedirs(os.path.join(n.netdir, 'blocks', 'index'))
        n.files = sorted(os.walk(n.dir))
    n = Node()
    try:
        foreign(n)
        before = sorted(os.walk(n.netdir))
        n.spawn()
        assert n.exit_code() == 1
        assert '-loadblock' in n.errors(), n.errors()
        assert sorted(os.walk(n.netdir)) == before
    finally:
        n.remove()


def test_an_unreadable_datadir_is_named():
    n = Node()
    try:
        path = os.path.join(n.dir, 'file')
        with open(path, 'w') as f:
            f.write('x')
        p = subprocess.run([os.path.join(BUILD, 'cairnd'), '-regtest',
                            '-datadir=' + path], stderr=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, timeout=30)
        assert p.returncode == 1 and path in p.stderr.decode(), p
    finally:
        n.remove()


def test_help_and_version_answer_and_end():
    for prog, opts in (('cairnd', ('-help', '--help', '-version')),
                       ('cairn-cli', ('-help', '--help', '-version')),
                       ('cairn-util', ('--help', '--version'))):
        for opt in opts:
            p = subprocess.run([os.path.join(BUILD, prog), opt],
                               stdout=subprocess.PIPE, timeout=30)
            assert p.returncode == 0 and b'airn' in p.stdout, (prog, opt, p)


def test_parameter_interactions_are_logged():
    a = Node(args=['-connect=0'])
    with nodes(a):
        argv = [x for x in a.argv([]) if not x.startswith(('-dnsseed',
                                                           '-bind'))]
        p = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
        wait_until('it runs', lambda: os.path.exists(
            os.path.join(a.netdir, 'debug.log')))
        a.wait_log('ready')
        log = a.log()
        p.terminate()
        assert p.wait(30) == 0
        assert '-connect set -> setting -dnsseed=0' in log, log
        assert '-connect set -> setting -listen=0' in log, log


def test_deployments_do_not_move_on_main():
    a = Node(args=['-testactivationheight=bip34@500'])
    with nodes(a):
        a.start()
        a.generate(1)
    for arg in ('testactivationheight=bip34@500', 'vbparams=testdummy:0:1',
                'test=bip94'):
        refused(['-' + arg], [arg.split('=')[0]], chain='main')
    refused(['-vbparams=testdummy:0'], ['Version bits parameters malformed'])
    refused(['-test=bip94'], ['regtest only'], chain='signet')


def test_the_node_stops_at_a_height():
    a, b = Node(), Node(args=['-stopatheight=10'])
    with nodes(a, b):
        a.start()
        a.generate(30)
        b.spawn('-connect=127.0.0.1:%d' % a.port, '-listen=0')
        assert b.exit_code() == 0
        tips = re.findall(r'tip height=(\d+)', b.log())
        assert tips[-1] == '10', tips


def test_the_mock_clock_moves_and_is_bounded():
    a = Node()
    with nodes(a):
        a.start()
        a.rpc('setmocktime', 1900000000)
        h = a.generate(1)[0]
        assert a.rpc('getblock', h)['time'] == 1900000000
        raises(-8, a.rpc, 'setmocktime', -1)
    m = Node('main')
    with nodes(m):
        m.start()
        raises(-1, m.rpc, 'setmocktime', 1)


def test_files_are_the_owners_alone():
    a = Node()
    with nodes(a):
        a.start()
        for name in ('.cookie', 'debug.log'):
            mode = os.stat(os.path.join(a.netdir, name)).st_mode & 0o777
            assert mode == 0o600, (name, oct(mode))


if __name__ == '__main__':
    main(globals())
