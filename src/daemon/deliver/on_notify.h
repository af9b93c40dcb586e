/* SPDX-License-Identifier: ISC */
/*
 * on_notify: the user's own program for notifications, such as notify-send or curl. The file
 * on_notify in the user's configuration directory has its command line, one word a line, and is
 * read before each run. The program runs without a shell, and gets the last notification and the
 * number of all as one JSON object on its standard input. It runs at most on_notify_rate times a
 * minute; after a rest, as many runs may follow at once. Notifications that arrive meanwhile share
 * the next run. With exit status 0 in time, a notification for a person counts as delivered.
 */
#pragma once

#include "daemon/deliver/receipt.h"

#define ON_NOTIFY_FILE_MAX 8192 /* bytes */
#define ON_NOTIFY_WORDS_MAX 64
#define ON_NOTIFY_MS 10000 /* time until the program gets SIGTERM */
#define ON_NOTIFY_GRACE_MS 2000 /* time from SIGTERM until SIGKILL */
#define ON_NOTIFY_OUTPUT_MAX 65536 /* bytes of output */
/* notifications that wait for a run; of more, the oldest are only counted */
#define ON_NOTIFY_PENDING_MAX 1024

struct on_notify *on_notify_new(const struct daemon *parts);
void on_notify_free(struct on_notify *on_notify);
bool on_notify_is_set(const struct on_notify *on_notify);
/* Writes the settings, counts and last failure for the method status; null without a file. */
void on_notify_write(
    const struct on_notify *on_notify, struct json_writer *writer, const char *name);
