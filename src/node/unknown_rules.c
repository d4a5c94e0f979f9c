/*
 * The warning that the network has agreed on rules which this node does not
 * have, by the version bits of its blocks. Loop. Like bitcoind, a warning stays
 * until the node is started again, and none is given in initial download.
 */
#include "internal.h"

#include <cairn/base/log.h>

static const char *const warnings[VB_UNKNOWN_BITS] = {
    "Unknown new rules activated (versionbit 0)",
    "Unknown new rules activated (versionbit 1)",
    "Unknown new rules activated (versionbit 2)",
    "Unknown new rules activated (versionbit 3)",
    "Unknown new rules activated (versionbit 4)",
};

static void note(struct node *n, unsigned bit, enum vb_state s)
{
	uint32_t mask = UINT32_C(1) << bit;

	if (s == VB_ACTIVE && !(n->unknown_rules & mask)) {
		n->unknown_rules |= mask;
		log_warn(0, "%s", warnings[bit]);
	} else if (s == VB_LOCKED_IN && !(n->coming_rules & mask)) {
		n->coming_rules |= mask;
		log_warn(0, "unknown new rules will hold soon versionbit=%u",
			 bit);
	}
}

void unknown_rules_look(struct node *n, const struct hnode *tip)
{
	unsigned bit;

	if (chain_in_ibd(n->chain))
		return;
	for (bit = 0; bit < VB_UNKNOWN_BITS; bit++)
		note(n, bit,
		     vb_unknown_after(bit, &n->params, &hnode_reader, tip,
				      &n->vb));
}

const char *unknown_rules_warning(const struct node *n, size_t i)
{
	unsigned bit;

	for (bit = 0; bit < VB_UNKNOWN_BITS; bit++)
		if (n->unknown_rules >> bit & 1 && i-- == 0)
			return warnings[bit];
	return NULL;
}
