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

#define TAIL_BUDGET (1024 * 1024) /* bytes in one look: nobody else is starved */
#define TAIL_LINGER_MS 1000 /* a file that lost its name is read that long after it last grew */
#define TAIL_OLD_MAX 64 /* such files that are open at once */
#define TAIL_PLACES_MAX 8 /* that are worth keeping over a restart */

enum tail_change {
	TAIL_FILE_GREW,
	TAIL_FILE_TRUNCATED,
	TAIL_FILE_REWRITTEN, /* written anew, to the same length or a greater one */
	TAIL_FILE_APPEARED, /* a file bears the name now, as none did before */
	TAIL_FILE_REPLACED, /* another file bears it */
	TAIL_FILE_GONE, /* no file does */
	TAIL_CHANGE_COUNT_,
};
const char *tail_change_name(enum tail_change change);

enum tail_state {
	TAIL_READING,
	TAIL_ABSENT,
	TAIL_NOT_REGULAR, /* a directory, a FIFO, a device: it waits for a file */
	TAIL_UNREADABLE, /* error says why */
	TAIL_STATE_COUNT_,
};
const char *tail_state_name(enum tail_state state);

struct tail_handlers {
	tail_sink_fn *block;
	void (*changed)(void *data, enum tail_change change);
	/* Before its first byte is read, so that no growth can pass unseen; and before it is closed. */
	void (*opened)(void *data, struct tail_file *file);
	void (*closing)(void *data, struct tail_file *file);
};

struct tail;

/* path is absolute; scratch (TAIL_SCRATCH bytes) may be shared by all. Opens nothing yet. */
struct tail *tail_new(
    const char *path, uint8_t *scratch, const struct tail_handlers *handlers, void *data);
void tail_free(struct tail *tail);

/* Begins with what comes: at the end of the file that is there, or at the first byte of one to come. */
void tail_start(struct tail *tail, int64_t now_ms);
/* Begins where an earlier life was: places of the file and of those that had lost the name. */
void tail_resume(struct tail *tail, const struct tail_place *places, size_t count, int64_t now_ms);

/*
 * Looks once. False if a handler stopped it. *ret_has_more: the budget was used up, look
 * again soon. *ret_again_ms: look again after that long even if nothing is heard; -1: no need.
 */
bool tail_look(struct tail *tail, int64_t now_ms, bool *ret_has_more, int64_t *ret_again_ms);

/* A file that bore the name has this one now. */
void tail_moved(struct tail *tail, const char *path);
/* Names may have come and gone unheard: when the file is another, its siblings are looked at. */
void tail_suspect(struct tail *tail);

enum tail_state tail_state(const struct tail *tail);
int tail_error(const struct tail *tail); /* errno of UNREADABLE */
/* The file that bears the name, or NULL. */
struct tail_file *tail_file(const struct tail *tail);

/* What tail_resume() takes. Returns how many. */
size_t tail_places(const struct tail *tail, struct tail_place ret_places[TAIL_PLACES_MAX]);

#endif
