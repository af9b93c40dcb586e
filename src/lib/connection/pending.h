/* SPDX-License-Identifier: ISC */
/* The lists of commands without an answer, in order, and the reply being read. */
#pragma once

#include "lib/stream/parser.h"

/* The most waiting lists. */
#define PENDING_MAX 65536

/* One list: a command, a nonce and a reply for each of count. */
struct pending {
	struct list link;
	muxbus_reply_fn *reply;
	void *data;
	unsigned extra_ms; /* additional time for a long list */
	size_t count;
	size_t answered; /* commands whose reply is complete */
	struct nonce *nonces;
	struct muxbus_reply *replies;
};

struct pending_queue {
	struct list lists; /* tmux is answering the first */
	size_t count;
	struct buf bodies; /* of the replies to the first list, each with a NUL */
};

void pending_queue_init(struct pending_queue *queue);
void pending_queue_finish(struct pending_queue *queue); /* must be empty */

/* The new list is in no queue. Returns NULL if out of memory. */
struct pending *pending_new(size_t count, muxbus_reply_fn *reply, void *data);
void pending_free(struct pending *pending); /* NULL: nothing */
/* A new one for the commands of a list, or the error of the list. */
int pending_of(const struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct pending **ret_pending);

void pending_append(struct pending_queue *queue, struct pending *pending);
void pending_prepend(struct pending_queue *queue, struct pending *pending);
/* The list that tmux is answering, or NULL. */
struct pending *pending_first(const struct pending_queue *queue);

/* Adds a block to the reply; ignores blocks of hooks, and blocks without a pending list. */
void pending_add_block(struct pending_queue *queue, const struct muxbus_block *block);

/*
 * The sentinel after command number index was read. After the last command, removes the list
 * from the queue and returns it: call pending_answer(), which frees it.
 */
struct pending *pending_end_command(struct pending_queue *queue, size_t index);

/* Calls the reply function of the list, and frees the list. */
void pending_answer(struct pending_queue *queue, struct pending *pending);

/* The same with an error for each command, of a list that was not run and is in no queue. */
void pending_fail(struct pending *pending, int error);
/* Answers all lists with an error, also lists that are added meanwhile. */
void pending_fail_all(struct pending_queue *queue, int error);
