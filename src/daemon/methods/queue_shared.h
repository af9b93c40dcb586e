/* SPDX-License-Identifier: ISC */
/* Shared by the methods that read the queue: how entries, gaps and consumers look. */
#pragma once

#include "daemon/queue/consumer.h"

struct request;
struct tmux;

enum { QUEUE_LIST_MAX = 1000 }; /* entries of one answer */

/* The result of list_notifications and next_notification. */
extern const struct field_result notification_list_results[];

/* Writes what is missing between a reader's place and what is remembered, or null. */
void notification_write_gap(struct json_writer *writer, const struct queue *queue, uint64_t after);
void notification_write_entry(
    struct json_writer *writer, struct tmux *tmux, const struct notification *note);

/* Finds or makes a consumer; NULL after failing the request. */
struct consumer *queue_get_consumer(struct request *request, const char *name);

/* Whether a number that a reader goes on behind was given; false after failing the request. */
bool queue_check_after(struct request *request, int64_t after);
