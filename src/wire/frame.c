/*
 * The v1 frame header, read and written. Any thread. It judges magic, length
 * and the form of the command; the checksum is compared by whoever has the
 * payload.
 */
#include <cairn/wire/frame.h>

#include <cairn/base/endian.h>
#include <cairn/crypto/sha256.h>

/* Printable ASCII, and nothing but zeros behind the first NUL. */
static bool name_valid(const uint8_t *name)
{
	size_t i = 0;

	while (i < MSG_NAME_LEN && name[i] >= ' ' && name[i] <= '~')
		i++;
	while (i < MSG_NAME_LEN && name[i] == 0)
		i++;
	return i == MSG_NAME_LEN;
}

enum frame_rc frame_view_parse(struct frame_view *v, const uint8_t *p,
			       const uint8_t magic[4])
{
	bool valid;

	if (memcmp(p, magic, 4) != 0)
		return FRAME_BAD_MAGIC;
	valid = name_valid(p + 4);
	v->name = p + 4;
	v->type = valid ? msg_type_find(p + 4) : MSG_UNKNOWN;
	v->len = le32_get(p + 16);
	v->checksum = le32_get(p + 20);
	if (v->len > FRAME_MAX_PAYLOAD)
		return FRAME_TOO_LARGE;
	return valid ? FRAME_OK : FRAME_BAD_COMMAND;
}

uint32_t frame_checksum(struct slice payload)
{
	struct hash256 h;

	sha256d(&h, payload.p, payload.n);
	return le32_get(h.b);
}

uint8_t *frame_put(uint8_t *p, const uint8_t magic[4], enum msg_type t,
		   uint32_t len, uint32_t checksum)
{
	const char *name = msg_row(t)->name;

	p = bytes_put(p, magic, 4);
	memset(p, 0, MSG_NAME_LEN);
	bytes_put(p, name, strlen(name));
	p = le32_put(p + MSG_NAME_LEN, len);
	return le32_put(p, checksum);
}
