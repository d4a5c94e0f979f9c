#!/usr/bin/env python3
"""Transactions that are sent are kept, mined and gone; what is refused is
refused with bitcoind's code and reason."""
from node import Node, main, nodes, raises
from purse import COIN, SUBSIDY, Purse, Spend, pool


def started(a, coins=10):
    a.start()
    return Purse(a, coins)


def test_what_is_sent_is_kept_until_a_block_has_it():
    a = Node()
    with nodes(a):
        p = started(a)
        t = p.send()
        assert a.rpc('getrawmempool') == [t.id]
        info = a.rpc('getmempoolinfo')
        assert info['size'] == 1 and info['unbroadcastcount'] == 1, info
        assert info['total_fee'] == 0.0001 and info['bytes'] > 80, info
        assert a.rpc('getmininginfo')['pooledtx'] == 1
        # Again is fine, too.
        assert a.rpc('sendrawtransaction', t.hex) == t.id
        raw = a.rpc('getrawtransaction', t.id, 1)
        assert raw['hex'] == t.hex and 'blockhash' not in raw
        block = p.mine()[0]
        assert a.rpc('getblock', block)['tx'][1:] == [t.id]
        assert pool(a) == set()
        assert a.rpc('getmempoolinfo')['usage'] < 4096
        raises(-27, a.rpc, 'sendrawtransaction', t.hex)
        raises(-5, a.rpc, 'getrawtransaction', t.id)
        raw = a.rpc('getrawtransaction', t.id, 2, block)
        assert raw['fee'] == 0.0001 and raw['confirmations'] == 1
        assert raw['vin'][0]['prevout']['value'] == 50, raw


def test_outputs_of_the_pool_are_coins():
    a = Node()
    with nodes(a):
        p = started(a)
        spent = p.coins[0]
        t = p.send()
        assert a.rpc('gettxout', *spent) is None
        assert a.rpc('gettxout', *spent, False)['confirmations'] == 101 + 9
        out = a.rpc('gettxout', t.id, 0)
        assert out['confirmations'] == 0 and out['value'] == 49.9999, out
        assert a.rpc('gettxout', t.id, 1) is None
        assert a.rpc('gettxout', t.id, 0, False) is None


def test_a_block_takes_the_best_payers_first():
    a = Node(args=['-blockmaxweight=50000'])
    with nodes(a):
        p = started(a, 30)
        sent = [p.send(1000 + 100 * i, pad=1000) for i in range(30)]
        block = a.rpc('getblock', p.mine()[0], 2)
        fees = [round(t['fee'] * COIN) for t in block['tx'][1:]]
        assert block['weight'] <= 50000
        assert fees == [3900 - 100 * i for i in range(len(fees))], fees
        assert len(fees) >= 9
        assert len(pool(a)) == len(sent) - len(fees)


def test_a_template_has_what_the_next_block_would():
    a = Node()
    with nodes(a):
        p = started(a)
        parent = p.send()
        child = Spend([parent.out()], [SUBSIDY - 50000])
        a.rpc('sendrawtransaction', child.hex)
        other = p.send(500)
        t = a.rpc('getblocktemplate', {'rules': ['segwit']})
        txs = t['transactions']
        assert [x['txid'] for x in txs] == [parent.id, child.id, other.id]
        assert [x['depends'] for x in txs] == [[], [1], []]
        assert [x['fee'] for x in txs] == [10000, 40000, 500]
        assert txs[1]['data'] == child.hex and txs[1]['hash'] == child.wid
        assert txs[0]['weight'] == a.rpc('getmempoolentry',
                                         parent.id)['weight']
        assert t['coinbasevalue'] == SUBSIDY + 50500
        assert a.rpc('getmininginfo')['currentblocktx'] == 3
        # A proof that order and commitment hold: the block is accepted.
        p.mine()
        assert pool(a) == set()


def test_generateblock_takes_ids_of_the_pool():
    a = Node()
    with nodes(a):
        p = started(a)
        t, left = p.send(), p.send()
        made = p.pay()
        b = a.rpc('generateblock', 'raw(51)', [t.id, made.hex])['hash']
        assert a.rpc('getblock', b)['tx'][1:] == [t.id, made.id]
        assert pool(a) == {left.id}
        text = raises(-5, a.rpc, 'generateblock', 'raw(51)', [t.id])
        assert text == 'Transaction %s not in mempool.' % t.id, text


