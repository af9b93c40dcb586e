/* SPDX-License-Identifier: ISC */
/* The last text of a submit: how it was typed, as evidence and for the next try. */
#pragma once

#include "daemon/input/submit_policy.h"

struct json_writer;
struct submit;

struct submit_past {
	char *line; /* submit_read_past() lends it until the text changes */
	unsigned before; /* how often it may have been typed without its end being seen */
	uint64_t activity; /* of the pane's sessions when it was typed; 0: unknown */
	bool was_entered; /* Enter was about to be pressed */
};

/*
 * Sets a line that was typed before, as by an earlier daemon. A line that is at the prompt is not
 * typed again, but submitted. If Enter was pressed and the prompt is empty, the line counts as
 * submitted.
 */
void submit_resume(struct submit *submit, const struct submit_past *past);
/* Returns the past of the text that is being typed, or was last. */
void submit_read_past(const struct submit *submit, struct submit_past *ret_past);

/* Writes the evidence as members of a receipt; none if nothing was typed. */
void submit_write_evidence(
    const struct submit *submit, enum submit_result result, struct json_writer *writer);
/* How the last text was typed, as evidence. */
struct submit_typing {
	bool is_typed; /* false: the other members have no meaning */
	bool is_echo_seen;
	unsigned enters;
	int64_t typing_ms; /* from typing to Enter */
};
void submit_read_typing(const struct submit *submit, struct submit_typing *ret_typing);
