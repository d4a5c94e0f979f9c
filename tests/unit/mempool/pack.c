/* Packages at the desk. */
#include "pack.h"

#include <check.h>

void pack_init(struct pack *k)
{
	memset(k, 0, sizeof *k);
	desk_init(&k->d, NULL);
	slip_init(&k->f);
}

static void forget_results(struct pack *k)
{
	for (size_t i = 0; i < MEMPOOL_PACKAGE_MAX + 1; i++)
		mempool_result_fini(&k->r[i]);
}

void pack_forget(struct pack *k)
{
	for (size_t i = 0; i < k->n; i++)
		buf_unref(k->txs[i]);
	forget_results(k);
	k->n = 0;
}

void pack_fini(struct pack *k)
{
	pack_forget(k);
	slip_fini(&k->f);
	desk_fini(&k->d);
}

struct point pack_coin(struct pack *k)
{
	return desk_coin(&k->d, 1000000, script_easy());
}

struct point pack_add(struct pack *k, const struct point *p, int32_t version,
		      int64_t fee)
{
	struct point out;

	k->txs[k->n++] = desk_pay(p, version, fee, &out);
	return out;
}

struct point pack_slip(struct pack *k)
{
	struct point out = slip_point(&k->f, 0);

	k->txs[k->n++] = slip_buf(&k->f);
	slip_fini(&k->f);
	slip_init(&k->f);
	return out;
}

struct point pack_put(struct pack *k, const struct point *p, int32_t version,
		      int64_t fee)
{
	struct point out;
	struct buf *b = desk_pay_many(p, version, fee, 2, &out);

	ck_assert_int_eq(desk_offer(&k->d, b, 0), TX_ACCEPTED);
	return out;
}

void pack_offer(struct pack *k, unsigned flags)
{
	forget_results(k);
	k->v = mempool_accept_package(k->d.m, k->r, k->txs, k->n, k->max_rate,
				      flags, DESK_NOW);
}

void pack_is(const struct pack *k, const char *reject, const char *detail)
{
	ck_assert_str_eq(k->v.reject, reject);
	ck_assert_str_eq(k->v.detail, detail);
	ck_assert_int_eq(k->v.reason, INV_CONSENSUS);
}

void pack_one_is(const struct pack *k, size_t i, enum tx_outcome why,
		 const char *reject)
{
	ck_assert_int_eq(k->r[i].outcome, why);
	ck_assert_str_eq(k->r[i].verdict.reject, reject);
}

void pack_failed(const struct pack *k, const char *reject)
{
	ck_assert_str_eq(k->v.reject, reject);
	ck_assert_int_eq(k->v.kind, V_INVALID);
	ck_assert_int_eq(k->v.reason, INV_NONE);
}
