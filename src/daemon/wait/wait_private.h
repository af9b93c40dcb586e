/* SPDX-License-Identifier: ISC */
/* Waits as the engine, their notifications and their records share them. */
#pragma once

#include "daemon/wait/condition.h"
#include "daemon/wait/wait_parts.h"

enum {
	WAIT_SPEC_MAX = 64 * 1024, /* bytes of one condition as JSON */
	WAIT_FOUND_MAX = 16 * 1024, /* of the matches of one notification */
	WAIT_SPECS_MAX = 400 * 1024, /* of all conditions of a wait with a name */
};

/* One condition of a wait. */
struct wait_part {
	struct condition *condition;
	char *spec; /* as JSON, its pane by its id */
	struct pane_ref pane; /* that it looks at; cleared: none */
};

struct wait {
	struct list link; /* oldest first */
	struct wait_set *set;
	enum wait_kind kind;
	char name[WAIT_NAME_MAX + 1]; /* "": none; of a background wait its id */
	bool holds_id; /* its name is one of the queue's ids */
	struct request *request; /* NULL: none waits at the moment */
	struct wait_part *parts;
	size_t count;
	bool is_all;
	bool is_once; /* background: it ends when it has come true */
	unsigned matches; /* background */
	struct buf
	    found; /* the details of matches that are not notified yet, with commas between */
	size_t first_len; /* of the first of them */
	unsigned found_count; /* all of them */
	int64_t posted_ms; /* CLOCK_MONOTONIC: the last notification of matches */
	bool is_over;
	bool is_timed_out;
	int64_t due_ms; /* CLOCK_REALTIME; 0: none */
	int64_t due_run_ms; /* the same of wait_run_ms() */
	int64_t asked_due_ms; /* CLOCK_MONOTONIC: of the request that resumed it; 0: none */
	int64_t began_ms; /* CLOCK_MONOTONIC */
	int64_t over_ms;
	struct pane_ref pane; /* gets a notification at the end; cleared: none does */
	uint64_t notified; /* that notification; 0: none yet */
	struct loop_timer *deadline;
	struct loop_timer *settled; /* answers at the end of the turn */
};

struct wait_set {
	struct daemon *parts;
	struct json_reader *reader;
	struct list waits;
	size_t named;
	size_t backgrounds;
	void (*settled)(void *wait); /* the roof: the end of the turn, and the time-out */
	void (*deadline)(void *wait);
};

/* A wait without conditions yet, in the set; count is the most that it will have. */
struct wait *wait_new(struct wait_set *set, enum wait_kind kind, size_t count);
/* Takes a wait out of memory; its record stays. */
void wait_drop(struct wait *wait);
/* Names a wait. is_id: the name is an id that the queue holds for it. */
void wait_set_name(struct wait *wait, const char *name, bool is_id);
/* Whether it waits for the conditions of a request. Names of panes and windows are not compared. */
bool wait_asks(const struct wait *wait, const struct json *list, bool is_all);
/* Gives the id back to the queue, if its name is one. */
void wait_release_id(struct wait *wait);
/* The clock of its time-out, which is never set; that of a background wait runs on during suspend. */
int64_t wait_run_ms(const struct wait *wait);
/* When it times out (CLOCK_REALTIME). */
void wait_set_due(struct wait *wait, int64_t due_ms);

/* A match of a background wait that goes on, which is notified soon. */
void wait_note_match(struct wait *wait);
/* Posts the matches that are noted, if there are any. */
void wait_post_found(struct wait *wait);
/* Posts a notification of the wait: reason is match, timeout, gone, limit or cancelled. */
uint64_t wait_post(struct wait *wait, const char *reason, bool is_end);

/* Puts a wait that has a name into the store, as it stands. */
void wait_record_put(const struct wait *wait);
void wait_record_delete(const struct wait *wait);
/* Takes up all waits that the store holds; none is armed. */
void wait_record_load(struct wait_set *set);
