/* SPDX-License-Identifier: ISC */
/*
 * A control client without a process: this program itself speaks the protocol of tmux clients.
 *
 * tmux up to 3.6b treats a client as a control client once it has the flags, but can write to it
 * only after the end of the identification. A notification in between crashes the server (null
 * pointer). `tmux -C` sends the flags first, each message separately. Here the flags come last, in
 * one write with the end.
 */
#pragma once

#include "lib/connection/imsg.h"

#define DIRECT_REASON_SIZE 256

struct direct {
	int fd; /* connection to the server, readable when the client's end is near; -1: none */
	enum imsg_form form;
	struct buf in; /* received bytes of an incomplete message */
	bool was_heard; /* the server has sent a message */
	bool is_ending; /* the server has announced the end of the client */
	bool is_suspended; /* the server may not have answered all that it has run */
	bool is_foreign; /* the server speaks another version of the protocol */
	char reason[DIRECT_REASON_SIZE]; /* of the end; empty if unknown */
};

/*
 * Write messages with the name of the terminal that list-clients shows, the flags of a client, or
 * the variables that tmux copies into a new session.
 */
void direct_write_terminal(struct imsg_writer *writer);
void direct_write_flags(struct imsg_writer *writer, uint64_t flags);
void direct_write_environment(struct imsg_writer *writer);

/* Initializes a client that is not connected. */
void direct_init(struct direct *direct);

/*
 * Attaches this process as a client. fd is a connection to the server, which direct owns, also
 * after an error. tmux gets copies of the descriptors input and output. session is an id or
 * MUXBUS_NO_ID. Returns 0, MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno.
 */
int direct_attach(struct direct *direct, int fd, enum imsg_form form, int input, int output,
    uint32_t session, bool has_output);

/* Reads and answers the received messages. Returns false at the end of the connection. */
bool direct_read(struct direct *direct);

/* Ends the client at once. fd becomes readable, and direct_read() returns false. */
void direct_hang_up(struct direct *direct);

void direct_finish(struct direct *direct);
