/* SPDX-License-Identifier: ISC */
/* The checksum against its published values. */
#include "base/hash.h"

#include <stdint.h>
#include <string.h>

#include "tap.h"

int main(void)
{
	/* RFC 3720, B.4, and the usual check value. */
	uint8_t bytes[32];
	int failures;
	is_int(crc32c(0, "123456789", 9), 0xe3069283, "the check value");
	memset(bytes, 0, sizeof bytes);
	is_int(crc32c(0, bytes, sizeof bytes), 0x8a9136aa, "32 zeros");
	memset(bytes, 0xff, sizeof bytes);
	is_int(crc32c(0, bytes, sizeof bytes), 0x62a8ab43, "32 ones");
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)i;
	is_int(crc32c(0, bytes, sizeof bytes), 0x46dd794e, "32 rising");
	is_int(crc32c(0, NULL, 0), 0, "of nothing it is 0");
	failures = 0;
	for (size_t begin = 0; begin < sizeof bytes; begin++) {
		for (size_t len = 0; begin + len <= sizeof bytes; len++)
			failures +=
			    crc32c(7, bytes + begin, len) != crc32c_portable(7, bytes + begin, len);
	}
	is_int(failures, 0, "with and without the processor's help it is the same");
	for (size_t cut = 0; cut <= sizeof bytes; cut++)
		failures +=
		    crc32c(crc32c(0, bytes, cut), bytes + cut, sizeof bytes - cut) != 0x46dd794e;
	is_int(failures, 0, "in two pieces it is the same");
	return done_testing();
}
