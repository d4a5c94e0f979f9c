#!/usr/bin/env python3
"""Makes doc/benchmarks.md and doc/benchmarks-scripts.md: cairn-bench beside its
peers, and beside the library that verifies signatures.

    build/cairn-bench --json >cairn.json
    contrib/bench-table.py cairn.json [--btcd FILE] [--core FILE]
        [--tendermint FILE] [--note TEXT]... >doc/benchmarks.md
    contrib/bench-table.py --scripts cairn.json [--core FILE]
        [--note TEXT]... >doc/benchmarks-scripts.md

--btcd is the output of btcd's `go test -bench . -benchmem` in its folder wire,
--tendermint that of its benchmarks of votes, --core that of `bench_bitcoin` (its
table). The peers' earlier figures, from another machine, stand in the table
below and are shown beside. Several files of one kind may be given; the least
figure of a row counts.
"""
import argparse
import json
import re
import sys

VECTOR, BIG, DECODE, ENCODE = 20, 8, 5, 3
SMALL_NS = 20   # a shorter write need only be no slower

# Row, peer, the peer's benchmarks (added up), reference ns, aim as a ratio.
ROWS = []


def btcd(name, ns, aim, peer=None):
    if aim == ENCODE and ns < SMALL_NS:
        aim = 1
    ROWS.append((name, 'btcd', [peer or name], ns, aim))


for n, r, w in (1, 6.6, 2.3), (3, 12.1, 2.5), (5, 11.6, 2.5), (9, 11.6, 3.8):
    btcd('ReadVarInt%d' % n, r, DECODE, 'ReadVarIntBuf%d' % n)
    btcd('WriteVarInt%d' % n, w, ENCODE, 'WriteVarIntBuf%d' % n)
for n, r, w in (4, 26.1, 15.7), (10, 36.5, 17.7):
    btcd('ReadVarStr%d' % n, r, DECODE, 'ReadVarStrBuf%d' % n)
    btcd('WriteVarStr%d' % n, w, ENCODE, 'WriteVarStrBuf%d' % n)
for n, r, w in (('OutPoint', 11.1, 3.4), ('TxOut', 22.0, 6.9),
                ('TxIn', 29.9, 9.7), ('BlockHeader', 29.7, 7.6)):
    plain = n in ('TxIn', 'OutPoint')
    btcd('Read' + n, r, DECODE, 'Read' + n + ('' if plain else 'Buf'))
    btcd('Write' + n, w, ENCODE, 'Write' + n + ('' if n == 'TxIn' else 'Buf'))
btcd('DeserializeTxSmall', 290, DECODE)
btcd('DeserializeTxLarge', 445706, DECODE)
btcd('DeserializeBlock/540107', 1686349, DECODE, 'DeserializeBlock')
btcd('SerializeTx', 52.1, ENCODE)
btcd('SerializeTxSmall', 51.8, ENCODE)
btcd('SerializeTxLarge', 55157, ENCODE)
btcd('SerializeTxLarge_raw', 55157, ENCODE, 'SerializeTxLarge')
btcd('SerializeBlock/540107', 246418, ENCODE, 'SerializeBlock')
btcd('SerializeBlock/540107_raw', 246418, ENCODE, 'SerializeBlock')
btcd('DecodeGetHeaders', 5350, VECTOR)
btcd('DecodeGetBlocks', 5531, VECTOR)
btcd('DecodeHeaders', 91202, VECTOR)
btcd('DecodeAddr', 88830, VECTOR)
btcd('DecodeInv', 977948, BIG)
btcd('DecodeNotFound', 949060, BIG)
btcd('DecodeMerkleBlock', 1427, DECODE)
btcd('TxHash', 350, 1)
for n, d, e in ((1000, 9310, 7030), (10000, 84604, 84922),
                (100000, 791926, 1750877)):
    btcd('MsgCFCheckptDecode/%d' % n, d, BIG if n == 100000 else VECTOR,
         'MsgCFCheckptDecode/%s' % n)
    btcd('MsgCFCheckptEncode/%d' % n, e, ENCODE, 'MsgCFCheckptEncode/%s' % n)
