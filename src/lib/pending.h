/* SPDX-License-Identifier: ISC */
/* The lists of commands that tmux has not answered yet, in order, and the reply under way. */
#ifndef LIB_PENDING_H
#define LIB_PENDING_H

#include <muxbus.h>

#include <stddef.h>

#include "base/buf.h"
#include "base/list.h"
#include "lib/parser.h"

/* The most lists that may wait. */
#define PENDING_MAX 65536

/* One list: a command, a nonce and a reply for each of count. */
struct pending {
	struct list link;
	muxbus_reply_fn *reply;
	void *data;
	unsigned extra_ms; /* what a long list may take more */
	size_t count;
	size_t answered; /* commands whose reply is complete */
	struct nonce *nonces;
	struct muxbus_reply *replies;
};

struct pending_queue {
	struct list lists; /* the first is the one that tmux is answering */
	size_t count;
	struct buf bodies; /* of the first one's replies, each with a NUL behind it */
};

void pending_queue_init(struct pending_queue *queue);
void pending_queue_finish(struct pending_queue *queue); /* an empty one */

/* Makes one, in no queue yet. Returns NULL if out of memory. */
struct pending *pending_new(size_t count, muxbus_reply_fn *reply, void *data);
void pending_free(struct pending *pending);

void pending_append(struct pending_queue *queue, struct pending *pending);
void pending_prepend(struct pending_queue *queue, struct pending *pending);
/* The one that is being answered, or NULL. */
struct pending *pending_first(const struct pending_queue *queue);

/* A block was read. Those of hooks, and what comes when nothing is awaited, are dropped. */
void pending_add_block(struct pending_queue *queue, const struct muxbus_block *block);

/*
 * The sentinel behind command number index was read. If it was the last one, takes the
 * list from the queue and returns it: call pending_answer(), which frees it.
 */
struct pending *pending_end_command(struct pending_queue *queue, size_t index);

/* Calls its reply function with what was read, and frees it. */
void pending_answer(struct pending_queue *queue, struct pending *pending);

/* Answers all with an error, those that are added meanwhile too. */
void pending_fail_all(struct pending_queue *queue, int error);

#endif
