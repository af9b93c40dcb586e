/* SPDX-License-Identifier: ISC */
/* Events of providers: their kinds, and publishing. */
#pragma once

#include "daemon/provide/provider.h"

struct event_scope;

/*
 * Takes kinds for a provider: a JSON array of objects with kind and summary; NULL: none. Those it
 * has stay. False with a failure: some are taken.
 */
bool provide_event_take(
    struct provider *provider, const struct json *rows, struct tool_failure *ret_failure);

/*
 * Publishes an event of a peer that provides; a kind that no provider has becomes its own. data: an
 * object. Returns its number, or 0 with a failure.
 */
uint64_t provide_event_publish(struct provide_set *set, const struct peer *peer, const char *kind,
    const struct event_scope *scope, const struct json *data, struct tool_failure *ret_failure);