ROWS += [
    ('DeserializeBlock/413567', 'Bitcoin Core', ['DeserializeBlockTest'],
     1265000, 20),
    ('CheckBlock/413567', 'Bitcoin Core', ['CheckBlockTest'], 568000, 1),
    ('DeserializeAndCheckBlock/413567', 'Bitcoin Core',
     ['DeserializeBlockTest', 'CheckBlockTest'], 1833000, 3),
    ('MerkleRoot/9001', 'Bitcoin Core', ['MerkleRoot'], 62, 1.5),
    ('MerkleRootWithMutation/9001', 'Bitcoin Core',
     ['MerkleRootWithMutation'], 62, 1.5),
    ('SHA256D64/1024', 'Bitcoin Core', ['SHA256D64_1024_SHANI'], 1.54, 1.5),
    ('SmallBytesDeserialize/trivial', 'Bitcoin Core',
     ['PrevectorDeserializeTrivial'], 3.95, 2),
    ('SmallBytesDeserialize/nontrivial', 'Bitcoin Core',
     ['PrevectorDeserializeNontrivial'], 42.9, 2),
    ('VoteSignBytes', 'Tendermint', ['VoteSignBytes'], 333, 3),
    ('CommitVoteSignBytes', 'Tendermint', ['CommitVoteSignBytes'], 3841, 3),
    ('MarshalDelimited', 'Tendermint', ['MarshalDelimitedWithMarshalTo'], 227,
     3),
    ('MarshalDelimited_general', 'Tendermint',
     ['MarshalDelimitedNoMarshalTo'], 271, 3),
]


# Row, the library alone on the same signatures, Bitcoin Core's benchmark.
BARE_AIM = 1.05
SCRIPTS = []
for form, core in (('P2PKH', None), ('P2WPKH', 'P2WPKH'),
                   ('P2SH_P2WPKH', None), ('P2WSH_2of3', None),
                   ('P2TR_KeyPath', 'P2TR_KeyPath'),
                   ('P2TR_ScriptPath', 'P2TR_ScriptPath')):
    SCRIPTS.append(('VerifyScript' + form, 'Bare' + form,
                    core and 'VerifyScript' + core))
    if form in ('P2WPKH', 'P2TR_KeyPath'):
        for what in '_known_key', '_cached':
            SCRIPTS.append(('VerifyScript%s%s' % (form, what),
                            'Bare' + form, None))
SCRIPTS.append(('VerifyNestedIfScript', None, 'VerifyNestedIfScript'))
for form, core in (('AllEcdsa', 'AllEcdsa'), ('AllSchnorr', 'AllSchnorr'),
                   ('Mixed', 'MixedEcdsaSchnorr')):
    for threads in '/1', '/2':
        for cache in '', '_no_cache':
            two = threads == '/2' and not cache
            SCRIPTS.append(('ConnectBlock%s%s%s' % (form, cache, threads),
                            'BareBlock%s%s' % (form, threads),
                            'ConnectBlock' + core if two else None))
SCRIPTS.append(('ConnectBlockMixed_again/1', 'BareBlockMixed/1', None))


def read_cairn(paths):
    rows = {}
    for path in paths:
        with open(path) as f:
            for line in f:
                if not line.startswith('{'):
                    continue
                row = json.loads(line)
                old = rows.get(row['name'])
                if not old or row['ns_per_op'] < old['ns_per_op']:
                    rows[row['name']] = row
    return rows


def least(figures, name, ns):
    figures[name] = min(ns, figures.get(name, ns))


def read_go(paths):
    """BenchmarkDecodeInv-2   1234   970000 ns/op ..."""
    figures = {}
    for path in paths:
        with open(path) as f:
            for m in re.finditer(r'^Benchmark(\S+)\s+\d+\s+([\d.]+) ns/op',
                                 f.read(), re.M):
                name = re.sub(r'-\d+$', '', m[1])
                name = name.replace('/headers_', '/')
                least(figures, name, float(m[2]))
    return figures


