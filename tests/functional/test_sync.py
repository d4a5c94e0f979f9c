#!/usr/bin/env python3
"""Two and three nodes on regtest: initial sync, relay of new blocks, reorganisation to
the chain with more work, restarts and kills in the middle.
"""
from node import ADDRESS, Node, main, nodes, wait_until
from p2p import Peer

OTHER = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry'


def same_coins(*ns):
    infos = [n.rpc('gettxoutsetinfo')['hash_serialized_3'] for n in ns]
    assert len(set(infos)) == 1, infos


def test_a_second_node_syncs_and_then_follows():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        a.generate(120)
        b.start()
        b.connect(a)
        b.wait_tip(a.tip())
        tip = a.generate(1)[0]
        b.wait_tip(tip, 10)
        tip = b.generate(3)[-1]
        a.wait_tip(tip, 10)
        same_coins(a, b)


def test_the_longer_branch_wins_on_both_sides():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        b.start()
        a.generate(20)
        b.connect(a)
        b.wait_tip(a.tip())
        a.rpc('disconnectnode', '', a.rpc('getpeerinfo')[0]['id'])
        wait_until('apart', lambda: not b.rpc('getpeerinfo'))
        lost = a.generate(5)[-1]
        won = b.generate(9, OTHER)[-1]
        b.connect(a)
        a.wait_tip(won)
        same_coins(a, b)
        tips = {t['hash']: t['status'] for t in a.rpc('getchaintips')}
        assert tips == {won: 'active', lost: 'valid-fork'}, tips
        assert a.rpc('getblockheader', lost)['confirmations'] == -1


def test_blocks_come_from_all_peers_that_serve():
    a, b, c = Node(), Node(), Node()
    with nodes(a, b, c):
        a.start()
        b.start()
        a.generate(700)
        b.connect(a)
        b.wait_tip(a.tip())
        c.start('-maxtipage=1')
        c.connect(a)
        c.connect(b)
        c.wait_tip(a.tip())
        same_coins(a, b, c)


def test_a_restart_continues_where_it_stopped():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        a.generate(150)
        b.start()
        b.connect(a)
        b.wait_height(1)
        assert b.stop() == 0
        b.start()
        at = b.height()
        assert at >= 1
        b.connect(a)
        b.wait_tip(a.tip())
        same_coins(a, b)
        assert a.stop() == 0
        a.start()
        assert a.height() == 150
        same_coins(a, b)


def test_a_killed_node_comes_back_and_finishes():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        a.generate(300)
        for _ in range(4):
            b.start()
            b.connect(a)
            # What was stored before the kill may be all of it.
            b.wait_height(min(b.height() + 1, 300))
            b.kill()
        b.start()
        b.connect(a)
        b.wait_tip(a.tip())
        same_coins(a, b)
        b.kill()
        b.start()
        b.connect(a)
        b.wait_tip(a.tip())
        same_coins(a, b)


def test_a_node_ends_cleanly_on_sigterm_while_syncing():
    a, b = Node(), Node()
    with nodes(a, b):
        a.start()
        a.generate(400)
        b.start()
        b.connect(a)
        assert b.stop(10) == 0
        assert b.errors() == ''


def test_services_and_version_are_what_they_should_be():
    a = Node(args=['-uacomment=x'])
    with nodes(a):
        a.start()
        p = Peer(a)
        p.handshake(services=9)
        i = a.rpc('getpeerinfo')[0]
        assert i['inbound'] and i['version'] == 70016, i
        n = a.rpc('getnetworkinfo')
        assert n['localservices'] == '0000000000000409', n
        assert n['subversion'].startswith('/Cairn:'), n
        assert n['subversion'].endswith('(x)/'), n
        assert n['protocolversion'] == 70016
        p.close()


def test_mining_pays_the_address_it_was_given():
    a = Node()
    with nodes(a):
        a.start()
        h = a.generate(1, ADDRESS)[0]
        block = a.rpc('getblock', h, 2)
        out = block['tx'][0]['vout'][0]
        assert out['scriptPubKey']['address'] == ADDRESS
        assert out['value'] == 50


if __name__ == '__main__':
    main(globals())
