/*
 * Words to parameters. One row a command: its positions between commas, each
 * "-" (plain text) or one or more kind:name between bars; the first is the one
 * that counts by position, the others are aliases or members of an options
 * object. Kinds: j must be JSON; ? JSON, or text when it is none; s is text
 * that may hold an equals sign. Facts as bitcoin-cli's; wallet commands are not
 * served here.
 */
#include <cairn/rpc/client_params.h>

#include <cairn/base/arena.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define JSON_MEM (256u << 20)

struct row {
	const char *method, *params;
};

static const struct row rows[] = {
    {"addconnection", "-,-,j:v2transport"},
    {"addnode", "-,-,j:v2transport"},
    {"addpeeraddress", "-,j:port,j:tried"},
    {"analyzepsbt", "s:psbt"},
    {"combinepsbt", "j:txs"},
    {"combinerawtransaction", "j:txs"},
    {"converttopsbt", "-,j:permitsigdata,j:iswitness,j:psbt_version"},
    {"createmultisig", "j:nrequired,j:keys"},
    {"createpsbt", "j:inputs,j:outputs,j:locktime,j:replaceable,j:version,"
		   "j:psbt_version"},
    {"createrawtransaction",
     "j:inputs,j:outputs,j:locktime,j:replaceable,j:version"},
    {"decodepsbt", "s:psbt"},
    {"decoderawtransaction", "-,j:iswitness"},
    {"deriveaddresses", "-,j:range"},
    {"descriptorprocesspsbt",
     "s:psbt,j:descriptors,s:sighashtype,j:bip32derivs,j:finalize"},
    {"disconnectnode", "-,j:nodeid"},
    {"dumptxoutset", "s:path,s:type,j:options|?:rollback|j:in_memory"},
    {"echojson", "j:arg0,j:arg1,j:arg2,j:arg3,j:arg4,j:arg5,j:arg6,j:arg7,"
		 "j:arg8,j:arg9"},
    {"estimaterawfee", "j:conf_target,j:threshold"},
    {"estimatesmartfee", "j:conf_target,-,j:options"},
    {"finalizepsbt", "s:psbt,j:extract"},
    {"generateblock", "-,j:transactions,j:submit"},
    {"generatetoaddress", "j:nblocks,-,j:maxtries"},
    {"generatetodescriptor", "j:num_blocks,-,j:maxtries"},
    {"getblock", "-,j:verbosity|j:verbose"},
    {"getblockfrompeer", "-,j:peer_id"},
    {"getblockhash", "j:height"},
    {"getblockheader", "-,j:verbose"},
    {"getblockstats", "?:hash_or_height,j:stats"},
    {"getblocktemplate", "j:template_request"},
    {"getchaintxstats", "j:nblocks"},
    {"getdescriptoractivity", "j:blockhashes,j:scanobjects,j:include_mempool"},
    {"getmempoolancestors", "-,j:verbose"},
    {"getmempooldescendants", "-,j:verbose"},
    {"getnetworkhashps", "j:nblocks,j:height"},
    {"getnodeaddresses", "j:count"},
    {"getorphantxs", "j:verbosity"},
    {"getrawmempool", "j:verbose,j:mempool_sequence"},
    {"getrawtransaction", "-,j:verbosity|j:verbose"},
    {"gettxout", "-,j:n,j:include_mempool"},
    {"gettxoutproof", "j:txids"},
    {"gettxoutsetinfo", "-,?:hash_or_height,j:use_index"},
    {"gettxspendingprevout",
     "j:outputs,j:options|j:mempool_only|j:return_spending_tx"},
    {"importmempool", "s:filepath,j:options|j:apply_fee_delta_priority|"
		      "j:use_current_time|j:apply_unbroadcast_set"},
    {"joinpsbts", "j:txs"},
    {"loadtxoutset", "s:path"},
    {"logging", "j:include,j:exclude"},
    {"mockscheduler", "j:delta_time"},
    {"prioritisetransaction", "-,j:dummy,j:fee_delta"},
    {"pruneblockchain", "j:height"},
    {"scanblocks", "-,j:scanobjects,j:start_height,j:stop_height,-,"
		   "j:options|j:filter_false_positives"},
    {"scantxoutset", "-,j:scanobjects"},
    {"sendmsgtopeer", "j:peer_id"},
    {"sendrawtransaction", "-,j:maxfeerate,j:maxburnamount"},
    {"setban", "-,-,j:bantime,j:absolute"},
    {"setmocktime", "j:timestamp"},
    {"setnetworkactive", "j:state"},
    {"signmessagewithprivkey", "-,s:message"},
    {"signrawtransactionwithkey", "-,j:privkeys,j:prevtxs"},
    {"stop", "j:wait"},
    {"submitpackage", "j:package,j:maxfeerate,j:maxburnamount"},
    {"testmempoolaccept", "j:rawtxs,j:maxfeerate"},
    {"utxoupdatepsbt", "s:psbt,j:descriptors"},
    {"verifychain", "j:checklevel,j:nblocks"},
    {"verifymessage", "-,s:signature,s:message"},
    {"waitforblock", "-,j:timeout"},
    {"waitforblockheight", "j:height,j:timeout"},
    {"waitfornewblock", "j:timeout"},
};

