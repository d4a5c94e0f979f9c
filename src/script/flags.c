/* Names of verification flags, and which may stand together. Any thread. */
#include <cairn/script/flags.h>

#include <stddef.h>
#include <string.h>

static const char *const names[SCRIPT_FLAG_BITS] = {
    "P2SH",
    "STRICTENC",
    "DERSIG",
    "LOW_S",
    "NULLDUMMY",
    "SIGPUSHONLY",
    "MINIMALDATA",
    "DISCOURAGE_UPGRADABLE_NOPS",
    "CLEANSTACK",
    "CHECKLOCKTIMEVERIFY",
    "CHECKSEQUENCEVERIFY",
    "WITNESS",
    "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM",
    "MINIMALIF",
    "NULLFAIL",
    "WITNESS_PUBKEYTYPE",
    "CONST_SCRIPTCODE",
    "TAPROOT",
    "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION",
    "DISCOURAGE_OP_SUCCESS",
    "DISCOURAGE_UPGRADABLE_PUBKEYTYPE",
};

bool script_flags_ok(unsigned flags)
{
	if (flags & ~SCRIPT_FLAGS_ALL)
		return false;
	if ((flags & SCRIPT_VERIFY_WITNESS) && !(flags & SCRIPT_VERIFY_P2SH))
		return false;
	return !(flags & SCRIPT_VERIFY_CLEANSTACK) ||
	       (flags & SCRIPT_VERIFY_WITNESS);
}

const char *script_flag_name(unsigned flag)
{
	for (unsigned i = 0; i < SCRIPT_FLAG_BITS; i++)
		if (flag == 1u << i)
			return names[i];
	return NULL;
}

static bool parse_one(unsigned *flags, const char *word, size_t n)
{
	if (n == 4 && memcmp(word, "NONE", 4) == 0)
		return true;
	for (unsigned i = 0; i < SCRIPT_FLAG_BITS; i++) {
		if (strlen(names[i]) == n && memcmp(names[i], word, n) == 0) {
			*flags |= 1u << i;
			return true;
		}
	}
	return false;
}

bool script_flags_parse(unsigned *flags, const char *text)
{
	unsigned found = 0;

	while (*text) {
		size_t n = strcspn(text, ",");

		if (!parse_one(&found, text, n))
			return false;
		text += n;
		if (*text == ',')
			text++;
	}
	*flags = found;
	return true;
}
