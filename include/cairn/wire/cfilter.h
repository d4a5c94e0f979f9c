/* Compact filter messages (BIP 157). Views borrow their body. */
#ifndef CAIRN_WIRE_CFILTER_H
#define CAIRN_WIRE_CFILTER_H

#include <cairn/base/rd.h>

#define CFILTERS_MAX       1000u
#define CFHEADERS_MAX      2000u
#define CFCHECKPT_INTERVAL 1000
#define FILTER_BASIC       0u

/* getcfilters and getcfheaders have the same form. */
struct getcf_view {
	uint8_t filter_type;
	uint32_t start_height;
	const struct hash256 *stop;
};
bool getcf_view_parse(struct getcf_view *v, struct slice body);
#define GETCF_SIZE 37u
uint8_t *getcf_put(uint8_t *p, uint8_t filter_type, uint32_t start_height,
		   const struct hash256 *stop);

struct getcfcheckpt_view {
	uint8_t filter_type;
	const struct hash256 *stop;
};
bool getcfcheckpt_view_parse(struct getcfcheckpt_view *v, struct slice body);
#define GETCFCHECKPT_SIZE 33u
uint8_t *getcfcheckpt_put(uint8_t *p, uint8_t filter_type,
			  const struct hash256 *stop);

struct cfilter_view {
	uint8_t filter_type;
	const struct hash256 *block;
	struct slice filter;
};
bool cfilter_view_parse(struct cfilter_view *v, struct slice body);
size_t cfilter_size(size_t filter_n);
uint8_t *cfilter_put(uint8_t *p, uint8_t filter_type,
		     const struct hash256 *block, struct slice filter);

struct cfheaders_view {
	uint8_t filter_type;
	const struct hash256 *stop;
	const struct hash256 *prev_header;
	uint32_t n; /* may exceed CFHEADERS_MAX: the caller judges */
	const uint8_t *hashes;
};
bool cfheaders_view_parse(struct cfheaders_view *v, struct slice body);
size_t cfheaders_size(uint32_t n);
/* Everything up to the hashes, which the caller writes (32 bytes each). */
uint8_t *cfheaders_head_put(uint8_t *p, uint8_t filter_type,
			    const struct hash256 *stop,
			    const struct hash256 *prev_header, uint32_t n);

/* Filter headers at every 1,000th block up to stop. */
struct cfcheckpt_view {
	uint8_t filter_type;
	const struct hash256 *stop;
	uint32_t n;
	const uint8_t *headers;
};
bool cfcheckpt_view_parse(struct cfcheckpt_view *v, struct slice body);
static inline const struct hash256 *cfcheckpt_at(const struct cfcheckpt_view *v,
						 uint32_t i)
{
	return hash256_at(v->headers + (size_t)i * 32);
}
size_t cfcheckpt_size(uint32_t n);
/* Everything up to the headers, which the caller writes (32 bytes each). */
uint8_t *cfcheckpt_head_put(uint8_t *p, uint8_t filter_type,
			    const struct hash256 *stop, uint32_t n);

#endif