def test_what_pays_more_replaces_and_less_does_not():
    a = Node()
    with nodes(a):
        p = started(a)
        c = p.coin()
        t = Spend([c], [SUBSIDY - 10000])
        a.rpc('sendrawtransaction', t.hex)
        child = Spend([t.out()], [SUBSIDY - 11000])
        a.rpc('sendrawtransaction', child.hex)
        same = Spend([c], [SUBSIDY - 10500])
        text = raises(-26, a.rpc, 'sendrawtransaction', same.hex)
        assert text.startswith('insufficient fee, rejecting replacement'), text
        more = Spend([c], [SUBSIDY - 30000])
        assert a.rpc('sendrawtransaction', more.hex) == more.id
        assert pool(a) == {more.id}
        # A block's conflict wins over any fee.
        a.rpc('generateblock', 'raw(51)', [t.hex])
        assert pool(a) == set()


def test_each_refusal_has_its_code_and_reason():
    a = Node()
    with nodes(a):
        p = started(a)
        c = [p.coin()]
        young = [p.young[-1]]
        cases = [
            (-22, 'TX decode failed. Make sure', '00'),
            (-25, 'bad-txns-inputs-missingorspent',
             Spend([('11' * 32, 0)], [1000000])),
            (-26, 'bad-txns-premature-spend-of-coinbase',
             Spend(young, [SUBSIDY - 10000])),
            (-26, 'bad-txns-in-belowout', Spend(c, [SUBSIDY + 1])),
            (-26, 'min relay fee not met, 0 < 10', Spend(c, [SUBSIDY])),
            (-26, 'dust', Spend(c, [SUBSIDY - 10000, 10])),
            (-26, 'version', Spend(c, [SUBSIDY - 10000], version=9)),
            (-26, 'non-final', Spend(c, [SUBSIDY - 10000], locktime=5000)),
            (-26, 'non-BIP68-final', Spend(c, [SUBSIDY - 10000], sequence=900)),
            (-26, 'mempool-script-verify-flag-failed',
             Spend(c, [SUBSIDY - 10000], witness=False)),
            (-25, 'Fee exceeds maximum', Spend(c, [SUBSIDY - 9000000])),
            (-25, 'Unspendable output exceeds maximum',
             Spend(c, [SUBSIDY - 10000, (1000, b'\x6a')])),
        ]
        for code, words, t in cases:
            text = raises(code, a.rpc, 'sendrawtransaction',
                          t if isinstance(t, str) else t.hex)
            assert text.startswith(words), (words, text)
            if isinstance(t, str) or code == -25:
                continue
            r = a.rpc('testmempoolaccept', [t.hex])[0]
            assert not r['allowed'] and r['reject-details'] == text, (r, text)
        assert pool(a) == set()
        good = p.pay()
        raises(-8, a.rpc, 'sendrawtransaction', good.hex, 1)
        raises(-3, a.rpc, 'sendrawtransaction', good.hex, 'many')
        raises(-3, a.rpc, 'sendrawtransaction', good.hex, True)
        raises(-3, a.rpc, 'sendrawtransaction', good.hex, 0, -1)
        # What was refused for the caller's sake goes when he says so.
        a.rpc('sendrawtransaction', cases[-2][2].hex, 0)
        burn = Spend([p.coin()], [SUBSIDY - 10000, (1000, b'\x6a')])
        a.rpc('sendrawtransaction', burn.hex, '0.1', '0.00001')


def test_testing_changes_nothing():
    a = Node()
    with nodes(a):
        p = started(a)
        t = p.pay()
        child = Spend([t.out()], [SUBSIDY - 30000])
        one = a.rpc('testmempoolaccept', [t.hex])[0]
        assert one['allowed'] and one['fees']['base'] == 0.0001, one
        assert one['fees']['effective-includes'] == [t.wid], one
        both = a.rpc('testmempoolaccept', [t.hex, child.hex])
        assert [r['allowed'] for r in both] == [True, True], both
        turned = a.rpc('testmempoolaccept', [child.hex, t.hex])
        assert all(r['package-error'] == 'package-not-sorted' and
                   'allowed' not in r for r in turned), turned
        dear = a.rpc('testmempoolaccept', [t.hex, child.hex], '0.0001')
        assert dear[0]['reject-reason'] == 'max-fee-exceeded', dear
        assert 'allowed' not in dear[1], dear
        gone = a.rpc('testmempoolaccept', [child.hex])[0]
        assert gone['reject-reason'] == 'missing-inputs', gone
        raises(-8, a.rpc, 'testmempoolaccept', [])
        raises(-8, a.rpc, 'testmempoolaccept', [t.hex] * 26)
        assert pool(a) == set()
        assert a.rpc('getrawmempool', False, True)['mempool_sequence'] == 1


if __name__ == '__main__':
    main(globals())
