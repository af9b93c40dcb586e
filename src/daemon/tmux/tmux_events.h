/* SPDX-License-Identifier: ISC */
/* Publishes changes of the model as events, also when the tmux server is found or lost. */
#pragma once

#include <muxbus.h>

struct event_log;

void tmux_events_change(
    struct event_log *log, const struct muxbus_model *model, const struct muxbus_change *change);

void tmux_events_found(struct event_log *log, const struct muxbus_sync_info *info);
void tmux_events_lost(struct event_log *log, int error, const char *reason, pid_t pid);

/* Publishes a gap: while the daemon was detached it saw no events. */
void tmux_events_rested(struct event_log *log);

/* Puts the sessions that have the window into the scope, as many as it can have. */
struct event_scope;
void tmux_events_sessions(
    const struct muxbus_model *model, uint32_t window, struct event_scope *scope);
