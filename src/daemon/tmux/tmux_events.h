/* SPDX-License-Identifier: ISC */
/* Publishes changes of the model, and of the tmux server itself, as events. */
#pragma once

#include <muxbus.h>

struct event_log;

void tmux_events_change(
    struct event_log *log, const struct muxbus_model *model, const struct muxbus_change *change);

void tmux_events_found(struct event_log *log, const struct muxbus_sync_info *info);
void tmux_events_lost(struct event_log *log, int error, const char *reason, pid_t pid);

/* Publishes a gap: the daemon was detached, and saw no events. */
void tmux_events_rested(struct event_log *log);

/* Fills the scope with the sessions that have the window. */
struct event_scope;
void tmux_events_sessions(
    const struct muxbus_model *model, uint32_t window, struct event_scope *scope);
