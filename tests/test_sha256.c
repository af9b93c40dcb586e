/* SPDX-License-Identifier: ISC */
/* SHA-256: the examples of FIPS 180-4 and a long text, whole and in pieces. */
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static void is_hash(const char *text, size_t len, size_t times, size_t piece, const char *want)
{
	uint8_t bytes[SHA256_SIZE];
	char hash[2 * SHA256_SIZE + 1];
	struct sha256 sha;
	sha256_init(&sha);
	for (size_t i = 0; i < times; i++)
		for (size_t at = 0; at < len; at += piece)
			sha256_add(&sha, text + at, at + piece < len ? piece : len - at);
	sha256_finish(&sha, bytes);
	for (size_t i = 0; i < SHA256_SIZE; i++)
		(void)snprintf(hash + 2 * i, 3, "%02x", bytes[i]);
	is_str(hash, want, "%zu bytes, in pieces of %zu", len * times, piece);
}

int main(void)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char thousand[1000];
	memset(thousand, 'a', sizeof thousand);
	is_hash("", 0, 1, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	is_hash("abc", 3, 1, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	for (size_t piece = 1; piece <= strlen(two); piece++)
		is_hash(two, strlen(two), 1, piece,
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	is_hash(thousand, sizeof thousand, 1000, 999,
	    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	return done_testing();
}
