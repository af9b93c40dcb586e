/* SPDX-License-Identifier: ISC */
/*
 * The audit: a file that records the requests that do more than read. A request gets one line
 * before it has its effect, and another line with its outcome. If the first line cannot be written,
 * -o audit_full_disk decides whether the request is done. kill -9 loses no line; a power cut can
 * lose lines. The lines form a chain of hashes (SHA-256). A line that was changed, or removed from
 * between other lines, breaks the chain.
 *
 * A line has a keyed hash of the parameters, and the sizes of their texts. With -o audit=full, a
 * line has the texts too, except the parameters of declared tools and provided methods.
 *
 * There are two files. When the newer file exceeds half of audit_bytes, or is older than half of
 * audit_days, it replaces the older file, and a new file begins.
 *
 * A request that a role may not make is a refusal. The number of lines for refusals is limited;
 * further refusals are only counted.
 */
#pragma once

#include "daemon/server/method.h"

#define AUDIT_REFUSALS 10 /* maximum lines a minute for a user and a role */
#define AUDIT_LINE_MAX 8192 /* maximum bytes before the hash; longer parameters are cut */
#define AUDIT_FILE_MAX ((size_t)64 * 1024 * 1024)

struct audit_action {
	const struct peer *peer; /* NULL: the daemon itself */
	uint32_t pane; /* pane of the peer; MUXBUS_NO_ID: none */
	enum role role;
	const struct method *method;
	const struct json *params; /* NULL: none are written */
};

struct audit_options {
	size_t bytes;
	int64_t days;
	bool is_full; /* -o audit=full */
};

/* Opens or makes the files. Returns NULL with a reason on failure. */
struct audit_log *audit_new(
    const char *state_dir, const struct audit_options *options, char *ret_reason, size_t size);
void audit_free(struct audit_log *audit);

/* Returns true if a request with these parameters does more than read, and so needs a line. */
bool audit_wants(const struct method *method, const struct json *params);
/* Writes the line of a request. Returns its number, or 0 with errno on failure. */
uint64_t audit_begin(struct audit_log *audit, const struct audit_action *action);
/* Writes the line of an outcome: the kind of the error, or "done". */
void audit_end(struct audit_log *audit, uint64_t number, const char *outcome, int64_t elapsed_ms);
/* Writes or counts the refusal of a request. */
void audit_refuse(struct audit_log *audit, const struct audit_action *action);

/*
 * written() is called after a line that has a number: of a request, a refusal or a count of
 * refusals. Lines of outcomes have no number.
 */
struct audit_listener {
	struct list link;
	void (*written)(struct audit_listener *listener);
};
void audit_listen(struct audit_log *audit, struct audit_listener *listener);

/* Returns the number of the last line that has one. */
uint64_t audit_last(const struct audit_log *audit);

/* Appends both files to out, the older one first. Returns 0, or -1 with errno. */
int audit_read(const struct audit_log *audit, struct buf *out);
/*
 * Checks the chain of a text from audit_read(). Returns 0 if the chain is whole; otherwise the
 * number (from 1) of the first line that is missing, has a wrong hash, or lacks lines before it.
 */
size_t audit_verify(const struct audit_log *audit, const char *text, size_t len);
