/* SPDX-License-Identifier: ISC */
/* Agents as JSON, for answers, events and notifications. */
#pragma once

#define AGENT_JSON_MAX (16 * 1024) /* bytes of an agent in an event or a notification */

struct agent;
struct json_writer;
struct muxbus_pane;
struct tmux;

/* Writes the members of an agent: name, state, pane, evidence, tasks. */
void agent_write(struct json_writer *writer, const struct agent *agent);
/* Writes the members pane, window, session and pid. pane may be NULL: not in a pane. */
void agent_write_place(
    struct json_writer *writer, const struct tmux *tmux, const struct muxbus_pane *pane);
void agent_write_evidence(struct json_writer *writer, const struct agent *agent);
void agent_publish(const struct agent *agent);