def read_core(paths):
    """| ns/unit | units/s | err% | total | `Name` (in any unit of time)"""
    figures, scale = {}, 1
    for path in paths:
        with open(path) as f:
            for line in f:
                cells = [c.strip() for c in line.split('|')]
                if len(cells) < 6:
                    continue
                unit = re.match(r'(ns|us|µs|ms)/', cells[1])
                if unit:
                    scale = {'ns': 1, 'ms': 1e6}.get(unit[1], 1e3)
                name = re.search(r'`([^` ]+)', cells[5])
                if name and re.match(r'[\d,.]+$', cells[1]):
                    ns = float(cells[1].replace(',', '')) * scale
                    least(figures, name[1], ns)
    return figures


def number(ns):
    if ns >= 100:
        return '{:,.0f}'.format(ns)
    return '%.1f' % ns if ns >= 10 else '%.2f' % ns


def peer_figure(row, measured):
    _, peer, parts, reference, _ = row
    here = measured.get(peer, {})
    if parts and all(p in here for p in parts):
        return sum(here[p] for p in parts), True
    return reference, False


def table(cairn, measured):
    """The lines of the table, and of each row its name, ratio and aim."""
    for row in ROWS:
        name, peer, _, reference, aim = row
        ours = cairn.get(name)
        if not ours:
            print('%s: no such row in the input' % name, file=sys.stderr)
            continue
        ns, here = peer_figure(row, measured)
        ratio = ns / ours['ns_per_op']
        line = '| `%s` | %s | %g | %s | %s | %.2f | %s | %s | %s | %.1f |' % (
            name, peer, round(ours['allocs_per_op'], 1),
            number(ours['ns_per_op']), number(ns) if here else '-', ratio,
            'none' if aim == 1 else '%g' % aim,
            'yes' if ratio >= aim else 'no', number(reference),
            reference / ours['ns_per_op'])
        yield line, name, ratio, aim


HEAD = '''# Benchmarks of the codec

Generated by `contrib/bench-table.py`; do not edit. Least of several runs. Figures of one machine; what counts is the ratio,
peer over Cairn, measured in one run.

* processor: {cpu}
* commit: {commit}
{notes}
Commands:

    build/cairn-bench --json >cairn.json
    (cd btcd/wire && go test -run none -bench . -benchmem -benchtime 4ms -count 8) >btcd.txt
    bench_bitcoin -min-time=4 -filter='DeserializeBlockTest|CheckBlockTest|MerkleRoot|SHA256D64.*|PrevectorDeserialize.*' >core.txt
    cp contrib/bench-votes_test.go tendermint/libs/protoio/
    (cd tendermint/libs/protoio && go test -run none -bench 'SignBytes|Delimited' -benchmem -benchtime 3ms -count 15) >tendermint.txt
    contrib/bench-table.py cairn.json --btcd btcd.txt --core core.txt --tendermint tendermint.txt >doc/benchmarks.md

The workloads are the peer's own: the same bytes, every field of what was decoded is read ([wire.md](wire.md) says how).
Nanoseconds per operation; per leaf, byte or vector for `MerkleRoot`, `SHA256D64`, `SmallBytesDeserialize`. An aim of "none"
means: no slower. Allocations are counted by an interposed allocator. "Earlier" is what the peer reached when it was measured
first, on another machine (a newer generation of the processor, nothing else to do, btcd with Go 1.21); its ratio compares
two machines and decides nothing.

| row | peer | allocations | ns | peer's ns | ratio | aim | met | earlier | ratio |
|---|---|---|---|---|---|---|---|---|---|'''

PLAIN = '''
## All rows

| row | ns | median | MB/s | allocations | bytes allocated | per |
|---|---|---|---|---|---|---|'''


def limits(cairn):
    """Parsing blocks beside a walk that checks nothing."""
    print()
    for name in ('DeserializeBlock/540107', 'DeserializeBlock/413567'):
        parse, walk = cairn.get(name + '_parse'), cairn.get(name + '_walk')
        if parse and walk:
            print('`%s_parse` takes %.2f times as long as the bare walk that '
                  'bounds it (aim: 1.3).' % (
                      name, parse['ns_per_op'] / walk['ns_per_op']))


