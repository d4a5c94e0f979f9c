#!/usr/bin/env python3
"""Which rules hold and which are signalled: getdeploymentinfo over the periods of
BIP 9, the options that move deployments, and rules that the node does not know.
"""
from blocks import next_block
from node import Node, main, nodes, raises

ALL = ['CHECKLOCKTIMEVERIFY', 'CHECKSEQUENCEVERIFY', 'DERSIG', 'NULLDUMMY',
       'P2SH', 'TAPROOT', 'WITNESS']
NEVER = 2 ** 63 - 1


def dummy(a, *block):
    return a.rpc('getdeploymentinfo', *block)['deployments']['testdummy']


def mine_to(a, height):
    if height > a.height():
        a.generate(height - a.height())


def give(a, n, version):
    """n blocks of this version."""
    for _ in range(n):
        assert a.rpc('submitblock', next_block(
            a, version=version).raw().hex()) is None


def test_the_dummy_is_locked_in_and_active_after_its_periods():
    a = Node()
    # Height of the tip, its state, that of the next, since, signals.
    steps = [(0, 'defined', 'defined', 0, None),
             (142, 'defined', 'defined', 0, None),
             (143, 'defined', 'started', 0, None),
             (144, 'started', 'started', 144, 1),
             (286, 'started', 'started', 144, 143),
             (287, 'started', 'locked_in', 144, 144),
             (288, 'locked_in', 'locked_in', 288, 1),
             (431, 'locked_in', 'active', 288, 144),
             (432, 'active', 'active', 432, None)]
    with nodes(a):
        a.start()
        for height, state, after, since, signals in steps:
            mine_to(a, height)
            d = dummy(a)
            assert d['type'] == 'bip9' and d['active'] == (height >= 431), d
            assert d.get('height') == (432 if height >= 431 else None), d
            b = d['bip9']
            assert (b['status'], b['status_next'], b['since']) == (
                state, after, since), d
            assert ('bit' in b) == ('statistics' in b) == (
                'signalling' in b) == (signals is not None), d
            if signals is not None:
                s = b['statistics']
                assert s['count'] == s['elapsed'] == signals, d
                assert b['signalling'] == '#' * signals, d
                assert s.get('threshold') == (
                    108 if state == 'started' else None), d
                assert s.get('possible') == (
                    True if state == 'started' else None), d
        version = [a.rpc('getblockheader', a.rpc('getblockhash', h))[
            'versionHex'] for h in (143, 144, 431, 432)]
        assert version == ['20000000', '30000000', '30000000', '20000000']
        # The view from an earlier block.
        d = dummy(a, a.rpc('getblockhash', 150))
        assert d['bip9']['signalling'] == '#' * 7, d


def test_rules_by_height_are_told_with_the_flags_of_the_block():
    a = Node(args=['-testactivationheight=csv@3',
                   '-testactivationheight=segwit@4'])
    with nodes(a):
        a.start()
        blocks = [a.tip()] + a.generate(4)
        for h, block in enumerate(blocks):
            r = a.rpc('getdeploymentinfo', block)
            assert list(r) == ['hash', 'height', 'script_flags',
                               'deployments'], r
            assert r['hash'] == block and r['height'] == h, r
            want = {'P2SH', 'TAPROOT', 'WITNESS'}
            want |= {'DERSIG', 'CHECKLOCKTIMEVERIFY'} if h >= 1 else set()
            want |= {'CHECKSEQUENCEVERIFY'} if h >= 3 else set()
            want |= {'NULLDUMMY'} if h >= 4 else set()
            assert r['script_flags'] == sorted(want), r
            d = r['deployments']
            assert list(d) == ['bip34', 'bip66', 'bip65', 'csv', 'segwit',
                               'testdummy'], r
            assert d['csv'] == {'type': 'buried', 'active': h + 1 >= 3,
                                'height': 3}, r
            assert d['segwit'] == {'type': 'buried', 'active': h + 1 >= 4,
                                   'height': 4}, r
        assert r['script_flags'] == ALL
        raises(-8, a.rpc, 'getdeploymentinfo', 'xyz')
        raises(-5, a.rpc, 'getdeploymentinfo', '00' * 32)


def test_vbparams_move_the_dummy():
    def info(*args):
        a = Node(args=args)
        with nodes(a):
            a.start()
            a.generate(1)
            return a.rpc('getdeploymentinfo')['deployments'].get('testdummy')
    assert info('-vbparams=testdummy:-2:0') is None
    d = info('-vbparams=testdummy:-1:5:7')
    assert d == {'type': 'bip9', 'height': 0, 'active': True, 'bip9': {
        'start_time': -1, 'timeout': 5, 'min_activation_height': 7,
        'status': 'active', 'since': 0, 'status_next': 'active'}}, d
    a = Node(args=['-vbparams=testdummy:0:%d:577' % NEVER])
    with nodes(a):
        a.start()
        mine_to(a, 576)
        assert dummy(a)['bip9']['status'] == 'locked_in'
        mine_to(a, 720)
        d = dummy(a)
        assert d['height'] == 720 and d['bip9']['since'] == 720, d


def test_a_deployment_without_enough_signals_fails_in_time():
    a = Node(args=['-vbparams=testdummy:0:1'])
    with nodes(a):
        a.start()
        mine_to(a, 143)
        give(a, 37, 0x20000000)
        d = dummy(a)['bip9']
        assert d['statistics']['possible'] is False, d
        a.generate(107)
        d = dummy(a)['bip9']
        assert d['statistics']['count'] == 107, d
        assert d['signalling'] == '-' * 37 + '#' * 107, d
        assert d['status_next'] == 'failed', d


def test_rules_that_others_agreed_on_are_warned_of():
    def warned():
        return [w for w in a.rpc('getblockchaininfo')['warnings']
                if 'versionbit' in w]
    a = Node()
    with nodes(a):
        a.start()
        mine_to(a, 143)
        # One block too few, then a bit that anybody may use.
        give(a, 107, 0x20000008)
        mine_to(a, 287)
        give(a, 144, 0x20000020)
        mine_to(a, 575)
        assert warned() == []
        give(a, 108, 0x20000008)
        mine_to(a, 719)
        assert warned() == []
        a.wait_log('unknown new rules will hold soon versionbit=3')
        mine_to(a, 863)
        assert warned() == ['Unknown new rules activated (versionbit 3)']
        # In initial download nobody knows what it is worth.
        b = Node(args=['-mocktime=%d' % (a.rpc('getblockheader', a.tip())[
            'time'] + 10 ** 6)])
        with nodes(b):
            b.start()
            for h in range(1, 864):
                b.rpc('submitblock', a.rpc('getblock', a.rpc(
                    'getblockhash', h), 0))
            info = b.rpc('getblockchaininfo')
            assert info['initialblockdownload'] and info['blocks'] == 863
            assert not any('versionbit' in w for w in info['warnings'])
        assert a.rpc('getmininginfo')['warnings'] == a.rpc(
            'getnetworkinfo')['warnings'] == a.rpc(
            'getblockchaininfo')['warnings']


if __name__ == '__main__':
    main(globals())
