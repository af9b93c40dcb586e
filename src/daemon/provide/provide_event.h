/* SPDX-License-Identifier: ISC */
/* Events of providers: their kinds, and publishing. */
#pragma once

#include "daemon/provide/provider.h"

struct event_scope;

/*
 * Adds kinds to a provider: a JSON array of objects with kind and summary; NULL: none. Present
 * kinds stay. On error, returns false with a failure; some kinds may have been added.
 */
bool provide_event_take(
    struct provider *provider, const struct json *rows, struct tool_failure *ret_failure);

/*
 * Publishes an event of a peer that provides. A kind that no provider has is assigned to it. data:
 * a JSON object; NULL: none. Returns the event's number, or 0 with a failure.
 */
uint64_t provide_event_publish(struct provide_set *set, const struct peer *peer, const char *kind,
    const struct event_scope *scope, const struct json *data, struct tool_failure *ret_failure);
