/* Integers in byte order, to and from unaligned memory. */
#ifndef CAIRN_BASE_ENDIAN_H
#define CAIRN_BASE_ENDIAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t le16_get(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return le16toh(v);
}

static inline uint32_t le32_get(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

static inline uint64_t le64_get(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

static inline uint16_t be16_get(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return be16toh(v);
}

static inline uint32_t be32_get(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return be32toh(v);
}

static inline uint64_t be64_get(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return be64toh(v);
}

/* Each put writes at p and returns the byte after. */
static inline uint8_t *le16_put(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static inline uint8_t *le32_put(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static inline uint8_t *le64_put(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static inline uint8_t *be16_put(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static inline uint8_t *be32_put(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static inline uint8_t *bytes_put(uint8_t *p, const void *src, size_t n)
{
	if (n)
		memcpy(p, src, n);
	return p + n;
}

static inline uint8_t *be64_put(uint8_t *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

#endif
