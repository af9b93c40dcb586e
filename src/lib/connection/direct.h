/* SPDX-License-Identifier: ISC */
/*
 * A control client without a process: this program speaks the protocol of tmux clients itself.
 *
 * tmux up to 3.6b counts a client as a control client from its flags on, but can write to the
 * client only from the end of the identification on: a notification in between is written
 * through a null pointer, and the server crashes. `tmux -C` sends the flags first, each
 * message of its own. Here the flags come last, in one write with the end.
 */
#pragma once

#include "lib/connection/imsg.h"

#define DIRECT_REASON_SIZE 256

struct direct {
	int fd; /* to the server; readable when its end is near; -1: none */
	enum imsg_form form;
	struct buf in; /* the beginning of a message */
	bool was_heard; /* the server sent a message */
	bool is_ending; /* the server has announced the end */
	bool is_foreign; /* the server speaks another version of the protocol */
	char reason[DIRECT_REASON_SIZE]; /* of the end; empty if not known */
};

/*
 * Parts of an identification: a message with a text, a client without a terminal, and the variables
 * that tmux copies into a new session. Return 0, MUXBUS_ERR_LIMIT or MUXBUS_ERR_NOMEM.
 */
int direct_append_string(struct buf *out, enum imsg_form form, uint32_t type, const char *text);
int direct_append_terminal(struct buf *out, enum imsg_form form);
int direct_append_environment(struct buf *out, enum imsg_form form);

/* No connection. */
void direct_init(struct direct *direct);

/*
 * Attaches as the client of this process. fd is a connection to the server and belongs to
 * direct, also after an error; tmux gets copies of input and output. session is an id or
 * MUXBUS_NO_ID. Returns 0, MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno set.
 */
int direct_attach(struct direct *direct, int fd, enum imsg_form form, int input, int output,
    uint32_t session, bool has_output);

/* Reads the messages that have come, and answers them. False at the end of the connection. */
bool direct_read(struct direct *direct);

/* Leaves without asking. The descriptor becomes readable and direct_read() returns false. */
void direct_hang_up(struct direct *direct);

void direct_finish(struct direct *direct);
