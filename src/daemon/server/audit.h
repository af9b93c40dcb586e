/* SPDX-License-Identifier: ISC */
/*
 * The audit: a file with a line for each request that does more than read, written before the
 * request has its effect, and a line for its outcome. The lines form a chain of hashes (SHA-256),
 * so that a line that was changed or taken out is noticed. kill -9 loses nothing; a power cut can.
 *
 * A line has the sizes of texts and a keyed hash of all parameters. With -o audit=full it also has
 * the texts, but never those for declared tools and providers. There are two files: when the newer
 * one has half of audit_bytes, or is half of audit_days old, a new one replaces the older one.
 * Refusals (of requests that a role may not make) get at most AUDIT_REFUSALS lines a minute for a
 * user and a role; more are only counted.
 */
#pragma once

#include "daemon/server/method.h"

#define AUDIT_REFUSALS 10 /* maximum lines a minute for a user and a role */
#define AUDIT_LINE_MAX 8192 /* maximum bytes; parameters are cut */
#define AUDIT_FILE_MAX ((size_t)64 * 1024 * 1024)

struct audit_action {
	const struct peer *peer; /* NULL: the daemon itself */
	uint32_t pane; /* pane of the peer; MUXBUS_NO_ID: none */
	enum role role;
	const struct method *method;
	const struct json *params; /* NULL: none, or not wanted */
};

struct audit_options {
	size_t bytes;
	int64_t days;
	bool is_full; /* the lines have the texts too */
};

/* Opens the files. Returns NULL with a reason if that is not possible. */
struct audit_log *audit_new(
    const char *state_dir, const struct audit_options *options, char *ret_reason, size_t size);
void audit_free(struct audit_log *audit);

/* Returns true if a request needs a line: with these parameters it does more than read. */
bool audit_wants(const struct method *method, const struct json *params);
/* Writes the line of a request. Returns its number; 0 with errno: it could not be written. */
uint64_t audit_begin(struct audit_log *audit, const struct audit_action *action);
/* Writes the line of a request's outcome: the kind of the error, or "done". */
void audit_end(struct audit_log *audit, uint64_t number, const char *outcome, int64_t elapsed_ms);
/* Writes or counts the refusal of a request. */
void audit_refuse(struct audit_log *audit, const struct audit_action *action);

/* written() is called after the line of each request and refusal, not after that of an outcome. */
struct audit_listener {
	struct list link;
	void (*written)(struct audit_listener *listener);
};
void audit_listen(struct audit_log *audit, struct audit_listener *listener);

uint64_t audit_last(const struct audit_log *audit); /* the number of the last request or refusal */

/* Appends both files to out, the older one first. Returns 0, or -1 with errno. */
int audit_read(const struct audit_log *audit, struct buf *out);
/*
 * Checks the chain. Returns the first line, from 1, that has a wrong hash or lacks lines before it;
 * 0: all are right.
 */
size_t audit_verify(const struct audit_log *audit, const char *text, size_t len);
