/*
 * Messages that nobody sends any more: reject (BIP 61) and alert. They are read
 * so that old captures can be looked at, and ignored by the node. Views borrow
 * body; any thread.
 */
#ifndef CAIRN_WIRE_OBSOLETE_H
#define CAIRN_WIRE_OBSOLETE_H

#include <cairn/base/rd.h>

#define REJECT_MESSAGE_MAX 12u
#define REJECT_REASON_MAX  111u

struct reject_view {
	struct slice message; /* the command that was refused */
	uint8_t code;         /* 0x01, 0x10 to 0x12, 0x40 to 0x43 */
	struct slice reason;
	struct slice data; /* all that follows: a hash for block and tx */
};

/* False when malformed, among it a message or a reason over its limit. */
bool reject_view_parse(struct reject_view *v, struct slice body);
size_t reject_size(const struct reject_view *v);
/* Write it; message and reason must be within their limits. */
uint8_t *reject_put(uint8_t *p, const struct reject_view *v);

struct alert_view {
	struct slice payload; /* see alert_text_parse */
	struct slice signature;
};

bool alert_view_parse(struct alert_view *v, struct slice body);
size_t alert_size(const struct alert_view *v);
uint8_t *alert_put(uint8_t *p, const struct alert_view *v);

/* What an alert's payload says. */
struct alert_text {
	int32_t version;
	int64_t relay_until_s, expiration_s;
	int32_t id, cancel;
	uint32_t n_cancel;
	const uint8_t *cancels; /* n_cancel le32 ids */
	int32_t min_version, max_version;
	uint32_t n_subver;
	struct slice subvers; /* n_subver strings, each behind its length */
	int32_t priority;
	struct slice comment, status_bar, reserved;
};

/* False when malformed; bytes behind it are ignored. */
bool alert_text_parse(struct alert_text *t, struct slice payload);
/* The next of n strings at *rest, which moves. All were validated. */
struct slice alert_string_next(struct slice *rest);

#endif
