/* SPDX-License-Identifier: ISC */
/* The lists of commands that wait for an answer, in order, and the replies to the first. */
#pragma once

#include "lib/connection/nonce.h"

#define PENDING_MAX 65536 /* maximum number of lists in a queue */

/* One list, with a nonce and a reply for each of its count commands. */
struct pending {
	struct list link;
	muxbus_reply_fn *reply;
	void *data;
	unsigned extra_ms; /* additional timeout for a long list */
	bool is_ordered; /* one-shots of the sync must wait until tmux has run this list */
	size_t count;
	size_t answered; /* number of commands with a complete reply */
	struct nonce *nonces;
	struct muxbus_reply *replies;
};

struct pending_queue {
	struct list lists; /* of struct pending; tmux is answering the first */
	size_t count;
	struct buf bodies; /* text of the replies to the first list, each with a NUL */
};

void pending_queue_init(struct pending_queue *queue);
void pending_queue_finish(struct pending_queue *queue); /* the queue must be empty */

/*
 * Makes a list for count commands, with nonces from the pool. pending_free() frees it. Returns 0,
 * MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno.
 */
int pending_make(struct nonce_pool *pool, size_t count, muxbus_reply_fn *reply, void *data,
    struct pending **ret_pending);
void pending_free(struct pending *pending); /* NULL is accepted */
/* As pending_make() for the commands of a list, but without nonces. */
int pending_of(const struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct pending **ret_pending);

void pending_append(struct pending_queue *queue, struct pending *pending);
void pending_prepend(struct pending_queue *queue, struct pending *pending);
/* Returns the list that tmux is answering, or NULL. */
struct pending *pending_first(const struct pending_queue *queue);

/* Adds a block to the current reply. Ignores it if it comes from a hook, or no list is pending. */
void pending_add_block(struct pending_queue *queue, const struct muxbus_block *block);

/*
 * Ends the replies up to command `index`, whose sentinel was read. After the last command, takes
 * the list off the queue and returns it, for pending_answer(); else returns NULL.
 */
struct pending *pending_end_command(struct pending_queue *queue, size_t index);

/* Passes replies to the reply function of a list, and frees pending. */
void pending_reply(
    struct pending *pending, int error, const struct muxbus_reply *replies, size_t count);
/* Calls pending_reply() with the replies that the queue has received. */
void pending_answer(struct pending_queue *queue, struct pending *pending);

/* Passes an error to the reply function of a list that is in no queue, and frees pending. */
void pending_fail(struct pending *pending, int error);
/* Fails all lists of a queue, including those that the reply functions add. */
void pending_fail_all(struct pending_queue *queue, int error);
