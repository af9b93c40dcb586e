/* SPDX-License-Identifier: ISC */
/*
 * on_notify: the user's own program for notifications, such as notify-send or curl. A file of that
 * name in the user's configuration has its command line, one word a line; it is read before each
 * run. The program is run without a shell, with the notification as one JSON object on its standard
 * input: one run at a time, at most on_notify_rate in a minute; what comes meanwhile is joined in
 * the next run. A notification for a person which the program has taken (exit status 0) counts as
 * delivered.
 */
#pragma once

#include "daemon/deliver/receipt.h"

#define ON_NOTIFY_FILE_MAX 8192 /* bytes */
#define ON_NOTIFY_WORDS_MAX 64
#define ON_NOTIFY_MS 10000 /* then the program gets SIGTERM */
#define ON_NOTIFY_GRACE_MS 2000 /* and then SIGKILL */
#define ON_NOTIFY_OUTPUT_MAX 65536 /* bytes of output */
#define ON_NOTIFY_PENDING_MAX 1024 /* notifications that wait for a run; more are only counted */

struct on_notify *on_notify_new(const struct daemon *parts);
void on_notify_free(struct on_notify *on_notify);

/* Whether there is a file. */
bool on_notify_is_set(const struct on_notify *on_notify);
/* Writes a member for status: the file, what ran, what failed; null without a file. */
void on_notify_write(
    const struct on_notify *on_notify, struct json_writer *writer, const char *name);
