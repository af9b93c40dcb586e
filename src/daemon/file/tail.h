/* SPDX-License-Identifier: ISC */
/*
 * Follows the file of a path, through growth, rotation, truncation, replacement and absence.
 * Reports the lines that are written while the file has the name, and late lines of files that have
 * just lost it. There is no event loop here: the caller says when to look, and changes are found by
 * comparing.
 */
#pragma once

#include "daemon/file/tail_file.h"

#define TAIL_BUDGET (1024 * 1024) /* about the maximum bytes in one look, to be fair to others */
#define TAIL_LINGER_MS 1000 /* how long a file is read after it lost the name or last grew */
#define TAIL_OLD_MAX 64 /* maximum number of open files that have lost the name */
#define TAIL_PLACES_MAX 8 /* maximum number of places stored for a restart */

enum tail_change {
	TAIL_FILE_GREW,
	TAIL_FILE_TRUNCATED,
	TAIL_FILE_REWRITTEN, /* overwritten, and not shorter than before */
	TAIL_FILE_APPEARED, /* a file has the name now; before, none had */
	TAIL_FILE_REPLACED, /* another file has the name now */
	TAIL_FILE_GONE, /* no file has the name now */
	TAIL_CHANGE_COUNT_,
};
extern const char *const tail_change_names[TAIL_CHANGE_COUNT_];

enum tail_state {
	TAIL_READING,
	TAIL_ABSENT,
	TAIL_NOT_REGULAR, /* a directory, FIFO or device: the tail waits for a file */
	TAIL_UNREADABLE, /* tail_error() has the errno */
	TAIL_STATE_COUNT_,
};
extern const char *const tail_state_names[TAIL_STATE_COUNT_];

struct tail_handlers {
	tail_sink_fn *block;
	void (*changed)(void *data, enum tail_change change);
	/* opened() is called before the first byte of the file is read. */
	void (*opened)(void *data, struct tail_file *file);
	void (*closing)(void *data, struct tail_file *file);
};

/* path is absolute; scratch (TAIL_SCRATCH bytes, lent) may be shared. Opens nothing yet. */
struct tail *tail_new(
    const char *path, uint8_t *scratch, const struct tail_handlers *handlers, void *data);
void tail_free(struct tail *tail);

/* Starts at the end of an existing file, or at the first byte of a file created later. */
void tail_start(struct tail *tail, int64_t now_ms);
/* Resumes after a restart at places of tail_places(), also with files made and rotated since. */
void tail_resume(struct tail *tail, const struct tail_place *places, size_t count, int64_t now_ms);

/*
 * Returns false if a handler stopped the look. *ret_has_more: look again soon, there is more to
 * read. *ret_again_ms: look again after this time even without events; -1: no need.
 */
bool tail_look(struct tail *tail, int64_t now_ms, bool *ret_has_more, int64_t *ret_again_ms);

/* Call this if a file that had the name is at path now: it is opened, if it is not open yet. */
void tail_moved(struct tail *tail, const char *path);
/*
 * Events may be lost: looks, up to the first that reads all, also read files that had the name
 * meanwhile (siblings in tail_file.h), if the file was renamed.
 */
void tail_suspect(struct tail *tail);

enum tail_state tail_state(const struct tail *tail);
int tail_error(const struct tail *tail); /* errno if not TAIL_READING */
struct tail_file *tail_file(const struct tail *tail);

/* Returns true at the end of the file, or while waiting for a file, if no old file is open. */
bool tail_is_at_end(const struct tail *tail);
/* Returns true if two tails of a path are at the same place, with no partial line or old file. */
bool tail_is_with(const struct tail *tail, const struct tail *other);
/* Takes over the places of closed files and the line number of another tail at the same place. */
void tail_take(struct tail *tail, const struct tail *other);

/* Writes the places for tail_resume(). Returns their number. */
size_t tail_places(const struct tail *tail, struct tail_place ret_places[TAIL_PLACES_MAX]);
