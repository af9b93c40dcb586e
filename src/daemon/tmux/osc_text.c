/* SPDX-License-Identifier: ISC */
/* Takes the strings of OSC apart. */
#include "daemon/tmux/osc_text.h"

#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/queue/notification.h"

bool osc_part_next(struct osc_part *rest, char separator, struct osc_part *ret_part)
{
	const char *end;
	if (rest->at == NULL)
		return false;
	end = memchr(rest->at, separator, rest->len);
	*ret_part = (struct osc_part){rest->at, end != NULL ? (size_t)(end - rest->at) : rest->len};
	rest->len -= ret_part->len + (end != NULL);
	rest->at = end != NULL ? end + 1 : NULL;
	return true;
}

bool osc_part_is(struct osc_part part, const char *word)
{
	return part.len == strlen(word) && memcmp(part.at, word, part.len) == 0;
}

void osc_text_copy(char *out, size_t size, const void *bytes, size_t len)
{
	char *clean = notification_clean_text(bytes, len);
	size_t kept = strlen(clean);
	if (kept >= size) {
		kept = size - 1;
		kept -= utf8_incomplete_tail(clean, kept);
	}
	memcpy(out, clean, kept);
	out[kept] = '\0';
	mem_free(clean);
}
