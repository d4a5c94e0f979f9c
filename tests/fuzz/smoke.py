#!/usr/bin/env python3
"""Runs every fuzz target for a bounded number of executions.

Seeds come from $CAIRN_TEST_DATA (default ../shared/data); without it targets
start from nothing. Ends with one line: N passed, N failed, N skipped.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

import seeds

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 50000
# Targets whose inputs are large, or are run several ways.
RUNS_OF = {'accept': 10000, 'block': 4000, 'blockcheck': 8000,
           'descriptor': 20000, 'request': 20000, 'rx': 8000, 'sign': 5000, 'tx': 20000,
           'txcheck': 30000}
MAX_LEN_OF = {'block': 20000, 'blockcheck': 20000, 'prevouts': 20000,
              'request': 12000, 'rx': 12000}
MAX_LEN = 4096
TIMEOUT_S = 120


def run(binary, corpus, work):
    """(ok, one line, output) of one target."""
    name = os.path.basename(binary)[len('fuzz_'):]
    runs = RUNS_OF.get(name, RUNS)
    found = os.path.join(work, name)
    os.makedirs(found)
    dirs = [found] + [d for d in [os.path.join(corpus, name)]
                      if os.path.isdir(d)]
    cmd = [binary, '-runs=%d' % runs, '-seed=1', '-timeout=20',
           '-rss_limit_mb=1024', '-artifact_prefix=%s/' % found,
           '-max_len=%d' % MAX_LEN_OF.get(name, MAX_LEN)] + dirs
    try:
        p = subprocess.run(cmd, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
        rc, out = p.returncode, p.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired as e:
        rc, out = 124, (e.stdout or b'').decode(errors='replace')
    done = re.findall(r'^#(\d+)\s+DONE\s+cov: (\d+)', out, re.M)
    line = '%-14s %7s runs, %5s edges' % ((name,) + (done[-1] if done
                                                      else ('-', '-')))
    if rc:
        for path in glob.glob(found + '/crash-*') + \
                glob.glob(found + '/timeout-*'):
            with open(path, 'rb') as f:
                out += '\ninput: ' + f.read()[:4096].hex()
    return rc == 0, line, out


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('--build', default='build/fuzz')
    ap.add_argument('filter', nargs='?', default='')
    args = ap.parse_args()
    data = os.environ.get('CAIRN_TEST_DATA') or \
        os.path.join(HERE, '..', '..', '..', 'shared', 'data')
    names = [os.path.basename(p)[:-2] for p in
             sorted(glob.glob(HERE + '/fuzz_*.c'))]
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as work:
        corpus = os.path.join(work, 'seeds')
        if os.path.isdir(data):
            seeds.write(data, corpus)
        else:
            print('no test data: the targets start from nothing')
        for name in names:
            if args.filter not in name:
                continue
            binary = os.path.join(args.build, name)
            if not os.access(binary, os.X_OK):
                print('SKIP %s: not built' % name)
                skipped += 1
                continue
            ok, line, out = run(binary, corpus, work)
            passed, failed = passed + ok, failed + (not ok)
            print(line, '' if ok else 'FAILED', flush=True)
            if not ok:
                print(out[-6000:], flush=True)
    print('%d passed, %d failed, %d skipped' % (passed, failed, skipped))
    sys.exit(1 if failed or not passed + skipped else 0)


if __name__ == '__main__':
    main()
