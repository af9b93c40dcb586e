/* SPDX-License-Identifier: ISC */
/*
 * The line that wakes an agent, whether it is typed, printed by a follower, handed over by a hook
 * or queued by the agent's command. A typed line has the authority of the person at the prompt, so
 * its words are ours; foreign text is only a name or a short quotation, and cannot be a command.
 */
#pragma once

#include "daemon/queue/notification.h"

#define PROMPT_LINE_MAX 600 /* characters of a whole line */
#define PROMPT_LINE_BYTES 2048
#define PROMPT_LINE_QUOTE_MAX 200 /* characters of a quotation */

/*
 * Appends the line for notes that are due together, with the name, the outcome and a quotation of
 * the first, and the outcomes of the others: "[muxbus A1B2 job build] exit 3 after 12 s: untrusted
 * text «…». Details: next_notification A1B2. And 1 more: C3D4 job exit 0 after 0.2 s". It begins
 * with '[', and has no control characters. The settings allow quotations: of the output of a job
 * and the text of a post (quote_output), of the line that a watch has found (quote_match). NULL: a
 * line that other users may see, without quotations, and of commands only that of a job.
 */
struct config_limits;
void prompt_line_compose(struct buf *out, const struct notification *const *notes, size_t count,
    const struct config_limits *limits);

/*
 * Appends foreign text that is harmless at any prompt: valid UTF-8, one line, without escape
 * sequences, control, format or private characters, and with full-width twins for all that a shell
 * or an agent could take for more than text. Idempotent; of a text of more than max characters the
 * head and the tail, with an ellipsis between.
 */
void prompt_line_quote(struct buf *out, const char *text, size_t len, size_t max);

/*
 * Appends a notification as people read it, in a status line: "[muxbus A1B2 job build] exit 3 after
 * 12 s". The same without the twins: no program reads the line.
 */
void prompt_line_show(struct buf *out, const struct notification *note);
