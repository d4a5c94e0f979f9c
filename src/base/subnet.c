/*
 * Networks by address, address/bits or address/mask, and whether an address
 * lies in one. Pure functions. IPv4 is treated as IPv6 mapped, so one
 * comparison serves both and a mapped peer is what it is.
 */
#include <cairn/base/subnet.h>

#include <cairn/base/text.h>

#include <arpa/inet.h>
#include <string.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static void map_v4(uint8_t out[16], const void *v4)
{
	memcpy(out, mapped, sizeof mapped);
	memcpy(out + 12, v4, 4);
}

/* An address as text; *v4 says which kind it was. */
static bool addr_parse(uint8_t out[16], bool *v4, const char *s)
{
	uint8_t four[4];

	*v4 = inet_pton(AF_INET, s, four) == 1;
	if (*v4)
		map_v4(out, four);
	return *v4 || inet_pton(AF_INET6, s, out) == 1;
}

static void mask_bits(uint8_t mask[16], size_t bits)
{
	size_t i;

	memset(mask, 0, 16);
	for (i = 0; i < bits; i++)
		mask[i / 8] |= (uint8_t)(0x80u >> i % 8);
}

/* Ones first, zeros after them: anything else is no network. */
static bool mask_is_prefix(const uint8_t mask[16])
{
	uint8_t want[16];
	size_t bits = 0;

	while (bits < 128 && mask[bits / 8] & (0x80u >> bits % 8))
		bits++;
	mask_bits(want, bits);
	return memcmp(want, mask, 16) == 0;
}

static bool mask_parse(uint8_t mask[16], const char *s, bool v4)
{
	int64_t bits;
	bool mask_v4;

	if (i64_parse(&bits, s)) {
		if (bits < 0 || bits > (v4 ? 32 : 128) || *s == '-')
			return false;
		mask_bits(mask, (size_t)bits + (v4 ? 96 : 0));
		return true;
	}
	if (!addr_parse(mask, &mask_v4, s) || mask_v4 != v4)
		return false;
	if (v4)
		memset(mask, 0xff, 12);
	return mask_is_prefix(mask);
}

bool subnet_parse(struct subnet *s, const char *text)
{
	const char *slash = strchr(text, '/');
	char host[64];
	size_t n = slash ? (size_t)(slash - text) : strlen(text), i;
	bool v4;

	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	if (n >= sizeof host)
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	if (!addr_parse(s->net, &v4, host))
		return false;
	if (!slash)
		mask_bits(s->mask, 128);
	else if (!mask_parse(s->mask, slash + 1, v4))
		return false;
	for (i = 0; i < 16; i++)
		s->net[i] &= s->mask[i];
	return true;
}

bool subnet_has(const struct subnet *s, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_in *in4 = (const void *)sa;
	uint8_t a[16];
	size_t i;

	if (sa->sa_family == AF_INET)
		map_v4(a, &in4->sin_addr);
	else if (sa->sa_family == AF_INET6)
		memcpy(a, &in6->sin6_addr, 16);
	else
		return false;
	for (i = 0; i < 16; i++)
		if ((a[i] & s->mask[i]) != s->net[i])
			return false;
	return true;
}
