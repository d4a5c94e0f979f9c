#!/usr/bin/env python3
"""cairn-util decode prints any message as JSON, or says where and why it is
malformed. Values are compared with a second reading, written here.
"""
import json
import os
import struct
import subprocess

from node import BUILD, data_file, main
from p2p import (compact, display, parse_headers, parse_inv, read_compact,
                 sha256d)

UTIL = os.path.join(BUILD, 'cairn-util')


def run(args, data=b''):
    p = subprocess.run([UTIL, 'decode'] + args, input=data, timeout=60,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def decode(command, body, *options):
    rc, out, err = run(list(options) + [command], body)
    assert rc == 0 and not err, (command, rc, err)
    return json.loads(out)


def refused(command, body, *options):
    """(offset, the rest of the line) of a malformed body."""
    rc, out, err = run(list(options) + [command], body)
    assert rc == 1 and not out, (command, rc, out)
    head = 'cairn-util: %s: offset ' % command
    assert err.startswith(head), err
    offset, why = err[len(head):].strip().split(': ', 1)
    assert int(offset) <= len(body), err
    return int(offset), why


def messages():
    """{command: body} of the messages seen on mainnet."""
    with open(data_file('vectors', 'p2p', 'messages.json')) as f:
        return {k: bytes.fromhex(v['message'])[24:]
                for k, v in json.load(f).items()}


def read_tx(b, at):
    """(txid, inputs, outputs, end) of a transaction, from BIP144."""
    start, at = at, at + 4
    witness = b[at] == 0
    at += 2 * witness
    middle = at
    n_in, at = read_compact(b, at)
    ins, outs = [], []
    for _ in range(n_in):
        n, p = read_compact(b, at + 36)
        ins.append((display(b[at:at + 32]),
                    struct.unpack_from('<I', b, at + 32)[0],
                    b[p:p + n].hex(), struct.unpack_from('<I', b, p + n)[0]))
        at = p + n + 4
    n_out, at = read_compact(b, at)
    for _ in range(n_out):
        n, p = read_compact(b, at + 8)
        outs.append((struct.unpack_from('<q', b, at)[0], b[p:p + n].hex()))
        at = p + n
    base = b[start:start + 4] + b[middle:at]
    for _ in range(n_in if witness else 0):
        items, at = read_compact(b, at)
        for _ in range(items):
            n, at = read_compact(b, at)
            at += n
    at += 4
    return display(sha256d(base + b[at - 4:at])), ins, outs, at


def same_tx(got, b, at):
    """Compare decoded JSON with the transaction at b[at:]; its end."""
    txid, ins, outs, end = read_tx(b, at)
    assert got['txid'] == txid
    assert got['hash'] == display(sha256d(b[at:end]))
    assert got['size'] == end - at
    assert len(got['vin']) == len(ins) and len(got['vout']) == len(outs)
    for g, (prev, n, script, sequence) in zip(got['vin'], ins):
        if 'coinbase' in g:
            assert g['coinbase'] == script and prev == '0' * 64
        else:
            assert (g['txid'], g['vout']) == (prev, n)
            assert g['scriptSig']['hex'] == script
        assert g['sequence'] == sequence
    for i, (g, (value, script)) in enumerate(zip(got['vout'], outs)):
        assert round(g['value'] * 10 ** 8) == value and g['n'] == i
        assert g['scriptPubKey']['hex'] == script
    return end


def test_messages_seen_on_mainnet():
    all_of_them = messages()
    assert len(all_of_them) == 21
    for command, body in all_of_them.items():
        as_bytes = run(['--raw', command], body)
        assert as_bytes[0] == 0, (command, as_bytes[2])
        digits = body.hex()
        lines = '\n'.join(digits[i:i + 64] for i in range(0, len(digits), 64))
        assert run(['--hex', command], lines.encode()) == as_bytes
        if body:
            assert run([command], digits.upper().encode()) == as_bytes
            assert run([command], body) == as_bytes
        for n in {0, 1, len(body) // 2, len(body) - 1} if body else ():
            if n < len(body) and command not in ('version', 'reject'):
                refused(command, body[:n], '--raw')


def test_their_values():
    m = messages()
    for command in ('inv', 'getdata', 'notfound'):
        got = decode(command, m[command])['items']
        assert [(i['type'], i['hash']) for i in got] == [
            (t, display(h)) for t, h in parse_inv(m[command])]
    got = decode('headers', m['headers'])['headers']
    assert [h['hash'] for h in got] == [
        display(sha256d(h)) for h in parse_headers(m['headers'])]
    assert same_tx(decode('tx', m['tx']), m['tx'], 0) == len(m['tx'])
    assert decode('filteradd', m['filteradd'])['element'] == (
        m['filteradd'][1:].hex())
    assert decode('verack', b'') == {}
    v = decode('version', m['version'])
    assert v['subver'] == '/Satoshi:0.9.1/' and v['startheight'] == 333731
    assert v['addr_from']['address'] == '5.9.85.34' and v['relay'] is True
    proof = decode('merkleblock', m['merkleblock'])
    assert proof['proven'] is True and len(proof['matches']) == 1


def test_real_blocks():
    with open(data_file('blocks', 'index.json')) as f:
        index = json.load(f)
    small = [b for b in index if b.get('size', 1 << 30) < 1500000]
    assert len(small) > 10
    for row in small[:12]:
        with open(data_file(*row['file'].split('/')), 'rb') as f:
            raw = f.read()
        got = decode('block', raw)
        for key in ('hash', 'size', 'weight', 'version', 'time', 'bits'):
            assert got[key] == row[key], (row['file'], key)
        assert got['nTx'] == row['tx'] == len(got['tx'])
        _, at = read_compact(raw, 80)
        for tx in got['tx']:
            at = same_tx(tx, raw, at)
        assert at == len(raw)
        head = decode('header', raw[:80])
        assert all(got[k] == v for k, v in head.items())
        refused('block', raw[:-1])
    offset, why = refused('header', raw[:81])
    assert offset == 80 and 'behind' in why
    assert refused('header', raw[:79])[0] == 0


def test_a_block_as_bitcoind_prints_it():
    with open(data_file('blocks', 'mainnet', 'mainnet-951658.json')) as f:
        want = json.load(f)
    with open(data_file('blocks', 'mainnet', 'mainnet-951658.bin'),
              'rb') as f:
        got = decode('block', f.read())
    for key in ('hash', 'version', 'versionHex', 'merkleroot', 'time',
                'nonce', 'bits', 'nTx', 'previousblockhash', 'strippedsize',
                'size', 'weight'):
        assert got[key] == want[key], key
    assert [t['txid'] for t in got['tx']] == want['tx']
    first = got['tx'][0]
    assert first['vin'][0]['coinbase'] == want['coinbase_tx']['coinbase']
    assert first['vin'][0]['txinwitness'] == [want['coinbase_tx']['witness']]


# Messages that bitcoind does not read, or judges before it has read them.
NO_CORE_LOG = {'vector/%s-%s.bin' % (c, k)
               for c in ('cfcheckpt', 'cfheaders', 'cfilter', 'filteradd',
                         'filterload', 'merkleblock')
               for k in ('empty-payload', 'count-02000000',
                         'count-non-canonical')}
NO_CORE_LOG |= {'vector/headers-count-02000000.bin', 'limit/headers-2001.bin',
                'small/pong-short.bin'}
KNOWN = set('''addr addrv2 alert block blocktxn cfcheckpt cfheaders cfilter
    cmpctblock feature feefilter filteradd filterclear filterload getaddr
    getblocks getblocktxn getcfcheckpt getcfheaders getcfilters getdata
    getheaders headers inv mempool merkleblock notfound ping pong reject
    sendaddrv2 sendcmpct sendheaders sendtxrcncl tx verack version
    wtxidrelay'''.split())


def first_frame(data):
    """(command, body) of the first message, where there is a whole one."""
    if len(data) < 24 or data[:4].hex() != 'fabfb5da':
        return None, b''
    command = data[4:16].rstrip(b'\0').decode('latin-1')
    n = struct.unpack_from('<I', data, 16)[0]
    whole = command in KNOWN and len(data) >= 24 + n
    return (command if whole else None), data[24:24 + n]


def test_malformed_bodies_are_refused_where_bitcoind_refuses_them():
    with open(data_file('malformed', 'manifest.json')) as f:
        rows = json.load(f)
    rows = rows if isinstance(rows, list) else rows.get('cases',
                                                        rows.get('files'))
    seen = bad = 0
    for row in rows:
        with open(data_file('malformed', *row['file'].split('/')), 'rb') as f:
            command, body = first_frame(f.read())
        if not command:
            continue
        seen += 1
        want = ('Exception' in row.get('core_log', '') or
                row['file'] in NO_CORE_LOG)
        bad += want
        if want:
            refused(command, body, '--raw')
        else:
            decode(command, body, '--raw')
    assert seen > 110 and bad > 60, (seen, bad)


def test_reasons():
    two = b'\x02' + bytes(71)
    assert refused('inv', two) == (0, 'items: it counts more than can be left')
    assert refused('inv', b'\xfd\x01\x00') == (
        0, 'items: the size is not minimal')
    tx = bytes.fromhex('01000000' '0002') + bytes(20)
    assert refused('tx', tx) == (5, 'flag: it is not known')
    block = bytes(80) + b'\x01' + tx
    assert refused('block', block) == (86, 'txs[0].flag: it is not known')
    assert refused('ping', b'12', '--raw')[1].startswith('nonce: ')


def test_forms_of_other_times():
    assert decode('ping', b'', '--protocol=60000') == {}
    refused('ping', b'', '--protocol=60001')
    address = struct.pack('<Q', 1) + bytes(10) + b'\xff\xff\1\2\3\4\x20\x8d'
    got = decode('addr', b'\1' + address, '--raw', '--protocol=31401')
    assert got['addresses'] == [{
        'services': '0000000000000001', 'network': 'ipv4',
        'address': '1.2.3.4', 'port': 8333}]
    got = decode('addr', b'\1' + bytes(4) + address, '--raw')
    assert got['addresses'][0]['time'] == 0


def test_every_other_message():
    h = bytes(range(32))
    hx = display(h)
    str8 = compact(8) + b'BIP-TEST'
    seen = set()
    for command, body, want in (
            ('addrv2', b'\2' + bytes(4) + b'\0\4' + b'\x20' + b'\x11' * 32 +
             b'\x20\x8d' + bytes(4) + b'\0\x09\1z\0\0',
             {'addresses': [{'time': 0, 'services': '0' * 16,
                             'network': 'torv3', 'address': '11' * 32,
                             'port': 8333}], 'unusable': 1}),
            ('cfcheckpt', b'\0' + h + b'\1' + h,
             {'filtertype': 0, 'stophash': hx, 'headers': [hx]}),
            ('cfheaders', b'\0' + h + h + b'\1' + h,
             {'filtertype': 0, 'stophash': hx, 'prevheader': hx,
              'hashes': [hx]}),
            ('cfilter', b'\0' + h + b'\2ab',
             {'filtertype': 0, 'blockhash': hx, 'filter': '6162'}),
            ('feature', str8 + b'\1\xff', {'id': 'BIP-TEST', 'data': 'ff'}),
            ('feature', b'\5\x1b[0m\\\0', {'id': '\\x1b[0m\\x5c', 'data': ''}),
            ('feefilter', struct.pack('<q', 1000), {'feerate': 0.00001}),
            ('getblocktxn', h + b'\3\0\1\xfd\xff\x00',
             {'blockhash': hx, 'indexes': [0, 2, 258]}),
            ('getcfilters', b'\0' + struct.pack('<I', 9) + h,
             {'filtertype': 0, 'startheight': 9, 'stophash': hx}),
            ('getcfheaders', b'\0' + struct.pack('<I', 9) + h,
             {'filtertype': 0, 'startheight': 9, 'stophash': hx}),
            ('getcfcheckpt', b'\0' + h, {'filtertype': 0, 'stophash': hx}),
            ('sendcmpct', b'\1' + struct.pack('<Q', 2),
             {'announce': 1, 'version': 2}),
            ('sendtxrcncl', struct.pack('<IQ', 1, 2 ** 64 - 1),
             {'version': 1, 'salt': 2 ** 64 - 1}),
            ('pong', struct.pack('<Q', 5) + b'xyz',
             {'nonce': 5, 'trailing_bytes': 3}),
            ('sendheaders', b'1', {'trailing_bytes': 1}),
            ('sendaddrv2', b'', {}),
            ('wtxidrelay', b'', {})):
        assert decode(command, body, '--raw') == want, command
        seen.add(command)
        cut = body[:-1 - want.get('trailing_bytes', 0)]
        if cut:
            offset, why = refused(command, cut, '--raw')
            assert 'ends inside' in why or 'more than' in why, (command, why)
    tx = messages()['tx']
    seen |= {'blocktxn', 'cmpctblock'}
    assert seen | set(messages()) == KNOWN, KNOWN ^ seen ^ set(messages())
    got = decode('blocktxn', h + b'\1' + tx)
    assert got['blockhash'] == hx
    same_tx(got['tx'][0], tx, 0)
    got = decode('cmpctblock', bytes(80) + struct.pack('<Q', 7) +
                 b'\1\1\2\3\4\5\6' + b'\1\1' + tx)
    assert got['shortids'] == ['060504030201'] and got['nonce'] == 7
    assert got['prefilled'][0]['index'] == 1 and got['sane'] is False
    same_tx(got['prefilled'][0]['tx'], tx, 0)


def test_bad_arguments():
    for args in ([], ['ping', 'pong'], ['--frobnicate', 'ping'], ['--raw'],
                 ['--protocol=x', 'ping'], ['--protocol=-1', 'ping']):
        rc, out, err = run(args)
        assert rc == 1 and not out and 'Usage' in err, args
    for name in ('nosuch', 'INV', 'averylongcommandname', ''):
        rc, out, err = run([name])
        assert rc == 1 and not out and 'no such message' in err, name
    rc, out, err = run(['--hex', 'ping'], b'0123456789abcde')
    assert rc == 1 and not out and 'hexadecimal' in err
    # A payload that cannot be printed: standard output is closed.
    p = subprocess.run([UTIL, 'decode', 'verack'], stdin=subprocess.DEVNULL,
                       stdout=open('/dev/full', 'wb'), stderr=subprocess.PIPE)
    assert p.returncode == 1 and b'standard output' in p.stderr


if __name__ == '__main__':
    main(globals())
