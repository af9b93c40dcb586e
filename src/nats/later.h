/* SPDX-License-Identifier: ISC */
/* A timer of the event loop that fires once each time it is armed. */
#ifndef NATS_LATER_H
#define NATS_LATER_H

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct later;

/* Never NULL; not armed. */
struct later *later_new(struct event_base *base, void (*fn)(void *data), void *data);
void later_free(struct later *later); /* NULL is allowed */
void later_arm(struct later *later, int64_t ms); /* anew, if it is armed */
void later_disarm(struct later *later);
bool later_is_armed(const struct later *later);

#endif
