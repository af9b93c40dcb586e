/* SPDX-License-Identifier: ISC */
/* Shared by the methods that read the queue: how entries, gaps and consumers are written. */
#pragma once

#include "daemon/queue/consumer.h"

struct request;
struct tmux;

enum { QUEUE_LIST_MAX = 1000 }; /* most entries in one answer */

/* The results of list_notifications and next_notification. */
extern const struct field_result notification_list_results[];

/* Writes "gap": the numbers behind a reader's number up to another one; null if none. */
void queue_write_gap(struct json_writer *writer, uint64_t after, uint64_t to, const char *reason);
/* Writes as "gap" the notifications after a reader's number that are no longer kept. */
void notification_write_gap(struct json_writer *writer, const struct queue *queue, uint64_t after);
void notification_write_entry(
    struct json_writer *writer, struct tmux *tmux, const struct notification *note);

/* Finds or creates a consumer. On error, fails the request and returns NULL. */
struct consumer *queue_get_consumer(struct request *request, const char *name);

/* Returns true if the number "after" was given already, or false after failing the request. */
bool queue_check_after(struct request *request, int64_t after);
