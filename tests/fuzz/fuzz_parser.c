/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as a stream: fed whole, in two at a place that the input chooses, and byte by byte, a
 * parser does the same. The first two bytes choose the place and the nonces; the sentinels in the
 * seeds carry these nonces.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unescape.h"
#include "recorder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const nonces[] = {"", "0", "0 1 2", "0 | 1 | 2", "0 1 | 2 0", "2"};

struct chosen {
	const char *nonces;
	size_t split;
	size_t call_off; /* where the nonces are cancelled; 0: never */
};

static void feed(struct recorder *recorder, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len == 0 ? 1 : len); /* a read beyond is noticed */
	memcpy(copy, bytes, len);
	if (recorder_feed(recorder, copy, len) != 0)
		abort();
	free(copy);
}

static void run(struct recorder *recorder, const struct chosen *chosen, const uint8_t *bytes,
    size_t len, size_t piece)
{
	if (recorder_init(recorder) != 0 || recorder_expect(recorder, chosen->nonces) != 0)
		abort();
	for (size_t done = 0; done < len;) {
		size_t take = len - done < piece ? len - done : piece;
		if (done < chosen->split && take > chosen->split - done)
			take = chosen->split - done;
		if (done < chosen->call_off && take > chosen->call_off - done)
			take = chosen->call_off - done;
		feed(recorder, bytes + done, take);
		done += take;
		if (done == chosen->call_off)
			recorder_expect(recorder, "");
	}
}

static void check_unescape(const uint8_t *bytes, size_t len)
{
	const struct unescape_variant *variant = unescape_variants();
	uint8_t *want = malloc(len + UNESCAPE_SLACK);
	uint8_t *got = malloc(len + UNESCAPE_SLACK);
	size_t want_len = unescape_naive(want, bytes, len);
	for (; variant->name != NULL; variant++) {
		if (variant->run(got, bytes, len) != want_len || memcmp(got, want, want_len) != 0)
			abort();
	}
	free(want);
	free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = {SIZE_MAX, 1, 7};
	struct recorder whole;
	struct chosen chosen;
	if (size < 2)
		return 0;
	chosen.nonces = nonces[data[0] % (sizeof nonces / sizeof nonces[0])];
	chosen.split = 0;
	chosen.call_off = data[0] >= 128 ? data[1] * (size - 2) / 255 : 0;
	run(&whole, &chosen, data + 2, size - 2, SIZE_MAX);
	chosen.split = data[1] * (size - 2) / 255;
	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		struct recorder split;
		run(&split, &chosen, data + 2, size - 2, pieces[i]);
		if (strcmp(recorder_text(&whole), recorder_text(&split)) != 0)
			abort();
		recorder_finish(&split);
	}
	recorder_finish(&whole);
	check_unescape(data + 2, size - 2);
	return 0;
}
