#!/usr/bin/env python3
"""Runs the tests and ends with one line: N passed, N failed, N skipped.

--unit runs the check binaries below BUILD/tests, --functional the files
tests/functional/test_*.py, each as a process of its own. A name filters.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
# How many times slower than usual everything may be: sanitized builds are.
SLOW = int(os.environ.get('CAIRN_SLOW', '1'))
UNIT_TIMEOUT_S = 600 * SLOW
FUNCTIONAL_TIMEOUT_S = 240 * SLOW
# For sanitized builds; others do not look at them. A report is a failure, and
# memory that cannot be had is the tests' own doing.
SANITIZERS = {
    'ASAN_OPTIONS': 'allocator_may_return_null=1:detect_leaks=1',
    'UBSAN_OPTIONS': 'print_stacktrace=1',
    'TSAN_OPTIONS': 'second_deadlock_stack=1:suppressions=' +
                    os.path.join(HERE, 'tsan.supp'),
    # Against what hangs; how long a test takes is not judged.
    'CK_DEFAULT_TIMEOUT': '60',
    'CK_TIMEOUT_MULTIPLIER': str(SLOW),
}


def run(cmd, env, timeout):
    try:
        p = subprocess.run(cmd, env=env, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=timeout)
        return p.returncode, p.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired as e:
        return 124, (e.stdout or b'').decode(errors='replace') + '\ntimeout'


def unit(binary, env):
    """(passed, failed, skipped, text) of one check binary."""
    rc, out = run([binary], env, UNIT_TIMEOUT_S)
    skipped = len(re.findall(r'^SKIP ', out, re.M))
    m = re.search(r'Checks: (\d+), Failures: (\d+), Errors: (\d+)', out)
    if not m:
        return 0, 1, skipped, out
    n, bad = int(m[1]), int(m[2]) + int(m[3])
    if rc and not bad:
        bad = 1
    return max(n - bad - skipped, 0), bad, skipped, out if bad else ''


def functional(path, env):
    """One test file; exit code 77 means skipped."""
    rc, out = run([sys.executable, path], env, FUNCTIONAL_TIMEOUT_S)
    if rc == 77:
        return 0, 0, 1, out
    return int(rc == 0), int(rc != 0), 0, out if rc else ''


def jobs_of(args):
    build = os.path.abspath(args.build)
    jobs = []
    if args.unit:
        jobs += [(unit, p) for p in sorted(glob.glob(build + '/tests/*'))
                 if os.access(p, os.X_OK)]
    if args.functional:
        jobs += [(functional, p) for p in
                 sorted(glob.glob(HERE + '/functional/test_*.py'))]
    return [j for j in jobs if args.filter in os.path.basename(j[1])]


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('--build', default='build')
    ap.add_argument('--unit', action='store_true')
    ap.add_argument('--functional', action='store_true')
    ap.add_argument('-j', type=int, default=2)
    ap.add_argument('filter', nargs='?', default='')
    args = ap.parse_args()
    data = os.environ.get('CAIRN_TEST_DATA',
                          os.path.join(HERE, '..', '..', 'shared', 'data'))
    env = dict(SANITIZERS)
    env.update(os.environ, CAIRN_BUILD=os.path.abspath(args.build),
               CAIRN_TEST_DATA=os.path.abspath(data))
    total = [0, 0, 0]

    def one(job):
        start = time.monotonic()
        return job, job[0](job[1], env), time.monotonic() - start

    with ThreadPoolExecutor(args.j) as ex:
        for (fn, path), (ok, bad, skip, text), s in ex.map(one, jobs_of(args)):
            kind = 'unit' if fn is unit else 'functional'
            print('%-10s %-34s %4d passed %3d failed %3d skipped %6.1f s' % (
                kind, os.path.basename(path), ok, bad, skip, s), flush=True)
            if text:
                print(text, flush=True)
            for i, v in enumerate((ok, bad, skip)):
                total[i] += v
    print('%d passed, %d failed, %d skipped' % tuple(total))
    sys.exit(1 if total[1] or not sum(total) else 0)


if __name__ == '__main__':
    main()
