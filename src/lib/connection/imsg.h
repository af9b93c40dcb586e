/* SPDX-License-Identifier: ISC */
/*
 * The messages between a tmux client and its server: imsg of OpenBSD, protocol version 8. Up to
 * tmux 3.5a the header has 16 bits of length and 16 bits of flags; since 3.6, 32 bits of length.
 * The lowest flag, or the highest bit of the length, marks a message that passes a descriptor.
 */
#pragma once

#include "base/base.h"

enum { IMSG_HEADER_BYTES = 16, IMSG_MAX = 16384, IMSG_PROTOCOL = 8 };

enum imsg_form {
	IMSG_FORM_FLAGS, /* tmux up to 3.5a */
	IMSG_FORM_LENGTH, /* tmux 3.6 and later */
};

enum imsg_type {
	IMSG_VERSION = 12, /* the server speaks another protocol version */

	IMSG_IDENTIFY_FLAGS = 100,
	IMSG_IDENTIFY_TERM = 101,
	IMSG_IDENTIFY_TTYNAME = 102,
	IMSG_IDENTIFY_STDIN = 104,
	IMSG_IDENTIFY_ENVIRON = 105,
	IMSG_IDENTIFY_DONE = 106,
	IMSG_IDENTIFY_CLIENTPID = 107,
	IMSG_IDENTIFY_CWD = 108,
	IMSG_IDENTIFY_FEATURES = 109,
	IMSG_IDENTIFY_STDOUT = 110,
	IMSG_IDENTIFY_LONGFLAGS = 111,

	IMSG_COMMAND = 200,
	IMSG_DETACH = 201,
	IMSG_DETACH_KILL = 202,
	IMSG_EXIT = 203,
	IMSG_EXITED = 204,
	IMSG_EXITING = 205,
	IMSG_SHUTDOWN = 210,
	IMSG_SUSPEND = 214,
	IMSG_EXEC = 217,

	IMSG_READ_OPEN = 300,
	IMSG_READ = 301,
	IMSG_READ_DONE = 302,
	IMSG_WRITE_OPEN = 303,
	IMSG_WRITE = 304,
	IMSG_WRITE_READY = 305,
	IMSG_WRITE_CLOSE = 306,
};

struct imsg {
	uint32_t type;
	uint32_t protocol; /* protocol version of the sender */
	const uint8_t *data; /* lent */
	size_t len;
};

/*
 * Appends a message. Returns 0, MUXBUS_ERR_NOMEM, or MUXBUS_ERR_LIMIT if the message has more than
 * IMSG_MAX bytes or out is full.
 */
int imsg_append(struct buf *out, enum imsg_form form, uint32_t type, const void *data, size_t len);

/* Appends several messages. After an error, imsg_write() appends no more. */
struct imsg_writer {
	struct buf *out;
	enum imsg_form form;
	int error; /* of imsg_append(), or 0 */
};
void imsg_write(struct imsg_writer *writer, uint32_t type, const void *data, size_t len);
void imsg_write_text(struct imsg_writer *writer, uint32_t type, const char *text);

/* Writes the header of a message without data that passes a descriptor. */
void imsg_passing(uint8_t out[IMSG_HEADER_BYTES], enum imsg_form form, uint32_t type);

/* Writes a message of an unknown protocol version. Servers answer it or close the connection. */
void imsg_foreign(uint8_t out[IMSG_HEADER_BYTES]);

/*
 * Reads the first message. *ret_used is the length of the message, or 0 if it is incomplete.
 * Returns 0, or MUXBUS_ERR_PROTOCOL if the length is invalid.
 */
int imsg_read(enum imsg_form form, const uint8_t *bytes, size_t len, struct imsg *ret_message,
    size_t *ret_used);

/* Reads count numbers at the start of the data. Returns false if the data is too short. */
bool imsg_numbers(const struct imsg *message, int *numbers, size_t count);

/*
 * Calls handle() for each whole message at the front of in, then removes these messages. Returns 0,
 * MUXBUS_ERR_PROTOCOL, or MUXBUS_ERR_CANCELLED once handle() returns false, which may free in.
 */
int imsg_each(enum imsg_form form, struct buf *in,
    bool (*handle)(void *data, const struct imsg *message), void *data);
