/* SPDX-License-Identifier: ISC */
/* Objects of the model as JSON, in results and events. */
#pragma once

#include <muxbus.h>

#include "wire/json.h"

/* Seconds after the last activity of a client for which its person counts as present. */
#define OBJECT_HUMAN_SEC 60
#define OBJECT_HUMANS_MAX 64

struct object_view {
	const struct muxbus_model *model;
	/* active panes in front of persons */
	uint32_t human_panes[OBJECT_HUMANS_MAX];
	size_t human_count;
};

void object_view_init(struct object_view *view, const struct muxbus_model *model);

/* These functions write the members of an object into the JSON object that is open. */
void object_put_session(struct json_writer *writer, const struct muxbus_model *model,
    const struct muxbus_session *session);
void object_put_window(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_window *window);
void object_put_pane(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane);
/* Writes few members; cuts titles, and leaves out those that end with the directory's name. */
void object_put_pane_brief(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane);
void object_put_client(struct json_writer *writer, const struct muxbus_client *client);

/* Writes a layout as nested objects, without very deep ones; null if the string is no layout. */
void object_put_layout(struct json_writer *writer, const char *name, const char *layout);

/* Writes the exit status and the signal of a program that has ended; null if not known. */
void object_put_exit(struct json_writer *writer, int status, int number);
