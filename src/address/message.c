/*
 * Signed messages. The first byte of a signature tells how to find the key that
 * made it, and in which form it was hashed. Any thread; no state.
 */
#include <cairn/address/message.h>

#include <cairn/address/key.h>
#include <cairn/base/rd.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/secret.h>
#include <cairn/crypto/sha256.h>

#define HEAD_BASE       27u
#define HEAD_COMPRESSED 4u

/* Both the heading, which keeps the signature from being one of a transaction,
 * and the message follow their length. */
static void message_hash(struct hash256 *out, struct slice message)
{
	static const char heading[] = "\x18"
				      "Bitcoin Signed Message:\n";
	uint8_t size[9];
	struct slice parts[3] = {
	    slice_of(heading, sizeof heading - 1),
	    slice_of(size, (size_t)(compact_put(size, message.n) - size)),
	    message};

	sha256d_parts(out, parts, 3);
}

void message_sign(uint8_t sig[MESSAGE_SIG_SIZE], const struct secret_ctx *ctx,
		  const struct privkey *key, struct slice message)
{
	struct hash256 hash;
	unsigned id;

	message_hash(&hash, message);
	id = secret_sign_recoverable(ctx, sig + 1, key->b, hash.b);
	sig[0] =
	    (uint8_t)(HEAD_BASE + id + (key->compressed ? HEAD_COMPRESSED : 0));
}

bool message_verify(struct slice sig, const uint8_t key_hash[20],
		    struct slice message)
{
	uint8_t key[65], hash[20];
	struct hash256 signed_hash;
	unsigned head;
	size_t n;

	if (sig.n != MESSAGE_SIG_SIZE)
		return false;
	/* Other bits of the head are not looked at. */
	head = sig.p[0] - HEAD_BASE;
	message_hash(&signed_hash, message);
	n = pubkey_recover(key, sig.p + 1, head & 3, signed_hash.b,
			   head & HEAD_COMPRESSED);
	if (n == 0)
		return false;
	hash160(hash, key, n);
	return memcmp(hash, key_hash, sizeof hash) == 0;
}
