/* SPDX-License-Identifier: ISC */
/* How the last text of a submit was typed: evidence for its result, and for the next try. */
#pragma once

#include "daemon/input/submit_policy.h"

struct json_writer;
struct submit;

struct submit_past {
	char *line; /* the text, perhaps NULL; submit_read_past() lends it until the text changes */
	unsigned before; /* how often it may have been typed before, without its end being seen */
	uint64_t activity; /* submit_guard_activity() when it was typed; 0: unknown */
	bool was_entered; /* Enter was pressed, or may have been */
};

/*
 * Sets a line that was typed before, for example by an earlier daemon. If it is at the prompt, it
 * is not typed again, only submitted. If Enter was pressed and the prompt is empty, it counts as
 * submitted.
 */
void submit_resume(struct submit *submit, const struct submit_past *past);
/* Returns how the present text was typed; if there is none, how the last was, without its line. */
void submit_read_past(const struct submit *submit, struct submit_past *ret_past);

/* Writes how the text was typed as members of a receipt; nothing if it was not typed. */
void submit_write_evidence(
    const struct submit *submit, enum submit_result result, struct json_writer *writer);
/* How the last text was typed, as evidence. */
struct submit_typing {
	bool is_typed; /* false: the other members have no meaning */
	bool is_echo_seen;
	unsigned enters;
	int64_t typing_ms; /* from typing to the first Enter; without Enter, to now */
};
void submit_read_typing(const struct submit *submit, struct submit_typing *ret_typing);
