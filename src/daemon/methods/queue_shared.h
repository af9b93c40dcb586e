/* SPDX-License-Identifier: ISC */
/* Functions shared by the methods that read the queue or past events. */
#pragma once

#include "daemon/queue/consumer.h"

struct request;
struct tmux;

enum { QUEUE_LIST_MAX = 1000 };

/* The rows of the results of list_notifications and next_notification. */
extern const struct field_result notification_list_results[];

/* Writes the member gap: numbers behind `after` up to `to` are missing; null if there are none. */
void queue_write_gap(struct json_writer *writer, uint64_t after, uint64_t to, const char *reason);
/* Writes the member gap: the notifications after `after` that are not kept any more. */
void notification_write_gap(struct json_writer *writer, const struct queue *queue, uint64_t after);
void notification_write_entry(
    struct json_writer *writer, struct tmux *tmux, const struct notification *note);

/* Finds or makes a consumer. Returns NULL, after failing the request, if that is not possible. */
struct consumer *queue_get_consumer(struct request *request, const char *name);

/* Checks a parameter "after". Returns false, after failing the request, if it was not given yet. */
bool queue_check_after(struct request *request, int64_t after);
