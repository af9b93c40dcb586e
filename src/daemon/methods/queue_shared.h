/* SPDX-License-Identifier: ISC */
/* Shared by the methods that read the queue. */
#pragma once

#include "daemon/queue/consumer.h"

struct request;
struct tmux;

enum { QUEUE_LIST_MAX = 1000 };

/* Of list_notifications and next_notification. */
extern const struct field_result notification_list_results[];

/* The gap is null if no numbers are missing up to "to". */
void queue_write_gap(struct json_writer *writer, uint64_t after, uint64_t to, const char *reason);
/* The gap has the notifications that are no longer kept. */
void notification_write_gap(struct json_writer *writer, const struct queue *queue, uint64_t after);
void notification_write_entry(
    struct json_writer *writer, struct tmux *tmux, const struct notification *note);

/* Returns NULL after failing the request. */
struct consumer *queue_get_consumer(struct request *request, const char *name);

/* Returns false after failing the request if the number was not given yet. */
bool queue_check_after(struct request *request, int64_t after);
