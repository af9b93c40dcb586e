/* SPDX-License-Identifier: ISC */
/*
 * A control client without a process: this program speaks the protocol of tmux clients. tmux up to
 * 3.6b crashes if it notifies a client that has sent its flags but not the end of the
 * identification. `tmux -C` sends the flags first; here they come last, in one write with the end.
 */
#pragma once

#include "lib/connection/imsg.h"

#define DIRECT_REASON_SIZE 256

struct direct {
	int fd; /* connection to the server, readable for a message or the end; -1: none */
	enum imsg_form form;
	struct buf in; /* received bytes of an incomplete message */
	bool was_heard; /* the server has sent a message */
	bool is_ending; /* the server has announced the end of the client */
	bool is_suspended; /* the server may not have answered all that it has run */
	bool is_foreign; /* the server speaks another version of the protocol */
	char reason[DIRECT_REASON_SIZE]; /* of the end; empty if unknown */
};

/*
 * Write messages: the name of the terminal that list-clients shows, the flags of a client, and the
 * variables that tmux may copy into a new session.
 */
void direct_write_terminal(struct imsg_writer *writer);
void direct_write_flags(struct imsg_writer *writer, uint64_t flags);
void direct_write_environment(struct imsg_writer *writer);

void direct_init(struct direct *direct);

/*
 * Attaches this process to a session; MUXBUS_NO_ID: tmux chooses. direct owns fd, a connection to
 * the server, even after an error. tmux gets copies of input and output. Returns 0 (also if the
 * server has closed the connection), MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno.
 */
int direct_attach(struct direct *direct, int fd, enum imsg_form form, int input, int output,
    uint32_t session, bool has_output);

/* Reads and answers the received messages. Returns false if the client has ended or must end. */
bool direct_read(struct direct *direct);

/* Ends the client at once. fd becomes readable, and direct_read() returns false. */
void direct_hang_up(struct direct *direct);

void direct_finish(struct direct *direct);
