/* SPDX-License-Identifier: ISC */
/*
 * The folders of declarations: the shipped folder, then the user's. A tool of the user's folder
 * replaces the shipped tool of that name. Both are read at the start, and again when they change. A
 * file that cannot be used is an entry with the reason. Tools that can be called are rows of the
 * method table.
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
	struct method method; /* the row; must be first; no name if broken */
	struct list link;
	size_t uses; /* number of requests that use the row */
	char *file; /* path of the declaration */
	char *dir; /* its folder */
	char *name; /* of the tool; if the declaration is not valid, of the file without ".json" */
	struct declaration *declaration;
	enum tool_state state;
	char *reason; /* why the tool is not listed; or NULL */
};

struct tool_folder_parts {
	struct event_base *base;
	/* Handles a call of any declared tool; see struct method. */
	void (*handle)(struct request *request, const void *args);
	void (*changed)(void *data); /* the listed tools have changed */
	void *data;
};

/* Reads both folders, and watches them. A folder that does not exist counts as empty. */
struct tool_folder *tool_folder_new(const struct tool_folder_parts *parts);
void tool_folder_free(struct tool_folder *folder);

/*
 * Reads both folders again, as when programs may have been installed. Does nothing while a file is
 * being written, since both are read after the write.
 */
void tool_folder_read(struct tool_folder *folder);

/* Sets a function that is called after each reading, since other files may have changed as well. */
void tool_folder_set_read(struct tool_folder *folder, void (*read)(void *data), void *data);

/*
 * Returns the path of the shipped folder (0) or the user's (1). NULL if it does not exist, others
 * can write to it, or folder 1 is the same as 0.
 */
const char *tool_folder_path(const struct tool_folder *folder, size_t at);

/* Reads a file that only this user or root can change. Returns its length, or -1 with a reason. */
ssize_t tool_file_read(
    const char *path, char *out, size_t size, char *ret_reason, size_t reason_size);

/* Returns the next entry, by name; NULL gets the first; NULL after the last. */
const struct tool *tool_next(const struct tool_folder *folder, const struct tool *previous);

/* Returns the tool of a row that tool_folder made. */
const struct tool *tool_of(const struct method *method);
