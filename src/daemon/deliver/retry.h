/* SPDX-License-Identifier: ISC */
/*
 * Retries: what was typed for an agent, and was not seen to be taken, is typed again after a
 * while, a bounded number of times. Not seen to be taken is: Enter was not seen to submit it;
 * or the agent reports its turns, and none has begun. Acknowledging ends it, as does a turn.
 */
#ifndef DAEMON_DELIVER_RETRY_H
#define DAEMON_DELIVER_RETRY_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/core/pane_ref.h"

#define RETRIES_MAX 256 /* lines that are waited for; then the oldest is not typed again */
#define RETRY_NOTES_MAX 32 /* notifications of one line */

struct config;
struct event_base;
struct presence_set;
struct queue;
struct retry_set;

struct retry_parts {
	struct event_base *base;
	const struct config *config;
	struct presence_set *presences;
	struct queue *queue;
};

/* The typed notice. */
struct retry_line {
	const struct pane_ref *pane;
	const uint64_t *seqs;
	size_t count;
	uint64_t turns; /* of the pane's presence before it was typed */
	const void *line;
	size_t len;
};

/* The line may be typed again: it is looked for at the prompt first. */
typedef void retry_fn(void *data, const struct retry_line *line);

struct retry_set *retry_set_new(const struct retry_parts *parts, retry_fn *again, void *data);
void retry_set_free(struct retry_set *set);

/*
 * Waits for what was typed to be taken: ack_wait_ms, and 5 and 15 times that for the second
 * and third time. Nothing if it was typed again so often as is set already.
 */
void retry_add(struct retry_set *set, const struct retry_line *line);

#endif