static const char *params_of(const char *method)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].method, method) == 0)
			return rows[i].params;
	return "";
}

/* The kind of the parameter at pos: 0 when nothing is known of it. */
static char kind_at(const char *params, size_t pos)
{
	for (; pos > 0 && *params; pos--) {
		params += strcspn(params, ",");
		params += *params == ',';
	}
	return *params == '-' ? '\0' : *params;
}

/* The kind of the parameter with this name. */
static char kind_named(const char *params, struct slice name)
{
	size_t n;

	while (*params) {
		n = strcspn(params, ",|");
		if (n == name.n + 2 && params[1] == ':' &&
		    memcmp(params + 2, name.p, name.n) == 0)
			return params[0];
		params += n;
		params += *params != '\0';
	}
	return '\0';
}

/* Write the word by its kind. */
static int put_word(struct jw *w, struct text *err, char kind, const char *word)
{
	struct arena a;
	struct json *v;
	int rc = 0;

	if (kind != 'j' && kind != '?') {
		jw_str(w, word);
		return 0;
	}
	arena_init(&a, JSON_MEM);
	if (json_parse(&v, &a, slice_of(word, strlen(word))) == 0) {
		jw_value(w, v);
	} else if (kind == '?') {
		jw_str(w, word);
	} else {
		text_printf(err, "Error parsing JSON: %s", word);
		rc = E_PARSE;
	}
	arena_fini(&a);
	return rc;
}

static bool is_json(const char *word)
{
	struct arena a;
	struct json *v;
	bool ok;

	arena_init(&a, JSON_MEM);
	ok = json_parse(&v, &a, slice_of(word, strlen(word))) == 0;
	arena_fini(&a);
	return ok;
}

int client_params_put(struct jw *w, struct text *err, const char *method,
		      const char *const *words, size_t n)
{
	const char *params = params_of(method);
	size_t i;
	int rc = 0;

	jw_arr(w);
	for (i = 0; i < n && rc == 0; i++)
		rc = put_word(w, err, kind_at(params, i), words[i]);
	if (rc == 0)
		jw_arr_end(w);
	return rc;
}

/* Length of the name in name=value, or 0 for a word that stands for itself: one
 * without '=', or whose name nobody knows while the next position takes a text
 * with '=' or JSON that the word is. */
static size_t name_len(const char *params, size_t pos, const char *word)
{
	const char *eq = strchr(word, '=');
	char next = kind_at(params, pos);

	if (!eq)
		return 0;
	if (!kind_named(params, slice_of(word, (size_t)(eq - word))) &&
	    (next == 's' || (next == 'j' && is_json(word))))
		return 0;
	return (size_t)(eq - word);
}

/* Is the name given again behind word i? lens are the lengths of all names. */
static bool is_overwritten(const char *const *words, const size_t *lens,
			   size_t i, size_t n)
{
	size_t k;

	for (k = i + 1; k < n; k++)
		if (lens[k] == lens[i] &&
		    memcmp(words[k], words[i], lens[i] + 1) == 0)
			return true;
	return false;
}

static int put_args(struct jw *w, struct text *err, const char *params,
		    const char *const *words, const size_t *lens, size_t n)
{
	size_t i, pos = 0;
	int rc = 0;

	jw_key(w, "args");
	jw_arr(w);
	for (i = 0; i < n && rc == 0; i++)
		if (!lens[i])
			rc = put_word(w, err, kind_at(params, pos++), words[i]);
	if (rc == 0)
		jw_arr_end(w);
	return rc;
}

/* The object's members: the named ones, then those without a name. */
static int put_members(struct jw *w, struct text *err, const char *params,
		       const char *const *words, const size_t *lens, size_t n)
{
	bool unnamed = false;
	size_t i;
	int rc = 0;

	for (i = 0; i < n && rc == 0; i++) {
		char *name;

		unnamed = unnamed || !lens[i];
		if (!lens[i] || is_overwritten(words, lens, i, n))
			continue;
		name = xstrdup(words[i]);
		name[lens[i]] = '\0';
		jw_key(w, name);
		rc = put_word(w, err,
			      kind_named(params, slice_of(words[i], lens[i])),
			      words[i] + lens[i] + 1);
		free(name);
	}
	if (rc == 0 && unnamed)
		rc = put_args(w, err, params, words, lens, n);
	return rc;
}

int client_params_put_named(struct jw *w, struct text *err, const char *method,
			    const char *const *words, size_t n)
{
	const char *params = params_of(method);
	size_t *lens = xcalloc(n + 1, sizeof *lens);
	size_t i, pos = 0;
	int rc;

	for (i = 0; i < n; i++) {
		lens[i] = name_len(params, pos, words[i]);
		pos += lens[i] == 0;
	}
	jw_obj(w);
	rc = put_members(w, err, params, words, lens, n);
	if (rc == 0)
		jw_obj_end(w);
	free(lens);
	return rc;
}