SCRIPTS_HEAD = '''# Benchmarks of scripts and signatures

Generated by `contrib/bench-table.py --scripts`; do not edit. Least of several runs, nanoseconds. Figures of one machine;
what counts are the ratios, measured in one run.

* processor: {cpu}
* commit: {commit}
{notes}
Commands:

    build/cairn-bench --json >cairn.json
    bench_bitcoin -filter='VerifyScript.*|VerifyNestedIfScript|ConnectBlock.*' >core.txt
    contrib/bench-table.py --scripts cairn.json --core core.txt >doc/benchmarks-scripts.md

The third column is libsecp256k1 alone: keys and signatures parsed, signatures verified, on as many threads as the row
names behind its stroke. The aim is 1.05. `known_key`: the key was seen before ([script.md](script.md)); `cached`: so was
the signature. `ConnectBlock` is a block of 1,000 transactions with 5 inputs each, the inputs of Bitcoin Core's rows: five
keys sign all of it. It is judged by the node's own path, from the parsing of the block on; `no_cache`: without hints about
keys; `again`: a block that the cache of transactions knows. Bitcoin Core brings a newer libsecp256k1 along than the one measured here.

| row | ns | library alone | ratio | Bitcoin Core's ns | its ratio to ours |
|---|---|---|---|---|---|'''

SIGHASH_HEAD = '''
## Signature hashes

Per input. What grows with the number of inputs grows because the format asks for it: what lies behind an input, and
blank outputs in front of the one that SINGLE signs, are hashed from a state that no other input has.

| row | ns |
|---|---|'''


def ratio_cells(ours, ns):
    if not ns:
        return '- | -'
    return '%s | %.3f' % (number(ns), ours / ns)


def print_scripts(cairn, core):
    missed = []
    for name, bare, peer in SCRIPTS:
        if name not in cairn:
            print('%s: no such row in the input' % name, file=sys.stderr)
            continue
        ours = cairn[name]['ns_per_op']
        alone = cairn[bare]['ns_per_op'] if bare else None
        theirs = core.get(peer)
        print('| `%s` | %s | %s | %s | %s |' % (
            name, number(ours), ratio_cells(ours, alone),
            number(theirs) if theirs else '-',
            '%.2f' % (theirs / ours) if theirs else '-'))
        if alone and ours > BARE_AIM * alone:
            missed.append('`%s` (%.3f)' % (name, ours / alone))
    print('\nAbove %g times the library: %s.' % (
        BARE_AIM, ', '.join(missed) or 'none'))
    two = [(n, cairn[n[:-1] + '1']['ns_per_op'] / r['ns_per_op'])
           for n, r in cairn.items() if n.endswith('/2')]
    print('Two threads over one: %s.' % ', '.join(
        '`%s` %.2f' % (n[:-2], x) for n, x in two))
    print(SIGHASH_HEAD)
    for name, row in cairn.items():
        if name.startswith('Sighash'):
            print('| `%s` | %s |' % (name, number(row['ns_per_op'])))


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('cairn', nargs='+')
    ap.add_argument('--scripts', action='store_true')
    ap.add_argument('--btcd', action='append', default=[])
    ap.add_argument('--core', action='append', default=[])
    ap.add_argument('--tendermint', action='append', default=[])
    ap.add_argument('--note', action='append', default=[])
    args = ap.parse_args()
    cairn = read_cairn(args.cairn)
    measured = {'btcd': read_go(args.btcd),
                'Bitcoin Core': read_core(args.core),
                'Tendermint': read_go(args.tendermint)}
    some = next(iter(cairn.values()))
    head = SCRIPTS_HEAD if args.scripts else HEAD
    print(head.format(cpu=some['cpu'], commit=some['commit'],
                      notes=''.join('* %s\n' % n for n in args.note)))
    if args.scripts:
        print_scripts(cairn, measured['Bitcoin Core'])
        return
    missed = []
    for line, name, ratio, aim in table(cairn, measured):
        print(line)
        if ratio < aim:
            missed.append('`%s` (%.2f of %g)' % (name, ratio, aim))
    print()
    print('Below their aim: %s.' % (', '.join(missed) or 'none'))
    limits(cairn)
    print(PLAIN)
    for row in cairn.values():
        print('| `%s` | %s | %s | %.0f | %g | %.0f | %s |' % (
            row['name'], number(row['ns_per_op']), number(row['ns_median']),
            row['mb_per_s'], round(row['allocs_per_op'], 2),
            row['bytes_per_op'], row['unit']))


if __name__ == '__main__':
    main()
