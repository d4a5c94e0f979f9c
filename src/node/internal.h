/*
 * What the files of the node's start and stop share. The RPC commands need
 * node.h only.
 */
#ifndef CAIRN_SRC_NODE_INTERNAL_H
#define CAIRN_SRC_NODE_INTERNAL_H

#include <cairn/node/mailbox.h>
#include <cairn/node/node.h>
#include <cairn/node/settings.h>

/* prepare.c: what is done before the loop runs, in this order: settings,
 * network, interactions, data folder, log, process id. 0 or a failure with one
 * sentence in err; whatever was taken is given back by node_release. */
int node_prepare(struct node *n, struct settings *s,
		 struct text *err) must_check;
void node_release(struct node *n);

/* start.c: loop, RPC and chain; the rest follows when the chain is loaded. */
int node_start(struct node *n, struct text *err) must_check;
/* The chain is loaded: peers, listening, import, ready. */
void node_go(struct node *n);
/* Close what the loop holds and free the parts. After ended. */
void node_finish(struct node *n);

/* descriptors.c: max_peers and max_rpc, by the settings and the limit of open
 * files, which is raised where that helps. Logs. */
void descriptors_share(struct node *n);
/* The same by numbers: how many of limit are for the wanted peers (at least
 * one) and for RPC (at least 32). */
void descriptors_split(unsigned *peers, unsigned *rpc, unsigned want,
		       uint64_t limit);

/* server.c */
int server_start(struct node *n, struct text *err) must_check;

/* peers.c: the network by the settings, listening, not yet dialling. */
int peers_open(struct node *n, struct text *err) must_check;
/* Begin dialling: -connect, -addnode, -seednode. */
void peers_start(struct node *n);

/* loadblock.c: read block files, and dial when that does not concern the node's
 * own. */
void loadblock_start(struct node *n);
/* The import has ended while stopping: go on with the next part. stop.c */
void stop_after_import(struct node *n);

/* events.c */
extern const struct net_ops node_net_ops;
extern const struct chain_ops node_chain_ops;
extern const struct rpc_ops node_rpc_ops;
/* The script call site of a node with -testfailblock. */
struct verdict node_script_check(void *node, const struct hnode *h);

/* rpc_template.c: look again at calls that wait for another template: there is
 * another tip, time has passed, or the node is stopping. */
void templates_changed(struct node *n);

/* unknown_rules.c: the tip is published; look for rules that others agreed on
 * and this node does not have. */
void unknown_rules_look(struct node *n, const struct hnode *tip);
/* The i-th sentence about them, or NULL. */
const char *unknown_rules_warning(const struct node *n, size_t i);

/* signals.c */
int signals_open(struct node *n) must_check;
void signals_close(struct node *n);

/* daemon.c */
/* Go on in a child; the parent waits for its word and exits. Gives the end to
 * report to, or -errno. */
int daemon_detach(void);
/* Tell the parent that all is well and let go of the terminal. */
void daemon_report(int *fd);

/* notify.c: tell the service manager, if there is one ("READY=1"). */
void notify_send(const char *state);

#endif
