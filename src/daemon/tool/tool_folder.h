/* SPDX-License-Identifier: ISC */
/*
 * The folders of declarations: the shipped one, then the user's, whose tools replace those of the
 * same name. Both are read at the start, and again when they change. A file that cannot be used
 * is an entry with the reason. The tools that can be called are rows of the method table.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/tool/declaration.h"

#define TOOLS_MAX 256 /* files that are read; later ones are left out, and the log says so */

enum tool_state {
	TOOL_LISTED,
	TOOL_HIDDEN, /* a program is missing */
	TOOL_BROKEN, /* its file cannot be used; declaration is NULL */
};
const char *tool_state_name(enum tool_state state);

struct tool {
	struct method method; /* the row; without a name if it is broken */
	struct list link;
	size_t uses; /* requests that have the row */
	char *file; /* the path of the declaration */
	char *dir; /* its folder */
	char *name; /* of the tool; of a broken one, of the file without ".json" */
	struct declaration *declaration;
	enum tool_state state;
	char *reason; /* why it is not listed, or NULL */
};

struct tool_folder_parts {
	struct event_base *base;
	/* Handles a call of any declared tool; see struct method. */
	void (*handle)(struct request *request, const void *args);
	void (*changed)(void *data); /* other tools are listed now */
	void *data;
};

/* Reads both folders. A folder that does not exist is as good as empty. */
struct tool_folder *tool_folder_new(const struct tool_folder_parts *parts);
void tool_folder_free(struct tool_folder *folder);

/* Reads both again now, as when programs may have been installed. */
void tool_folder_read(struct tool_folder *folder);

/* Calls read after each reading: other files in the folders may have changed. */
void tool_folder_set_read(struct tool_folder *folder, void (*read)(void *data), void *data);

/*
 * The shipped folder (0), or the user's (1). NULL: it is not there, others can write to it, or it
 * was read as the other one.
 */
const char *tool_folder_path(const struct tool_folder *folder, size_t at);

/* Reads a file that only this user or root can change. Returns its length, or -1 with a reason. */
ssize_t tool_file_read(
    const char *path, char *out, size_t size, char *ret_reason, size_t reason_size);

/* Walks all entries sorted by name: NULL starts, NULL ends. */
const struct tool *tool_next(const struct tool_folder *folder, const struct tool *previous);

/* The tool of a row that tool_folder made. */
const struct tool *tool_of(const struct method *method);
