/* SPDX-License-Identifier: ISC */
/*
 * The shipped folder of declarations, then the user's, whose tools replace shipped ones of the same
 * name. Both are read again when they change. A file that cannot be used is an entry with the
 * reason.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/tool/declaration.h"

#define TOOLS_MAX 256 /* further files are ignored, with a warning in the log */

enum tool_state {
	TOOL_LISTED,
	TOOL_HIDDEN, /* a needed program is missing */
	TOOL_BROKEN, /* the file or its program cannot be used; see reason */
};
extern const char *const tool_state_names[];

struct tool {
	struct method method; /* must be first; no name if broken */
	struct list link;
	size_t uses; /* requests that use the row */
	char *file; /* path of the declaration */
	char *dir; /* its folder */
	char *name; /* of the tool; if the declaration is not valid, of the file without ".json" */
	struct declaration *declaration;
	enum tool_state state;
	char *reason; /* of the state; or NULL */
};

struct tool_folder_parts {
	struct event_base *base;
	/* Handles a call of any declared tool; see struct method. */
	void (*handle)(struct request *request, const void *args);
	void (*changed)(void *data); /* the listed tools have changed */
	void *data;
};

/* A folder that does not exist counts as empty. */
struct tool_folder *tool_folder_new(const struct tool_folder_parts *parts);
void tool_folder_free(struct tool_folder *folder);

/*
 * Programs may have been installed, for example. Does nothing while a file is being written, since
 * both folders are read after the write.
 */
void tool_folder_read(struct tool_folder *folder);

/* read() is called after each reading, since other files may have changed as well. */
void tool_folder_set_read(struct tool_folder *folder, void (*read)(void *data), void *data);

/* 0: shipped, 1: the user's. NULL: absent, writable by others, or 1 is the same as 0. */
const char *tool_folder_path(const struct tool_folder *folder, size_t at);

/* Only this user or root may change the file. Returns its length, or -1 with a reason. */
ssize_t tool_file_read(
    const char *path, char *out, size_t size, char *ret_reason, size_t reason_size);

/* By name; NULL gets the first; NULL after the last. */
const struct tool *tool_next(const struct tool_folder *folder, const struct tool *previous);

/* The row must be one of a tool_folder. */
const struct tool *tool_of(const struct method *method);
