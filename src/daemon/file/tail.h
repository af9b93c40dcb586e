/* SPDX-License-Identifier: ISC */
/*
 * Follows what a path names, through growth, rotation, truncation, replacement, absence:
 * each line that is written to a file while it bears the name is told once, and late ones
 * of files that have just lost it. Looks when it is told to look: it has no event loop.
 *
 * Events only say when to look; what has happened is found by comparing.
 */
#ifndef DAEMON_FILE_TAIL_H
#define DAEMON_FILE_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "daemon/file/tail_file.h"

#define FOLLOWER_BUDGET (1024 * 1024) /* bytes in one look: nobody else is starved */
#define FOLLOWER_LINGER_MS 1000 /* a file that lost its name is read that long after it last grew */
#define FOLLOWER_OLD_MAX 64 /* such files that are open at once */
#define FOLLOWER_PLACES_MAX 8 /* that are worth keeping over a restart */

enum follower_change {
	FOLLOWER_GREW,
	FOLLOWER_TRUNCATED,
	FOLLOWER_REWRITTEN, /* written anew, to the same length or a greater one */
	FOLLOWER_APPEARED, /* a file bears the name now, as none did before */
	FOLLOWER_REPLACED, /* another file bears it */
	FOLLOWER_GONE, /* no file does */
	FOLLOWER_CHANGE_COUNT_,
};
const char *follower_change_name(enum follower_change change);

enum follower_state {
	FOLLOWER_READING,
	FOLLOWER_ABSENT,
	FOLLOWER_NOT_REGULAR, /* a directory, a FIFO, a device: it waits for a file */
	FOLLOWER_UNREADABLE, /* error says why */
	FOLLOWER_STATE_COUNT_,
};
const char *follower_state_name(enum follower_state state);

struct follower_handlers {
	tail_sink_fn *block;
	void (*changed)(void *data, enum follower_change change);
	/* Before its first byte is read, so that no growth can pass unseen; and before it is closed. */
	void (*opened)(void *data, struct tail_file *file);
	void (*closing)(void *data, struct tail_file *file);
};

struct follower;

/* path is absolute; scratch (TAIL_SCRATCH bytes) may be shared by all. Opens nothing yet. */
struct follower *follower_new(
    const char *path, uint8_t *scratch, const struct follower_handlers *handlers, void *data);
void follower_free(struct follower *follower);

/* Begins with what comes: at the end of the file that is there, or at the first byte of one to come. */
void follower_start(struct follower *follower, int64_t now_ms);
/* Begins where an earlier life was: places of the file and of those that had lost the name. */
void follower_resume(
    struct follower *follower, const struct tail_place *places, size_t count, int64_t now_ms);

/*
 * Looks once. False if a handler stopped it. *ret_has_more: the budget was used up, look
 * again soon. *ret_again_ms: look again after that long even if nothing is heard; -1: no need.
 */
bool follower_look(
    struct follower *follower, int64_t now_ms, bool *ret_has_more, int64_t *ret_again_ms);

/* A file that bore the name has this one now. */
void follower_moved(struct follower *follower, const char *path);
/* Names may have come and gone unheard: when the file is another, its siblings are looked at. */
void follower_suspect(struct follower *follower);

enum follower_state follower_state(const struct follower *follower);
int follower_error(const struct follower *follower); /* errno of UNREADABLE */
/* The file that bears the name, or NULL. */
struct tail_file *follower_file(const struct follower *follower);

/* What follower_resume() takes. Returns how many. */
size_t follower_places(
    const struct follower *follower, struct tail_place ret_places[FOLLOWER_PLACES_MAX]);

#endif
