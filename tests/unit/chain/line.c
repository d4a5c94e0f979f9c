/* Chains of blocks by hand: see the header. */
#include "line.h"

#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/chain/mining.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>
#include <cairn/wire/block.h>

#define SLOW_OPS 190

void line_init(struct line *l, const struct params *p)
{
	memset(l, 0, sizeof *l);
	l->params = p;
	l->time = le32_get(p->genesis_block.p + 68);
	sha256d(&l->hash[0], p->genesis_block.p, 80);
}

void line_fini(struct line *l)
{
	for (int32_t h = 0; h < LINE_MAX; h++)
		buf_unref(l->block[h]);
}

void line_fork(struct line *branch, const struct line *l, int32_t height,
	       unsigned salt)
{
	*branch = *l;
	branch->salt = salt;
	branch->height = height;
	branch->time = l->time - (uint32_t)(l->height - height);
	for (int32_t h = 0; h < LINE_MAX; h++) {
		if (h > height)
			branch->block[h] = NULL;
		if (branch->block[h])
			buf_ref(branch->block[h]);
	}
}

struct slice line_at(const struct line *l, int32_t height)
{
	return buf_payload(l->block[height]);
}

static uint8_t *put_pad(uint8_t *p, size_t n)
{
	p = le64_put(p, 0);
	p = compact_put(p, n + 1);
	*p++ = OP_RETURN;
	memset(p, 0, n);
	return p + n;
}

static uint8_t *put_coinbase(uint8_t *p, const struct line *l,
			     const struct line_block *b)
{
	uint8_t script[16], *end = script_put_num(script, l->height + 1);

	*end++ = 4;
	end = le32_put(end, l->salt);
	p = le32_put(p, 1);
	*p++ = 1;
	memset(p, 0, 32);
	p = le32_put(p + 32, 0xffffffffu);
	*p++ = (uint8_t)(end - script);
	p = bytes_put(p, script, (size_t)(end - script));
	p = le32_put(p, 0xffffffffu);
	*p++ = LINE_OUTPUTS + (b->pad != 0);
	for (unsigned i = 0; i < LINE_OUTPUTS; i++) {
		p = le64_put(p, b->greedy ? UINT64_C(10000000000) : 0);
		*p++ = 1;
		*p++ = OP_1;
	}
	if (b->pad)
		p = put_pad(p, b->pad);
	return le32_put(p, 0);
}

/* What the input of spend i runs. */
static size_t put_script(uint8_t *script, const struct line_block *b,
			 unsigned i)
{
	uint8_t *p = script;

	for (int k = 0; k < 2; k++)
		if (b->bad_op[k] && b->bad[k] == i)
			*p++ = b->bad_op[k];
	if (b->slow) {
		*p++ = OP_1;
		memset(p, OP_HASH256, SLOW_OPS);
		p += SLOW_OPS;
		*p++ = OP_DROP;
	}
	return (size_t)(p - script);
}

static uint8_t *put_spend(uint8_t *p, const struct line *l,
			  const struct line_block *b, unsigned i)
{
	uint8_t script[SLOW_OPS + 8];
	size_t n = put_script(script, b, i);

	p = le32_put(p, 1);
	*p++ = 1;
	p = bytes_put(p, l->coinbase[l->height + 1 - 100].b, 32);
	p = le32_put(p, i);
	p = compact_put(p, n);
	p = bytes_put(p, script, n);
	p = le32_put(p, 0xffffffffu);
	*p++ = 1;
	p = le64_put(p, 0);
	*p++ = 1;
	*p++ = OP_1;
	return le32_put(p, 0);
}

/* Root, time and nonce. */
static void finish(struct line *l, struct buf *b)
{
	struct block_view v;
	struct hash256 root;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	block_hash_txs(&v);
	l->coinbase[l->height] = v.txid[0];
	merkle_root(&root, NULL, v.txid, v.n_tx, v.txid);
	block_view_fini(&v);
	memcpy(buf_data(b) + 36, root.b, 32);
	ck_assert(mine_block(b, l->params, UINT64_MAX));
	sha256d(&l->hash[l->height], buf_data(b), 80);
	l->block[l->height] = b;
}

void line_add(struct line *l, const struct line_block *want)
{
	unsigned n = l->height + 1 > 100 ? want->spends : 0;
	struct buf *b = buf_new(4096 + want->pad + n * 512);
	uint8_t *p = buf_data(b);

	ck_assert_int_lt(l->height + 1, LINE_MAX);
	p = le32_put(p, 0x20000000);
	p = bytes_put(p, l->hash[l->height].b, 32);
	memset(p, 0, 32);
	p = le32_put(p + 32, ++l->time);
	p = le32_put(p, 0x207fffff);
	p = le32_put(p, 0);
	p = compact_put(p, 1 + n);
	p = put_coinbase(p, l, want);
	for (unsigned i = 0; i < n; i++)
		p = put_spend(p, l, want, i);
	b->n = (size_t)(p - buf_data(b));
	l->height++;
	finish(l, b);
}

void line_grow(struct line *l, const struct line_block *b, int32_t n)
{
	while (n-- > 0)
		line_add(l, b);
}
