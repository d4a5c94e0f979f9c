#!/usr/bin/env python3
"""Real blocks: A imports a chain file offline, B syncs it from A over P2P on the same
magic, and the unspent outputs of both are those that Bitcoin Core 31.99 has for the
same chain.
"""
from node import Node, data_file, main, nodes

# chain, file, height, tip, txouts, total, hash_serialized_3 (from Bitcoin Core)
CHAINS = {
    'mainnet': (
        'main', 'mainnet-0-2100.blk', 2100,
        '00000000d5092034c3a92473d42f28e3fd279f0652e2d5b0049c7d40fcbc990b',
        2030, 105000,
        '3e85469a1be66feecae70d4d5e5c6621662827c55052690bb4325193d67bf593'),
    'testnet3': (
        'test', 'testnet3-0-2100.blk', 2100,
        '000000004f1cf82dedcee0f46fcdd6c27eeb6a234cc39d1516e8b64a7e77ad52',
        2297, 105000,
        '6c61f17bb1e9a1379ff356e55394623e136e4654b6c336b89b548198a7898dde'),
    'signet': (
        'signet', 'signet-0-60.blk', 60,
        '0000027c0a9ed0e6eb0d1e222d6194c949ba53ea182ac6169c87a78dda43da39',
        60, 3000,
        '6b086bc7d3830612031892d976f4f9288af71424a7f69804b13fc71ae60ef18e'),
    'regtest': (
        'regtest', 'regtest-kernel-0-206.blk', 206,
        '3de082158b117acd088306c395d09771bb7cbf0b7355796c1b1e0bd748ef9bed',
        230, 8875,
        '6f596a9fb79023e72ac6c2423e9dff4991f49994c0a55d1a2124ce03a98e9d74'),
    'mainnet-alt': (
        'main', 'mainnet-alt-0-2016.blk', 2016,
        '000000000c806553811fd3e6c40bc9c279db53643da7d3b401a9882c074c24b2',
        2016, 100800,
        'fa152d1792f014fd3537236637d83f032c1f5cfa44b116dd55d937b5efa49296'),
}


def check_coins(node, row):
    chain, name, height, tip, txouts, total, digest = row
    info = node.rpc('gettxoutsetinfo')
    assert info['height'] == height and info['bestblock'] == tip, info
    assert info['txouts'] == txouts and info['total_amount'] == total, info
    assert info['hash_serialized_3'] == digest, info


def sync_chain(key):
    row = CHAINS[key]
    chain, name, height, tip = row[:4]
    path = data_file('chains', name)
    low = ['-minimumchainwork=0']
    a = Node(chain, low)
    b = Node(chain, low + ['-listen=0', '-connect=127.0.0.1:%d' % a.port])
    with nodes(a, b):
        a.start('-loadblock=' + path, '-connect=0', '-listen=1')
        a.wait_tip(tip)
        b.start()
        b.wait_tip(tip)
        check_coins(a, row)
        check_coins(b, row)
        assert b.rpc('getblock', tip, 0) == a.rpc('getblock', tip, 0)
        assert a.rpc('getchaintips') == [{
            'height': height, 'hash': tip, 'branchlen': 0, 'status': 'active'}]


def test_mainnet_blocks_sync_and_agree_with_core():
    sync_chain('mainnet')


def test_testnet3_blocks_sync_and_agree_with_core():
    sync_chain('testnet3')


def test_signet_blocks_sync_and_agree_with_core():
    sync_chain('signet')


def test_regtest_blocks_sync_and_agree_with_core():
    sync_chain('regtest')


def test_alternative_mainnet_syncs_and_agrees_with_core():
    sync_chain('mainnet-alt')


if __name__ == '__main__':
    main(globals())
