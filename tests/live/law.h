/* SPDX-License-Identifier: ISC */
/*
 * The law that fuzzers of the daemon hold it to: each request gets exactly one answer, every line
 * is JSON, the process lives, and nothing is typed. Breaches are printed and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuzz/fuzzing.h"
#include "harness.h"

enum { LAW_OPEN_MAX = 256 }; /* requests that may be open at once */

/* A conversation in which many requests are open. */
struct law {
	struct talk *talk;
	int64_t next_id;
	bool is_open[LAW_OPEN_MAX]; /* by id modulo */
	size_t open;
	uint64_t answers, errors; /* so far; errors are answers too */
	unsigned breaches;
	void (*event)(void *data, const struct json *params); /* NULL: they are dropped */
	void *data;
};

void law_init(struct law *law, const struct live *live);
void law_finish(struct law *law);

/* Sends a request; params is JSON, or what shall stand there instead; NULL: none. */
void law_ask(struct law *law, const char *method, const char *params);
/* Sends any line, the answer of which may have the id null. Blank lines get none. */
void law_say(struct law *law, const void *line, size_t len);
/* Reads until every request has its answer. */
void law_settle(struct law *law);

/* A pane that writes each byte that is typed into it to a file; its id, lent as by live_tmux(). */
const char *law_pane(struct live *live, const char *file);
/* Whether nothing was typed into that pane. */
bool law_is_untouched(struct live *live, const char *file);
/* Whether the daemon lives, and no sanitizer has said anything. */
bool law_is_sound(struct live *live);
