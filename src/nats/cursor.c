/* SPDX-License-Identifier: ISC */
/* The cursor of the events. */
#include "nats/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "base/xalloc.h"

enum {
	SEQ_AT = CURSOR_ID_SIZE, /* in the line "ID SEQ CRC\n", each of fixed width */
	SEQ_DIGITS = 20,
	CRC_AT = SEQ_AT + SEQ_DIGITS + 1,
	CRC_DIGITS = 8,
	LINE_BYTES = CRC_AT + CRC_DIGITS + 1,
};

struct cursor {
	int fd;
	char id[CURSOR_ID_SIZE];
	uint64_t seq;
	bool is_changed;
	bool has_failed; /* the last write did */
};

static void format(const struct cursor *cursor, char line[LINE_BYTES + 1])
{
	(void)snprintf(
	    line, LINE_BYTES + 1, "%s %0*" PRIu64 " ", cursor->id, SEQ_DIGITS, cursor->seq);
	(void)snprintf(line + CRC_AT, (size_t)LINE_BYTES + 1 - CRC_AT, "%08" PRIx32 "\n",
	    crc32c(0, line, CRC_AT));
}

/* False if the file has no whole line. */
static bool load(struct cursor *cursor)
{
	char line[LINE_BYTES + 1] = {0}, check[LINE_BYTES + 1];
	if (pread(cursor->fd, line, LINE_BYTES, 0) != LINE_BYTES ||
	    strspn(line, "0123456789abcdef") != CURSOR_ID_SIZE - 1 ||
	    !str_parse_u64(line + SEQ_AT, SEQ_DIGITS, &cursor->seq))
		return false;
	memcpy(cursor->id, line, CURSOR_ID_SIZE - 1);
	format(cursor, check);
	return memcmp(line, check, LINE_BYTES) == 0;
}

void cursor_renew(struct cursor *cursor)
{
	uint64_t number = 0;
	if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
		log_warning("no random number: %s", strerror(errno));
	(void)snprintf(cursor->id, sizeof cursor->id, "%016" PRIx64, number);
	cursor->seq = 0;
	cursor->is_changed = true;
}

struct cursor *cursor_open(const char *path, char *ret_reason, size_t size)
{
	struct cursor *cursor = xcalloc(1, sizeof *cursor);
	cursor->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (cursor->fd < 0 || flock(cursor->fd, LOCK_EX | LOCK_NB) < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", path,
		    errno == EWOULDBLOCK ? "another muxbus-nats holds it" : strerror(errno));
		if (cursor->fd >= 0)
			(void)close(cursor->fd);
		mem_free(cursor);
		return NULL;
	}
	if (!load(cursor)) {
		cursor_renew(cursor);
		cursor_keep(cursor);
	}
	return cursor;
}

void cursor_close(struct cursor *cursor)
{
	if (cursor == NULL)
		return;
	cursor_keep(cursor);
	(void)close(cursor->fd); /* each write was whole */
	mem_free(cursor);
}

const char *cursor_id(const struct cursor *cursor)
{
	return cursor->id;
}

uint64_t cursor_seq(const struct cursor *cursor)
{
	return cursor->seq;
}

void cursor_set(struct cursor *cursor, uint64_t seq)
{
	if (seq <= cursor->seq)
		return;
	cursor->seq = seq;
	cursor->is_changed = true;
}

void cursor_keep(struct cursor *cursor)
{
	char line[LINE_BYTES + 1];
	bool has_failed;
	if (!cursor->is_changed)
		return;
	format(cursor, line);
	has_failed = pwrite(cursor->fd, line, LINE_BYTES, 0) != LINE_BYTES;
	if (has_failed && !cursor->has_failed)
		log_error("the cursor is not kept: %s", strerror(errno));
	cursor->has_failed = has_failed;
	cursor->is_changed = has_failed;
}
