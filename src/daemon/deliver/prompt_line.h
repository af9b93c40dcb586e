/* SPDX-License-Identifier: ISC */
/*
 * The line that reports notifications to an agent. It is typed, printed by a follower, returned by
 * a hook or queued by the agent's command. An agent trusts a typed line as if the person at the
 * prompt had typed it, so its words are ours. Foreign text in it, such as a name or a short
 * quotation, has a form that cannot act as a command.
 */
#pragma once

#include "daemon/queue/notification.h"

struct config_limits;

#define PROMPT_LINE_MAX 600 /* characters of a whole line */
#define PROMPT_LINE_BYTES 2048
#define PROMPT_LINE_QUOTE_MAX 200 /* characters of a quotation */

/*
 * Appends the line for notifications that are due together: name, outcome and a quotation of the
 * first, and the outcomes of the others: "[muxbus A1B2 job build] exit 3 after 12 s: untrusted text
 * «…». Details: next_notification A1B2. And 1 more: C3D4 job exit 0 after 0.2 s". limits:
 * quote_output allows quotations of the output of jobs and tools, and of the texts of posts and
 * programs; quote_match of the line that a watch has found. NULL: other users may see the line, so
 * it has no quotations, and no command except that of a job.
 */
void prompt_line_compose(struct buf *out, const struct notification *const *notes, size_t count,
    const struct config_limits *limits);

/*
 * Appends foreign text in a form that is harmless at any prompt: valid UTF-8, one line, without
 * escape sequences, control, format or private characters; characters that a shell or an agent
 * could interpret get their full-width forms. Doing this twice changes nothing more. Of a text of
 * more than max characters, the begin and the end are kept, with an ellipsis between. Only the
 * first 64 KiB are read.
 */
void prompt_line_quote(struct buf *out, const char *text, size_t len, size_t max);

/* Appends the line for a person, as "[muxbus A1B2 job build] exit 3 after 12 s". */
void prompt_line_show(struct buf *out, const struct notification *note);
