"""Starts real cairnd processes and talks to them by RPC. Standard library only.

Every node has its own folder and its own ports on loopback; a test ends the
processes that it started, by their handle.
"""
import base64
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('CAIRN_BUILD', os.path.join(ROOT, 'build'))
DATA = os.environ.get('CAIRN_TEST_DATA',
                      os.path.join(ROOT, '..', 'shared', 'data'))
# How many times slower than usual a node may be: sanitized builds are.
SLOW = int(os.environ.get('CAIRN_SLOW', '1'))
FOLDER = {'main': '', 'test': 'testnet3', 'testnet4': 'testnet4',
          'signet': 'signet', 'regtest': 'regtest'}
# An address and a key-less script that any regtest node can mine to.
ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'


class RpcError(Exception):
    def __init__(self, error):
        super().__init__('%s: %s' % (error.get('code'), error.get('message')))
        self.code = error.get('code')
        self.message = error.get('message')


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


def data_file(*parts):
    path = os.path.join(DATA, *parts)
    if not os.path.exists(path):
        skip('no test data')
    return path


def free_ports(n):
    socks = [socket.socket() for _ in range(n)]
    for s in socks:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in socks]
    for s in socks:
        s.close()
    return ports


def wait_until(what, predicate, timeout=30):
    """Poll an outside state with a deadline; what names it in the failure."""
    end = time.monotonic() + timeout * SLOW
    while True:
        v = predicate()
        if v:
            return v
        if time.monotonic() > end:
            raise AssertionError('timeout waiting until ' + what)
        time.sleep(0.01)


