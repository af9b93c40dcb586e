/* SPDX-License-Identifier: ISC */
/*
 * The line that is typed at a prompt, of a fixed form. It speaks with the authority of the
 * person who sits there, so its words are ours; text of strangers appears only as a short
 * quotation that cannot be a command, in a quarter where it cannot do harm.
 */
#ifndef DAEMON_DELIVER_PROMPT_LINE_H
#define DAEMON_DELIVER_PROMPT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "daemon/queue/notification.h"

#define PROMPT_LINE_MAX 400 /* characters of a whole notice */
#define PROMPT_LINE_QUOTE_MAX 160 /* characters of a quotation */

/*
 * Appends the notice for notes that are due together, with the words for the first of them:
 * "[muxbus A1B2 job] exit 3 after 0.2 s. Details: next_notification A1B2". quote: text of
 * strangers to put last, NULL for none. It begins with '[', and has no control characters.
 */
void prompt_line_write(
    struct buf *out, const struct notification *const *notes, size_t count, const char *quote);

/*
 * The same with the quotation that the settings allow: the output of a job and the text of a
 * post (quote_output), the line that a watch has found (quote_match).
 */
struct config_limits;
void prompt_line_compose(struct buf *out, const struct notification *const *notes, size_t count,
    const struct config_limits *limits);

/*
 * Makes text of strangers harmless at any prompt: valid UTF-8, one line, no control, format
 * or private characters, and full-width twins for all that a shell or an agent could take for
 * more than text. Idempotent; at most max characters.
 */
void prompt_line_quote(struct buf *out, const char *text, size_t len, size_t max);

#endif
