/* Inside of script: what a taproot witness holds, and what it commits to. */
#ifndef CAIRN_SCRIPT_TAPROOT_H
#define CAIRN_SCRIPT_TAPROOT_H

#include "internal.h"

#include <cairn/script/taptree.h>

/* A taproot witness taken apart; borrows it. */
struct tap_spend {
	bool key_path;
	struct slice sig; /* key path */
	/* Script path. */
	struct slice script, control;
	uint32_t items; /* in front of the script */
	int64_t weight; /* tapscript's budget for signatures */
	uint8_t leaf_version;
};

/* Read a witness that is not empty; notes the annex in tap. */
void tap_spend_read(struct tap_spend *t, struct tap_context *tap,
		    struct tx_iter witness);
/* Whether the output key commits to the script (BIP 341); leaves the leaf's
 * hash in tap and its version in t. */
enum script_err tap_commitment(struct tap_spend *t, struct tap_context *tap,
			       const struct sig_checker *checker,
			       struct slice program);

#endif