def hear_interrupts():
    """A shell starts what runs in the background with SIGINT ignored, and that is
    inherited: a node that is not listening yet would miss it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Node:
    def __init__(self, chain='regtest', args=(), datadir=None, wrap=(),
                 env=None):
        """wrap: words before the program's, env: variables beside ours."""
        self.chain, self.args = chain, list(args)
        self.wrap, self.env = list(wrap), dict(os.environ, **(env or {}))
        self.own = datadir is None
        self.dir = datadir or tempfile.mkdtemp(prefix='cairn-test.')
        self.port, self.rpcport = free_ports(2)
        self.proc = None

    @property
    def netdir(self):
        return os.path.join(self.dir, FOLDER[self.chain])

    def argv(self, more):
        own = self.args + list(more)
        # -bind and -listen=0 contradict each other.
        bind = [] if '-listen=0' in own else ['-bind=127.0.0.1:%d' % self.port]
        return [os.path.join(BUILD, 'cairnd'), '-datadir=' + self.dir,
                '-chain=' + self.chain, '-rpcport=%d' % self.rpcport,
                '-dnsseed=0', '-printtoconsole=0', '-debug=net',
                '-debug=validation'] + bind + own

    def spawn(self, *more):
        self.stderr = tempfile.TemporaryFile()
        self.proc = subprocess.Popen(self.wrap + self.argv(more),
                                     stdout=subprocess.DEVNULL,
                                     stderr=self.stderr, env=self.env,
                                     preexec_fn=hear_interrupts)
        return self

    def start(self, *more, timeout=60):
        if not any(a.startswith('-connect') for a in self.args + list(more)):
            more += ('-connect=0', '-listen=1')
        self.spawn(*more)
        wait_until('RPC answers', self._ready, timeout)
        return self

    def _ready(self):
        if self.proc.poll() is not None:
            raise AssertionError('cairnd ended with %s: %s' % (
                self.proc.returncode, self.errors()))
        try:
            self.rpc('getblockcount')
            return True
        except (OSError, http.client.HTTPException):
            return False
        except RpcError as e:
            if e.code != -28:
                raise
            return False

    def errors(self):
        self.stderr.seek(0)
        return self.stderr.read().decode(errors='replace')

    def exit_code(self, timeout=30):
        return self.proc.wait(timeout * SLOW)

    def cookie(self):
        with open(os.path.join(self.netdir, '.cookie'), 'rb') as f:
            return f.read()

    def post(self, body, path='/', auth=None, headers=()):
        """One HTTP request: (status, body)."""
        if auth is None:
            auth = self.cookie()
        h = {'Content-Type': 'application/json',
             'Authorization': 'Basic ' + base64.b64encode(auth).decode()}
        h.update(headers)
        c = http.client.HTTPConnection('127.0.0.1', self.rpcport,
                                       timeout=60 * SLOW)
        try:
            c.request('POST', path, body, h)
            r = c.getresponse()
            return r.status, r.read()
        finally:
            c.close()

    def rpc(self, method, *params, **named):
        body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': method,
                           'params': named or list(params)})
        status, data = self.post(body)
        if status not in (200, 500):
            raise http.client.HTTPException('HTTP %d' % status)
        reply = json.loads(data)
        if reply.get('error'):
            raise RpcError(reply['error'])
        return reply['result']

    def cli(self, *args, stdin=None):
        """(exit code, stdout, stderr) of cairn-cli."""
        p = subprocess.run(
            [os.path.join(BUILD, 'cairn-cli'), '-datadir=' + self.dir,
             '-chain=' + self.chain] + list(args),
            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=60 * SLOW)
        return p.returncode, p.stdout.decode(), p.stderr.decode()

    def generate(self, n, address=ADDRESS):
        return self.rpc('generatetoaddress', n, address)

    def height(self):
        return self.rpc('getblockcount')

    def tip(self):
        return self.rpc('getbestblockhash')

    def wait_tip(self, h, timeout=60):
        wait_until('the tip is ' + h, lambda: self.tip() == h, timeout)

    def wait_height(self, h, timeout=60):
        wait_until('height %d' % h, lambda: self.height() >= h, timeout)

    def connect(self, other):
        before = len(other.rpc('getpeerinfo'))
        self.rpc('addnode', '127.0.0.1:%d' % other.port, 'onetry')
        wait_until('connected', lambda: len(other.rpc('getpeerinfo')) > before)

    def log(self):
        with open(os.path.join(self.netdir, 'debug.log'),
                  errors='replace') as f:
            return f.read()

    def wait_log(self, text, timeout=20):
        wait_until('the log says ' + text, lambda: text in self.log(), timeout)

    def anon_kb(self):
        """Resident memory that is the process's own: no mapped files."""
        with open('/proc/%d/status' % self.proc.pid) as f:
            for line in f:
                if line.startswith('RssAnon'):
                    return int(line.split()[1])
        return 0

    def check_growth(self, before_kb, most_kb):
        """Memory grew by at most so much. A sanitized process keeps what it
        freed, so its memory proves nothing."""
        now = self.anon_kb()
        assert SLOW > 1 or now - before_kb <= most_kb, (before_kb, now)

    def stop(self, timeout=60):
        """End by SIGTERM; returns the exit code."""
        if self.proc is None:
            return 0
        if self.proc.poll() is None:
            self.proc.send_signal(signal.SIGTERM)
        return self.proc.wait(timeout * SLOW)

    def kill(self):
        self.proc.kill()
        self.proc.wait()

    def remove(self):
        if self.proc and self.proc.poll() is None:
            self.kill()
        if self.own:
            shutil.rmtree(self.dir, ignore_errors=True)


@contextlib.contextmanager
def nodes(*specs):
    """with nodes(Node(...), Node(...)) as (a, b): ended and removed after."""
    try:
        yield specs
        for n in specs:
            if n.proc and n.proc.poll() is None:
                code = n.stop()
                assert code == 0, 'exit code %s: %s' % (code, n.errors())
                assert n.errors() == '', 'stderr: ' + n.errors()
    except BaseException:
        for n in specs:
            with contextlib.suppress(OSError):
                print('--- log of %s\n%s' % (n.dir, n.log()[-4000:]))
        raise
    finally:
        for n in specs:
            n.remove()


def raises(code, fn, *args, **kw):
    """fn must fail with this RPC error code; returns its message."""
    try:
        fn(*args, **kw)
    except RpcError as e:
        assert e.code == code, 'code %s (%s), not %s' % (e.code, e, code)
        return e.message
    raise AssertionError('no error, expected code %d' % code)


def main(module):
    """Run every function test_* of a file, each with its own nodes."""
    names = sys.argv[1:] or [k for k in module if k.startswith('test_')]
    for name in names:
        start = time.monotonic()
        module[name]()
        print('%s ok %.1f s' % (name, time.monotonic() - start))
