/* SPDX-License-Identifier: ISC */
/*
 * Reading the whole server: the commands that list it in one tick, and their replies as
 * a model. A record is a line that starts with its letter; its fields are separated by
 * TAB, and those that programs can choose are encoded.
 */
#ifndef LIB_LISTING_H
#define LIB_LISTING_H

#include <muxbus.h>

/* How many commands listing_write() adds, so how many replies listing_read() reads. */
#define LISTING_COMMANDS 4

/* What a listing says beside the model. */
struct listing {
	struct muxbus_model *model; /* the caller's to free */
	const char *version; /* of the server, as it says; lent from the model */
	bool exit_unattached; /* the server ends when its last client leaves */
	unsigned malformed; /* records that could not be read and were left out */
};

/* Adds the commands; they must be run as one list with nothing between them. */
void listing_write(struct muxbus_command *command);

/*
 * Reads their replies. Returns MUXBUS_ERR_COMMAND if one of them failed,
 * MUXBUS_ERR_INVALID if there are not LISTING_COMMANDS of them, or MUXBUS_ERR_NOMEM.
 */
int listing_read(
    const struct muxbus_reply *replies, size_t count, uint32_t caps, struct listing *ret_listing);

#endif
