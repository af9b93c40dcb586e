/* SPDX-License-Identifier: ISC */
/* Sessions, windows and panes as JSON, the same in results and events. */
#pragma once

#include <muxbus.h>

#include "wire/json.h"

/* A person counts as present for this long after the last key. */
#define OBJECT_HUMAN_SEC 60
#define OBJECT_HUMANS_MAX 64

struct object_view {
	const struct muxbus_model *model;
	uint32_t human_panes[OBJECT_HUMANS_MAX]; /* panes in front of a person */
	size_t human_count;
};

void object_view_init(struct object_view *view, const struct muxbus_model *model);

/* Each function writes the members of its object into an open JSON object. */
void object_put_session(struct json_writer *writer, const struct muxbus_model *model,
    const struct muxbus_session *session);
void object_put_window(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_window *window);
void object_put_pane(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane);
/* Leaves out what is ordinary, and a title that ends with the directory; cuts a long title. */
void object_put_pane_brief(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane);
void object_put_client(struct json_writer *writer, const struct muxbus_client *client);

/* Writes null if the string is not a layout. */
void object_put_layout(struct json_writer *writer, const char *name, const char *layout);

/* Writes the exit status and signal of an ended program, null if unknown. */
void object_put_exit(struct json_writer *writer, int status, int number);
