/* SPDX-License-Identifier: ISC */
/* Counts notifications that wake agents, and writes the meter. */
#pragma once

#include "daemon/server/method.h"

struct event_base;
struct meter;
struct queue;

/* Loads the sums of earlier daemons, and counts from now on. The arguments must live longer. */
struct meter_wakes *meter_wakes_new(
    struct event_base *base, struct meter *meter, struct queue *queue);
void meter_wakes_free(struct meter_wakes *wakes);

extern const struct method methods_meter[];

/* Writes the sums of the last since_sec seconds; 0: since the first count. */
void meter_write(struct json_writer *writer, const struct meter *meter, int64_t since_sec);
