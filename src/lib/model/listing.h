/* SPDX-License-Identifier: ISC */
/*
 * Reading the whole server: the commands that list it in one tick, and their replies as a
 * model. A record is a line that starts with its letter; TAB separates its fields, and
 * fields that programs can choose are encoded.
 */
#ifndef LIB_MODEL_LISTING_H
#define LIB_MODEL_LISTING_H

#include <muxbus.h>

/* The number of commands of listing_write(), and of replies of listing_read(). */
#define LISTING_COMMANDS 4

/* The model, and further results of a listing. */
struct listing {
	struct muxbus_model *model; /* the caller frees it */
	const char *version; /* of the server; lent from the model */
	bool exit_unattached; /* the server ends when its last client leaves */
	unsigned malformed; /* invalid records, which were left out */
};

/* Adds the commands; they must run as one list with nothing between them. */
void listing_write(struct muxbus_command *command);

/*
 * Reads their replies. Returns MUXBUS_ERR_COMMAND if a command failed, MUXBUS_ERR_INVALID
 * if count is not LISTING_COMMANDS, or MUXBUS_ERR_NOMEM.
 */
int listing_read(
    const struct muxbus_reply *replies, size_t count, uint32_t caps, struct listing *ret_listing);

#endif
