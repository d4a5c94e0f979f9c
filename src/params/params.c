/*
 * Which row belongs to which chain, and the names of deployments as
 * -testactivationheight, -vbparams and getdeploymentinfo spell them. Read-only
 * data, any thread. The rows themselves stand in main.c, testnet.c, signet.c,
 * regtest.c.
 */
#include <cairn/params/params.h>

#include "tables.h"

#include <cairn/base/must.h>

static const struct params *const rows[CHAIN_COUNT] = {
    [CHAIN_MAIN] = &params_main,         [CHAIN_TEST] = &params_test,
    [CHAIN_TESTNET4] = &params_testnet4, [CHAIN_SIGNET] = &params_signet,
    [CHAIN_REGTEST] = &params_regtest,
};

/* Two spellings: the option names the rule, reports name the BIP. */
static const struct {
	const char *option;
	const char *report;
} deploy_names[DEPLOY_COUNT] = {
    [DEPLOY_BIP34] = {"bip34", "bip34"},    [DEPLOY_BIP65] = {"cltv", "bip65"},
    [DEPLOY_BIP66] = {"dersig", "bip66"},   [DEPLOY_CSV] = {"csv", "csv"},
    [DEPLOY_SEGWIT] = {"segwit", "segwit"},
};

static const char *const vb_names[VB_COUNT] = {[VB_TESTDUMMY] = "testdummy"};

const struct params *params_get(enum chain_id id)
{
	must(id >= CHAIN_MAIN && id < CHAIN_COUNT);
	return rows[id];
}

bool deployment_parse(const char *name, enum deployment *d)
{
	int i;

	for (i = 0; i < DEPLOY_COUNT; i++) {
		if (strcmp(name, deploy_names[i].option) == 0) {
			*d = (enum deployment)i;
			return true;
		}
	}
	return false;
}

const char *deployment_name(enum deployment d)
{
	must(d >= DEPLOY_BIP34 && d < DEPLOY_COUNT);
	return deploy_names[d].report;
}

bool vb_deployment_parse(const char *name, enum vb_deployment *d)
{
	int i;

	for (i = 0; i < VB_COUNT; i++) {
		if (strcmp(name, vb_names[i]) == 0) {
			*d = (enum vb_deployment)i;
			return true;
		}
	}
	return false;
}

const char *vb_deployment_name(enum vb_deployment d)
{
	must(d >= 0 && d < VB_COUNT);
	return vb_names[d];
}
