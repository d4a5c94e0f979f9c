/*
 * Walking from node to node of the header tree: ancestors, forks, locators,
 * order by work. Reads only what never changes after a node is published, so
 * any thread may call, save where the header says otherwise. Looks nothing up
 * by hash.
 */
#include <cairn/chain/htree.h>

#include <cairn/base/text.h>
#include <cairn/consensus/headers.h>
#include <cairn/wire/locator.h>

const struct hnode *hnode_ancestor(const struct hnode *n, int32_t height)
{
	if (height < 0 || height > n->height)
		return NULL;
	while (n->height > height)
		n = n->skip->height >= height ? n->skip : n->prev;
	return n;
}

const struct hnode *hnode_fork(const struct hnode *a, const struct hnode *b)
{
	if (a->height > b->height)
		a = hnode_ancestor(a, b->height);
	else
		b = hnode_ancestor(b, a->height);
	/* At equal heights the jumps of both lead to equal heights. */
	while (a != b) {
		if (a->skip != b->skip) {
			a = a->skip;
			b = b->skip;
		} else {
			a = a->prev;
			b = b->prev;
		}
	}
	return a;
}

bool hnode_is_ancestor(const struct hnode *a, const struct hnode *b)
{
	return hnode_ancestor(b, a->height) == a;
}

void hnode_header_put(uint8_t out[80], const struct hnode *n)
{
	struct header h = {.version = n->version,
			   .merkle = n->merkle,
			   .time = n->time,
			   .bits = n->bits,
			   .nonce = n->nonce};

	if (n->prev)
		h.prev = n->prev->hash;
	header_put(out, &h);
}

/* Ten in a row, then steps that double, then genesis. */
uint32_t hnode_locator(struct hash256 *out, const struct hnode *n)
{
	uint32_t count = 0;
	int32_t step = 1;

	while (count < LOCATOR_MAX) {
		out[count++] = n->hash;
		if (n->height == 0)
			break;
		n = hnode_ancestor(n, n->height > step ? n->height - step : 0);
		if (count > 10)
			step *= 2;
	}
	return count;
}

int hnode_cmp_work(const struct hnode *a, const struct hnode *b)
{
	int c = u256_cmp(&a->work, &b->work);

	if (c != 0)
		return c;
	if (a->seq != b->seq)
		return a->seq < b->seq ? 1 : -1;
	c = memcmp(a->hash.b, b->hash.b, sizeof a->hash.b);
	return c < 0 ? 1 : c > 0 ? -1 : 0;
}

static const void *read_prev(const void *node)
{
	const struct hnode *n = node;

	return n->prev;
}

static const void *read_ancestor(const void *node, int32_t height)
{
	return hnode_ancestor(node, height);
}

static int32_t read_height(const void *node)
{
	const struct hnode *n = node;

	return n->height;
}

static uint32_t read_time(const void *node)
{
	const struct hnode *n = node;

	return n->time;
}

static uint32_t read_bits(const void *node)
{
	const struct hnode *n = node;

	return n->bits;
}

static int32_t read_version(const void *node)
{
	const struct hnode *n = node;

	return n->version;
}

static int64_t read_mtp(const void *node)
{
	const struct hnode *n = node;

	return n->mtp;
}

const struct chain_reader hnode_reader = {
    .prev = read_prev,
    .ancestor = read_ancestor,
    .height = read_height,
    .time = read_time,
    .bits = read_bits,
    .version = read_version,
    .mtp = read_mtp,
};

struct verdict hnode_failed_verdict(const struct hnode *n)
{
	char hash[HASH256_STR];

	return verdict_invalidf(INV_CACHED, "duplicate-invalid",
				"block %s was previously marked invalid",
				hash256_fmt(hash, &n->hash));
}
