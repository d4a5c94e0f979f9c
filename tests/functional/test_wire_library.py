#!/usr/bin/env python3
"""libcairn-wire as its users see it: installed into a prefix, found by pkg-config,
the example built against it, shared and static, and run.
"""
import contextlib
import os
import re
import shutil
import subprocess
import tempfile

from node import BUILD, DATA, ROOT, main
from p2p import display, sha256d

MINIMAL_TX = bytes.fromhex('01000000' '01' + '00' * 32 + 'ffffffff' '0151'
                           'ffffffff' '01' '0000000000000000' '00' '00000000')


def run(args, **kw):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=120, **kw)
    assert p.returncode == 0, (args, p.stderr.decode())
    return p.stdout.decode()


@contextlib.contextmanager
def installed():
    """A prefix that holds nothing but the library."""
    prefix = tempfile.mkdtemp(prefix='cairn-wire.')
    try:
        env = {k: v for k, v in os.environ.items()
               if k not in ('MAKEFLAGS', 'MAKELEVEL', 'MFLAGS', 'DESTDIR')}
        run(['make', '-s', '-C', ROOT, 'BUILD=' + BUILD, 'PREFIX=' + prefix,
             'install-wire'], env=env)
        yield prefix
    finally:
        shutil.rmtree(prefix)


def pkg_config(prefix, *args):
    env = dict(os.environ, PKG_CONFIG_PATH=prefix + '/lib/pkgconfig')
    return run(['pkg-config'] + list(args) + ['cairn-wire'], env=env).split()


def sanitizer(prefix):
    """A program has to be linked as the library is."""
    names = run(['nm', '-D', prefix + '/lib/libcairn-wire.so'])
    if '__asan_init' in names:
        return ['-fsanitize=address,undefined']
    return ['-fsanitize=thread'] if '__tsan_init' in names else []


def build(prefix, out, static=False):
    source = prefix + '/share/doc/cairn/examples/wire_example.c'
    cc = ['cc', '-std=c11', '-Wall', '-Wextra', '-Werror', '-o', out, source]
    cc += pkg_config(prefix, '--cflags') + sanitizer(prefix)
    if static:
        libs = pkg_config(prefix, '--libs', '--static')
        libs.remove('-lcairn-wire')
        cc += [prefix + '/lib/libcairn-wire.a'] + libs
    else:
        cc += pkg_config(prefix, '--libs') + ['-Wl,-rpath,' + prefix + '/lib']
    run(cc)


def some_block(folder):
    path = os.path.join(folder, 'block')
    with open(path, 'wb') as f:
        f.write(bytes(80) + b'\x02' + MINIMAL_TX + MINIMAL_TX)
    return path, [display(sha256d(MINIMAL_TX))] * 2


def real_block():
    """A file of a real block and its transaction ids, where there is one."""
    name = os.path.join(DATA, 'blocks', 'mainnet', 'mainnet-951658')
    if not os.path.exists(name + '.json'):
        return None, []
    with open(name + '.json') as f:
        ids = re.search(r'"tx": \[([^]]*)\]', f.read())[1]
    return name + '.bin', re.findall('[0-9a-f]{64}', ids)


def test_the_example_builds_and_runs():
    with installed() as prefix:
        for static in (False, True):
            program = prefix + '/example'
            build(prefix, program, static)
            linked = 'libcairn-wire.so' in run(['ldd', program])
            assert linked != static
            path, ids = some_block(prefix)
            assert run([program, path]).split() == ids
            path, ids = real_block()
            if path:
                assert run([program, path]).split() == ids
            with open(prefix + '/cut', 'wb') as f:
                f.write(bytes(80) + b'\x02' + MINIMAL_TX)
            p = subprocess.run([program, prefix + '/cut'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert p.returncode == 1 and p.stderr == b'malformed block\n'


def headers(prefix):
    top = prefix + '/include'
    return sorted(os.path.relpath(os.path.join(folder, f), top)
                  for folder, _, files in os.walk(top) for f in files)


def test_each_header_stands_alone():
    with installed() as prefix:
        flags = pkg_config(prefix, '--cflags')
        names = headers(prefix)
        assert 'cairn/wire/block.h' in names and len(names) > 20
        for name in names:
            run(['cc', '-std=c11', '-Wall', '-Wextra', '-Werror',
                 '-fsyntax-only', '-x', 'c', '-'] + flags,
                input=b'#include <%s>\nint unused;\n' % name.encode())


def without_bodies(text):
    out, depth = [], 0
    for c in text:
        if c == '}' and depth == 1:
            out.append(';')
        depth += (c == '{') - (c == '}')
        if depth == 0 and c != '}':
            out.append(c)
    return ''.join(out)


def declared(prefix):
    """The functions that the headers declare and do not define."""
    source = ''.join('#include <%s>\n' % h for h in headers(prefix))
    text = run(['cc', '-std=c11', '-E', '-x', 'c', '-'] +
               pkg_config(prefix, '--cflags'), input=source.encode())
    ours, lines = False, []
    for line in text.splitlines():
        if line.startswith('# '):
            ours = prefix in line
        elif ours:
            lines.append(line)
    text = re.sub(r'__attribute__ *\(\((?:[^()]|\([^()]*\))*\)\)', '',
                  '\n'.join(lines))
    names = set()
    for s in without_bodies(text).split(';'):
        s = ' '.join(s.split())
        if '(' in s and 'static' not in s and 'typedef' not in s:
            names.add(re.match(r'[\w *]*?(\w+) ?\(', s)[1])
    return names


def exported(path, *args):
    out = run(['nm', '--defined-only', '-P'] + list(args) + [path])
    return {line.split('@')[0].split()[0] for line in out.splitlines()
            if len(line.split()) > 2 and line.split()[1] in 'TtDBRW'}


def test_what_is_declared_is_visible_and_nothing_else():
    """share/cairn-wire.symbols names the functions of the public headers."""
    with installed() as prefix:
        want = declared(prefix)
        assert 'block_view_parse' in want and len(want) > 140
        for path, args in (('libcairn-wire.so', ['-D']),
                           ('libcairn-wire.a', ['-g'])):
            got = exported(prefix + '/lib/' + path, *args)
            got = {n for n in got if not n.startswith('__')}
            assert got == want, (path, sorted(got ^ want))


if __name__ == '__main__':
    main(globals())
